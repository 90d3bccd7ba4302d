"""What a result depends on besides the rows: one text per fit, and which saved results can be used again."""

from __future__ import annotations

import inspect
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from typing import Any

import rulelab

from .grid import plain
from .result import FAILED, Job, Result

PACKAGE = "rulelab"
OTHER_VERSIONS = "computed with "
_UNKNOWN = "of an unknown version"
_MOST = 3  # differences that are told


def make_key(method: str, settings: Mapping[str, Any], packages: Collection[str] = ()) -> str:
    """A text that names a method, all of its settings, and the versions of this library and of other packages.

    Parameters
    ----------
    method : str
    settings : mapping
        Every setting by name, those with default values too.
    packages : collection of str
        Names of distributions.
    """
    versions = {PACKAGE: rulelab.__version__, **{name: _version(name) for name in packages}}
    return join(method, {name: plain(value) for name, value in settings.items()}, versions)


def join(method: str, settings: Mapping[str, Any], versions: Mapping[str, str]) -> str:
    return f"{method} {json.dumps({'settings': dict(settings), 'versions': dict(versions)}, sort_keys=True)}"


def split(key: str) -> tuple[str, dict[str, Any], dict[str, str]]:
    """The inverse of `join`: method, settings, versions; empty where the key says nothing about them."""
    method, _, rest = key.partition(" ")
    try:
        found = json.loads(rest)
        return method, dict(found["settings"]), dict(found["versions"])
    except (ValueError, KeyError, TypeError):
        return method, {}, {}


def defaults_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The arguments of a function or class that have default values; a value without a text of its own by its type."""
    arguments = inspect.signature(function).parameters.values()
    found = {one.name: one.default for one in arguments if one.default is not inspect.Parameter.empty}
    return {name: type(value).__name__ if " at 0x" in repr(value) else value for name, value in found.items()}


def _differences(old: Mapping[str, Any], new: Mapping[str, Any], before: str, unknown: str) -> str | None:
    """In words, which settings or versions differ; None when they are the same."""
    names = sorted(name for name in {*old, *new} if old.get(name, unknown) != new.get(name, unknown))
    if not names:
        return None
    told = [f"{name} {old.get(name, unknown)}, here {new.get(name, unknown)}" for name in names[:_MOST]]
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return before + "; ".join(told) + more


def _version(distribution: str) -> str:
    try:
        return version_of(distribution)
    except PackageNotFoundError:
        return _UNKNOWN


def reuse(
    saved: Iterable[Mapping[str, Any]], jobs: Sequence[Job], limits: Mapping[str, Any]
) -> tuple[list[Result], Counter[str]]:
    """Compare what a file holds with what a sweep wants.

    Parameters
    ----------
    saved : iterable of dict
        Results as `Result.to_dict` gives them; of equal ones the last one counts.
    jobs : sequence of Job
    limits : mapping
        A result that a limit ended counts only when it had the same limits; failures are tried again.

    Returns
    -------
    results : list of Result
        At most one per job, in the order of the jobs.
    others : Counter of str
        Results of the same fits that are of no use, counted by the reason in words. Results of fits that are not asked
        for are not among them.
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
    """Why none of these keys of the same method and fold will do; empty when all are of other fits."""
    settings, reasons = [], []
    _, own, own_versions = split(job.key)
    for key in sorted(saved):
        _, old, versions = split(key)
        if any(name not in old or old[name] != value for name, value in job.plain.items()):
            continue  # another point of a grid
        differs = _differences(old, own, "of other settings: ", "unknown")
        if differs is None:
            reasons.append(_differences(versions, own_versions, OTHER_VERSIONS, _UNKNOWN) or "with another key")
        else:
            settings.append(differs)
    return min(reasons, key=len) if reasons else min(settings, key=len, default="")
