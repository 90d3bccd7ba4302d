"""Plots of many good models as inline SVG, for a file that is opened without a server; no text from data is in them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...rule_list import NearOptimal
from ...rule_set import NearOptimalRuleSets
from ..live.wording import counted
from ..widgets.style import sheet

_WIDTH, _HEIGHT = 520, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 14, 12, 40
_BINS = 60
_STEPS = 200
_EACH = (1, 2, 2.5, 5, 10)
_THOUSANDS = ("", "k", "M", "G")

SVG_CSS = sheet("offline_plots.css")


def steps(values: np.ndarray, most: int = _STEPS) -> tuple[np.ndarray, np.ndarray]:
    """The curve of how many values are at most so large, with at most so many steps."""
    x, n = np.unique(np.round(values, 6), return_counts=True)
    y = n.cumsum()
    some = np.unique(np.linspace(0, len(x) - 1, most).astype(int)) if len(x) > most else np.arange(len(x))
    return x[some], y[some].astype(np.float64)


def within(result: NearOptimal | NearOptimalRuleSets) -> str:
    """How many models, and how many lists where that is known, are at most so far above the optimum; logarithmic."""
    scale = 100 / result.optimum if result.optimum else 100.0
    x, y = steps(result.gaps * scale)
    last = max(float(x[-1]), 1e-6)
    starts = result.by_gap["gap_from"].to_numpy(dtype=np.float64)
    lists = result.by_gap["lists"].to_numpy(dtype=np.float64) if "lists" in result.by_gap else None
    decades = max(math.ceil(math.log10(max(0.0 if lists is None else float(lists.sum()), y[-1], 2))), 1)

    def path(across: np.ndarray, up: np.ndarray) -> str:
        points = [f"M{_x(across[0], 0, last):.1f} {_y(math.log10(max(up[0], 1)), 0, decades):.1f}"]
        points += [
            f"H{_x(min(a, last), 0, last):.1f}V{_y(math.log10(max(u, 1)), 0, decades):.1f}"
            for a, u in zip(across[1:], up[1:], strict=True)
        ]
        return "".join([*points, f"H{_x(last, 0, last):.1f}"])

    marks = f'<path class="models" d="{path(x, y)}"/>'
    if lists is not None:
        marks = f'<path class="lists" d="{path(starts * scale, lists.cumsum())}"/>{marks}'
    lines = [(float(k), _power(k)) for k in range(0, decades + 1, 1 + decades // 7)]
    words = "how far above the optimum at most, %" if result.optimum else "how far above the optimum at most, × 100"
    far = f"{last:.3g} % of" if result.optimum else f"{last / 100:.3g} of"
    said = f"{counted(result.count, 'models')} within {far} the optimum"
    return _plot(marks, (0, last), _ticks(0, last), (0, decades), lines, words, said)


def dots(result: NearOptimal | NearOptimalRuleSets) -> str:
    """Accuracy against rules: a dot for all models of a number of rules and about the same accuracy."""
    members = result.sets if isinstance(result, NearOptimalRuleSets) else result.lists
    rules = np.array([len(each) for each in members])
    accuracy = 100 * (1 - np.asarray(result.errors, dtype=np.float64) / result.problem.total_weight)
    low, high = float(accuracy.min()), float(accuracy.max())
    margin = max(0.05 * (high - low), 0.05)
    low, high = low - margin, high + margin
    across = (float(rules.min()) - 0.6, float(rules.max()) + 0.6)
    width = (high - low) / _BINS
    place = np.clip(((accuracy - low) / width).astype(int), 0, _BINS - 1)
    found, n = np.unique(np.stack([rules, place]), axis=1, return_counts=True)
    marks = ""
    for k, at, many in zip(*found.tolist(), n.tolist(), strict=True):
        begin = low + at * width
        words = f"{counted(many, 'models')}, {counted(k, 'rules')}, {begin:.2f} to {begin + width:.2f} %"
        x, y = _x(k, *across), _y(begin + width / 2, low, high)
        size = 2 + 2.2 * math.log10(many)
        marks += f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}"><title>{words}</title></circle>'
    best = (_x(rules[0], *across), _y(float(accuracy[0]), low, high))
    marks += f'<circle class="optimum" cx="{best[0]:.1f}" cy="{best[1]:.1f}" r="8"><title>the optimum</title></circle>'
    bottom = [(float(k), f"{k}") for k in range(int(rules.min()), int(rules.max()) + 1)]
    said = f"accuracy of {counted(result.count, 'models')} by their number of rules"
    return _plot(marks, across, bottom, (low, high), _ticks(low, high), "rules", said)


def _plot(
    marks: str,
    across: tuple[float, float],
    bottom: Sequence[tuple[float, str]],
    up: tuple[float, float],
    side: Sequence[tuple[float, str]],
    words: str,
    said: str,
) -> str:
    end, floor = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    grid = "".join(
        f'<line class="grid" x1="{_LEFT}" x2="{end}" y1="{_y(v, *up):.1f}" y2="{_y(v, *up):.1f}"/>'
        f'<text class="up" x="{_LEFT - 6}" y="{_y(v, *up) + 4:.1f}">{text}</text>'
        for v, text in side
    )
    grid += "".join(f'<text class="tick" x="{_x(v, *across):.1f}" y="{floor + 16}">{text}</text>' for v, text in bottom)
    middle = (_LEFT + end) / 2
    return (
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{said}">{grid}{marks}'
        f'<text class="tick" x="{middle}" y="{_HEIGHT - 6}">{words}</text></svg>'
    )


def _ticks(low: float, high: float) -> list[tuple[float, str]]:
    """At most six round numbers between two."""
    rough = max(high - low, 1e-9) / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(each * power for each in _EACH if each * power >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [(k * step, f"{k * step:.6g}") for k in range(first, math.floor(high / step + 1e-9) + 1)]


def _power(k: int) -> str:
    """10**k, so short that it fits beside the axis on a phone."""
    return f"{10 ** (k % 3)}{_THOUSANDS[k // 3]}" if k < 3 * len(_THOUSANDS) else f"1e{k}"


def _x(value: float, low: float, high: float) -> float:
    return _LEFT + (value - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)


def _y(value: float, low: float, high: float) -> float:
    return _HEIGHT - _BOTTOM - (value - low) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)
