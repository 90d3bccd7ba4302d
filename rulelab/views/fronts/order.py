"""What to sweep on the page, in one frozen description that a worker can carry out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import rulelab

from ...arguments import text_of
from ...datasets import Dataset, load
from ...families import MEMORY
from ...sweeps import BASELINES, FAMILIES, Sweep, SweepError, sweep
from ...warming import warm_up
from ..allowance import ALLOWED
from ..live.recipe import load_code, refuse_large
from ..live.wording import family_name, titled
from .counting import Counting
from .run import Started

MAX_VALUES = 30
"""Most values of one parameter."""
SMALL_TREES = {"max_leaf_nodes": [2, 3, 4, 6, 8, 12]}
"""Of CART: sizes that compare with rule lists."""

Grid = Mapping[str, Sequence[Any]]


def numbers(text: str, name: str, whole: bool = False) -> list[Any]:
    """The numbers of a text such as ``0.05, 0.02``, each once, in their order.

    Raises
    ------
    ValueError
        Naming the field and the entry that is no number.
    """
    kind = "whole numbers" if whole else "numbers"
    parts = [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]
    if not 1 <= len(parts) <= MAX_VALUES:
        raise ValueError(f"{name}: write 1 to {MAX_VALUES} {kind} with commas between, not {len(parts)}")
    found: dict[Any, None] = {}
    for part in parts:
        try:
            value = int(part) if whole else float(part)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ValueError(f"{name}: {part[:40]!r} is none of {kind}; write them with commas between")
        found[value] = None
    return list(found)


@dataclass(frozen=True)
class Order:
    """Sweeps of some families over the same folds of a data set, with the Dask `client` of the server, if it has one.

    Attributes
    ----------
    data : str
        Name of the data set.
    grids : mapping of family to grid
    baselines : tuple of str
    folds : int
    sensitive : tuple of str
        Sensitive attributes, intersected when there are several.
    time_limit : float
        Seconds of each search.
    source : callable or None
        Gives the data set, where it is none by name.
    source_code : str
        Python that does the same, with ``rl`` for this package.
    counting : Counting or None
        A table of this server whose rows are counted instead.
    asked : mapping
        What all models have to obey, by parameter.
    """

    client: ClassVar[Any] = None
    data: str
    grids: Mapping[str, Grid]
    baselines: tuple[str, ...] = ()
    folds: int = 5
    sensitive: tuple[str, ...] = ()
    time_limit: float = 10.0
    source: Callable[[], Dataset] | None = field(default=None, repr=False)
    source_code: str = ""
    counting: Counting | None = None
    asked: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, report: Callable[[str], None]) -> Started:
        """Start all sweeps; baselines are fitted beside the first one.

        Raises
        ------
        ValueError
            With a message for the user; then no sweep goes on.
        """
        if not self.grids:
            raise SweepError("choose at least one family to sweep")
        report("reading the data")
        swept: Any
        if self.counting is not None:
            swept = self.counting(report)
            data = swept.dataset()
        else:
            swept = data = load(self.data) if self.source is None else self.source()
        refuse_large(data)
        for family in self.grids:
            report(f"compiling the search for a {family_name(family)}: once per machine, some seconds")
            warm_up(family)
        started: list[Sweep] = []
        try:
            for family in self.grids:
                report(f"starting: {family_name(family)}")
                started.append(sweep(swept, family, **self._options(family), client=self.client))
        except ValueError as error:
            for one in started:
                one.cancel()
            raise SweepError(titled(text_of(error), FAMILIES[family].family)) from error
        codes = tuple(self.code(family) for family in self.grids)
        return Started(tuple(started), data, codes, named=self.source is None and self.counting is None)

    def code(self, family: str) -> str:
        """Python that starts the family's sweep as ``sweep``."""
        options = "".join(f"    {name}={_source(value)},\n" for name, value in self._options(family).items())
        source = f"data = {self.source_code or load_code(self.data)}\n"
        source = source if self.counting is None else self.counting.code()
        return (
            f"import rulelab as rl\n{_imports(self.grids[family])}\n{source}"
            f"sweep = rl.sweep(\n    data,\n    {family!r},\n{options})"
        )

    def _options(self, family: str) -> dict[str, Any]:
        first = next(iter(self.grids))
        own = {"cart": SMALL_TREES}
        baselines = {name: own.get(name) for name in self.baselines} if family == first else {}
        limit = {} if ALLOWED.fit is None else {MEMORY.name: [ALLOWED.fit]}
        return {
            "grid": {name: list(values) for name, values in self.grids[family].items()} | limit,
            **({"fixed": dict(self.asked)} if self.asked else {}),
            **({"cv": self.folds} if self.counting is None else {}),
            "sensitive": list(self.sensitive) or None,
            "baselines": baselines,
            "time_limit": self.time_limit if ALLOWED.seconds is None else min(self.time_limit, ALLOWED.seconds),
        }


def available(score: bool, groups: bool, fairlearn: bool, counted: bool = False) -> list[str]:
    """The baselines that data allow.

    Parameters
    ----------
    score : bool
        Whether the data have the COMPAS score.
    groups : bool
        Whether there are groups of people.
    fairlearn : bool
        Whether that package is installed.
    counted : bool
        Whether rows are counted.
    """
    needs = {
        "compas_score": score,
        "exponentiated_gradient": groups and fairlearn,
        "threshold_optimizer": groups and fairlearn,
    }
    return [name for name in BASELINES if needs.get(name, True) and (not counted or BASELINES[name].of_counts)]


def _criteria(grid: Grid) -> list[Any]:
    return [value for values in grid.values() for value in values if hasattr(value, "rates")]


def _imports(grid: Grid) -> str:
    names = sorted({type(value).__name__ for value in _criteria(grid)} - set(rulelab.__all__))
    return f"from rulelab.rule_set import {', '.join(names)}\n" if names else ""


def _source(value: Any) -> str:
    """Python source of options: plain values, and fairness criteria, which are frozen data classes."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {_source(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(_source(one) for one in value)}]"
    name = type(value).__name__
    return f"rl.{value!r}" if name in rulelab.__all__ else repr(value)
