"""What a column's cells may be: one value for each cell of the partition that a list's conditions make of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..data.conditions import Condition, as_text

_MOST_CHOICES = 1000


@dataclass(frozen=True, eq=False)
class Values:
    """The values of one column.

    Attributes
    ----------
    numbers : float array or None
        The cells seen, in order, with repetitions; None for a column that holds no numbers.
    choices : tuple
        The distinct cells seen of any other column, most frequent first: texts or Booleans.
    """

    numbers: np.ndarray | None = None
    choices: tuple[Any, ...] = ()

    @classmethod
    def of(cls, column: pd.Series | None, conditions: Sequence[Condition]) -> Values:
        """Of a column of a table, or, without one, of what conditions say of it."""
        ordered = any(condition.operator in ("<=", ">") for condition in conditions)
        if column is None:
            told = tuple(dict.fromkeys(c.value for c in conditions if c.value is not None))
            numeric = ordered or (bool(told) and not any(isinstance(value, bool | str) for value in told))
            if numeric:
                return cls(numbers=np.sort(np.array([float(value) for value in told])))
            return cls(choices=(True, False) if all(isinstance(v, bool) for v in told) else told)
        present = column.dropna()
        if pd.api.types.is_bool_dtype(present.dtype) or any(isinstance(c.value, bool) for c in conditions):
            return cls(choices=(True, False))
        of_texts = any(isinstance(c.value, str) for c in conditions)
        if ordered or (pd.api.types.is_numeric_dtype(present.dtype) and not of_texts):
            return cls(numbers=np.sort(pd.to_numeric(present).to_numpy(dtype=np.float64)))
        return cls(choices=tuple(map(str, as_text(present).value_counts().index[:_MOST_CHOICES])))

    def others(self, value: Any, conditions: Sequence[Condition]) -> Iterator[tuple[Any, float, str]]:
        """Values of all cells of the partition besides that of ``value``, what the change costs, and how to say it.

        A change of a number costs the share of the column's values that lie between; of anything else 1. Of each cell
        the value that is nearest comes first.
        """
        if self.numbers is None:
            told = (c.value for c in conditions if isinstance(c.value, str | bool))
            for choice in dict.fromkeys((*self.choices, *told)):
                if choice != value:
                    yield choice, 1.0, _said(choice)
            return
        cuts = sorted({float(c.value) for c in conditions if c.operator in ("<=", ">")})
        for low, high in zip((None, *cuts), (*cuts, None), strict=True):
            nearest = self._nearest(value, low, high)
            yield nearest, self._between(value, nearest), _range(value, low, high)
        for condition in conditions:
            if condition.operator in ("==", "!="):
                for number in {float(condition.value), *np.unique(self.numbers).tolist()}:
                    if number != value:
                        yield number, self._between(value, number), _said(number)

    def _nearest(self, value: Any, low: float | None, high: float | None) -> float:
        """The number nearest to ``value`` above ``low`` and at most ``high``; an unknown value is in the middle."""
        assert self.numbers is not None
        middle = float(np.median(self.numbers)) if len(self.numbers) else 0.0
        x = middle if value is None else float(value)
        if high is not None and x > high:
            return high
        if low is None or x > low:
            return x
        seen = self.numbers[np.searchsorted(self.numbers, low, side="right") :]
        beyond = float(seen[0]) if len(seen) else np.inf
        if high is None:
            return beyond if np.isfinite(beyond) else float(np.floor(low) + 1)
        return beyond if beyond <= high else high

    def _between(self, value: Any, other: float) -> float:
        assert self.numbers is not None
        if value is None or not len(self.numbers):
            return 1.0
        first, last = np.searchsorted(self.numbers, sorted((float(value), other)), side="right")
        return float(last - first) / len(self.numbers)


def _range(value: Any, low: float | None, high: float | None) -> str:
    """Of the cells between two cuts, what one would have to say to get there from ``value``."""
    below = "" if high is None else f"at most {high:.12g}"
    above = "" if low is None else f"more than {low:.12g}"
    from_above = high is not None and value is not None and float(value) > high
    first, second = (below, above) if from_above else (above, below)
    return " and ".join(filter(None, (first, second)))


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.12g}" if isinstance(value, float) else str(value)
