"""The slow-downs of an ablation as a page of dot plots, one for each table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bokeh.embed import file_html
from bokeh.layouts import column
from bokeh.models import ColumnDataSource, HoverTool
from bokeh.plotting import figure
from bokeh.resources import INLINE

SERIES = (
    ("x", "user time", "circle", "#0072B2"),
    ("x eval.", "evaluations", "square", "#E69F00"),
    ("Table 4", "time in the paper, ProPublica", "cross", "#000000"),
    ("Table 5", "time in the paper, NYCLU", "x", "#666666"),
)


def draw(where: str, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """A page that needs nothing else: ratios to the first row of each table, on a logarithmic axis."""
    return file_html(
        column([_plot(where, group, rows) for group, rows in tables.items()]), INLINE, f"Ablation: {where}"
    )


def _plot(where: str, group: str, rows: Sequence[Mapping[str, Any]]) -> Any:
    variants = [row["variant"] for row in reversed(rows)]
    plot = figure(
        y_range=variants,
        x_axis_type="log",
        width=1000,
        height=140 + 26 * len(rows),
        title=f"{where}, bounds: {group}",
        x_axis_label="times as much as the first row; an arrow: the run met a limit, and needs more",
        toolbar_location=None,
    )
    for title, label, marker, colour in SERIES:
        shown = [row for row in rows if row.get(title) is not None]
        if not shown:
            continue
        source = ColumnDataSource(
            {
                "variant": [row["variant"] for row in shown],
                "ratio": [float(row[title]) for row in shown],
                "text": [f"{row[title]:.3g}" for row in shown],
            }
        )
        dots = plot.scatter("ratio", "variant", source=source, size=9, marker=marker, color=colour, legend_label=label)
        plot.add_tools(HoverTool(renderers=[dots], tooltips=[("", "@variant"), (label, "@text")]))
        capped = [row for row in shown if f"{row[title]:g}".startswith(">")]
        plot.text(
            [float(row[title]) for row in capped],
            [row["variant"] for row in capped],
            text=["\u2192"] * len(capped),
            x_offset=6,
            text_baseline="middle",
            text_color=colour,
        )
    plot.add_layout(plot.legend[0], "right")
    plot.ygrid.grid_line_dash = "dotted"
    return plot
