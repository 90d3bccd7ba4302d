"""Sweeps side by side, followed by a thread that makes tables of what they have found; nothing of Panel."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from ...datasets import Dataset
from ...models import RuleList
from ...rule_list import FrontierSearch
from ...sweeps import FAMILIES, Sweep
from ...sweeps.families import PREPARING, shared
from ...sweeps.result import FAILED
from ..allowance import ALLOWED, take_memory
from ..live.job import Job, Pool, Progress
from ..live.wording import Standing, count, counted, family_name
from .points import PARTS, Point, Started, points, told

LOOK_SECONDS = 0.5  # how often the tables are made anew while results come
CEILING_SECONDS, MOST_RULES = 2.0, 8
"""Of the search for what no list of so many rules exceeds."""
NO_MEMORY_LEFT = "The server has no memory left: the sweep ended with the fits that were done"
SWEEPS = Pool(max(1, (os.cpu_count() or 2) - 1))  # the line in front of the sweeps of all sessions


class Run:
    """Starts sweeps, or takes those that run already, and follows them to their end.

    `start` gets a function to say what it is doing; it is called in the thread. `own`: whether the sweeps end with this
    run. `pool`: the line to wait in.
    """

    def __init__(
        self, start: Callable[[Callable[[str], None]], Started], own: bool = True, pool: Pool = SWEEPS
    ) -> None:
        self.started = Started(())  # empty until the sweeps are there
        # on test and on training rows; replaced as a whole when results have come
        self.points: Mapping[str, tuple[Point, ...]] = dict.fromkeys(PARTS, ())
        self.n_done = -1  # fits that they are of
        self.ceiling: tuple[float, ...] = ()  # see `ceiling_of`; empty before the fits are done
        self._start, self._own = start, own
        self._no_memory = ""
        self._job = Job(self._work, pool, "another sweep")

    @property
    def busy(self) -> bool:
        """Whether results may still come."""
        return self._job.busy

    @property
    def sweeping(self) -> bool:
        """Whether fits may still come; after them comes what no list exceeds."""
        sweeps = self.started.sweeps
        return self.busy and not (sweeps and all(sweep.progress.state != "running" for sweep in sweeps))

    @property
    def whole(self) -> bool:
        """Whether of the fits that were begun none is missing and none has failed."""
        progress = [sweep.progress for sweep in self.started.sweeps]
        return bool(progress) and all(each.done == each.total and not each.failed for each in progress)

    @property
    def error(self) -> str | None:
        """What went wrong, for the user to read."""
        return None if self._job.progress.cancelled else self._job.error

    @property
    def messages(self) -> str:
        """What results files gave to say, and why fits failed, for the user to read; empty when nothing."""
        said = [message for sweep in self.started.sweeps for message in sweep.messages]
        results = [result for sweep in self.started.sweeps for result in sweep.results]
        for status, what in ((FAILED, "failed"), ("infeasible", "without a model")):
            if those := [each for each in results if each.status == status and each.message]:
                first = those[0]
                whom = family_name(first.family) if first.family in FAMILIES else first.family
                said.append(f"{counted(len(those), 'fits')} {what}, the first one of a {whom}: {told(first)}")
        return ". ".join([*said, self._no_memory] if self._no_memory else said)

    def cancel(self) -> None:
        """Cancel own sweeps; stop to follow those of others."""
        self._job.cancel()

    def join(self, timeout: float | None = None) -> None:
        """Wait until the thread has ended."""
        self._job.join(timeout)

    def fits(self) -> pd.DataFrame:
        """One row per fit of all sweeps, as `Sweep.frame` has them."""
        return _together([sweep.frame for sweep in self.started.sweeps])

    def summary(self) -> pd.DataFrame:
        """One row per point, on test and on training rows: `Sweep.points`, with the column ``rows``."""
        tables = [sweep.points(on).assign(rows=on) for on in PARTS for sweep in self.started.sweeps]
        return _together([table[["rows", *table.columns.drop("rows")]] for table in tables])

    def standing(self) -> Standing:
        """How far it is, in words and figures."""
        sweeps = self.started.sweeps
        if not sweeps:
            if self.busy:
                return Standing("busy", f"Sweep: {self._job.standing}", [])
            if self.error:
                return Standing("failed", "Sweep not begun: the message says why", [])
            return Standing("limit", "Sweep: " + (self._job.error or "nothing done"), [])
        progress = [sweep.progress for sweep in sweeps]
        done, total = sum(p.done for p in progress), sum(p.total for p in progress)
        figures = [
            ("fits done", f"{count(done)} of {count(total)}"),
            ("time", f"{max(p.seconds for p in progress):.0f} s"),
        ]
        states = {p.state for p in progress}
        if self.busy:
            if done == total:
                return Standing("busy", "Sweep: bounding what no list exceeds", figures)
            left = [math.nan if p.seconds_left is None else p.seconds_left for p in progress]
            figures.append(("time left, about", "–" if any(map(math.isnan, left)) else f"{max(left):.0f} s"))
            return Standing("busy", f"Sweep: {total - done} fits to go", figures)
        if "failed" in states:
            what = "Sweep finished, but results are not on the disk" if done == total else "Sweep ended early"
            return Standing("failed", f"{what}: the message says why", figures)
        if "cancelled" in states:
            return Standing("limit", f"Sweep cancelled: {counted(done, 'fits')} done", figures)
        fitted = [result.status for sweep in sweeps for result in sweep.results if not result.baseline]
        limited, failed = fitted.count("limit"), fitted.count(FAILED)
        said = [f"Sweep finished: {counted(done, 'fits')}"]
        if not limited and not failed:
            return Standing("proven", f"{said[0]}, every search proven to its end", figures)
        said += [f"{count(limited)} of them ended at a limit before the proof"] if limited else []
        said += [f"{count(failed)} failed"] if failed else []
        return Standing("limit", "; ".join(said), figures)

    def _work(self, progress: Progress) -> None:
        take_memory()
        self.started = self._start(progress.report)
        sweeps = self.started.sweeps
        if self._own:
            progress.on_cancel(self.started.cancel)
        running = True
        while running and (self._own or not progress.cancelled):
            if self._own and ALLOWED.full and not progress.cancelled:
                self._no_memory = NO_MEMORY_LEFT
                progress.cancel()
            running = any(sweep.progress.state == "running" for sweep in sweeps)
            done = sum(sweep.progress.done for sweep in sweeps)
            if done != self.n_done:
                for on in PARTS:  # those of test rows first: they are what is looked at
                    self.points = {**self.points, on: points(sweeps, on)}
                self.n_done = done
            if running:
                time.sleep(LOOK_SECONDS)
        if not progress.cancelled:
            self.ceiling = ceiling_of(sweeps, lambda: progress.cancelled)
        for sweep in sweeps:
            sweep.wait(0)


def ceiling_of(sweeps: Sequence[Sweep], stopped: Callable[[], bool]) -> tuple[float, ...]:
    """Training accuracies that no list of at most 0, 1, ... rules exceeds; empty unless fits are of the same lists."""
    fits = [(sweep, r) for sweep in sweeps for r in sweep.results if not r.baseline]
    prepared = [{name: sweep.parameters_of(r.point).get(name) for name in PREPARING} for sweep, r in fits]
    if any(r.family != RuleList.family for _, r in fits) or prepared[1:] != prepared[:-1] or not fits:
        return ()
    sweep, first = fits[0]
    if sweep.plan.n_folds > 1:
        return ()
    try:
        problem = FAMILIES[RuleList.family].problem(sweep.plan.fold(0), sweep.parameters_of(first.point))
    except ValueError:  # nothing to make lists of
        return ()
    search = FrontierSearch(problem, MOST_RULES, memory_limit=ALLOWED.fit)
    search.compile()
    with shared(search, lambda: search.memory_bytes):
        for _ in search.steps(time_limit=CEILING_SECONDS):
            if stopped():
                break
    return tuple(1 - point.lower_bound / problem.total_weight for point in search.frontier)


def followed(sweeps: Sequence[Sweep], data: Dataset | None = None) -> Run:
    """Follow sweeps that somebody else has started."""
    return Run(lambda report: Started(tuple(sweeps), data), own=False, pool=Pool(1))


def _together(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Tables under each other, each with columns of its own."""
    return pd.DataFrame([row for table in tables for row in table.to_dict("records")])
