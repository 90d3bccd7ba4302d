"""What models, origins and problems say of antecedents, compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.conditions import Condition


def same_conditions(said: Sequence[Condition] | None, known: Sequence[Condition] | None) -> bool:
    """Whether both test the same on the same columns, or say nothing; 1 and True are two values."""
    if said is None or known is None:
        return said is known
    return len(said) == len(known) and all(a == b and _truth(a) == _truth(b) for a, b in zip(said, known, strict=True))


def _truth(condition: Condition) -> bool:
    return isinstance(condition.value, bool | np.bool_)
