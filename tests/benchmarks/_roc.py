"""ROC curves of classifiers: their upper hull, its area, and a drawing as SVG."""

from __future__ import annotations

import html
from collections.abc import Mapping
from itertools import cycle

import numpy as np

_COLOURS = ("#D55E00", "#E69F00", "#0072B2", "#009E73", "#CC79A7", "#000000", "#56B4E9")
_SIDE, _MARGIN, _LEGEND = 420, 56, 210


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


def drawing(curves: Mapping[str, np.ndarray], title: str) -> str:
    """The curves as an SVG image: a line from (0, 0) through a method's points to (1, 1), in its colour."""
    width, height = _SIDE + 2 * _MARGIN + _LEGEND, _SIDE + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="13">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{_MARGIN}" y="28" font-size="15">{html.escape(title)}</text>',
    ]
    for tick in np.linspace(0, 1, 6):
        x, y = _place(tick, tick)
        parts += [
            f'<line x1="{x:.1f}" y1="{_MARGIN}" x2="{x:.1f}" y2="{_MARGIN + _SIDE}" stroke="#e4e4e4"/>',
            f'<line x1="{_MARGIN}" y1="{y:.1f}" x2="{_MARGIN + _SIDE}" y2="{y:.1f}" stroke="#e4e4e4"/>',
            f'<text x="{x:.1f}" y="{_MARGIN + _SIDE + 18}" text-anchor="middle">{tick:.1f}</text>',
            f'<text x="{_MARGIN - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:.1f}</text>',
        ]
    parts += [
        f'<text x="{_MARGIN + _SIDE / 2}" y="{height - 12}" text-anchor="middle">false positive rate, test rows</text>',
        f'<text transform="translate(16 {_MARGIN + _SIDE / 2}) rotate(-90)" text-anchor="middle">'
        "true positive rate, test rows</text>",
    ]
    for i, ((name, points), colour) in enumerate(zip(curves.items(), cycle(_COLOURS))):
        places = [_place(*point) for point in [(0.0, 0.0), *sorted(points.tolist()), (1.0, 1.0)]]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places[1:-1]]
        left, top = _MARGIN + _SIDE + 20, _MARGIN + 14 + 22 * i
        parts += [
            f'<line x1="{left}" y1="{top - 4}" x2="{left + 22}" y2="{top - 4}" stroke="{colour}" stroke-width="3"/>',
            f'<text x="{left + 30}" y="{top}">{html.escape(name)}</text>',
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _place(x: float, y: float) -> tuple[float, float]:
    return _MARGIN + x * _SIDE, _MARGIN + (1 - y) * _SIDE
