"""A figure or table of a paper as a record: what makes it again, and the authors' numbers beside ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from ..arguments import SweepError
from ..datasets import DatasetError
from ..sweeps import BASELINES

RAN = "ran"
SOURCE = "source"
"""The first column of each table: ``ran``, ``quoted: ...`` with the place in the paper, or ``needs: ...``."""

_TODO = "what to do"


@dataclass(frozen=True)
class Made:
    """What stands in the place of a figure."""

    tables: Mapping[str, pd.DataFrame]  # by title; their first column is `SOURCE`, see there
    plots: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    """By title, what draws one: a HoloViews element of `rulelab.plots`. Only drawing needs HoloViews."""


@dataclass(frozen=True)
class Figure:
    """Something that a paper shows, and the function that makes it again."""

    name: str  # how the command line calls it
    paper: str  # where it stands
    what: str  # what it shows
    make: Callable[[bool], Made]  # takes whether it has to be quick: fewer rows, folds or seconds
    note: str  # what is done otherwise than in the paper

    def made(self, quick: bool) -> Made:
        """Tables and plots; where data or a package are not there, one row that says what is needed."""
        try:
            return self.make(quick)
        except (DatasetError, SweepError, ModuleNotFoundError) as error:
            return Made({self.what: table([needed("data or a package", str(error))])})


def published(name: str) -> list[dict[str, Any]]:
    """The authors' rows of a table, each with its source; a cell that a row does not have is left out."""
    frame = pd.read_csv(Path(__file__).with_name("published") / f"{name}.csv")
    return [{str(k): v for k, v in row.items() if v == v} for row in frame.to_dict("records")]


def of_each(names: Iterable[str], make: Callable[[str], Iterable[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The rows of several data sets; a row that says what is needed for each that is not there."""
    rows: list[dict[str, Any]] = []
    for name in names:
        try:
            rows += make(name)
        except DatasetError as error:
            rows.append(needed("data", str(error), data=name))
    return rows


def by_data(ours: list[dict[str, Any]], paper: list[dict[str, Any]]) -> pd.DataFrame:
    """Of each data set our rows, then the paper's, in the order of the paper; what has no data set last."""
    order = {name: at for at, name in enumerate(dict.fromkeys(row["data"] for row in paper))}
    return table(sorted([*ours, *paper], key=lambda row: order.get(row.get("data"), len(order))))


def needed(what: str, todo: str, **cells: Any) -> dict[str, Any]:
    """A row that is not there: what it needs, and what to do about that."""
    return {SOURCE: f"needs: {what}", **cells, _TODO: todo}


def installed(*methods: str) -> tuple[list[str], list[dict[str, Any]]]:
    """Those of some baselines whose packages are there, and a row for each other one."""
    there = [name for name in methods if BASELINES[name].installed]
    return there, [
        needed(BASELINES[name].packages[-1], 'pip install "rulelab[rivals]"', method=name.replace("_", " "))
        for name in methods
        if name not in there
    ]


def drawing(plot: str, *of: Any, **options: Any) -> Callable[[], Any]:
    """What draws by a function of `rulelab.plots`, which is loaded only then."""

    def drawn() -> Any:
        from .. import plots

        return getattr(plots, plot)(*of, **options)

    return drawn


def table(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """The rows, their source first, what to do last; a cell that a row does not have is NaN."""
    frame = pd.DataFrame(rows)
    last = [_TODO] if _TODO in frame else []
    return frame[[SOURCE, *(name for name in frame.columns if name not in (SOURCE, _TODO)), *last]]
