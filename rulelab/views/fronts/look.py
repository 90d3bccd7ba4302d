"""How methods look in pictures of fronts: a hue and a marker each, told apart without colours too."""

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

    @property
    def fill(self) -> float:
        """How dense the inside of a filled marker is, so that lines across it are seen."""
        return 0.4 if self.marker.endswith(("_cross", "_pin", "_x")) else 0.9


LOOKS = {
    "rule_list": Look("circle", BLUE, SKY),
    "falling_rule_list": Look("square", ORANGE, "#F08A3C"),
    "rule_set": Look("triangle", GREEN, "#2FC79A"),
    "least_gap": Look("x", "#1F7A8C", "#7FD6E8"),
    "least_gap_of_sets": Look("triangle_pin", "#4F7A1E", "#A8D66B"),
    "greedy_list": Look("circle_cross", "#3B6E8F", "#9CC3DE"),
    "cart": Look("inverted_triangle", "#AA4499", "#E08CD2"),
    "random_forest": Look("diamond", "#882255", "#F07AA8"),
    "logistic_regression": Look("hex", "#332288", "#A79BFF"),
    "svm": Look("circle_x", "#00757F", "#6FD3DC"),
    "adaboost": Look("star", "#7A7A00", "#D9D35F"),
    "ripper": Look("diamond_cross", "#B0413E", "#FF9E8F"),
    "c45_rules": Look("square_cross", "#5E4B8B", "#C7B5F5"),
    "c50": Look("square_x", "#2F6B4F", "#86CBA6"),
    "exponentiated_gradient": Look("square_pin", "#96651B", "#E0B060"),
    "threshold_optimizer": Look("plus", "#C4536B", "#FFB3BA"),
    "compas_score": Look("asterisk", "#5F5F5F", "#C8C8C8"),
}
"""Colours on a light and on a dark page: at least 3 : 1 on either, hues after Okabe and Ito, and Tol."""
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
