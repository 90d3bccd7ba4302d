"""How methods look in pictures of fronts: a hue, a marker and a short name each, told apart without colours too."""

from __future__ import annotations

import json
from typing import NamedTuple
from urllib.parse import quote

from ...assets import asset
from ..widgets.style import BLUE, GREEN, ORANGE, SKY, TEXT


class Look(NamedTuple):
    """How a method looks."""

    marker: str
    light: str
    dark: str
    short: str

    @property
    def fill(self) -> float:
        """How dense the inside of a filled marker is, so that lines across it are seen."""
        return 0.4 if self.marker.endswith(("_cross", "_pin", "_x")) else 0.9


LOOKS = {
    "rule_list": Look("circle", BLUE, SKY, "list"),
    "falling_rule_list": Look("square", ORANGE, "#F08A3C", "falling"),
    "rule_set": Look("triangle", GREEN, "#2FC79A", "set"),
    "least_gap": Look("x", "#1F7A8C", "#7FD6E8", "list of least gap"),
    "least_gap_of_sets": Look("triangle_pin", "#4F7A1E", "#A8D66B", "set of least gap"),
    "greedy_list": Look("circle_cross", "#3B6E8F", "#9CC3DE", "greedy"),
    "cart": Look("inverted_triangle", "#AA4499", "#E08CD2", "CART"),
    "random_forest": Look("diamond", "#882255", "#F07AA8", "forest"),
    "logistic_regression": Look("hex", "#332288", "#A79BFF", "logistic"),
    "svm": Look("circle_x", "#00757F", "#6FD3DC", "SVM"),
    "adaboost": Look("star", "#7A7A00", "#D9D35F", "AdaBoost"),
    "ripper": Look("diamond_cross", "#B0413E", "#FF9E8F", "RIPPER"),
    "c45_rules": Look("square_cross", "#5E4B8B", "#C7B5F5", "C4.5"),
    "c50": Look("square_x", "#2F6B4F", "#86CBA6", "C5.0"),
    "exponentiated_gradient": Look("square_pin", "#96651B", "#E0B060", "exp. gradient"),
    "threshold_optimizer": Look("plus", "#C4536B", "#FFB3BA", "thresholds"),
    "compas_score": Look("asterisk", "#5F5F5F", "#C8C8C8", "COMPAS"),
}
"""Colours on a light and on a dark page: at least 3 : 1 on either, hues after Okabe and Ito, and Tol. The short name
stands beside points that have no rule count."""
COLORS = {method: {False: look.light, True: look.dark} for method, look in LOOKS.items()}
_SHAPES: dict[str, str] = json.loads(asset("markers.json"))
"""The markers of Bokeh as SVG, in a square of 14."""
_LABEL_CSS = " .MuiFormControlLabel-label { font-size: 14px !important; }"


def swatch_css(method: str, dark: bool) -> str:
    """A style sheet that puts a method's marker before its check box."""
    ink = COLORS[method][dark]
    svg = (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='14' height='14' fill='{ink}' stroke='{ink}'>"
        f"{_SHAPES[LOOKS[method].marker]}</svg>"
    )
    picture = f'url("data:image/svg+xml,{quote(svg)}") no-repeat left center'
    return f":host {{ color: {TEXT}; width: auto; padding-left: 19px; background: {picture}; }}{_LABEL_CSS}"


def spread_out(heights: list[float], least: float, low: float, high: float) -> list[float]:
    """Places for labels of points, as near to them as the least distance between two of them lets them be."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    raised, lowered = list(heights), list(heights)
    below, above = low - least, high + least
    for i in order:
        raised[i] = below = max(heights[i], below + least)
    for i in reversed(order):
        lowered[i] = above = min(heights[i], above - least)
    places = [(a + b) / 2 for a, b in zip(raised, lowered, strict=True)]  # both keep the distance, and so does the mean
    below, above = low - least, high + least
    for i in reversed(order):
        places[i] = above = min(places[i], above - least)
    for i in order:
        places[i] = below = max(places[i], below + least)
    return places
