"""The parameters of a sweep: a grid of values, checked, and spread out into one configuration per combination."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from .errors import SweepError

Parameters = dict[str, Any]


@dataclass(frozen=True)
class Configuration:
    """One combination of parameters of a method.

    Attributes
    ----------
    method : str
    varied : dict
        The parameters that the grid names.
    key : str
        The same for equal parameters, in any order and with or without those that have their default value; see
        `rulelab.sweeps.keys` for the key of a result, which must hold across versions.
    """

    method: str
    varied: Parameters
    key: str

    @property
    def plain(self) -> Parameters:
        """`varied` as JSON and tables can hold them."""
        return {name: plain(value) for name, value in self.varied.items()}


def configurations(method: str, defaults: Mapping[str, Any], grid: Mapping[str, Sequence[Any]]) -> list[Configuration]:
    """Every combination of the grid's values, in the order of the grid.

    Raises
    ------
    SweepError
        Unknown or empty entries, entries that are not lists.
    """
    if not isinstance(grid, Mapping) or not grid:
        name, value = next(iter(defaults.items()), ("name", 1))
        example = f"{{{name!r}: [{value!r}]}}"
        raise SweepError(f"the grid of {method} is {grid!r}; give lists of values by parameter, such as {example}")
    values = {}
    for name, given in grid.items():
        if name not in defaults:
            near = get_close_matches(str(name), defaults, n=1)
            hint = f"did you mean {near[0]!r}? It" if near else "It"
            raise SweepError(
                f"the grid names {name!r}, which is no parameter of {method}; {hint} has "
                f"{', '.join(defaults) or 'none'}"
            )
        if isinstance(given, str | Mapping) or not isinstance(given, Sequence | np.ndarray | pd.Index | pd.Series):
            raise SweepError(f"grid[{name!r}] must be a list of values, not {given!r}")
        values[name] = given.tolist() if isinstance(given, np.ndarray | pd.Index | pd.Series) else list(given)
        if not values[name]:
            raise SweepError(f"grid[{name!r}] is an empty list; give at least one value")
    found: dict[str, Configuration] = {}
    for combination in product(*values.values()):
        varied = dict(zip(values, combination, strict=True))
        told = {name: plain(value) for name, value in varied.items() if plain(value) != plain(defaults[name])}
        key = f"{method} {json.dumps(told, sort_keys=True, ensure_ascii=False)}"
        found.setdefault(key, Configuration(method, varied, key))
    return list(found.values())


def chains(found: Sequence[Configuration], path: str | None, falling: bool) -> list[list[Configuration]]:
    """Configurations that differ in the path's parameter only, in its order, so that each can start from the last."""
    by_rest: dict[str, list[Configuration]] = {}
    for configuration in found:
        rest = {name: value for name, value in configuration.plain.items() if name != path}
        by_rest.setdefault(json.dumps(rest, sort_keys=True), []).append(configuration)
    if path is None:
        return [[c] for chain in by_rest.values() for c in chain]
    return [sorted(chain, key=lambda c: _magnitude(c.varied.get(path)), reverse=falling) for chain in by_rest.values()]


def plain(value: Any) -> Any:
    """A parameter's value as a number, text, Boolean or None: what else it may be (cuts by column) as text."""
    value = _listed_out(value)
    if value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return repr(value)


def _listed_out(value: Any) -> Any:
    """Without arrays, whose text leaves out what is in the middle."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray | pd.Index | pd.Series):
        return value.tolist()
    if isinstance(value, set | frozenset):
        return sorted(map(_listed_out, value), key=repr)
    if isinstance(value, Mapping):
        return {_listed_out(name): _listed_out(one) for name, one in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_listed_out(one) for one in value)
    return value


def _magnitude(value: Any) -> float:
    return float(value) if isinstance(value, int | float | np.number) else math.inf
