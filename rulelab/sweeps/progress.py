"""How far a sweep is, and what it has found so far, at one moment."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Progress:
    """How far a sweep is.

    Attributes
    ----------
    done, total : int
        Fits; those read from the results file are done.
    failed : int
        Fits that ended with an error; they count as done.
    resumed : int
        Fits that were read from the results file.
    seconds : float
        Since the start, or what it took.
    seconds_left : float or None
        By what the same configurations took on other folds; None before anything is known, 0 at the end.
    state : str
        "running", "done", "cancelled" or "failed": `Sweep.wait` says why.
    """

    done: int
    total: int
    failed: int
    resumed: int
    seconds: float
    seconds_left: float | None
    state: str


@dataclass(frozen=True)
class SweepSnapshot:
    """A sweep at one moment: a table that nobody else writes to, and the progress."""

    frame: pd.DataFrame
    progress: Progress
