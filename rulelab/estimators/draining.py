"""A search drained by `fit`: its trace, and what is said when it ends without a proof."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from ..families.wording import at_most
from ..search import Search
from ..snapshot import Snapshot, Status

_TRACE_ROWS = 10_000
_NOTHING = 1e-9
COUNTS = ("queued", "created", "expanded")


def drained(
    search: Search, time_limit: float | None, gap: float, ends: Callable[[Snapshot], bool], verbose: bool = False
) -> tuple[Snapshot, pd.DataFrame]:
    """The last state of a search, with status LIMIT where it was interrupted, and all states as a table.

    Parameters
    ----------
    search : Search
    time_limit : float or None
        Seconds.
    gap : float
    ends : callable
        Is asked of each state whether the search ends with it, as after Ctrl-C.
    verbose : bool
        Show the progress.

    Returns
    -------
    snapshot : Snapshot
    trace : DataFrame
        One row per state; nan for what a model has before there is one.
    """
    trace: list[dict[str, Any]] = []
    for snapshot in search.steps(time_limit=time_limit, gap=gap, verbose=verbose):
        trace.append(_row(snapshot))
        if len(trace) > _TRACE_ROWS:
            del trace[1::2]
        if ends(snapshot):
            break
    return snapshot, pd.DataFrame(trace)


def check_found(snapshot: Snapshot, what: str, constraint: Any, time_limit: float | None) -> None:
    """Refuse the end of a search that has no model.

    Raises
    ------
    ValueError
        There is none that meets the constraint, or a limit came first.
    KeyboardInterrupt
        The user came first.
    """
    if snapshot.status is Status.INFEASIBLE:
        raise ValueError(f"{what} cannot meet its constraints on these rows: no model meets {constraint!r}; loosen it")
    if snapshot.incumbent is not None:
        return
    if snapshot.status is Status.RUNNING:
        raise KeyboardInterrupt
    limit = f"the time limit of {time_limit:g} s" if snapshot.limit == "time" else f"the {snapshot.limit} limit"
    raise ValueError(
        f"{limit} was reached before {what} was found to meet {constraint!r}: loosen it, or raise the limit"
    )


def warn_of_open(snapshot: Snapshot, stacklevel: int) -> None:
    """Tell the proven gap of a search that ended before its proof."""
    best = snapshot.incumbent
    assert best is not None
    if snapshot.status is Status.OPTIMAL or snapshot.limit == "iterations":  # a method that proves nothing was chosen
        return
    if snapshot.limit == "exactness" and snapshot.gap <= _NOTHING * max(1.0, abs(best.objective)):
        return  # of rounding
    found = f"the objective {best.objective:.6g} is proven to be within {at_most(snapshot.gap)} of the optimum"
    if snapshot.limit == "exactness":
        text = f"proven optimal within {at_most(snapshot.gap)}"
    elif snapshot.status is Status.RUNNING:
        text = f"interrupted before a proof: {found}"
    else:
        text = f"the {snapshot.limit} limit was reached before a proof: {found}"
    warnings.warn(text, ConvergenceWarning, stacklevel=stacklevel + 1)


def _row(snapshot: Snapshot) -> dict[str, Any]:
    best = snapshot.incumbent
    return {
        "seconds": snapshot.seconds,
        "work": snapshot.work,
        "objective": math.nan if best is None else best.objective,
        "lower_bound": snapshot.lower_bound,
        "gap": math.nan if best is None else snapshot.gap,
        "errors": math.nan if best is None else best.errors,
        "complexity": math.nan if best is None else best.complexity,
        **{name: snapshot.counts[name] for name in COUNTS if name in snapshot.counts},
    }
