"""What a result depends on besides the rows: one text per fit, and which saved results can be used again."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from importlib.metadata import version as version_of
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

import rulelab

from ..errors import SweepError
from .result import FAILED, Job, Result

Parameters = dict[str, Any]
PACKAGE = "rulelab"
OTHER_VERSIONS = "computed with "
_UNKNOWN = "unknown"
_MOST = 3  # differences that are told


def configurations(method: str, defaults: Mapping[str, Any], grid: Mapping[str, Sequence[Any]]) -> list[Parameters]:
    """Every combination of the grid's values, in the order of the grid; SweepError for what is no list of values."""
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
    return [dict(zip(values, combination, strict=True)) for combination in product(*values.values())]


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


def make_key(method: str, settings: Mapping[str, Any], packages: Collection[str] = ()) -> str:
    """A text that names a method, all of its settings, and the versions of this library and of other distributions."""
    versions = {PACKAGE: rulelab.__version__, **{name: version_of(name) for name in packages}}
    told = {"settings": {name: plain(value) for name, value in settings.items()}, "versions": versions}
    return f"{method} {json.dumps(told, sort_keys=True)}"


def split(key: str) -> tuple[str, dict[str, Any], dict[str, str]]:
    """The inverse of `make_key`: method, settings, versions; empty where the key says nothing about them."""
    method, _, rest = key.partition(" ")
    try:
        found = json.loads(rest)
        return method, dict(found["settings"]), dict(found["versions"])
    except (ValueError, KeyError, TypeError):
        return method, {}, {}


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """In words, which settings or versions differ; empty when they are the same."""
    names = sorted(name for name in {*old, *new} if old.get(name, _UNKNOWN) != new.get(name, _UNKNOWN))
    told = [f"{name} {old.get(name, _UNKNOWN)}, here {new.get(name, _UNKNOWN)}" for name in names[:_MOST]]
    return "; ".join(told) + (f" and {len(names) - _MOST} more" if len(names) > _MOST else "")


def reuse(
    saved: Iterable[Mapping[str, Any]], jobs: Sequence[Job], limits: Mapping[str, Any]
) -> tuple[list[Result], Counter[str]]:
    """The results of a file that a sweep can use, the last one for each job, and how many others there are by reason.

    What a limit ended counts only under the same ``limits``; failures are tried again.
    """
    same: defaultdict[tuple[str, int], list[Mapping[str, Any]]] = defaultdict(list)
    akin: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    for data in saved:
        same[data["key"], data["fold"]].append(data)
        akin[data["family"], data["fold"]].add(data["key"])
    results, others = [], Counter[str]()
    for job in jobs:
        found = same.get((job.key, job.fold), [])
        done = [data for data in found if data["status"] != FAILED]
        usable = [data for data in done if data["status"] != "limit" or data["limits"] == limits]
        if usable:
            results.append(Result.from_dict({**usable[-1], "parameters": job.plain}, job.point))
        elif found:
            others["which had failed" if found[-1]["status"] == FAILED else "which other limits had ended"] += 1
        else:
            reason = _reason(akin.get((job.method, job.fold), ()), job)
            if reason:
                others[reason] += 1
    return results, others


def _reason(saved: Iterable[str], job: Job) -> str:
    """Why none of these keys of the same method and fold will do; empty when all are of other points of a grid."""
    reasons = []
    _, own, own_versions = split(job.key)
    for key in sorted(saved):
        _, old, versions = split(key)
        if all(name in old and old[name] == value for name, value in job.plain.items()):
            other, version = _differences(old, own), _differences(versions, own_versions)
            reasons.append(f"of other settings: {other}" if other else OTHER_VERSIONS + version)
    return min(reasons, key=lambda said: (not said.startswith(OTHER_VERSIONS), len(said)), default="")
