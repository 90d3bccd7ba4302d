"""ROC curves of classifiers: their upper hull, and its area."""

from __future__ import annotations

import numpy as np


def hull(points: np.ndarray) -> np.ndarray:
    """The upper convex hull from (0, 0) to (1, 1): what can be reached by choosing among the classifiers at random.

    Parameters
    ----------
    points : array, shape (n, 2)
        False and true positive rate of each classifier.

    Returns
    -------
    array, shape (n, 2)
        By rising false positive rate.
    """
    out: list[tuple[float, float]] = []
    for x, y in sorted({(0.0, 0.0), (1.0, 1.0), *map(tuple, points.tolist())}):
        while len(out) >= 2 and _turns_up(out[-2], out[-1], (x, y)):
            out.pop()
        out.append((x, y))
    return np.array(out)


def _turns_up(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) >= (c[0] - a[0]) * (b[1] - a[1])


def area(points: np.ndarray) -> float:
    """Area under the hull."""
    x, y = hull(points).T
    return float(np.trapezoid(y, x))


def largest_lead(points: np.ndarray, others: np.ndarray) -> float:
    """By how much the hull of ``others`` is above that of ``points`` where it is most, in true positive rate."""
    ours, theirs = hull(points), hull(others)
    at = np.union1d(ours[:, 0], theirs[:, 0])
    return float((np.interp(at, *theirs.T) - np.interp(at, *ours.T)).max())
