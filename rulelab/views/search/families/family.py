"""What the page knows of a model family besides its record: how a run of it is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..plots.base import Plot
from ..plots.curves import Column, Curves


@dataclass(frozen=True)
class Drawing:
    """One plot of a kind of search, which is made when it is first seen."""

    kind: type[Plot]
    make: Callable[[Curves], Plot]
    name: str = ""  # its short name among those of which one at a time is seen; empty: it is seen always


@dataclass(frozen=True)
class Look:
    """How a kind of search is shown."""

    heading: str  # above the best model
    looks_for: str  # what is said in the place of its certificate before there is one
    columns: Mapping[str, Column]  # what the plots over time share, besides time, work, objective and bound
    # objective and bound, those that are seen one at a time, and those that stand under the best model
    plots: tuple[Drawing, ...]
    unit: str  # what a unit of work is
    # whose prefixes can be looked into; empty where the search has none, and then ``no_tree`` says why
    family: str = ""
    no_tree: str = ""
    pooled: bool = False  # whether it gathers rules in a pool that can be looked at
    several: bool = False  # whether its models tell more than two classes apart
    claim: int = 2  # lines that what is proven takes in a box of usual width


@dataclass(frozen=True)
class Shown:
    """What the page knows of a family besides its record."""

    look_of: Callable[[Mapping[str, Any]], str]  # key in `looks` by the search's parameters
    looks: Mapping[str, Look]
    # dataclasses of switches, with which the search's bounds can be left out; those for fair models have their own
    bounds: Any = None
    fair_bounds: Any = None
    formerly: Mapping[str, str] = field(default_factory=dict)  # parameters by their names in older addresses

    @property
    def switches(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of the bounds, and of those for fair models."""
        return _names(self.bounds), _names(self.fair_bounds)

    def more(self, settings: Any, fair: bool) -> dict[str, Any]:
        """Arguments of the search that are no parameters of the family."""
        kind = self.fair_bounds if fair else self.bounds
        used = (settings.fair_bounds if fair else settings.bounds) if kind is not None else []
        every = _names(kind)
        return {} if len(used) == len(every) else {"bounds": kind(**{name: name in used for name in every})}


def _names(bounds: Any) -> tuple[str, ...]:
    return () if bounds is None else tuple(each.name for each in fields(bounds))
