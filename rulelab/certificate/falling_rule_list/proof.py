"""Makes the proof that a falling rule list is optimal: the smallest table that the checker's own bounds need.

Antecedents are dropped before, in rounds, where multipliers are given. The table starts with the empty prefix
and the model's cost. Whatever the checker would look up is added, largest sets first. Of the pairs of a proportion and
a value that a set is needed with, those are kept that no other one covers.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ...data.problem import Problem
from ...models import FallingRuleList
from ..certificate import Certificate, CertificateError, certificate_of
from ..outcome import cost_to_prove, for_bound
from .checker import falling_value
from .joint_capture import Merged, Round, arrays_of, eligible, merged, most_saved, reduced
from .states import Entries, FallingStates, children, falling_space

_SMALLEST = 2e-3  # of what a pattern or a rule costs: smaller multipliers are added to the largest
_BELOW = 1 - 2.0**-40
Needed = tuple[int, int, int, int, int]  # value, p, n, parent, antecedent


class Capture(NamedTuple):
    """Multipliers of the joint capture bound, on any scale; a pattern stands for those merged with it."""

    pairs: tuple[np.ndarray, np.ndarray, np.ndarray]  # patterns u and v (int64), and x_uv (float)
    rules: tuple[np.ndarray, np.ndarray, np.ndarray]  # patterns u and antecedents (int64), and y_ua (float)


Captures = Generator[Capture, np.ndarray, None]  # multipliers; what is sent back are the antecedents that are left


def rounds_of(space: FallingStates, captures: Captures | None, least: int) -> tuple[list[Round], np.ndarray]:
    """Rounds that drop what the multipliers, scaled to what patterns and rules cost here, can, and what is left."""
    left: np.ndarray = np.ones(len(space.antecedents), dtype=bool)
    rounds: list[Round] = []
    if captures is None or len(space.antecedents) == 0:
        return rounds, left
    left = eligible(space)
    everything = space.per_positive * int(space.positives.sum())
    capture = next(captures, None)
    while capture is not None:
        patterns = merged(space, left)
        if min(len(patterns.gain), len(patterns.loss)) == 0:
            break
        pairs, rules = _scaled(space, patterns, capture)
        among = np.flatnonzero(left)
        dropped = among[everything - most_saved(space, patterns, pairs, rules, among) >= least]
        if len(dropped):
            rounds.append(Round(dropped, pairs, rules))
            left = left.copy()
            left[dropped] = False
        try:
            capture = captures.send(space.antecedents[left])
        except StopIteration:
            break
    return rounds, left


def _scaled(space: FallingStates, patterns: Merged, capture: Capture) -> tuple[np.ndarray, np.ndarray]:
    """Whole multipliers for the merged patterns, as large as they may be."""
    place = np.empty_like(space.patterns)
    place[space.patterns] = np.arange(len(place))
    u, v, x = patterns.u_of[place[capture.pairs[0]]], patterns.v_of[place[capture.pairs[1]]], capture.pairs[2]
    kept = (u >= 0) & (v >= 0)
    pairs = _whole(u[kept], v[kept], x[kept], patterns.loss)
    u, antecedent, y = patterns.u_of[place[capture.rules[0]]], *capture.rules[1:]
    a = np.searchsorted(space.antecedents, antecedent).clip(0, len(space.antecedents) - 1)
    kept = (u >= 0) & (space.antecedents[a] == antecedent) & patterns.in_u[u, a]
    costs = np.full(len(patterns.left), space.per_rule, dtype=np.int64)
    return pairs, _whole(u[kept], a[kept], y[kept], costs)


def _whole(u: np.ndarray, of: np.ndarray, x: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Integers in proportion, those of each ``of`` together what there is; the rest goes to the largest."""
    total = np.bincount(of, x, len(most))
    share = x / np.where(total > 0, total, 1)[of]
    whole = np.where(share < _SMALLEST, 0, np.floor(share * most[of] * _BELOW)).astype(np.int64)
    given = np.zeros(len(most), dtype=np.int64)
    np.add.at(given, of, whole)
    order = np.lexsort((-share, of))
    largest = order[np.append(True, of[order][1:] != of[order][:-1])] if len(order) else order
    whole[largest] += np.maximum(0, most - given)[of[largest]]
    kept = whole > 0
    return np.stack([u[kept], of[kept], whole[kept]])


def prove_falling_rule_list(
    problem: Problem,
    model: FallingRuleList,
    regularization: float,
    lower_bound: float | None = None,
    captures: Captures | None = None,
) -> Certificate:
    """Prove that no falling rule list, of any length, has a smaller objective than the model, or than ``lower_bound``.

    ``captures``: multipliers that drop antecedents before the table is made; it is sent those that are left. Time and
    size grow with the sets that a search with a known optimum has to expand. Raises CertificateError when the model
    does not fit the problem, does not fall, or a better list exists.
    """
    space, *weights = falling_space(problem, regularization, model.positive_weight)
    value, _ = falling_value(problem, model, space, model.positive_weight, *weights)
    root = cost_to_prove(for_bound(lower_bound), value, space.unit, space.over, space.hidden)
    rounds, left = rounds_of(space, captures, root)
    parents, antecedents, values = _table(reduced(space, left) if rounds else space, root)
    given = {"regularization": float(regularization) + 0.0, "positive_weight": float(model.positive_weight)}
    table = {"parents": parents, "antecedents": antecedents, "values": values}
    return certificate_of(problem, model.family, given | for_bound(lower_bound), {**table, **arrays_of(rounds)})


def _table(space: FallingStates, root: int) -> tuple[list[int], list[int], list[int]]:
    """Parent, antecedent and value of every entry of the closed table."""
    parents: list[int] = []
    antecedents: list[int] = []
    values: list[int] = []
    waiting: dict[int, dict[bytes, list[Needed]]] = {
        len(space.positives): {bytes(space.everything[0]): [(root, 1, 1, -1, -1)]}
    }
    while waiting:
        largest = waiting.pop(max(waiting))
        kept = [(key, needed) for key, several in largest.items() for needed in _uncovered(several)]
        first = len(values)
        for _, (value, _, _, parent, antecedent) in kept:
            parents.append(parent)
            antecedents.append(antecedent)
            values.append(value)
        sets = np.frombuffer(b"".join(key for key, _ in kept), dtype=np.uint8).reshape(len(kept), space.n_bytes)
        numbers = np.array([needed[:3] for _, needed in kept], dtype=np.int64)
        entries = Entries(sets, numbers[:, 1], numbers[:, 2], numbers[:, 0])
        for part in space.chunks(len(kept)):
            below = children(space, entries.part(part))
            if len(below.exceeded):
                but = ", or one that falls but for the rounding of weights" if space.misplaced else ""
                raise CertificateError(f"the model is not optimal for these parameters: a better list exists{but}")
            left = below.left
            sizes = np.bitwise_count(left.sets).sum(axis=1, dtype=np.int64).tolist()
            lists = (each.tolist() for each in (left.values, left.p, left.n, below.parent + first + part.start))
            rows = zip(sizes, map(bytes, left.sets), *lists, below.antecedent.tolist(), strict=True)
            for size, key, *needed in rows:
                waiting.setdefault(size, {}).setdefault(key, []).append(tuple(needed))  # type: ignore[arg-type]
    return parents, antecedents, values


def _uncovered(several: list[Needed]) -> list[Needed]:
    """Of the needs of one set, those that no other one covers, with at least its value and its proportion."""
    kept: list[Needed] = []
    for need in several:
        value, p, n = need[:3]
        if any(v >= value and p * n_v <= p_v * n for v, p_v, n_v, *_ in kept):
            continue
        kept = [k for k in kept if not (value >= k[0] and k[1] * n <= p * k[2])]
        kept.append(need)
    return kept
