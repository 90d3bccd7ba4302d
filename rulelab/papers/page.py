"""The figures by name, their numbers as text, and the page with tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from ..files import load_tables
from . import corels, fair_rule_sets, falling_rule_lists, rule_sets
from .figure import Figure, Made


def figures() -> dict[str, Figure]:
    """All that can be made again, by name, in the order of the papers."""
    words = load_tables(Path(__file__).with_name("figures.toml"))
    known: dict[str, Figure] = {}
    for room in (corels, falling_rule_lists, rule_sets, fair_rule_sets):
        known |= {name: Figure(name, room.PAPER, make=make, **words[name]) for name, make in room.FIGURES.items()}
    path = Path(__file__).with_name("elsewhere.csv")  # what needs data, a package or another command
    known["elsewhere"] = Figure(
        "elsewhere", "All five papers", make=lambda _: Made({"Elsewhere": pd.read_csv(path)}), **words["elsewhere"]
    )
    return known


def cells(frame: pd.DataFrame) -> list[list[str]]:
    """The rows of a table as text."""
    return [
        [_cell(name, value) for name, value in zip(frame.columns, row, strict=True)]
        for row in frame.itertuples(index=False)
    ]


def numeric(frame: pd.DataFrame) -> list[bool]:
    """Of each column, whether it holds numbers."""
    return [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]


def _cell(name: str, value: Any) -> str:
    """Percent and their deviations to a tenth, counts whole, all else to four digits."""
    if isinstance(value, str):
        return value
    if value is None or pd.isna(value):
        return ""
    if name.endswith("%") or name.startswith(("sd", "se")):
        return f"{value:.1f}"
    return f"{value:,.0f}".replace(",", " ") if value == round(value) and value < 1e15 else f"{value:.4g}"


def write(folder: Path, made: Mapping[Figure, Made], quick: bool) -> Path:
    """Write the page, and each table as CSV beside it; the file of the page."""
    from ..views.live.wording import filled

    folder.mkdir(parents=True, exist_ok=True)
    parts = []
    for figure, result in made.items():
        tables = []
        for k, (title, frame) in enumerate(result.tables.items()):
            file = folder / f"{figure.name}{f'-{k + 1}' if k else ''}.csv"
            frame.to_csv(file, index=False)
            shown = {"title": title, "file": file.name, "columns": list(frame.columns), "rows": cells(frame)}
            tables.append({**shown, "right": numeric(frame)})
        parts.append({"figure": figure, "tables": tables, "plots": list(_pictures(result))})
    page = folder / "index.html"
    page.write_text(filled("papers.html", parts=parts, quick=quick), encoding="utf-8")
    return page


def _pictures(made: Made) -> Iterator[tuple[str, Any]]:
    """The plots as SVG; what is needed where Matplotlib is not installed."""
    from markupsafe import Markup

    from ..plots.styling import svg

    for title, draw in made.plots.items():
        there = find_spec("matplotlib") is not None
        yield title, Markup(svg(draw)) if there else "needs: the package matplotlib"
