"""The paper's Monte-Carlo search as a step-wise search: one unit of work is one iteration, that makes one list."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd

from ...data.problem import Problem
from ...kernels.growing import nbytes
from ...kernels.jit import is_compiled
from ...parameters import check_arguments
from ...rehearsal import tiny_problem
from ...snapshot import Incumbent, Snapshot, Status
from ...stepping import solve
from ..costs import Prepared, predicted
from ..search import FallingSearch
from . import kernels

_ROUNDED_DOWN = 1 - 2.0**-50  # a product of a cost and what it is worth may be rounded up
_POSITIONS_SHOWN = 64
_IMPROVEMENTS_SHOWN = 100


class MonteCarlo:
    """Makes random falling rule lists and keeps the best; see `MonteCarloSearch`."""

    def __init__(
        self,
        prepared: Prepared,
        violation_penalty: float | None = None,
        random_state: int | None = None,
        curiosity: float = 0.8,
        termination: float = 0.01,
    ) -> None:
        data, costs = prepared.data, prepared.costs
        positive, negative = int(data.positives.sum()), int(data.negatives.sum())
        self.data = data
        self._planes = kernels.new_planes(data)
        self.rules = kernels.Rules(
            total_positive=positive,
            total_negative=negative,
            soft=violation_penalty is not None,
            unit=costs.unit,
            per_positive=data.per_positive * costs.unit,
            per_negative=data.per_negative * costs.unit,
            per_rule=data.per_rule * costs.unit,
            penalty=float(violation_penalty or 0.0),
            curiosity=float(curiosity),
            termination=float(termination),
        )
        seed = int(np.random.default_rng(random_state).integers(1 << 62))
        alone = min(self.rules.per_positive * positive, self.rules.per_negative * negative)
        self.state = kernels.new_state(data, seed, alone)
        self.state.numbers[kernels.COST] = min(data.per_positive * positive, data.per_negative * negative)

    @property
    def work(self) -> int:
        """Lists made so far."""
        return int(self.state.numbers[kernels.ITERATION])

    @property
    def best(self) -> tuple[int, ...]:
        """Columns of the best list."""
        return tuple(self.state.best_path[: self.state.numbers[kernels.LENGTH]].tolist())

    @property
    def cost(self) -> int:
        """Cost of the best list on the grid of `Costs`, without the penalty of a softly falling list."""
        return int(self.state.numbers[kernels.COST])

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays."""
        return nbytes(self.state, self._planes, self.data)

    def advance(self, iterations: int) -> bool:
        """Make at most so many lists, fewer when one is the best so far; returns whether one was."""
        return bool(kernels.advance(self.data, self._planes, self.rules, self.state, iterations))


class MonteCarloSearch(FallingSearch):
    """Algorithm FRL, and with a violation penalty Algorithm softFRL: random lists, cut by the prefix bounds.

    Each iteration draws a list rule by rule, among the antecedents that keep it falling and feasible (Cor 4.5,
    Prop 4.2) and whose prefix bound (Thms 4.6 and 5.2) is below the best objective so far. It ends where
    inequality (9) holds, with a small probability, or when no antecedent is left. Every prefix of the list, closed by
    the else, counts as a list that was made.

    Sampling proves nothing: the lower bound is what the patterns alone give, and the search ends with status LIMIT
    after ``iterations`` lists. Raise that attribute and call `advance` again to go on.

    Parameters
    ----------
    problem, regularization, positive_weight, violation_penalty, method, fairness, min_group_size
        See `FallingSearch`.
    iterations : int
        Lists to make (T in the paper).
    curiosity : float
        Antecedents are drawn with probability proportional to ``curiosity`` * proportion of positives +
        (1 - ``curiosity``) * share of the positives that are left (equation 11); 0 to 1.
    termination : float
        Probability of ending a list before each rule; from 0 to below 1.
    random_state : int, optional
        Seed; the same seed gives the same lists.
    """

    method = "monte_carlo"
    _soft = None

    def __init__(
        self,
        problem: Problem,
        regularization: float = 0.01,
        positive_weight: float = 1.0,
        violation_penalty: float | None = None,
        method: str | None = None,
        iterations: int = 3000,
        curiosity: float = 0.8,
        termination: float = 0.01,
        random_state: int | None = None,
        *,
        fairness: None = None,
        min_group_size: int = 0,
    ) -> None:
        super().__init__(problem, regularization, positive_weight, violation_penalty, method, fairness, min_group_size)
        check_arguments(iterations=iterations, termination=termination, curiosity=curiosity, random_state=random_state)
        self.iterations = int(iterations)
        self.curiosity = float(curiosity)
        self.termination = float(termination)
        self.random_state = random_state
        self._trace: list[tuple[float, int, float]] = []
        self._optimal = False
        self._bound = 0
        self._ready: Prepared | None = None
        self._engine: MonteCarlo
        self._incumbent: Incumbent

    @property
    def compiled(self) -> bool:
        return is_compiled(kernels.advance)

    def _rehearse(self) -> None:
        solve(MonteCarloSearch(tiny_problem(), regularization=0.0, iterations=2))

    @property
    def trace(self) -> pd.DataFrame:
        """The loss over time: one row per best list, with columns ``seconds``, ``iteration`` and ``objective``."""
        return pd.DataFrame(self._trace, columns=["seconds", "iteration", "objective"])

    @property
    def considered(self) -> pd.DataFrame:
        """Antecedents considered at each position of some of the lists (the paper's figure).

        Returns
        -------
        DataFrame
            One row per list, indexed by iteration, evenly spaced among all; one column per position, ``nan`` where
            the list was complete.
        """
        sample = () if self._ready is None else self._sample()
        return pd.DataFrame({at: pd.Series(counts, dtype=float) for at, counts in sample}).T.rename_axis("iteration")

    def _sample(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Iterations, and how many antecedents were considered at each position of the list made then."""
        state = self._engine.state
        kept = int(state.numbers[kernels.SAMPLED])
        rows = zip(state.sample_iteration[:kept].tolist(), state.sample[:kept], strict=True)
        return tuple((iteration, tuple(row[row >= 0].tolist())) for iteration, row in rows)

    def _advance(self, max_work: int) -> None:
        start = time.perf_counter()
        if self._ready is None:
            self._start()
        target = min(self.work + max_work, self.iterations)
        while self.work < target and not self._optimal:
            improved = self._engine.advance(target - self.work)
            self.work = self._engine.work
            if improved:
                self._improve(self._seconds + time.perf_counter() - start)

    def _start(self) -> None:
        self._ready = ready = self._prepared()
        self._engine = MonteCarlo(ready, self.violation_penalty, self.random_state, self.curiosity, self.termination)
        per_positive, per_negative = ready.data.per_positive, ready.data.per_negative
        inevitable = int(np.minimum(per_positive * ready.data.positives, per_negative * ready.data.negatives).sum())
        self._bound = min(self._engine.cost, inevitable + ready.data.per_rule)
        self._incumbent = self._incumbent_of((), (0.0, 0))
        self._trace = [(0.0, 0, self._incumbent.objective)]
        self._optimal = self._engine.cost <= self._bound and ready.costs.exact

    def _improve(self, seconds: float) -> None:
        """Take the engine's best list, when it is better in exact arithmetic too."""
        assert self._ready is not None
        antecedents = self._ready.antecedents[list(self._engine.best)].tolist()
        hard, certain = self.violation_penalty is None, self._ready.costs.weights_exact
        if hard and not certain and predicted(self.problem, antecedents, self.positive_weight) is None:
            return
        found = self._incumbent_of(antecedents, (seconds, self.work))
        if found.objective < self._incumbent.objective:
            self._incumbent = found
            self._trace.append((seconds, self.work, found.objective))
            met = self._engine.cost <= self._bound and self._ready.costs.exact
            self._optimal = met and (self.violation_penalty is None or found.model.falls)

    def _snapshot(self) -> Snapshot:
        assert self._ready is not None
        state, ready = self._engine.state, self._ready
        ended = self.work >= self.iterations and not self._optimal
        bound = max(0.0, self._bound * ready.costs.unit * _ROUNDED_DOWN - ready.costs.slack)
        objective = self._incumbent.objective
        lists = state.lists[:_POSITIONS_SHOWN]
        reached = int(np.count_nonzero(lists))
        status = Status.OPTIMAL if self._optimal else Status.LIMIT if ended else Status.RUNNING
        return Snapshot(
            step=0,
            work=self.work,
            seconds=0.0,
            status=status,
            incumbent=self._incumbent,
            lower_bound=objective if self._optimal else min(bound, objective),
            counts={
                "created": int(state.numbers[kernels.CONSIDERED]),
                "expanded": int(state.numbers[kernels.CHOSEN]),
                "queued": 0,
                "lists": self.work,
            },
            pruned=dict(zip(kernels.PRUNED_NAMES, state.pruned.tolist(), strict=True)),
            log10_remaining=0.0 if self._optimal else np.inf,
            memory_bytes=self._engine.memory_bytes,
            phase="certified" if self._optimal else "sampling",
            limit="iterations" if ended else None,
            detail={
                "antecedents": len(ready.antecedents),
                "patterns": len(ready.patterns),
                "dropped": dict(ready.dropped),
                "iterations": self.iterations,
                "resolution": ready.costs.exactness,
                "considered_mean": tuple((state.considered[:reached] / lists[:reached]).tolist()),
                "lists_by_position": tuple(lists[:reached].tolist()),
                "considered": self._sample(),
                "trace": tuple(self._trace[-_IMPROVEMENTS_SHOWN:]),
            },
        )
