"""Stability of rule sets: the same search on bootstrap samples, step by step."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ...arguments import is_least, is_whole, require
from ...data.problem import Problem
from ...kernels import bits
from ...models import Model
from ...search import Search, check_limits
from ...snapshot import Snapshot, Status
from ..search import RuleSetSearch
from .resampling import Bootstrap, Sample
from .result import RuleSetStability, StabilitySample


class StabilitySearch(Search):
    """Step-wise: the rule set of a problem, then those of as many bootstrap samples, to see which rules return.

    A sample has as many rows as the problem, drawn with replacement; it is drawn again when a class, or a class of a
    group of people, would be lost. Each search starts from nothing, so that it is not drawn to the rules found before.
    Samples are numbered: more of them begin with the same ones.

    A unit of work is one of the `RuleSetSearch` under way; `advance` returns when one of them has ended. The incumbent
    and the lower bound are those of the problem itself. The status is OPTIMAL when the sets of all samples are proven,
    and LIMIT, with the limit "samples", when all are done and some of them were left at a limit of their own.

    Parameters
    ----------
    problem : Problem
        Its weights must be integers, which count rows.
    n_samples : int
    random_state : int
        Seed of the samples and of the searches.
    seconds_per_sample, work_per_sample : number, optional
        Limits of each search. Results depend on the machine's speed only under the first.
    gap_per_sample : float
        Leave a search at this distance from its optimum.
    **parameters
        Arguments of `RuleSetSearch`, such as ``max_complexity``.

    Raises
    ------
    ValueError
        When an argument is out of range, and ProblemError, one of them, when the problem cannot be resampled.

    References
    ----------
    Lawless, Dash, Günlük and Wei, "Interpretable and fair Boolean rule sets via column generation", JMLR 24 (2023),
    appendix N, shows two sets of one data set that share no rule. Efron, "Bootstrap methods: another look at the
    jackknife", Annals of Statistics 7 (1979).
    """

    family: ClassVar[str] = "rule_set"
    kind: ClassVar[str] = "rule_set_stability"

    def __init__(
        self,
        problem: Problem,
        n_samples: int = 20,
        random_state: int = 0,
        *,
        seconds_per_sample: float | None = None,
        work_per_sample: int | None = None,
        gap_per_sample: float = 0.0,
        **parameters: Any,
    ) -> None:
        for name, value, least in (("n_samples", n_samples, 1), ("random_state", random_state, 0)):
            if not is_whole(value, least):
                raise ValueError(f"{name} must be an integer >= {least}, not {value!r}")
        parameters["random_state"] = int(random_state)
        self._search = RuleSetSearch(problem, **parameters)
        seconds, work, gap = seconds_per_sample, work_per_sample, gap_per_sample
        require(
            ("seconds_per_sample", seconds, seconds is None or is_least(seconds, 0), "seconds >= 0 or None"),
            ("work_per_sample", work, work is None or is_whole(work, 1), "a positive integer or None"),
            ("gap_per_sample", gap, is_least(gap, 0), "a number >= 0"),
        )
        super().__init__(problem)
        self.n_samples, self.random_state = int(n_samples), int(random_state)
        self.seconds_per_sample, self.work_per_sample = seconds_per_sample, work_per_sample
        self.gap_per_sample = gap_per_sample
        self._given = parameters
        self._bootstrap = Bootstrap(problem)
        self._sample: Sample | None = None
        self._matrix = problem.matrix()
        self._now: Snapshot | None = None
        self._reference: Snapshot | None = None
        self._known: RuleSetStability | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            **self._given,
            "n_samples": self.n_samples,
            "seconds_per_sample": self.seconds_per_sample,
            "work_per_sample": self.work_per_sample,
            "gap_per_sample": self.gap_per_sample,
        }

    @property
    def left_out(self) -> str:
        """Which groups are too small for the fairness constraint, in words; the same ones in all samples."""
        return self._search.left_out

    @property
    def compiled(self) -> bool:
        return self._search.compiled

    @property
    def stability(self) -> RuleSetStability | None:
        """What is known after the samples that are done; None before the set of the problem itself is there."""
        return self._known

    @property
    def frame(self) -> pd.DataFrame:
        """One row per set, that of the problem itself first; see `RuleSetStability.frame`."""
        nothing = RuleSetStability(self.problem, self.n_samples, _no_set(0, Status.RUNNING, 0, self._matrix))
        return nothing.frame.iloc[:0] if self._known is None else self._known.frame

    def _models(self) -> list[Model | None]:
        known = self._known
        return [] if known is None else [sample.model for sample in (known.reference, *known.samples)]

    def _rehearse(self) -> None:
        self._search.compile()

    @property
    def _done(self) -> bool:
        return self._known is not None and self._known.done

    def _advance(self, max_work: int) -> None:
        while max_work > 0 and not self._done:
            search, before = self._search, self._search.work
            most = max_work
            if self.work_per_sample is not None:
                most = min(most, max(1, self.work_per_sample - before))
            now = search.advance(most)
            self._now, done = now, search.work - before
            self.work += done
            max_work -= max(done, 1)
            if self._known is None:
                self._reference = now
            limit = None if now.status is not Status.RUNNING else self._limit_of(now)
            if limit is not None:
                now = replace(now, status=Status.LIMIT, limit=limit)
            if now.status is not Status.RUNNING:
                self._take(now)
                return

    def _limit_of(self, now: Snapshot) -> str | None:
        """The limit of a single search that was met."""
        if self.gap_per_sample > 0 and now.gap <= self.gap_per_sample:
            return "gap"
        if self.seconds_per_sample is not None and now.seconds >= self.seconds_per_sample:
            return "time"
        return "work" if self.work_per_sample is not None and now.work >= self.work_per_sample else None

    def _take(self, now: Snapshot) -> None:
        """Keep the set of the search that has ended, and begin with the next sample."""
        known = self._known
        if known is None:
            known = RuleSetStability(self.problem, self.n_samples, _solved(-1, now, self._matrix, None))
            self._reference = now
        else:
            index = len(known.samples)
            known = replace(known, samples=(*known.samples, _solved(index, now, self._matrix, self._sample)))
        self._known = known
        if not known.done:
            self._sample = self._bootstrap.draw(np.random.default_rng([self.random_state, len(known.samples)]))
            self._search = RuleSetSearch(self._sample.problem, **self._given)

    def _snapshot(self) -> Snapshot:
        now, reference, known = self._now, self._reference, self._known
        assert now is not None
        assert reference is not None
        ended = () if known is None else (known.reference, *known.samples)
        status, limit = Status.RUNNING, None
        if self._done:
            status = Status.INFEASIBLE if ended[0].status is Status.INFEASIBLE else Status.OPTIMAL
            if any(sample.status is Status.LIMIT for sample in ended):
                status, limit = Status.LIMIT, "samples"
        return replace(
            reference,
            work=self.work,
            status=status,
            counts={
                "sets": len(ended),
                "proven": sum(sample.status is Status.OPTIMAL for sample in ended),
                "queued": 0,
            },
            pruned={},
            queue_by_length=(),
            log10_remaining=0.0 if self._done else math.inf,
            memory_bytes=now.memory_bytes,
            phase="finished" if self._done else "problem" if known is None else f"sample {len(known.samples)}",
            limit=limit,
            detail={"samples": 0 if known is None else len(known.samples), "search": now.phase},
        )


def rule_set_stability(
    problem: Problem,
    n_samples: int = 20,
    random_state: int = 0,
    *,
    time_limit: float | None = None,
    gap: float = 0.0,
    work_limit: int | None = None,
    **parameters: Any,
) -> Iterator[RuleSetStability]:
    """Solve a problem, then as many bootstrap samples of it; `StabilitySearch` drained, with its arguments.

    Parameters
    ----------
    problem : Problem
        Its weights must be integers, which count rows.
    n_samples : int
    random_state : int
        Seed of the samples and of the searches.
    time_limit, gap, work_limit
        Of each search; see `rulelab.steps`. Results depend on the machine's speed only under a time limit.
    **parameters
        Arguments of `RuleSetSearch`, such as ``max_complexity``.

    Yields
    ------
    RuleSetStability
        First with the set of the problem alone, then after every sample.

    Raises
    ------
    ValueError
        When an argument is out of range, and ProblemError, one of them, when the problem cannot be resampled.
    """
    check_limits(None, time_limit, gap, work_limit)
    search = StabilitySearch(
        problem,
        n_samples,
        random_state,
        seconds_per_sample=time_limit,
        work_per_sample=work_limit,
        gap_per_sample=gap,
        **parameters,
    )
    return _states(search)


def _states(search: StabilitySearch) -> Iterator[RuleSetStability]:
    if search.seconds_per_sample is not None:
        search.compile()
    given = None
    for _ in search.steps():
        if search.stability is not None and search.stability is not given:
            given = search.stability
            yield given


def _solved(index: int, now: Snapshot, matrix: np.ndarray, sample: Sample | None) -> StabilitySample:
    """What the set of a search decides on the patterns of the whole problem, the rows of ``matrix``."""
    positives = negatives = np.zeros(len(matrix), dtype=np.int64)
    if sample is not None:
        positives, negatives = sample.unseen_positives, sample.unseen_negatives
    unseen = int(positives.sum() + negatives.sum())
    if now.incumbent is None:
        return _no_set(index, now.status, unseen, matrix)
    model = now.incumbent.model
    fired = model.fired(matrix)
    positive = fired.any(axis=1) if model.form == "dnf" else fired.all(axis=1)
    errors = int(positives[~positive].sum() + negatives[positive].sum())
    decides = bits.pack((fired if model.form == "dnf" else ~fired).T)
    return StabilitySample(index, now.status, model, now.incumbent.objective, now.lower_bound, errors, unseen, decides)


def _no_set(index: int, status: Status, unseen: int, matrix: np.ndarray) -> StabilitySample:
    nothing = np.zeros((0, bits.n_words(len(matrix))), dtype=np.uint64)
    return StabilitySample(index, status, None, math.nan, math.nan, 0, unseen, nothing)
