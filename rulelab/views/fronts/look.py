"""How methods look in pictures of fronts: a hue, a marker and a short name each, told apart without colours too."""

from __future__ import annotations

from urllib.parse import quote

from ..widgets.style import BLUE, GREEN, ORANGE, SKY, TEXT

COLORS: dict[str, dict[bool, str]] = {
    "rule_list": {False: BLUE, True: SKY},
    "falling_rule_list": {False: ORANGE, True: "#F08A3C"},
    "rule_set": {False: GREEN, True: "#2FC79A"},
    "least_gap": {False: "#1F7A8C", True: "#7FD6E8"},
    "least_gap_of_sets": {False: "#4F7A1E", True: "#A8D66B"},
    "greedy_list": {False: "#3B6E8F", True: "#9CC3DE"},
    "cart": {False: "#AA4499", True: "#E08CD2"},
    "random_forest": {False: "#882255", True: "#F07AA8"},
    "logistic_regression": {False: "#332288", True: "#A79BFF"},
    "adaboost": {False: "#7A7A00", True: "#D9D35F"},
    "exponentiated_gradient": {False: "#96651B", True: "#E0B060"},
    "threshold_optimizer": {False: "#C4536B", True: "#FFB3BA"},
    "compas_score": {False: "#5F5F5F", True: "#C8C8C8"},
}
"""On a light and on a dark page: at least 3 : 1 on either, hues after Okabe and Ito, and Tol."""
MARKERS = {
    "rule_list": "circle",
    "falling_rule_list": "square",
    "rule_set": "triangle",
    "least_gap": "x",
    "least_gap_of_sets": "triangle_pin",
    "greedy_list": "circle_cross",
    "cart": "inverted_triangle",
    "random_forest": "diamond",
    "logistic_regression": "hex",
    "adaboost": "star",
    "exponentiated_gradient": "square_pin",
    "threshold_optimizer": "plus",
    "compas_score": "asterisk",
}
SHORT = {
    "rule_list": "list",
    "falling_rule_list": "falling",
    "rule_set": "set",
    "least_gap": "list of least gap",
    "least_gap_of_sets": "set of least gap",
    "greedy_list": "greedy",
    "cart": "CART",
    "random_forest": "forest",
    "logistic_regression": "logistic",
    "adaboost": "AdaBoost",
    "exponentiated_gradient": "exp. gradient",
    "threshold_optimizer": "thresholds",
    "compas_score": "COMPAS",
}
"""What stands beside points that have no rule count."""
_SHAPES = {
    "circle": "<circle cx='7' cy='7' r='5'/>",
    "square": "<path d='M2 2h10v10H2z'/>",
    "circle_cross": "<circle cx='7' cy='7' r='5' fill-opacity='.4'/><path d='M7 2v10M2 7h10'/>",
    "triangle": "<path d='M7 2l6 10H1z'/>",
    "x": "<path d='M2 2l10 10M12 2L2 12' stroke-width='2'/>",
    "triangle_pin": "<path d='M7 1q1 6 6 11q-6-2-12 0q5-5 6-11z'/>",
    "inverted_triangle": "<path d='M7 12L1 2h12z'/>",
    "diamond": "<path d='M7 1l4 6-4 6-4-6z'/>",
    "hex": "<path d='M4 2h6l3 5-3 5H4L1 7z'/>",
    "star": "<path d='M7 1l2 4h4l-3 3 1 5-4-3-4 3 1-5-3-3h4z'/>",
    "square_pin": "<path d='M1 1q6 3 12 0q-3 6 0 12q-6-3-12 0q3-6 0-12z'/>",
    "plus": "<path d='M5 1h4v4h4v4H9v4H5V9H1V5h4z'/>",
    "asterisk": "<path d='M7 1v12M2 4l10 6M2 10l10-6' stroke-width='2'/>",
}


_LABEL_CSS = " .MuiFormControlLabel-label { font-size: 14px !important; }"


def swatch_css(method: str, dark: bool) -> str:
    """A style sheet that puts a method's marker before its check box."""
    ink = COLORS[method][dark]
    svg = (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='14' height='14' fill='{ink}' stroke='{ink}'>"
        f"{_SHAPES[MARKERS[method]]}</svg>"
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
