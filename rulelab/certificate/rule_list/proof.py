"""Makes the proof that a rule list is optimal: the smallest table that the checker's own bounds need.

The table starts with the set of all patterns and the model's cost. Whatever the checker would look up is added, largest
sets first, so that each set is met once with the largest value that any set before it requires. A search only has to
name the optimal list: its bounds, its order and what it stored leave no trace in the proof.
"""

from __future__ import annotations

import numpy as np

from ...data.problem import Problem
from ...models import RuleList
from ..bound import cost_to_prove, for_bound
from ..certificate import Certificate, CertificateError
from ..origin import Origin
from ..parts import parts
from .checker import recompute
from .children import children, chunks
from .lemmas import KnownSets, Lemmas
from .states import States, states


def prove_rule_list(
    problem: Problem,
    model: RuleList,
    regularization: float,
    known: KnownSets | None = None,
    lower_bound: float | None = None,
) -> Certificate:
    """Prove that no rule list, of any length, has a smaller objective.

    Parameters
    ----------
    problem : Problem
    model : RuleList
        An optimal list, from any solver.
    regularization : float
        Cost of one rule, 0 < regularization < 1.
    known : KnownSets, optional
        Sets whose costs are known, which can make the proof much smaller. Those that are used are proven, too.
    lower_bound : float, optional
        Prove instead that no list has an objective below this; whether the model is optimal is left open.

    Returns
    -------
    Certificate
        Time and size grow with the sets that a search with a known optimum has to expand.

    Raises
    ------
    CertificateError
        When the model does not fit the problem, or a better list exists.
    """
    costs, _, value = recompute(problem, model, regularization)
    space = states(problem, costs)
    value = cost_to_prove(for_bound(lower_bound), value, costs.unit, costs.overestimate)
    root = max(0, value - space.per_error * space.constant)
    try:
        table, used = _table(space, root, Lemmas.of(space, known))
    except _NotProven:
        try:
            table, used = _table(space, root, Lemmas.of(space, None))
        except _NotProven:
            if lower_bound is not None:
                raise CertificateError(f"a list with an objective below {lower_bound:.10g} exists") from None
            raise CertificateError("the model is not optimal for this regularization: a better list exists") from None
    arrays: dict[str, np.ndarray] = {
        "sets": _rows(list(table), space.n_bytes),
        "values": np.fromiter(table.values(), dtype=np.int64, count=len(table)),
    }
    if used:
        arrays["lemmas"] = np.array([k for k, packed in enumerate(table) if packed in used], dtype=np.int64)
    return Certificate(
        family=model.family,
        fingerprint=problem.fingerprint,
        parameters={"regularization": float(regularization) + 0.0, **for_bound(lower_bound)},
        arrays=arrays,
        origin=Origin.of(problem),
    )


def _rows(packed: list[bytes], n_bytes: int) -> np.ndarray:
    """Packed sets as the rows of a uint8 array."""
    out = np.empty((len(packed), n_bytes), dtype=np.uint8)
    for part in parts(len(packed), n_bytes):
        out[part] = np.frombuffer(b"".join(packed[part]), dtype=np.uint8).reshape(part.stop - part.start, n_bytes)
    return out


class _NotProven(Exception):  # noqa: N818 - caught below
    """Some set costs less than it was said to."""


def _table(space: States, root: int, lemmas: Lemmas) -> tuple[dict[bytes, int], set[bytes]]:
    """The closed table, by set, and those of its sets that serve as lemmas."""
    table: dict[bytes, int] = {}
    used: set[bytes] = set()
    waiting = {len(space.weights): {bytes(space.everything[0]): root}}

    def require(packed: bytes, size: int, value: int) -> None:
        level = waiting.setdefault(size, {})
        if level.get(packed, -1) < value:
            level[packed] = value

    while waiting:
        largest = max(waiting)
        level = waiting.pop(largest)
        table.update(level)
        sets, values = _rows(list(level), space.n_bytes), np.fromiter(level.values(), dtype=np.int64, count=len(level))
        for part in chunks(space, len(sets)):
            below = children(space, sets[part], values[part])
            if len(below.exceeded):
                raise _NotProven
            by_lemma = lemmas.proving(space, below.sets, below.required, np.full(len(below.sets), largest))
            for k in np.unique(by_lemma[by_lemma >= 0]).tolist():
                packed = bytes(lemmas.sets[k])
                used.add(packed)
                require(packed, int(np.bitwise_count(lemmas.sets[k]).sum()), int(lemmas.values[k]))
            left = by_lemma < 0
            sizes = np.bitwise_count(below.sets[left]).sum(axis=1, dtype=np.int64).tolist()
            for size, child, required in zip(
                sizes, map(bytes, below.sets[left]), below.required[left].tolist(), strict=True
            ):
                require(child, size, required)
    return table, used
