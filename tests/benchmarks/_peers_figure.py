"""What others find as a page of dot plots, one for each data set: the objective against the processor time."""

from collections.abc import Mapping, Sequence
from typing import Any

from bokeh.embed import file_html
from bokeh.layouts import gridplot
from bokeh.models import ColumnDataSource, HoverTool
from bokeh.plotting import figure
from bokeh.resources import INLINE

_LOOKS = {
    "rulelab": ("star", "#0072B2"),
    "gosdt": ("circle", "#D55E00"),
    "streed": ("square", "#009E73"),
    "tree": ("square_pin", "#CC79A7"),
    "brcg": ("hex", "#E69F00"),
    "fastsrs": ("triangle", "#CC79A7"),
    "ripper": ("inverted_triangle", "#56B4E9"),
    "greedy": ("diamond", "#666666"),
    "cart": ("plus", "#000000"),
    "counter": ("asterisk", "#0072B2"),
    "praxis": ("cross", "#009E73"),
}


def draw(rows: Sequence[Mapping[str, Any]]) -> str:
    """A page that needs nothing else; a filled marker is a model that its search has proven optimal."""
    names = dict.fromkeys(row["data"] for row in rows)
    plots = [_plot(name, [row for row in rows if row["data"] == name]) for name in names]
    return file_html(gridplot(plots, ncols=2, toolbar_location=None), INLINE, "Rule lists and their peers")


def _plot(name: str, rows: Sequence[Mapping[str, Any]]) -> Any:
    plot = figure(
        width=620,
        height=340,
        x_axis_type="log",
        x_range=(5e-4, 1e3),
        title=f"{name}, {rows[0]['conditions']} conditions; filled: proven optimal",
        x_axis_label="user CPU seconds of the fit",
        y_axis_label="errors / rows + price of rules",
        toolbar_location=None,
    )
    for row in reversed(rows):
        if row["objective"] is None:
            continue
        marker, colour = _LOOKS[row["method"]]
        said = f"{row['errors']} errors, {row['rules']} rules, {row['']}".removesuffix(", ")
        source = ColumnDataSource({"x": [max(row["user s"], 1e-3)], "y": [row["objective"]], "said": [said]})
        dot = plot.scatter(
            "x",
            "y",
            source=source,
            marker=marker,
            size=13,
            line_color=colour,
            line_width=2,
            fill_color=colour,
            fill_alpha=1.0 if row[""] == "proven" else 0.0,
            legend_label=f"{row['method']} ({row['models']})",
        )
        plot.add_tools(HoverTool(renderers=[dot], tooltips=[(row["method"], "@said"), ("user s", "@x{0.000}")]))
    if plot.legend:
        plot.add_layout(plot.legend[0], "right")
    plot.y_range.start = 0
    return plot
