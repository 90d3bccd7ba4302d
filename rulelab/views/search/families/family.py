"""What the page knows of a model family besides its record: how a run of it is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..plots.base import Plot
from ..plots.curves import Column, Curves


@dataclass(frozen=True)
class Look:
    """How a kind of search is shown.

    Attributes
    ----------
    heading : str
        Above the best model.
    looks_for : str
        What is said there before a model is found.
    columns : mapping of str to function
        What the plots over time share, besides time, work, objective and bound.
    plots : callable
        Makes the plots, the first of them objective and bound.
    unit : str
        What a unit of work is.
    others : tuple of str
        Short names of the plots but the first one and those under the best model.
    under : int
        How many of the plots, the last ones, stand under the best model.
    family : str
        Whose prefixes can be looked into; empty where the search has none, and then ``no_tree`` says why.
    no_tree : str
    pooled : bool
        Whether it gathers rules in a pool that can be looked at.
    """

    heading: str
    looks_for: str
    columns: Mapping[str, Column]
    plots: Callable[[Curves], tuple[Plot, ...]]
    unit: str
    others: tuple[str, ...] = ()
    under: int = 0
    family: str = ""
    no_tree: str = ""
    pooled: bool = False


@dataclass(frozen=True)
class Shown:
    """What the page knows of a family besides its record.

    Attributes
    ----------
    look_of : callable
        Key in `looks` by the search's parameters.
    looks : mapping of str to Look
    bounds : type or None
        A dataclass of switches, with which the search's bounds can be left out.
    formerly : mapping of str to str
        Parameters by their names in older addresses.
    """

    look_of: Callable[[Mapping[str, Any]], str]
    looks: Mapping[str, Look]
    bounds: Any = None
    formerly: Mapping[str, str] = field(default_factory=dict)

    @property
    def switches(self) -> tuple[str, ...]:
        """Names of the bounds."""
        return () if self.bounds is None else tuple(each.name for each in fields(self.bounds))

    def more(self, settings: Any) -> dict[str, Any]:
        """Arguments of the search that are no parameters of the family."""
        used = settings.bounds if self.bounds is not None else []
        return (
            {} if len(used) == len(self.switches) else {"bounds": self.bounds(**{n: n in used for n in self.switches})}
        )
