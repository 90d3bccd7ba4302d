"""Makes the proof that a falling rule list is optimal: the smallest table that the checker's own bounds need.

Antecedents are dropped before where multipliers are given, see `elimination`. The table starts with the empty prefix
and the model's cost. Whatever the checker would look up is added, largest sets first. Of the pairs of a proportion and
a value that a set is needed with, those are kept that no other one covers.
"""

from __future__ import annotations

import numpy as np

from ...data.problem import Problem
from ...models import FallingRuleList
from ..certificate import Certificate, CertificateError
from ..outcome import cost_to_prove, for_bound
from .checker import certificate_of, falling_value
from .children import Entries, children, chunks
from .elimination import Captures, rounds_of
from .joint_capture import arrays_of, reduced
from .states import FallingStates, falling_space

Needed = tuple[int, int, int, int, int]  # value, p, n, parent, antecedent


def prove_falling_rule_list(
    problem: Problem,
    model: FallingRuleList,
    regularization: float,
    lower_bound: float | None = None,
    captures: Captures | None = None,
) -> Certificate:
    """Prove that no falling rule list, of any length, has a smaller objective.

    Parameters
    ----------
    problem : Problem
    model : FallingRuleList
        An optimal list, from any solver.
    regularization : float
        Cost of one rule, 0 <= regularization < 1.
    lower_bound : float, optional
        Prove instead that no list has an objective below this; whether the model is optimal is left open.
    captures : generator of Capture, optional
        Multipliers that drop antecedents before the table is made; it is sent those that are left.

    Returns
    -------
    Certificate
        Time and size grow with the sets that a search with a known optimum has to expand.

    Raises
    ------
    CertificateError
        When the model does not fit the problem, does not fall, or a better list exists.
    """
    space, *weights = falling_space(problem, regularization, model.positive_weight)
    value, _ = falling_value(problem, model, space, model.positive_weight, *weights)
    root = cost_to_prove(for_bound(lower_bound), value, space.unit, space.over, space.hidden)
    rounds, left = rounds_of(space, captures, root)
    parents, antecedents, values = _table(reduced(space, left) if rounds else space, root)
    arrays = {"parents": parents, "antecedents": antecedents, "values": values, **arrays_of(rounds)}
    return certificate_of(problem, model, regularization, arrays, **for_bound(lower_bound))


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
        for part in chunks(space, len(kept)):
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
