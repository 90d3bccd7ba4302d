"""What all live plots share: how a figure and its legend are made, what a plot is asked to do, and its box."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import pandas as pd
import panel as pn
import param
from bokeh.embed import json_item
from bokeh.models import (
    Axis,
    BasicTicker,
    BoxZoomTool,
    ColumnDataSource,
    CustomJSTicker,
    CustomJSTickFormatter,
    NoOverlap,
    PanTool,
    Range,
    Range1d,
    ResetTool,
    Text,
    Ticker,
)
from bokeh.models.annotations import Label, LabelSet, Legend, LegendItem, Title
from bokeh.models.glyph import Glyph
from bokeh.models.renderers import GlyphRenderer
from bokeh.plotting import figure
from panel.custom import Child, JSComponent

from ....assets import asset
from ....snapshot import Snapshot
from ...live.prepared import Prepared
from ...widgets.explained import term_classes, term_slug
from ...widgets.html import Html
from ...widgets.style import BLUE, CARD_CSS, FIGURE_CSS, SKY, sheet

HEIGHT = 236
BLUES = {False: BLUE, True: SKY}  # of lines on a light and on a dark page
LARGE_TEXT = "20px"
PICTURE = (1280, 720)  # width and height of one that is saved, in pixels
SLIDE = (1600, 900)
_SCALE = 2
_TICK = "22px"
_ON_SLIDES: dict[Any, dict[str, Any]] = {
    Title: {"text_font_size": "34px"},
    Axis: {"axis_label_text_font_size": "26px", "major_label_text_font_size": _TICK, "axis_line_width": _SCALE},
    Legend: {"label_text_font_size": _TICK, "title_text_font_size": _TICK, "label_height": 28}
    | {"glyph_width": 34, "glyph_height": 28, "spacing": 16},
    Label: {"text_font_size": _TICK},
}
_TEXTS: dict[Any, tuple[str, ...]] = {
    Axis: ("axis_label_text_font_size", "major_label_text_font_size"),
    Legend: ("label_text_font_size",),
    Label: ("text_font_size",),
    LabelSet: ("text_font_size",),
    Text: ("text_font_size",),
}
"""What text there is in a plot."""
_MOST_ROWS = 20
_BELOW, _BAR = 42, 24
"""Least height of what stands under a plot: two lines, so that what follows does not move when they appear."""
_TOOLBAR_CSS = ":host(.bk-inner) { background-color: var(--panel-surface-color, white) }"

Columns = dict[str, list[Any]]


def tooltip(html: str, further: str = "") -> str:
    """What stands beside the pointer, no wider than a phone; Bokeh escapes what it puts in."""
    style = f"max-width: min(300px, 60vw); font-size: 12px; line-height: 1.4; overflow-wrap: anywhere; {further}"
    return f'<div style="{style}">{html}</div>'


class Plot:
    """One live plot."""

    title: ClassVar[str]
    nothing: ClassVar[str] = ""  # the caption before there is anything to see
    names: Mapping[str, str]  # columns of its first source, and what its table calls them
    figure: figure
    caption: str = ""  # what is seen now, in a sentence
    below: str | None = None  # HTML that stands under the figure; None: there is never any
    blank: bool = False  # whether there is nothing to see, and no picture
    sources: tuple[ColumnDataSource, ...] = ()  # those of its own, beside the curves that plots over time share
    over_time: tuple[Any, ...] = ()  # drawn against the common axis
    entries: Sequence[LegendItem] = ()  # of its legend
    # models with properties that the page's theme does not reach, and their colours on a light and on a dark page
    tinted: Sequence[tuple[Any, str, Mapping[bool, str]]] = ()
    _dark: bool = False  # whether it is coloured for a dark page
    _small: Sequence[tuple[Any, dict[str, Any]]] = ()  # texts with their sizes for a screen, while they are larger
    _asked: tuple[Any, ...] = ()  # what was drawn last, where frames are drawn and not snapshots

    def clear(self) -> None:
        """Empty what is not a shared curve."""
        for source in self.sources:
            source.data = {name: [] for name in source.data}
        show_entries(self.entries, [False] * len(self.entries))
        self.caption = self.nothing

    def begin(self, prepared: Prepared) -> None:
        """Learn what is searched, before the first snapshot of a run."""

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        """Show the latest state, and say it in `caption`; the new ``snapshots`` are in the shared curves already."""

    def fit(self) -> None:
        """Let the vertical axis span what there is."""

    def draw(self, *asked: Any, **more: Any) -> None:
        """Draw a frame."""
        raise NotImplementedError

    def frame(self) -> pd.DataFrame:
        """What is drawn, as a table in the words of the figure."""
        data = self.sources[0].data
        return pd.DataFrame({name: data[column] for column, name in self.names.items()})

    def picture(self) -> dict[str, Any]:
        """The last frame drawn anew, alone and on white, for the browser to save."""
        alone = type(self)()
        alone.draw(*self._asked)
        return still(alone.figure)

    def use_dark(self, dark: bool) -> None:
        """Colour what the page's theme does not reach for a dark or a light page."""
        self._dark = dark
        for model, names, colour in self.tinted:
            model.update(**dict.fromkeys(names.split(), colour[dark]))

    def use_size(self, large: bool) -> None:
        """Make the text fit for a screen, or larger for a projector."""
        if large is bool(self._small):
            return
        if large:
            self._small = [
                (model, {name: getattr(model, name) for name in names})
                for kind, names in _TEXTS.items()
                for model in self.figure.select({"type": kind})
            ]
        for model, sizes in self._small:
            for name in sizes:
                (model.on_change if large else model.remove_on_change)(name, self._enlarge)
            model.update(**(dict.fromkeys(sizes, LARGE_TEXT) if large else sizes))
        for each in self.figure.above:  # from the left end of the figure: large, it may be wider than the frame
            if isinstance(each, Legend):
                each.location = (-(self.figure.min_border_left or 0), 0) if large else "top_right"
        if not large:
            self._small = ()

    def _enlarge(self, _name: str, _old: Any, new: Any) -> None:
        """Make text large again: the browser gives it the sizes of a notebook's theme when that changes."""
        if new != LARGE_TEXT:
            for model, sizes in self._small:
                model.update(**dict.fromkeys(sizes, LARGE_TEXT))


class Window:
    """The range of an axis: it follows what there is to see until the user zooms, and again after a reset."""

    def __init__(self, start: float, end: float) -> None:
        self.range = Range1d(start=start, end=end, reset_start=start, reset_end=end)
        self.ends: tuple[Any, Any] = (start, end)  # from where to where it spans what there is

    def span(self, start: float, end: float) -> None:
        """Show from ``start`` to ``end``, or keep that for the reset when the user looks at a part."""
        if (start, end) == self.ends:
            return
        follows = (self.range.start, self.range.end) == self.ends
        self.ends = (start, end)
        shown = {"start": start, "end": end} if follows else {}
        self.range.update(**shown, reset_start=start, reset_end=end)


def still(plot: figure, size: tuple[int, int] = PICTURE, **further: Any) -> dict[str, Any]:
    """A figure of its own for the browser to save: what Bokeh embeds, and its size in pixels."""
    plot.update(width=size[0], height=size[1], sizing_mode="fixed", toolbar_location=None, **further)
    return {"item": json_item(plot), "size": list(size)}


def enlarged(plot: figure) -> dict[str, Any]:
    """A figure of its own with larger texts, lines and marks: what Bokeh embeds, and its size in pixels."""
    for kind, look in _ON_SLIDES.items():
        for model in plot.select({"type": kind}):
            model.update(**look)
    for renderer in plot.renderers:
        glyph: Any = getattr(renderer, "glyph", None)
        for name in ("line_width", "size"):
            value = getattr(glyph, name, None)
            if isinstance(value, int | float):
                setattr(glyph, name, _SCALE * value)
        if getattr(glyph, "text_font_size", None) is not None:
            glyph.update(text_font_size=_TICK)
    return still(plot, SLIDE, min_border=40)


def replace(source: ColumnDataSource, columns: Columns) -> None:
    """Send columns that have changed."""
    if columns != source.data:
        source.data = columns


def drawn(plot: figure, source: ColumnDataSource, glyph: Glyph, **options: Any) -> GlyphRenderer[Any]:
    """Draw a source, of which nothing can be selected: without the glyphs that the figure's methods make for that."""
    return plot.add_glyph(source, glyph, selection_glyph=None, nonselection_glyph=None, muted_glyph=None, **options)


def when_tapped(source: ColumnDataSource, column: str, take: Callable[[Any], Any]) -> None:
    """Hand over what a column holds of each mark that is tapped; nothing stays selected."""

    def tapped(_name: str, _old: Any, new: list[int]) -> None:
        values = source.data[column]
        if new and new[0] < len(values):
            source.selected.indices = []
            take(values[new[0]])

    source.selected.on_change("indices", tapped)


def show_as_before(*renderers: GlyphRenderer[Any]) -> None:
    """Draw what is selected, or is not, with the glyph itself: a copy would keep the colours of a light page."""
    for each in renderers:
        each.selection_glyph = each.nonselection_glyph = each.glyph


def new_figure(
    title: str,
    x_label: str,
    y_label: str | None,
    across: Window | Range | None = None,
    up: Window | Range | None = None,
    **options: Any,
) -> figure:
    """An empty figure in the style of the page, to be zoomed into, with the ranges of its axes; None: Bokeh's own."""
    for name, ends in (("x_range", across), ("y_range", up)):
        if ends is not None:
            options[name] = ends.range if isinstance(ends, Window) else ends
    plot = figure(
        title=title,
        sizing_mode="stretch_width",
        toolbar_location="right",
        toolbar_inner=True,
        tools=[BoxZoomTool(), PanTool(), ResetTool()],
        css_classes=term_classes(title),
        **{"height": HEIGHT, "min_border_left": 70, "min_border_right": 12, **options},
    )
    plot.toolbar.update(active_drag=None, autohide=True, logo=None, stylesheets=[_TOOLBAR_CSS])
    plot.xaxis.axis_label = x_label
    if y_label:
        plot.yaxis.axis_label = y_label
    plot.xaxis.major_label_policy = NoOverlap(min_distance=6)
    plot.axis.axis_label_text_font_style = "normal"
    plot.outline_line_color = None
    plot.xaxis.axis_label_standoff = 2
    set_ticks(plot.xaxis, desired_num_ticks=5)
    plot.xaxis.formatter = compact()
    return plot


def add_legend(plot: figure, items: list[tuple[str, Any]], columns: int | Literal["auto"] = "auto") -> list[LegendItem]:
    """A legend above the plot, and its entries; a name may stand for several renderers."""
    entries = [LegendItem(label=name, renderers=list(one) if isinstance(one, tuple) else [one]) for name, one in items]
    legend = Legend(
        items=entries, orientation="horizontal", ncols=columns, padding=2,  # type: ignore[arg-type]
        label_text_font_size="12px", label_height=15, margin=2, spacing=3, label_standoff=4,
        glyph_width=14, glyph_height=14,
    )  # fmt: skip
    plot.add_layout(legend, "above")
    return entries


def show_entries(entries: Sequence[LegendItem], drawn: Sequence[bool]) -> None:
    """Let a legend name only what is drawn."""
    for entry, visible in zip(entries, drawn, strict=True):
        entry.visible = visible


def set_ticks(axis: Axis, **options: Any) -> None:
    """Set options of the ticker of an axis, which Bokeh's types take for a list of places."""
    ticker = axis.ticker
    assert isinstance(ticker, Ticker)
    ticker.update(**options)


def compact(power_of_ten: bool = False) -> CustomJSTickFormatter:
    """Ticks such as 20k; of a logarithm, the number itself."""
    shown = "Number((10 ** tick).toPrecision(2))" if power_of_ten else "tick"
    return CustomJSTickFormatter(code=asset("ticks.js") + f"return short({shown})")


def ticks(power_of_ten: bool = False) -> Ticker:
    """Places of about five ticks; of a logarithm, those of round numbers."""
    powers = asset("ticks.js") + "return powers(cb_data.range)"
    return CustomJSTicker(major_code=powers) if power_of_ten else BasicTicker(desired_num_ticks=5)


class PlotHead(JSComponent):
    """Name and caption of a plot, all as text, and its menu: PNG, SVG, CSV and a table of the last figures."""

    heading = param.String(doc="The name of the plot.")
    caption = param.String(doc="What is seen now.")
    term = param.String(doc="Its entry in the glossary; empty: none.")
    control = Child(default=None, doc="Chooses what an axis counts; None: nothing does.")

    _esm = asset("dom.js", "plot_head.js")
    _stylesheets = [sheet("plot.css")]

    def __init__(self, answer: Callable[[str], dict[str, Any]], **params: Any) -> None:
        super().__init__(**params)
        self._answer = answer

    def _handle_msg(self, data: Any) -> None:
        self._send_msg({"text": json.dumps(self._answer(data["want"]))})


class PlotBox:
    """What stands in the box of a plot."""

    def __init__(
        self,
        plot: Plot,
        name: Callable[[], str],  # gives the beginning of the names of saved files
        control: Any = None,  # stands beside the name of the plot, and chooses what an axis counts
        picture: Callable[[], dict[str, Any]] | None = None,  # makes the one to be saved; by default that of the plot
    ) -> None:
        self.plot = plot
        self._picture, self._file_name = picture or plot.picture, name
        title: Any = plot.figure.title
        title.visible, self.name = False, ""
        plot.figure.stylesheets = [FIGURE_CSS]
        plot.figure.css_classes = []  # the sign stands beside the name
        wide: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": 0}
        self._head = PlotHead(self.answer, control=control, css_classes=["rl-head"], **wide)
        self.rename(str(title.text))
        self.pane = pn.pane.Bokeh(plot.figure, **wide)
        self._below = None
        if plot.below is not None:
            self._below = Html("", stylesheets=[CARD_CSS], min_height=_BELOW, **wide)
        self.items = tuple(item for item in (self._head, self.pane, self._below) if item is not None)

    def fill(self, height: str = ":host { height: 100% !important; }") -> None:
        """Let the figure be as high as its box leaves it, or as a style sheet says; other parts take a line each."""
        self.plot.figure.stylesheets = [FIGURE_CSS, height]
        self.pane.css_classes = ["rl-plot"]
        self._head.stylesheets = [".caption { min-height: 1.35em; }"]
        if self._below is not None:
            self._below.min_height = _BAR

    def rename(self, name: str) -> None:
        """Call what is shown by another name."""
        if name != self.name:
            self.name = name
            self._head.param.update(term=term_slug(name), heading=name)
            self.plot.figure.html_attributes = {"role": "figure", "aria-label": name}

    def refresh(self) -> None:
        """Show what the plot says beside its picture, where that has changed."""
        self._head.caption = self.plot.caption
        self.pane.visible = not self.plot.blank
        if self._below is not None and self._below.object != self.plot.below:
            self._below.object = self.plot.below

    def answer(self, want: str) -> dict[str, Any]:
        """What the menu asks for: "table", "csv", "png" or "svg"."""
        if want == "table":
            frame = self.plot.frame()
            rows = frame.tail(_MOST_ROWS)
            said = f"The last {len(rows)} of {len(frame)} rows" if len(rows) < len(frame) else ""
            texts = [[_text(value) for value in row] for row in rows.itertuples(index=False)]
            return {"kind": want, "columns": list(frame.columns), "rows": texts, "said": said}
        file = f"{self._file_name()}_{re.sub(r'[^a-z]+', '_', self.name.lower())}.{want}"
        if want == "csv":
            return {"kind": want, "name": file, "csv": self.plot.frame().to_csv(index=False)}
        return {"kind": want, "name": file, **self._picture()}


def _text(value: Any) -> str:
    return "" if value != value else f"{value:.6g}" if isinstance(value, float) else str(value)
