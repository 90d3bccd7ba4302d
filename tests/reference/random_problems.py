"""Small random tables with weights of every kind, and what turns one into another whose optimum is known from it."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np


def weights_as_read(weights: Iterable[float | Fraction]) -> list[Fraction]:
    """Weights that all print as decimals of a few digits are these; else the doubles they are."""
    weights = list(weights)
    if any(isinstance(weight, Fraction) for weight in weights):
        return list(map(Fraction, weights))
    printed = [Fraction(repr(float(weight))) for weight in weights]
    decimal = any(
        all((each * 10**places).denominator == 1 and each * 10**places <= 2**50 for each in printed)
        for places in (3, 6, 9, 12, 15)
    )
    return printed if decimal else [Fraction(float(weight)) for weight in weights]


@dataclass(frozen=True, eq=False)
class Rows:
    """A table with two classes, and in every group positives and negatives that have weight."""

    A: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    group: np.ndarray
    kind: str

    @cached_property
    def counted(self) -> np.ndarray:
        """The rows of positive weight."""
        return np.flatnonzero(self.weight)

    @cached_property
    def scale(self) -> int:
        """The least number that makes every weight whole, where it is multiplied with all."""
        return math.lcm(*(w.denominator for w in weights_as_read(self.weight)))

    @cached_property
    def whole(self) -> list[int]:
        """``weight * scale`` of the rows of positive weight, exactly."""
        return [int(w * self.scale) for w in weights_as_read(self.weight) if w]

    @property
    def integral(self) -> bool:
        return self.scale == 1


def _balanced(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
    positive, n = int(y.sum()), len(y)
    return np.where(y, n / (2 * positive), n / (2 * (n - positive)))


def _zeros(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
    return rng.integers(0, 3, len(y)) * rng.choice([1.0, 0.5])


WEIGHTS: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {
    "unit": lambda rng, y: np.ones(len(y)),
    "integer": lambda rng, y: rng.integers(1, 5, len(y)).astype(float),
    "half": lambda rng, y: rng.integers(1, 8, len(y)) / 2,
    "real": lambda rng, y: rng.uniform(0.1, 3, len(y)),
    "tenths": lambda rng, y: rng.integers(1, 15, len(y)) / 10,
    "huge": lambda rng, y: rng.integers(1, 5, len(y)) * 1e12 + rng.integers(0, 3, len(y)),
    "tiny": lambda rng, y: rng.integers(1, 9, len(y)) * 1e-9,
    "wide": lambda rng, y: 10.0 ** rng.integers(-3, 4, len(y)),
    "balanced": _balanced,
    "zeros": _zeros,
}
"""Weights of the rows by kind; in "zeros" some rows have none."""


def random_rows(rng: np.random.Generator, kind: str, most_columns: int = 5, n_groups: int = 2) -> Rows:
    """Between 8 and 40 rows of 2 to ``most_columns`` columns, with labels that a few of them explain in part."""
    n, m = int(rng.integers(8, 41)), int(rng.integers(2, most_columns + 1))
    A = rng.random((n, m)) < rng.uniform(0.15, 0.85, m)
    y = (A[:, 0] & ~A[:, m - 1]) | (A[:, 1] & A[:, m // 2])
    y = y ^ (rng.random(n) < rng.choice([0.1, 0.3, 0.5]))
    group = rng.integers(0, n_groups, n)
    sides = 2 * n_groups
    y[:sides] = np.arange(sides) % 2 == 0
    group[:sides] = np.arange(sides) // 2
    weight = WEIGHTS[kind](rng, y)
    weight[:sides] = np.where(weight[:sides] > 0, weight[:sides], 1)
    return Rows(A, y, weight, group, kind)


def explained(seed: int, n: int, m: int, noise: float = 0.15) -> tuple[np.ndarray, np.ndarray]:
    """Antecedents, and labels that two pairs of them explain but for some noise."""
    rng = np.random.default_rng(seed)
    A = rng.random((n, m)) < rng.uniform(0.2, 0.6, m)
    y = (A[:, 0] & ~A[:, 1]) | (A[:, 2] & A[:, 3])
    return A, y ^ (rng.random(n) < noise)


def some_rows(rng: np.random.Generator, kind: str, most_columns: int = 4, most_rows: int = 16) -> Rows:
    """The first few of random rows, of two or three groups."""
    rows = random_rows(rng, kind, most_columns, int(rng.integers(2, 4)))
    return in_order(rows, np.arange(min(most_rows, len(rows.y))))


def in_order(rows: Rows, order: np.ndarray) -> Rows:
    """These rows, in this order."""
    return replace(rows, A=rows.A[order], y=rows.y[order], weight=rows.weight[order], group=rows.group[order])


def permuted(rows: Rows, rng: np.random.Generator) -> Rows:
    """The same rows and columns in another order."""
    order, columns = rng.permutation(len(rows.y)), rng.permutation(rows.A.shape[1])
    return replace(in_order(rows, order), A=rows.A[np.ix_(order, columns)])


def repeated(rows: Rows) -> Rows:
    """As many rows of weight 1 as the whole weight of each says."""
    times = rows.weight.astype(np.int64)
    assert (times == rows.weight).all()
    assert times.sum() < 1000
    return replace(
        rows,
        A=rows.A.repeat(times, axis=0),
        y=rows.y.repeat(times),
        weight=np.ones(times.sum()),
        group=rows.group.repeat(times),
    )


def scaled(rows: Rows, factor: int) -> Rows:
    """All weights times a number; exact for a power of two, and for whole weights."""
    return replace(rows, weight=rows.weight * factor)
