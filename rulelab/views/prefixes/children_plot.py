"""The rules that could come next after a prefix, a bar for each: what its bound is made of, against the best list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from bokeh.models import ColumnDataSource, HoverTool, Range1d, TapTool
from bokeh.models.annotations import BoxAnnotation, Label, Span

from ...assets import texts
from ..live.wording import count, counted, in_signs
from ..search.plots import base
from ..widgets.esc import plain
from ..widgets.style import BLUE, INK, ORANGE, PAPER, PURPLE, SKY
from .frames import NO_CHILDREN, Seen
from .icicle import fate_of, tally

TERMS = texts("bound")  # the columns of `PrefixSearch.look_into` that add up to the bound, in words
MOST_BARS = 10
_LOOK: dict[str, dict[str, Any]] = {
    "loss": {"fill_color": BLUE},
    "rules": {"fill_color": "#E69F00", "hatch_pattern": "vertical_line"},
    "inevitable": {"fill_color": PURPLE, "hatch_pattern": "dot"},
    "further": {"fill_color": SKY, "hatch_pattern": "right_diagonal_line"},
}
"""After Okabe and Ito; the patterns tell them apart without colours too."""
_LOSS = {False: BLUE, True: "#2F93D1"}
_PALE = 0.5
_ROW, _LARGE_ROW, _AROUND, _NAME = 27, 38, 96, 48
_PLACES = {"name": -0.02, "bar": 0.2, "height": 0.38}
"""Within the row of a child, whose height is 1: the foot of its name, the middle of its bar, the bar's height."""
_TOOLTIP = (
    '<div style="width: 250px; font-size: 12px; line-height: 1.4; white-space: normal"><b>@said</b> '
    "(predicts @label)<br>captures @captured, wrong so far @errors"
    + "".join(f"<br>{words} @{name}{{0.0000}}" for name, words in TERMS.items())
    + "<br><b>bound @bound{0.0000}</b>, best list @best{0.0000}<br><b>@fate</b>: @reason</div>"
)
"""Narrow, for phones. Bokeh escapes what it puts in."""
_ROOM = 0.4  # of the width: for the fate beside the longest bar
_WIDTH, _MARGIN = 1000, 40
_NEAR = 1e-9
NONE_FOLLOW = "Nothing goes on from it."


def fates(frame: pd.DataFrame) -> list[str]:
    """What becomes of each child: "open", "expanded", or "cut: " and the bound."""
    return [fate_of(*each) for each in zip(frame["fate"], frame["cut_by"], strict=True)]


def interesting(frame: pd.DataFrame, most: int = MOST_BARS) -> pd.DataFrame:
    """The children to draw, those below the best list first: the open ones of least bound, a cut one per reason."""
    cut = (frame["fate"] == "cut").to_numpy()
    order = np.lexsort((frame["bound"].to_numpy(dtype=float), cut))
    first_of_reason = ~frame["cut_by"].iloc[order].duplicated().to_numpy() & cut[order]
    chosen = frame.iloc[np.concatenate([order[first_of_reason], order[~first_of_reason]])[:most]]
    best = frame.attrs.get("incumbent")
    below = chosen["bound"] < (float("inf") if best is None else best - _NEAR)
    return chosen.assign(below=below).sort_values(["below", "bound"], kind="stable").drop(columns="below")


class ChildrenPlot(base.Plot):
    """A stacked bar per child of a prefix; beyond the line of the best list nothing is worth a look."""

    title = "Next rules"
    below = ""

    def __init__(self, unit: str, on_tap: Callable[[str], None] | None = None) -> None:
        self._unit = unit  # of the objective; ``on_tap`` takes the antecedent of a bar that is tapped
        self._frame = NO_CHILDREN
        self._window = base.Window(0, 1)
        self._rows = Range1d(start=MOST_BARS - 0.4, end=-1.3)
        plot = base.new_figure(
            self.title, f"objective ({unit})", None, self._window, self._rows, min_border_left=8, min_border_right=8
        )
        plot.yaxis.visible = False
        plot.ygrid.grid_line_color = None
        self._source = ColumnDataSource(_columns(NO_CHILDREN, 0.0, 0.0))
        bars: list[Any] = [
            plot.hbar(
                y="bar", left=f"{name}_from", right=f"{name}_to", height=_PLACES["height"], source=self._source,
                fill_alpha="alpha", line_color=None, hatch_alpha=0.35, hatch_color="black", hatch_scale=6,
                hatch_weight=1, **_LOOK[name],
            )
            for name in TERMS
        ]  # fmt: skip
        rows = plot.hbar(  # all of a row can be pointed at, for bars are thin
            y="middle", left=0, right="end", height=1, source=self._source, fill_alpha=0, line_color=None
        )  # fmt: skip
        written: dict[str, Any] = {"text_font_size": "12px", "source": self._source, "level": "overlay"}
        written["background_fill_alpha"] = 0.8  # a line runs behind long names
        texts = [
            plot.text(x=0, y="name", text="short", text_baseline="bottom", **written),
            plot.text(x="beyond", y="bar", text="beside", text_baseline="middle", x_offset=5, **written),
        ]
        base.show_as_before(*bars, rows, *texts)
        self._beyond = BoxAnnotation(left=0, fill_color=ORANGE, fill_alpha=0.08, line_color=None, level="underlay")
        self._line = Span(location=0, dimension="height", line_color=ORANGE, line_width=2.5)
        self._best = Label(x=0, y=-0.62, text="", text_font_size="12px", text_font_style="bold", y_offset=2)
        for mark in (self._beyond, self._line, self._best):
            plot.add_layout(mark)
        self._entries = base.add_legend(
            plot, [(TERMS[name], bar) for name, bar in zip(TERMS, bars, strict=True)], columns=2
        )
        plot.add_tools(HoverTool(renderers=[rows], tooltips=_TOOLTIP, point_policy="follow_mouse"))
        if on_tap is not None:
            plot.add_tools(TapTool(renderers=[rows]))
            base.when_tapped(self._source, "rule", on_tap)
        self.figure = plot
        self.sources = (self._source,)
        self.tinted = (
            *((text.glyph, "text_color", INK) for text in texts),
            *((text.glyph, "background_fill_color", PAPER) for text in texts),
            (self._best, "text_color", INK),
            (bars[0].glyph, "fill_color", _LOSS),
        )
        self.use_dark(False)
        self.use_size(False)
        self.clear()

    def clear(self) -> None:
        self.draw(Seen())

    def draw(self, seen: Seen) -> None:
        """Show what could come next after a prefix."""
        frame = self._frame = seen.children
        shown, best = interesting(frame), frame.attrs.get("incumbent")
        end = max([*shown["bound"], best or 0.0, 1e-9]) / (1 - _ROOM)
        self._window.span(0, end)
        base.replace(self._source, _columns(shown, float("inf") if best is None else best, end))
        for mark in (self._beyond, self._line, self._best):
            mark.visible = best is not None
        if best is not None and self._line.location != best:
            self._line.location = self._beyond.left = self._best.x = best
            right = best < (1 - _ROOM) * end / 2
            align: Any = {"text_align": "left", "x_offset": 6} if right else {"text_align": "right", "x_offset": -6}
            self._best.update(text=f"best list {best:.4f}", **align)
        base.show_entries(self._entries, [bool((shown[name] > 0).any()) for name in TERMS])
        solid = next((k for k, fate in enumerate(shown["fate"]) if fate != "cut"), 0)
        for entry in self._entries:
            entry.index = solid  # of a bar that is not pale
        many, few = counted(len(frame), "next rules"), len(shown) < len(frame)
        of = f"Of {many}: {tally(fates(frame))}. " if len(frame) else ""
        self.caption = f"{of}{seen.said}".rstrip() or NONE_FOLLOW
        self.below = f'<p class="note">{count(len(shown))} of {many} are drawn; Save has all.</p>' if few else ""

    def frame(self) -> pd.DataFrame:
        told = self._frame.assign(fate=fates(self._frame)).rename(columns={"antecedent": "rule", **TERMS})
        shown = ["rule", "label", "captured", "errors", *TERMS.values(), "bound", "fate", "reason"]
        return told[shown].sort_values("bound", kind="stable", ignore_index=True)

    def use_size(self, large: bool) -> None:
        """The rows are higher where the text is larger."""
        super().use_size(large)
        self.figure.height = _AROUND + (_LARGE_ROW if large else _ROW) * (MOST_BARS + 1)

    def picture(self) -> dict[str, Any]:
        """It alone on white, see `still`."""
        alone = ChildrenPlot(self._unit)
        alone.draw(Seen(children=self._frame))
        return base.still(alone.figure, (_WIDTH, int(alone.figure.height or 0) + _MARGIN), min_border=20)


def _columns(shown: pd.DataFrame, best: float, end: float) -> base.Columns:
    """What is drawn of these children; names are cut so that a phone has a place for them."""
    n = len(shown)
    places = np.arange(n)
    columns: base.Columns = {
        "name": (places + _PLACES["name"]).tolist(),
        "bar": (places + _PLACES["bar"]).tolist(),
        "middle": (places - 0.1).tolist(),
        "best": [best] * n,
        # where words cross neither the bar nor the line of the best list
        "beyond": [bound if np.isinf(best) else max(bound, best) for bound in shown["bound"]],
        "end": [end] * n,
    }
    left = np.zeros(n)
    for name in TERMS:
        columns[name] = shown[name].tolist()
        right = left + columns[name]
        columns[f"{name}_from"], columns[f"{name}_to"] = left.tolist(), right.tolist()
        left = right
    rules = [str(rule) for rule in shown["antecedent"]]
    columns.update(
        bound=shown["bound"].tolist(),
        rule=rules,
        said=[in_signs(rule) for rule in rules],
        short=[plain(in_signs(rule), _NAME) for rule in rules],
        label=[plain(label) for label in shown["label"]],
        captured=[count(float(value)) for value in shown["captured"]],
        errors=[count(float(value)) for value in shown["errors"]],
        fate=fates(shown),
        beside=[fate.removeprefix("cut: ") for fate in fates(shown)],
        reason=shown["reason"].tolist(),
        alpha=[_PALE if fate == "cut" else 1.0 for fate in shown["fate"]],
    )
    return columns
