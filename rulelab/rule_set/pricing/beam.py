"""The beam heuristic for pricing (Lawless et al., JMLR 24(242), 2023, section 4.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ..features import Features, Rule
from . import conjunctions
from .exact import MOST_RULES, checked
from .tree import DEPTH, ENUMERATES, N_WORDS, TO_OPEN, new_tree, relations

WIDTHS = (50, 20, 6, 6, 5)
_SAME_BEGINNING = (12, 4)  # most rules returned with the same first condition, and with the same first two


def beam(
    features: Features, weight: np.ndarray, charge: np.ndarray, widths: Sequence[int] = WIDTHS
) -> tuple[tuple[Rule, ...], np.ndarray]:
    """Rules of large value: sum of weight minus charge, largest first, with few that begin alike; and their sums.

    ``weight``, ``charge``: as for `rulelab.rule_set.pricing.exact.Pricer`. ``widths``: rules of 1, 2, ... conditions
    that are extended by one more; longer rules are not made than there are widths. The sums are int64.
    """
    charge = checked(weight, charge)
    longest = min(len(charge) - 1, len(widths))
    counter = _Counter(features, weight)
    found: dict[Rule, int] = {}
    parents: list[tuple[Rule, np.ndarray]] = [((), np.zeros(features.n_used, dtype=bool))]
    for size in range(1, longest + 1):
        if not parents:
            break
        excludes, made, sums = [], [], []
        for k, (rule, excluded) in enumerate(parents):
            helping, hurting = counter.extensions(rule)
            excludes.append(excluded | (helping <= charge[size]))
            left = ~excludes[-1]
            left[list(rule)] = False
            new = np.flatnonzero(left)
            made.append(np.column_stack([np.full(len(new), k), new]))
            sums.append((helping - hurting)[new])
        ranked = _ranked(parents, np.concatenate(made), np.concatenate(sums), 4 * widths[size - 1])
        found |= {rule: total for rule, total, _ in ranked if total > charge[size]}
        parents = [(rule, excludes[k]) for rule, _, k in ranked[: widths[size - 1]]]
    rules = _diverse(sorted(found, key=lambda rule: (int(charge[len(rule)]) - found[rule], len(rule), rule)))
    named = tuple(tuple(features.used[list(rule)].tolist()) for rule in rules)
    return named, np.array([found[rule] for rule in rules], dtype=np.int64)


def _ranked(
    parents: Sequence[tuple[Rule, np.ndarray]], made: np.ndarray, sums: np.ndarray, most: int
) -> list[tuple[Rule, int, int]]:
    """The rules of the largest sums, with the last parent of each; in ``made``, parent and condition of each rule."""
    several = most * (len(parents[0][0]) + 1 if parents else 1)  # so often a rule is made at most
    if len(sums) > several:
        kept = np.flatnonzero(sums >= np.partition(sums, -several)[-several])
        made, sums = made[kept], sums[kept]
    best: dict[Rule, tuple[int, int]] = {}
    for (k, c), total in zip(made.tolist(), sums.tolist(), strict=True):
        best[tuple(sorted((*parents[k][0], c)))] = total, k
    ranked = sorted(best, key=lambda rule: (-best[rule][0], rule))[:most]
    return [(rule, *best[rule]) for rule in ranked]


class _Counter:
    """What each condition leaves of a conjunction, by the kernel that opens the nodes of the exact search."""

    def __init__(self, features: Features, weight: np.ndarray) -> None:
        target = np.array([0, 2**62, -(2**62)], dtype=np.int64)
        self._relations = relations(features)
        self._state = new_tree(features, weight, target, target, room=0)
        self._tree = self._state[3]
        self._tree.numbers[ENUMERATES] = 1  # drop nothing
        self._all: np.ndarray | None = None

    def extensions(self, rule: Rule) -> tuple[np.ndarray, np.ndarray]:
        """Helping and hurting weight left by each used condition: two int64 arrays, shape (n_used,)."""
        tree, levels = self._tree, self._state[2]
        m = levels.columns.shape[1]
        if self._all is not None:
            n = levels.numbers[0, N_WORDS]
            tree.slots[0, :n] = self._all
            for c in rule:
                tree.slots[0, :n] &= levels.columns[0, c, :n]
            tree.candidate[0, :m] = np.arange(m)
            tree.n_candidates[0] = m
            tree.numbers[DEPTH], tree.numbers[TO_OPEN] = 0, 1
        conjunctions.advance(*self._state, self._relations, 0, conjunctions.NO_LIMIT)
        if self._all is None:
            self._all = tree.slots[0, : levels.numbers[0, N_WORDS]].copy()
        out = np.zeros((2, m), dtype=np.int64)
        out[:, tree.candidate[0, :m]] = tree.counted[0, :m, :2].T
        return out[0], out[1]


def _diverse(rules: Sequence[Rule]) -> list[Rule]:
    """The first rules of the list, without too many that begin alike."""
    begun: Counter[Rule] = Counter()
    out = []
    for rule in rules:
        beginnings = [rule[: k + 1] for k in range(len(_SAME_BEGINNING)) if len(rule) > k + 1]
        if all(begun[b] < _SAME_BEGINNING[len(b) - 1] for b in beginnings):
            begun.update(beginnings)
            out.append(rule)
        if len(out) == MOST_RULES:
            break
    return out
