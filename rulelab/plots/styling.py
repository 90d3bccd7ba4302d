"""How the pictures look: one palette, for both backends of HoloViews."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import holoviews as hv
import pandas as pd

from ..shown import AMBER, BLUE, GREEN, LENGTHS, ORANGE, PURPLE, SKY  # noqa: F401 some are for others

GREY = "#777777"
CYCLE = (BLUE, ORANGE, GREEN, PURPLE, SKY, AMBER, "#882255", "#7A7A00", GREY)

MODEL = "model"  # the dimension that numbers what is selected together, see `rulelab.plots.linked`

_IN_MATPLOTLIB = {"line_width": "linewidth", "line_dash": "linestyle", "fill_alpha": "alpha", "size": "s"}
_DASHES = {"solid": "-", "dashed": "--", "dotted": ":"}
_MARKERS = {"square": "s", "triangle": "^", "x": "x"}


def styled(element: Any, **style: Any) -> Any:
    """The element with these options in the words of Bokeh, in every backend that is loaded or may be."""
    for backend in ("bokeh", "matplotlib"):
        if backend in hv.Store.loaded_backends():
            options = style if backend == "bokeh" else _translated(element, style)
            element = element.opts(**options, backend=backend)
    return element


def in_front(intervals: Any) -> Any:
    """Error bars that lie before what they belong to; Bokeh draws them behind everything."""
    if "bokeh" in hv.Store.loaded_backends():
        intervals = intervals.opts(hooks=[_raise], backend="bokeh")
    return intervals


def svg(make: Callable[[], Any], inches: float = 3.6) -> str:
    """What the function makes as an SVG element without a title of its own; Matplotlib, which draws it, escapes texts.

    It is made once Matplotlib is loaded, since elements have the style of those backends that are there.
    """
    if "matplotlib" not in hv.Store.loaded_backends():
        hv.extension("matplotlib")
    drawn = io.BytesIO()
    shown = make().opts(fig_inches=inches, title="", xticks=5, backend="matplotlib")
    hv.save(shown, drawn, fmt="svg", backend="matplotlib")
    text = drawn.getvalue().decode()
    return text[text.index("<svg") :]


def in_words(name: str) -> str:
    """A name of a column as words."""
    return name.replace("_", " ")


def require_columns(frame: Any, names: Sequence[str], what: str, of: str = "frame") -> pd.DataFrame:
    """The table itself, or that of what is given, or of the search of a classifier: an attribute or a method ``of`` it.

    Raises
    ------
    TypeError
        When it is no table, and has none.
    ValueError
        When it lacks a column; the message says where such a table comes from.
    """
    if not isinstance(frame, pd.DataFrame):
        frame = getattr(getattr(frame, "search_", frame), of, frame)
        frame = frame() if callable(frame) else frame
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"give {what}, a pandas DataFrame, not {type(frame).__name__}")
    if missing := [name for name in names if name not in frame.columns]:
        raise ValueError(f"the table has no column {', '.join(map(repr, missing))}; give {what}")
    return frame


def _raise(plot: Any, element: Any) -> None:
    plot.handles["glyph"].level = "overlay"


def _translated(element: Any, style: dict[str, Any]) -> dict[str, Any]:
    found = {
        _IN_MATPLOTLIB.get(name, name): value for name, value in style.items() if name not in ("tools", "line_color")
    }
    if isinstance(element, hv.Area) and "color" in found:
        found |= {"facecolor": found["color"], "edgecolor": "none"}
    if "linestyle" in found:
        found["linestyle"] = _DASHES[found["linestyle"]]
    if "marker" in found:
        found["marker"] = _MARKERS[found["marker"]]
    if "s" in found:
        found["s"] = found["s"] ** 2
    return found
