"""What the page knows of a model family: its settings, how a run is made of them, and how the run is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import param

from ...forms.data_settings import DataSettings
from ...live.recipe import Recipe
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
    beside, under : int
        How many of the plots, the first ones, stand beside the best model, and how many, the last ones, under it. Two
        or three are left.
    unit : str
        What a unit of work is.
    """

    heading: str
    looks_for: str
    columns: Mapping[str, Column]
    plots: Callable[[Curves], tuple[Plot, ...]]
    unit: str
    beside: int = 1
    under: int = 0


@dataclass(frozen=True)
class Family:
    """One entry of the list of families.

    Attributes
    ----------
    name : str
        As in `rulelab.search.Search.family`.
    label : str
        For the user.
    settings : callable
        Makes the settings of a form.
    shared : tuple of str
        Their parameters that the address holds.
    fields : callable
        Makes the form's fields for the settings and the `DataSettings`: those of the search, those of its conditions.
    recipe : callable
        Makes the recipe of the settings, and of what all recipes share.
    compared : callable
        By the settings and the `DataSettings`, the columns whose groups the search has to be fair to.
    mined : bool
        Whether its rules are mined antecedents.
    look_of : callable
        Key in `looks` by the search's parameters.
    looks : mapping of str to Look
    """

    name: str
    label: str
    settings: Callable[[], param.Parameterized]
    shared: tuple[str, ...]
    fields: Callable[[Any, DataSettings], tuple[Sequence[Any], Sequence[Any]]]
    recipe: Callable[..., Recipe]
    compared: Callable[[Any, DataSettings], tuple[str, ...]]
    mined: bool
    look_of: Callable[[Mapping[str, Any]], str]
    looks: Mapping[str, Look]
