"""What all live plots share: how a figure and its legend are made, and what a plot is asked to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from bokeh.models import Axis, ColumnDataSource, CustomJSTickFormatter, Ticker
from bokeh.models.annotations import Legend, LegendItem
from bokeh.plotting import figure

from ....search import Snapshot
from ...live.session import Prepared
from ...widgets.explained import term_classes

HEIGHT = 260
_NUMBER = """
for (const [unit, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
  if (Math.abs(tick) >= unit) { return Number((tick / unit).toPrecision(3)) + letter }
}
return String(Number(tick.toPrecision(6)))
"""
_COMPACT = f"const show = (tick) => {{ {_NUMBER} }}; return show(tick)"
_POWER = f"const show = (tick) => {{ {_NUMBER} }}; return show(Number((10 ** tick).toPrecision(2)))"

Columns = dict[str, list[Any]]


class Plot:
    """One live plot.

    Attributes
    ----------
    figure : figure
    sources : tuple of ColumnDataSource
        Those of its own, beside the curves that plots over time share.
    over_time : tuple of glyphs
        Drawn against the common axis.
    below : str or None
        HTML that stands under the figure; None: there is never any.
    """

    figure: figure
    below: str | None = None
    sources: tuple[ColumnDataSource, ...] = ()
    over_time: tuple[Any, ...] = ()

    def clear(self) -> None:
        """Empty what is not a shared curve."""

    def begin(self, prepared: Prepared) -> None:
        """Learn what is searched, before the first snapshot of a run."""

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        """Show the latest state.

        Parameters
        ----------
        snapshots : sequence of Snapshot
            Those that are new; they are in the shared curves already.
        whole : bool
            Whether they are the whole history.
        latest : Snapshot
        """

    def fit(self) -> None:
        """Let the vertical axis span what there is."""

    def use_dark(self, dark: bool) -> None:
        """Colour what the page's theme does not reach for a dark or a light page."""


def replace(source: ColumnDataSource, columns: Columns) -> None:
    """Send columns that have changed."""
    if columns != source.data:
        source.data = columns


def new_figure(title: str, x_label: str, y_label: str | None, **options: Any) -> figure:
    """An empty figure in the style of the page."""
    plot = figure(
        title=title,
        sizing_mode="stretch_width",
        toolbar_location=None,
        tools="",
        min_border_right=12,
        css_classes=term_classes(title),
        **{"height": HEIGHT, **options},
    )
    plot.xaxis.axis_label = x_label
    if y_label:
        plot.yaxis.axis_label = y_label
    set_ticks(plot.xaxis, desired_num_ticks=5)
    plot.xaxis.formatter = compact()
    return plot


def add_legend(
    plot: figure,
    items: list[tuple[str, Any]],
    place: Literal["above", "right"] = "above",
    columns: int | Literal["auto"] = "auto",
    title: str | None = None,
) -> list[LegendItem]:
    """A legend outside the plot, and its entries; a name may stand for several renderers."""
    entries = [LegendItem(label=name, renderers=list(one) if isinstance(one, tuple) else [one]) for name, one in items]
    legend = Legend(
        items=entries, orientation="vertical" if place == "right" else "horizontal", ncols=columns, title=title,
        padding=2,  # type: ignore[arg-type]
        label_text_font_size="12px", margin=2, spacing=4, label_standoff=4, glyph_width=14, glyph_height=14,
    )  # fmt: skip
    plot.add_layout(legend, place)
    return entries


def set_ticks(axis: Axis, **options: Any) -> None:
    """Set options of the ticker of an axis, which Bokeh's types take for a list of places."""
    ticker = axis.ticker
    assert isinstance(ticker, Ticker)
    ticker.update(**options)


def compact(power_of_ten: bool = False) -> CustomJSTickFormatter:
    """Ticks such as 20k; of a logarithm, the number itself."""
    return CustomJSTickFormatter(code=_POWER if power_of_ten else _COMPACT)
