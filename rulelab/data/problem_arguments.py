"""What a problem is made from, read and refused in the words of who gave it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from .columns import read_weights
from .conditions import Condition, conditions_of

SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-50, 1e50
Conditions = tuple[tuple[Condition, ...], ...]


class ProblemError(ValueError):
    """The data cannot be made into a problem; the message says what was found, where, and what to do."""


def boolean_matrix(A: Any) -> np.ndarray:
    columns = [str(c) for c in A.columns] if isinstance(A, pd.DataFrame) else None
    values = A.to_numpy() if isinstance(A, pd.DataFrame) else np.asarray(A)
    if values.ndim != 2:
        raise ProblemError(
            f"the antecedents must be a table of shape (rows, antecedents), but have {values.ndim} dimension(s)"
        )
    if values.shape[0] == 0 or values.shape[1] == 0:
        raise ProblemError(f"the antecedents are empty: {values.shape[0]} rows and {values.shape[1]} columns")
    if values.dtype == bool:
        return values
    if values.dtype.kind not in "iufO":
        raise ProblemError(f"the antecedents must be Boolean or 0/1, not of dtype {values.dtype}; binarize them first")
    with np.errstate(invalid="ignore"):
        missing = pd.isna(values)
        known = np.where(missing, -1, values) if missing.any() else values  # pandas.NA is equal to nothing, nor unequal
        wrong = np.argwhere(~np.asarray((known == 0) | (known == 1), dtype=bool))
    if len(wrong):
        i, j = wrong[0]
        column, cell = columns[j] if columns else f"column {j}", values[i, j]
        others = f"; so it is with {len(wrong) - 1} more cells" if len(wrong) > 1 else ""
        raise ProblemError(
            f"{column!r}, row {i} holds {cell.item() if isinstance(cell, np.generic) else cell!r}, which is neither 0 "
            f"nor 1{others}; binarize the table first (rulelab.Binarizer)"
        )
    return values.astype(bool)


def as_conditions(A: Any) -> Conditions | None:
    return tuple((c,) for c in conditions_of(A)) if isinstance(A, pd.DataFrame) else None


def names_of(names: Sequence[str] | None, n: int, A: Any) -> tuple[str, ...]:
    if names is None and isinstance(A, pd.DataFrame):
        names = [str(c) for c in A.columns]
    if names is None:
        return tuple(f"antecedent {j}" for j in range(n))
    try:
        out = tuple(str(name) for name in names)
    except TypeError:
        raise ProblemError(f"names must be a sequence of texts, one per antecedent, not {names!r}") from None
    if len(out) != n:
        raise ProblemError(f"{len(out)} names were given for {n} antecedents; give one name per column")
    if len(set(out)) < n:
        twice = Counter(out).most_common(1)[0][0]
        raise ProblemError(f"two antecedents are named {twice!r}; give every column a name of its own")
    return out


def as_weights(values: Any, n: int, what: str) -> np.ndarray:
    try:
        weights = read_weights(values, n, what)
    except ValueError as error:
        raise ProblemError(str(error)) from None
    refuse_extreme(weights, what)
    return weights


def refuse_extreme(weights: np.ndarray, what: str) -> None:
    """Refuse weights of which products are no longer numbers; raises ProblemError."""
    extreme = np.flatnonzero((weights != 0) & ((weights < SMALLEST_WEIGHT) | (weights > LARGEST_WEIGHT)))
    if len(extreme):
        raise ProblemError(
            f"{what}, row {extreme[0]} is {weights[extreme[0]]:g}; weights must be 0, or from {SMALLEST_WEIGHT:g} to "
            f"{LARGEST_WEIGHT:g}: multiply all of them by a number that brings them there"
        )


def read_labels(y: Any, n: int, counting: np.ndarray | None = None) -> np.ndarray:
    """One label per row, none missing: of all rows, or of those that are ``counting`` (bool array, shape (n,))."""
    if isinstance(y, pd.DataFrame):
        y = y.iloc[:, 0] if y.shape[1] == 1 else y.to_numpy()
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise ProblemError(f"y has shape {labels.shape}, but there are {n} rows; give one label per row")
    rows = np.arange(n) if counting is None else np.flatnonzero(counting)
    missing = rows[pd.isna(labels[rows])]
    if len(missing):
        raise ProblemError(f"y, row {missing[0]} is missing ({len(missing)} in all); drop these rows or fill them in")
    return labels[rows]


def classes_of(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different labels, sorted, and which of them each row has: int array, shape (n_rows,)."""
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise ProblemError("y mixes labels of several types; use numbers or strings throughout") from None
    return classes, codes.ravel()


def two_classes(y: Any, n: int, counting: np.ndarray | None = None) -> tuple[np.ndarray, tuple[Any, Any]]:
    """Which rows, of those that count, have the larger of two labels, and the labels."""
    found, codes = classes_of(read_labels(y, n, counting))
    if len(found) != 2:
        shown = ", ".join(repr(v) for v in found[:5].tolist()) + (", ..." if len(found) > 5 else "")
        advice = "there is nothing to learn from one class" if len(found) == 1 else "choose one class against the rest"
        raise ProblemError(f"y must hold two classes, but holds {len(found)} ({shown}); {advice}")
    return codes == 1, tuple(found.tolist())  # type: ignore[return-value]


def refuse_single_class(positive: Any, negative: Any, where: str) -> None:
    if not (positive > 0 and negative > 0):
        only = "positive" if positive > 0 else "negative" if negative > 0 else "no"
        raise ProblemError(f"{where} hold {only} weight only; both classes must have some")
