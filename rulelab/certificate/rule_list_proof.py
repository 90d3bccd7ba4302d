"""Makes the proof that a rule list is optimal: the smallest table that the checker's own bounds need.

The table starts with the set of all patterns and the model's cost. Whatever the checker would look up is added, largest
sets first, so that each set is met once with the largest value that any set before it requires. A search only has to
name the optimal list: its bounds, its order and what it stored leave no trace in the proof.
"""

from __future__ import annotations

import numpy as np

from ..models import RuleList
from ..problem import Problem
from .certificate import Certificate, CertificateError
from .origin import Origin
from .rule_list import recompute
from .rule_list_children import children, chunks
from .rule_list_states import States, states


def prove_rule_list(problem: Problem, model: RuleList, regularization: float) -> Certificate:
    """Prove that no rule list, of any length, has a smaller objective.

    Parameters
    ----------
    problem : Problem
    model : RuleList
        An optimal list, from any solver.
    regularization : float
        Cost of one rule, 0 < regularization < 1.

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
    table = _table(space, value - space.per_error * space.constant)
    sets = np.frombuffer(b"".join(table), dtype=np.uint8).reshape(len(table), space.n_bytes)
    return Certificate(
        family=model.family,
        fingerprint=problem.fingerprint,
        parameters={"regularization": float(regularization)},
        arrays={"sets": sets, "values": np.fromiter(table.values(), dtype=np.int64, count=len(table))},
        origin=Origin.of(problem),
    )


def _table(space: States, root: int) -> dict[bytes, int]:
    """The closed table, by set."""
    table: dict[bytes, int] = {}
    waiting = {len(space.weights): {bytes(space.everything[0]): root}}
    while waiting:
        largest = waiting.pop(max(waiting))
        table.update(largest)
        sets = np.frombuffer(b"".join(largest), dtype=np.uint8).reshape(len(largest), space.n_bytes)
        values = np.fromiter(largest.values(), dtype=np.int64, count=len(largest))
        for part in chunks(space, len(sets)):
            below = children(space, sets[part], values[part])
            if len(below.exceeded):
                raise CertificateError("the model is not optimal for this regularization: a better list exists")
            sizes = np.bitwise_count(below.sets).sum(axis=1, dtype=np.int64).tolist()
            for size, child, required in zip(sizes, map(bytes, below.sets), below.required.tolist(), strict=True):
                level = waiting.setdefault(size, {})
                if level.get(child, -1) < required:
                    level[child] = required
    return table
