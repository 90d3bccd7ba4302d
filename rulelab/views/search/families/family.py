"""What the page knows of a model family besides its record: how a run of it is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..plots.base import Plot
from ..plots.curves import Column, Curves


@dataclass(frozen=True)
class Drawing:
    """One plot of a kind of search, which is made when it is first seen.

    Attributes
    ----------
    kind : type
    make : callable
    name : str
        Its short name among those of which one at a time is seen; empty: it is seen always.
    """

    kind: type[Plot]
    make: Callable[[Curves], Plot]
    name: str = ""


@dataclass(frozen=True)
class Look:
    """How a kind of search is shown.

    Attributes
    ----------
    heading : str
        Above the best model.
    looks_for : str
        What is said in the place of its certificate before there is one.
    columns : mapping of str to function
        What the plots over time share, besides time, work, objective and bound.
    plots : tuple of Drawing
        Objective and bound, those that are seen one at a time, and those that stand under the best model.
    unit : str
        What a unit of work is.
    family : str
        Whose prefixes can be looked into; empty where the search has none, and then ``no_tree`` says why.
    no_tree : str
    pooled : bool
        Whether it gathers rules in a pool that can be looked at.
    several : bool
        Whether its models tell more than two classes apart.
    claim : int
        Lines that what is proven takes in a box of usual width.
    """

    heading: str
    looks_for: str
    columns: Mapping[str, Column]
    plots: tuple[Drawing, ...]
    unit: str
    family: str = ""
    no_tree: str = ""
    pooled: bool = False
    several: bool = False
    claim: int = 2


@dataclass(frozen=True)
class Shown:
    """What the page knows of a family besides its record.

    Attributes
    ----------
    look_of : callable
        Key in `looks` by the search's parameters.
    looks : mapping of str to Look
    bounds, fair_bounds : type or None
        Dataclasses of switches, with which the search's bounds can be left out; those for fair models have their own.
    formerly : mapping of str to str
        Parameters by their names in older addresses.
    """

    look_of: Callable[[Mapping[str, Any]], str]
    looks: Mapping[str, Look]
    bounds: Any = None
    fair_bounds: Any = None
    formerly: Mapping[str, str] = field(default_factory=dict)

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
