"""A sweep in the background: what it has found so far, how long it will take, and the switch to stop it."""

from __future__ import annotations

import contextlib
import os
import statistics
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from ..arguments import SweepError, SweepWarning
from ..data.metrics import rates_table
from ..progress import bar
from ..shown import Fact, Shown, rows_below
from . import frames
from .frames import front
from .plan import Plan
from .result import FAILED, Job, Progress, Result, Stopped, SweepSnapshot
from .results_file import OTHER_VERSIONS, ResultsFile, reuse
from .runners import Runner

THREAD_NAME = "rulelab sweep"


class Sweep(Shown):
    """Fits of one family and of baselines over a grid of parameters and the folds of a cross-validation.

    Made by `rulelab.sweep`. It runs in the background from the start; everything here can be called from any thread at
    any time.

    Attributes
    ----------
    groups : tuple of str
        The groups of people that gaps compare; empty without a sensitive attribute.
    parameters : tuple of str
        The parameters that vary, which are columns of the tables.
    """

    def __init__(
        self,
        plan: Plan,
        chains: Sequence[Sequence[Job]],
        parameters: Sequence[str],
        saved: ResultsFile | None,
        runners: Callable[[Callable[[], bool]], Sequence[Runner]],
    ) -> None:
        self.groups = plan.compared
        self.parameters = tuple(parameters)
        self._plan = plan
        self._jobs = [job for chain in chains for job in chain]
        self._waiting = deque(chains)
        self._saved = saved
        self._changed = threading.Condition()
        self._results: dict[tuple[int, int], Result] = {}
        self._rows: list[frames.Row] = []
        self._took: dict[int, list[float]] = {}
        self._cancelled = False
        self._error: BaseException | None = None
        self._frame: tuple[int, pd.DataFrame] | None = None
        self._started = time.perf_counter()
        self._ended: float | None = None
        self._unsaved = ""
        self._told: list[str] = []
        if saved is not None:
            self._resume(saved)
        self._resumed = len(self._results)
        self._runners = list(runners(lambda: self._cancelled))
        self._working = len(self._runners)
        for runner in self._runners:
            threading.Thread(target=self._work, args=(runner,), name=THREAD_NAME, daemon=True).start()

    def __repr__(self) -> str:
        p = self.progress
        return f"<Sweep of {self._plan.identity['dataset']}: {p.done} of {p.total} fits, {self._said(p.state)}>"

    def _title(self) -> str:
        return f"Sweep of {self._plan.identity['dataset']}, {self._said(self.progress.state)}"

    def _said(self, state: str) -> str:
        """A state in words: what was told to stop may still be on its way there."""
        return "being cancelled" if state == "running" and self._cancelled else state

    def _facts(self) -> Iterator[Fact]:
        p = self.progress
        yield "fits", f"{p.done} of {p.total}"
        yield "failed", p.failed or None
        yield "seconds", round(p.seconds, 1)
        yield "left", None if not p.seconds_left else f"about {p.seconds_left:.0f} s"
        yield from (("note", message) for message in self.messages)

    def _below(self) -> str:
        return rows_below(self.points()) if self.results else ""

    @property
    def messages(self) -> tuple[str, ...]:
        """What the results file gave to say, in words: what was damaged in it, how many results were not used and why,
        whether it could not be written."""
        with self._changed:
            return (*self._told, *([self._unsaved] if self._unsaved else []))

    @property
    def plan(self) -> Plan:
        """The rows, their folds and the groups, which all fits share."""
        return self._plan

    def parameters_of(self, point: int) -> Mapping[str, Any]:
        """All parameters of one configuration, with the defaults of those that the grid does not name.

        Raises
        ------
        SweepError
            When the sweep has no such configuration.
        """
        found = next((job.parameters for job in self._jobs if job.point == point), None)
        if found is None:
            raise SweepError(f"the sweep has no configuration {point!r}; its tables have them in the column point")
        return found

    @property
    def frame(self) -> pd.DataFrame:
        """One row per configuration and fold that is done; a copy.

        Columns: point, family, baseline, the parameters, fold, status, objective, lower_bound, gap, complexity, rules,
        conditions; for train and test each: ``_errors``, ``_weight``, every rate of `rulelab.data.metrics.RATES`, with
        groups ``_<criterion>_gap`` for every criterion of `rulelab.data.gaps.MEASURED` and ``_few``; seconds, message,
        model (JSON text or None).
        """
        return self.snapshot().frame

    @property
    def progress(self) -> Progress:
        """How far it is."""
        with self._changed:
            return self._progress()

    @property
    def results(self) -> tuple[Result, ...]:
        """What is done, in the order in which it was."""
        with self._changed:
            return tuple(self._results.values())

    def snapshot(self) -> SweepSnapshot:
        """The table and the progress at one moment."""
        with self._changed:
            progress = self._progress()
            return SweepSnapshot(self._table().copy(), progress)

    def points(self, on: str = "test") -> pd.DataFrame:
        """One row per configuration: means over the folds that are done, with standard errors.

        Parameters
        ----------
        on : str
            "test" or "train".

        Returns
        -------
        DataFrame
            point, family, baseline, the parameters, folds (that have a model), proven (how many of them are certified
            optimal); the means, each with a column ``_se``, of objective, lower_bound, gap, complexity, rules,
            conditions, errors, weight, the rates, seconds and, with groups, the gaps; and ``<criterion>_gap_pooled``,
            the gap of the counts summed over the folds.
        """
        with self._changed:
            results, table = tuple(self._results.values()), self._table()
        return frames.points(table, results, self.parameters, self.groups, on)

    def pareto(
        self, x: str = "accuracy", y: str = "complexity", on: str = "test", baselines: bool = False
    ) -> pd.DataFrame:
        """The configurations that no other one dominates in the means of two figures.

        Parameters
        ----------
        x, y : str
            Columns of `points`, such as "accuracy", "complexity", "equal_opportunity_gap". Of accuracy, precision and
            the rates of true predictions more is better, of all else less.
        on : str
            "test" or "train".
        baselines : bool
            Whether baselines take part; else the front is the family's own.

        Returns
        -------
        DataFrame
            Rows of `points`, from the smallest y to the largest, while the sweep runs of what is known so far.

        Raises
        ------
        SweepError
            For a figure that there is not.
        """
        points = self.points(on)
        for name in (x, y):
            if f"{name}_se" not in points and not name.endswith("_pooled"):
                figures = [c.removesuffix("_se") for c in points if c.endswith("_se")]
                hint = "; gaps need a sensitive attribute" if name.endswith("_gap") and not self.groups else ""
                raise SweepError(f"there is no figure {name!r}{hint}; choose among {', '.join(figures)}")
        return front(points if baselines else points[~points["baseline"].astype(bool)], x, y)

    def rates(self, point: int, on: str = "test") -> pd.DataFrame:
        """Rates with Wilson intervals of every group of people, counted over all folds of one configuration.

        Parameters
        ----------
        point : int
            The configuration, as in the tables.
        on : str
            "test" or "train".
        """
        return rates_table(frames.pooled(self.results, point, on))

    def as_completed(self) -> Iterator[Result]:
        """Every result as it comes, those from the results file first.

        Raises
        ------
        SweepError
            As `wait`.
        """
        told = 0
        while True:
            with self._changed:
                while told == len(self._results) and self._working:
                    self._changed.wait()
                new = list(self._results.values())[told:]
            if not new:
                self._raise()
                return
            yield from new
            told += len(new)

    def wait(self, timeout: float | None = None, verbose: bool = False) -> bool:
        """Wait until all is done, or nothing more will be.

        Parameters
        ----------
        timeout : float, optional
            Seconds.
        verbose : bool
            Show the progress as tqdm does, in fits.

        Returns
        -------
        bool
            Whether the sweep has ended.

        Raises
        ------
        SweepError
            When it ended on an error that no result can hold, such as workers that cannot be started; or when it is
            done, but results could not be written to their file. What is done is in memory all the same, see `save`.
        """
        with bar(verbose, "sweep", total=len(self._jobs), unit=" fits") as shown, self._changed:
            ended = self._changed.wait_for(lambda: self._told_all(shown), timeout)
        if ended:
            self._raise()
        return ended

    def _told_all(self, shown: Any) -> bool:
        """Whether nothing more will be; the bar is brought up to date."""
        if shown is not None:
            shown.update(len(self._results) - shown.n)
        return not self._working

    def cancel(self) -> None:
        """Stop as soon as possible. What is done stays; with a results file the same call of `sweep` goes on."""
        self._cancelled = True
        for runner in self._runners:
            runner.stop()

    def save(self, path: str | os.PathLike[str] | None = None) -> int:
        """Write what is done into a results file, from which `sweep` goes on.

        Parameters
        ----------
        path : path, optional
            By default the sweep's own results file, which has everything already unless the disk was full.

        Returns
        -------
        int
            How many results were written; those that the file holds already are not written again.

        Raises
        ------
        SweepError
            When the file is of no use, as for `sweep`, or the results cannot be written.
        """
        if path is None:
            if self._saved is None:
                raise SweepError("the sweep has no results file; give save the path of one")
            path = self._saved.path
        with ResultsFile(path, self._plan.identity) as file:
            missing = file.missing(result for result in self.results if result.status != FAILED)
            for result in missing:
                file.append(result)
        if file.problem:
            raise SweepError(f"{file.problem}; make room, or give save another file")
        with self._changed:
            if not self._working:
                self._unsaved = ""
        return len(missing)

    def _resume(self, saved: ResultsFile) -> None:
        """Take what the results file holds, and tell what cannot be used of it."""
        found, others = reuse(saved.saved, self._jobs, self._plan.limits)
        for result in found:
            self._add(result)
        self._told += [*filter(None, [saved.damage]), *saved.notes]
        if others:
            parts = ", ".join(f"{count} {reason}" for reason, count in others.items())
            self._told.append(f"results in {saved.path} that are not used but computed again: {parts}")
        if saved.damage or any(OTHER_VERSIONS in reason for reason in others):
            warnings.warn(". ".join(self._told), SweepWarning, stacklevel=4)

    def _work(self, runner: Runner) -> None:
        """One worker: take the next chain, do its fits one after another."""
        error: BaseException | None = None
        try:
            while (chain := self._next()) is not None:
                self._follow(chain, runner)
        except Stopped:
            pass
        except (SweepError, OSError, MemoryError) as known:
            error = known
        finally:  # anything else goes on to the thread's own report, but is told to those who wait, too
            error = error or sys.exc_info()[1]
            if error is not None:
                self._cancelled = True
            runner.stop()
            with self._changed:
                self._error = self._error or error
                self._working -= 1
                if not self._working:
                    self._ended = time.perf_counter()
                    if self._saved is not None:
                        self._saved.close()
                self._changed.notify_all()

    def _follow(self, chain: Sequence[Job], runner: Runner) -> None:
        warm_start = None
        for job in chain:
            result = self._results.get((job.point, job.fold))
            if result is None:
                if self._cancelled:
                    raise Stopped
                began = time.perf_counter()
                result = runner.run(job, warm_start)
                self._record(result, time.perf_counter() - began)
            warm_start = result.model

    def _next(self) -> Sequence[Job] | None:
        with self._changed:
            return self._waiting.popleft() if self._waiting and not self._cancelled else None

    def _record(self, result: Result, seconds: float) -> None:
        try:
            if self._saved is not None:
                self._saved.append(result)  # first: what is told of is on the disk
                self._look(self._saved)
        finally:
            with self._changed:
                self._add(result)
        with self._changed:
            self._took.setdefault(result.point, []).append(seconds)
            self._changed.notify_all()

    def _add(self, result: Result) -> None:
        self._results[result.point, result.fold] = result
        self._rows.append(frames.row(result, self.parameters, self.groups))

    def _table(self) -> pd.DataFrame:
        """The table of what is done; nobody may change it."""
        if self._frame is None or self._frame[0] != len(self._rows):
            self._frame = len(self._rows), frames.table(self._rows, self.parameters, self.groups)
        return self._frame[1]

    def _look(self, saved: ResultsFile) -> None:
        """Tell once when the file does not take results any more."""
        with self._changed:
            first = bool(saved.problem) and not self._unsaved
            if first:
                advice = "all are in memory: make room and call save(), or save(path) with another file"
                self._unsaved = f"{saved.problem}; {advice}"
        if first:
            with contextlib.suppress(SweepWarning):  # where warnings are errors, too, the fits go on
                warnings.warn(f"{self._unsaved}; the sweep goes on", SweepWarning, stacklevel=2)

    def _raise(self) -> None:
        if self._error is not None:
            what = str(self._error) or type(self._error).__name__
            raise SweepError(f"the sweep ended early: {what}") from self._error
        if self._unsaved:
            raise SweepError(self._unsaved)

    def _progress(self) -> Progress:
        state = "running"
        if not self._working:
            done = len(self._results) == len(self._jobs)
            state = "failed" if self._error or self._unsaved else "done" if done else "cancelled"
        return Progress(
            done=len(self._results),
            total=len(self._jobs),
            failed=sum(result.status == FAILED for result in self._results.values()),
            resumed=self._resumed,
            seconds=(self._ended or time.perf_counter()) - self._started,
            seconds_left=self._seconds_left() if self._working else 0.0,
            state=state,
        )

    def _seconds_left(self) -> float | None:
        left = [job.point for job in self._jobs if (job.point, job.fold) not in self._results]
        if not self._took:
            return None if left else 0.0
        means: Mapping[int, float] = {point: statistics.fmean(seconds) for point, seconds in self._took.items()}
        usual = statistics.fmean(means.values())
        return sum(means.get(point, usual) for point in left) / max(1, self._working)
