"""Which saved results a sweep can use again, and why it cannot use others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import keys
from ..result import FAILED, Job, Result


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
        usable = [data for data in found if _final(data, limits)]
        if usable:
            results.append(Result.from_dict({**usable[-1], "parameters": job.plain}, job.point))
        elif found:
            others["which had failed" if found[-1]["status"] == FAILED else "which other limits had ended"] += 1
        else:
            reason = _reason(akin.get((job.method, job.fold), ()), job)
            if reason:
                others[reason] += 1
    return results, others


def _final(data: Mapping[str, Any], limits: Mapping[str, Any]) -> bool:
    return data["status"] != FAILED and (data["status"] != "limit" or data["limits"] == limits)


def _reason(saved: Iterable[str], job: Job) -> str:
    """Why none of these keys of the same method and fold will do; empty when all are of other fits."""
    settings, reasons = [], []
    for key in sorted(saved):
        old = keys.split(key)[1]
        if any(name not in old or old[name] != value for name, value in job.plain.items()):
            continue  # another point of a grid
        differs = keys.other_settings(key, job.key)
        if differs is None:
            reasons.append(keys.other_versions(key, job.key) or "with another key")
        else:
            settings.append(differs)
    return min(reasons, key=len) if reasons else min(settings, key=len, default="")
