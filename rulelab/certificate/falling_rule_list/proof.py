"""Makes the proof that a falling rule list is optimal: the smallest table that the checker's own bounds need.

Antecedents are dropped before, in rounds, where multipliers are given. The table starts with the empty prefix
and the model's cost. Whatever the checker would look up is added, largest sets first. Of the pairs of a proportion and
a value that a set is needed with, those are kept that no other one covers.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, NamedTuple

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


class Step(NamedTuple):
    """An antecedent that follows an entry, the packed set that it leaves, and what has to be claimed of it."""

    parent: int
    antecedent: int
    left: bytes
    claim: Any


def closed_table(
    n_patterns: int, root: Step, follow: Callable[[list[Step], int], Iterable[Step]], covers: Callable[[Any, Any], bool]
) -> list[Step]:
    """The entries from the root on; ``follow``: what some entries need, the first of which is at this place."""
    entries: list[Step] = []
    waiting: dict[int, dict[bytes, list[Step]]] = {n_patterns: {root.left: [root]}}
    while waiting:
        kept = [step for several in waiting.pop(max(waiting)).values() for step in _uncovered(several, covers)]
        first = len(entries)
        entries += kept
        for step in follow(kept, first):
            size = int.from_bytes(step.left).bit_count()
            waiting.setdefault(size, {}).setdefault(step.left, []).append(step)
    return entries


def _uncovered(several: list[Step], covers: Callable[[Any, Any], bool]) -> list[Step]:
    """Of what is needed of one set, what nothing else covers."""
    kept: list[Step] = []
    for step in several:
        if not any(covers(other.claim, step.claim) for other in kept):
            kept = [other for other in kept if not covers(step.claim, other.claim)]
            kept.append(step)
    return kept


def _table(space: FallingStates, root: int) -> tuple[list[int], list[int], list[int]]:
    """Parent, antecedent and value of every entry of the closed table."""

    def follow(kept: list[Step], first: int) -> Iterator[Step]:
        sets = np.frombuffer(b"".join(step.left for step in kept), dtype=np.uint8).reshape(-1, space.n_bytes)
        values, p, n = np.array([step.claim for step in kept], dtype=np.int64).T
        entries = Entries(sets, p, n, values)
        for part in space.chunks(len(kept)):
            below = children(space, entries.part(part))
            if len(below.exceeded):
                but = ", or one that falls but for the rounding of weights" if space.misplaced else ""
                raise CertificateError(f"the model is not optimal for these parameters: a better list exists{but}")
            left = below.left
            claims = zip(*(each.tolist() for each in (left.values, left.p, left.n)), strict=True)
            parents = (below.parent + first + part.start).tolist()
            yield from map(Step, parents, below.antecedent.tolist(), map(bytes, left.sets), claims)

    steps = closed_table(len(space.positives), Step(-1, -1, bytes(space.everything[0]), (root, 1, 1)), follow, _covers)
    return [s.parent for s in steps], [s.antecedent for s in steps], [s.claim[0] for s in steps]


def _covers(known: tuple[int, int, int], asked: tuple[int, int, int]) -> bool:
    """Whether a value and a proportion p / n of a set are no less than others of it."""
    (value, p, n), (value_asked, p_asked, n_asked) = known, asked
    return value >= value_asked and p_asked * n <= p * n_asked
