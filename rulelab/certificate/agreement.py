"""What models, origins and problems say of antecedents, compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.conditions import Condition
from ..data.multiclass import MultiClassProblem
from ..data.problem import Problem
from .origin import Origin


def same_conditions(said: Sequence[Condition] | None, known: Sequence[Condition] | None) -> bool:
    """Whether both test the same on the same columns, or say nothing; 1 and True are two values."""
    if said is None or known is None:
        return said is known
    return len(said) == len(known) and all(a == b and _truth(a) == _truth(b) for a, b in zip(said, known, strict=True))


def other_origin(origin: Origin, problem: Problem | MultiClassProblem) -> str | None:
    """What an origin says that the problem does not; the target's name and the conditions of an array are not known."""
    if origin.names != problem.names or origin.classes != tuple(problem.classes):
        return "the origin in the certificate has other antecedents or classes than the problem"
    if problem.conditions is not None and not all(map(same_conditions, origin.conditions, problem.conditions)):
        return "the origin in the certificate has other conditions than the antecedents of the problem"
    return None


def _truth(condition: Condition) -> bool:
    return isinstance(condition.value, bool | np.bool_)
