"""The step-wise search: one contract that every engine keeps and every view, estimator and benchmark drains.

The laws, tested on all engines: slicing the work never changes the result; the incumbent never worsens; the lower
bound never falls and never exceeds the incumbent's objective; after OPTIMAL nothing changes; a search can be pickled
half-way and goes on; heuristic steps never move the lower bound.
"""

from __future__ import annotations

import abc
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from .arguments import ParameterError, arguments_of, is_least, is_whole, require, short
from .as_json import in_numbers, written
from .data.problem import Problem
from .models import Model
from .progress import bar, check, held_back
from .rehearsal import once
from .sharing import Shared
from .shown import Fact, Shown, figure
from .slices import Pace, Slices
from .snapshot import Snapshot, Status, time_left

MOST_WORK = 1 << 40
"""Of one call of `Search.advance`: years of work, and far from the end of 64 bits."""


class Search(Shown, Shared, abc.ABC):
    """A search that can be advanced by small amounts of work, looked at, pickled and resumed.

    Attributes
    ----------
    problem : Problem
    work : int
        Units of work so far.
    stopped_by : str or None
        The limit of `steps` or `solve` that stopped it: "time", "work" or "gap"; None once it goes on.
    """

    family: ClassVar[str]
    kind: ClassVar[str] = ""
    """What it finds, in the header of `to_json`; the family where it is empty."""
    _UNTOLD: ClassVar[tuple[str, ...]] = ("work", "cut")
    """Figures of a snapshot that do not stand in the line that says what a search is."""

    _PROBLEM: ClassVar[type] = Problem

    def __init__(self, problem: Problem) -> None:
        require(("problem", problem, isinstance(problem, self._PROBLEM), f"a rulelab.{self._PROBLEM.__name__}"))
        self.problem = problem
        self.work = 0
        self.stopped_by: str | None = None
        self._steps = 0
        self._seconds = 0.0

    @property
    def seconds(self) -> float:
        """Time spent in the search up to the last call of `advance`."""
        return self._seconds

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that, with the problem, make this search again."""
        given = {name: getattr(self, name) for name in arguments_of(type(self))}
        if "bounds" in given and given["bounds"] == type(given["bounds"])():
            given["bounds"] = None
        return given

    @property
    @abc.abstractmethod
    def compiled(self) -> bool:
        """Whether the kernels are ready in this process; the first `advance` is slow when they are not."""

    @abc.abstractmethod
    def _advance(self, max_work: int) -> None:
        """Do at most ``max_work`` units of work; nothing when the search has ended."""

    @abc.abstractmethod
    def _snapshot(self) -> Snapshot:
        """The present state; `advance` fills in ``step`` and ``seconds``."""

    @abc.abstractmethod
    def _rehearse(self) -> None:
        """Let small searches go through all kernels that a search of this class may come to use."""

    def _within(self) -> Search | None:
        """The search that this one hands its work on to now; None: it does it itself."""
        return None

    def _before(self) -> Search | None:
        """The search for the optimum that has to end before this one comes to its own kernels, if it may never end."""
        search: Any = getattr(self, "search", None)
        return search if search is not None and self.pace[0] == "optimum" and not search.certified else None

    @property
    def pace(self) -> Pace:
        """The phase, then those of the searches within that do the work; a call of `_advance` ends where it changes."""
        own = getattr(self, "_phase", None) or getattr(self, "phase", "")
        within = self._within()
        return str(own), *(() if within is None else within.pace)

    @property
    def _figures(self) -> dict[str, Any]:
        """What its snapshots have in common; how often and how long it was advanced is added to each, see `advance`."""
        taken: int = self.memory_bytes  # type: ignore[attr-defined]  # of all but those that store nothing
        return {"step": 0, "work": self.work, "seconds": 0.0, "memory_bytes": taken}

    @property
    def _rehearsed_as(self) -> object:
        """What searches of this kind have in common that come to use the same kernels."""
        return type(self)

    def _title(self) -> str:
        now = self.snapshot
        return f"{type(self).__name__}, {'not begun' if now is None else now.stands}"

    def _facts(self) -> Iterator[Fact]:
        now = self.snapshot
        if now is not None:
            yield from ((name, value) for name, value in now._facts() if name not in self._UNTOLD)
        yield "rows", self.problem.n_rows
        yield "antecedents", self.problem.n_antecedents
        yield "asked", ", ".join(f"{name} {figure(value)}" for name, value in self.parameters.items() if value) or None

    def _below(self) -> str:
        now = self.snapshot
        return "" if now is None else now._below()

    @property
    def frame(self) -> pd.DataFrame:
        """What is known so far as a table; no row before the first `advance`.

        Returns
        -------
        DataFrame
            One row, of the best model: status, objective, lower_bound, gap, errors, complexity. Searches for several
            models have rows of their own.
        """
        columns = ["status", "objective", "lower_bound", "gap", "errors", "complexity"]
        now = self.snapshot
        best = None if now is None else now.incumbent
        if now is None or best is None:
            return pd.DataFrame(columns=columns)
        row = (str(now.status), best.objective, now.lower_bound, now.gap, best.errors, best.complexity)
        return pd.DataFrame([row], columns=columns)

    def to_json(self, path: str | Path | None = None) -> str:
        """The result as it stands as strict JSON text, also written to ``path`` when one is given.

        A header names the format, its version and the kind of search; then come the problem in numbers, the
        parameters, the state (None before the first `advance`), the rows of `frame`, and a model for each row, or None.
        What is not finite is null.

        Parameters
        ----------
        path : str or Path, optional
            A file to write it to.
        """
        problem, now = self.problem, self.snapshot
        state = None
        if now is not None:
            best = now.incumbent
            state = {
                **{name: getattr(now, name) for name in ("status", "limit", "phase", "seconds", "work")},
                **{name: getattr(now, name) for name in ("counts", "memory_bytes", "lower_bound", "gap")},
                "objective": None if best is None else best.objective,
            }
        content = {
            "problem": in_numbers(problem),
            "parameters": self.parameters,
            "state": state,
            "rows": self.frame.to_dict(orient="records"),
            "models": self._models(),
        }
        return written(self.kind or self.family, content, path)

    def _models(self) -> list[Model | None]:
        """The model of each row of `frame`, or None."""
        now = self.snapshot
        return [] if now is None or now.incumbent is None else [now.incumbent.model]

    @property
    def snapshot(self) -> Snapshot | None:
        """The present state, also of a search that a limit of its steps stopped; None before the first `advance`."""
        if not self._steps:
            return None
        now = self._now()
        stopped = self.stopped_by is not None and now.status is Status.RUNNING
        return replace(now, status=Status.LIMIT, limit=self.stopped_by) if stopped else now

    def _now(self) -> Snapshot:
        """The present state, as it is handed out."""
        return replace(self._snapshot(), step=self._steps, seconds=self._seconds)

    def compile(self) -> None:
        """Compile, or load from the disk cache, the kernels that this search may come to use; once per process.

        `steps` does it, and the clock of a time limit stands still meanwhile. Where the optimum has to be found first,
        those for what comes after it are compiled when it is certified.
        """
        before = self._before()
        if before is not None:
            before.compile()
        else:
            once(self._rehearsed_as, self._rehearse)

    def advance(self, max_work: int) -> Snapshot:
        """Do at most ``max_work`` units of work and return the state.

        Ctrl-C takes effect when they are done, and the search can go on afterwards; pressed again, it takes effect at
        once, and the search is lost.

        Parameters
        ----------
        max_work : int
            At least 1; a number beyond 2^40 is as good as that.

        Returns
        -------
        Snapshot
            Status RUNNING while work is left; OPTIMAL and INFEASIBLE are final; LIMIT says that the search itself
            cannot go on (memory) unless a limit is raised.

        Raises
        ------
        ValueError
            When ``max_work`` is not a positive integer.
        """
        if not is_whole(max_work, 1):
            raise ParameterError("max_work", max_work, "a positive integer")
        start = time.perf_counter()
        self.stopped_by = None
        with held_back():
            self._advance(min(int(max_work), MOST_WORK))
            self._seconds += time.perf_counter() - start
            self._steps += 1
        return self._now()

    def steps(
        self,
        work_per_step: int | None = None,
        time_limit: float | None = None,
        gap: float = 0.0,
        work_limit: int | None = None,
        verbose: bool = False,
    ) -> Iterator[Snapshot]:
        """Advance until the search ends or a limit is met, yielding every state.

        Parameters
        ----------
        work_per_step, time_limit, gap, work_limit, verbose
            As of `rulelab.steps`.
        """
        return steps(self, work_per_step, time_limit, gap, work_limit, verbose)


def steps(
    search: Search,
    work_per_step: int | None = None,
    time_limit: float | None = None,
    gap: float = 0.0,
    work_limit: int | None = None,
    verbose: bool = False,
) -> Iterator[Snapshot]:
    """Advance a search until it ends or a limit is met, yielding every state.

    After Ctrl-C, which raises KeyboardInterrupt at the end of a slice, the search can go on, as after a limit.

    Parameters
    ----------
    search : Search
    work_per_step : int, optional
        Units of work between two snapshots; by default adapted so that a slice takes about 30 ms.
    time_limit : float, optional
        Wall-clock seconds for this call; compiling kernels is not counted.
    gap : float
        Stop when objective - lower bound is at most this (absolute, in the objective's units). 0: only at the optimum.
    work_limit : int, optional
        Units of work for this call.
    verbose : bool
        Show the progress as tqdm does: the units of work, and how far the best model is from the bound.

    Yields
    ------
    Snapshot
        The last one has status OPTIMAL, INFEASIBLE or LIMIT. After LIMIT, calling `steps` again goes on.

    Raises
    ------
    ValueError
        When an argument is out of range.
    TypeError
        When ``search`` is no search.
    """
    if not isinstance(search, Search):
        raise TypeError(f"search must be a rulelab search, such as a RuleListSearch, not {short(search)}")
    check_limits(work_per_step, time_limit, gap, work_limit)
    check(verbose)
    states = _drain(search, work_per_step, time_limit, gap, work_limit)
    return _told(search, states) if verbose else states


def solve(
    search: Search,
    time_limit: float | None = None,
    gap: float = 0.0,
    work_limit: int | None = None,
    work_per_step: int | None = None,
    verbose: bool = False,
) -> Snapshot:
    """Run a search to its end or to a limit and return the last state.

    Parameters
    ----------
    search : Search
    time_limit, gap, work_limit, work_per_step, verbose
        As of `rulelab.steps`.

    Returns
    -------
    Snapshot
        With status OPTIMAL, INFEASIBLE or LIMIT. After LIMIT another call goes on.
    """
    last = None
    for snapshot in steps(search, work_per_step, time_limit, gap, work_limit, verbose):
        last = snapshot
    assert last is not None
    return last


def _told(search: Search, states: Iterator[Snapshot]) -> Iterator[Snapshot]:
    """The same states, with a bar that says how far they are."""
    with bar(True, type(search).__name__, unit=" units of work") as shown:
        if not search.compiled:
            shown.set_postfix_str("compiling, or loading what was compiled")
            search.compile()
        before = search.work
        for snapshot in states:
            best = "no model yet" if snapshot.incumbent is None else f"objective {figure(snapshot.incumbent.objective)}"
            said = f"{best}, bound {figure(snapshot.lower_bound)}, {snapshot.stands}"
            parts = filter(None, (said, time_left(snapshot, search.seconds)))
            shown.update(snapshot.work - before - shown.n)
            shown.set_postfix_str(", ".join(parts), refresh=snapshot.status is not Status.RUNNING)
            yield snapshot


def _drain(
    search: Search, work_per_step: int | None, time_limit: float | None, gap: float, work_limit: int | None
) -> Iterator[Snapshot]:
    timed = time_limit is not None
    if timed:
        search.compile()
    start, done_before = time.perf_counter(), search.work
    slices = Slices()
    while True:
        began = time.perf_counter()
        if timed and not search.compiled:  # what comes after the optimum, which has just been certified
            search.compile()
            start += time.perf_counter() - began
            began = time.perf_counter()
        size = work_per_step or slices.size
        left = size if work_limit is None else max(1, work_limit - (search.work - done_before))
        snapshot = search.advance(min(size, left))
        now = time.perf_counter()
        snapshot = replace(snapshot, seconds=now - start)
        if snapshot.status is Status.RUNNING:
            limit = None
            if gap > 0 and snapshot.gap <= gap:
                limit = "gap"
            elif time_limit is not None and now - start >= time_limit:
                limit = "time"
            elif work_limit is not None and search.work - done_before >= work_limit:
                limit = "work"
            if limit is not None:
                search.stopped_by = limit
                snapshot = replace(snapshot, status=Status.LIMIT, limit=limit)
        yield snapshot
        if snapshot.status is not Status.RUNNING:
            return
        slices.took(now - began, search.pace)


def check_limits(work_per_step: Any, time_limit: Any, gap: Any, work_limit: Any) -> None:
    """Refuse limits of `steps` that are out of range: ValueError."""
    for name, value in (("work_per_step", work_per_step), ("work_limit", work_limit)):
        if value is not None and not is_whole(value, 1):
            raise ParameterError(name, value, "a positive integer or None")
    if time_limit is not None and not is_least(time_limit, 0):
        raise ParameterError("time_limit", time_limit, "seconds >= 0 or None")
    if not is_least(gap, 0):
        raise ParameterError("gap", gap, "a number >= 0")
