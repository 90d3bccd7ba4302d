"""The accuracy-complexity curve: for each number of rules, the least training errors of any rule list, certified."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd

from ... import remaining, slices
from ...data.problem import Problem
from ...kernels.growing import nbytes, with_room
from ...kernels.jit import is_compiled
from ...models import Model, RuleList
from ...parameters import MAX_LENGTH, check_arguments
from ...rehearsal import noisy_problem
from ...slices import Pace
from ...snapshot import Incumbent, Snapshot, counted, standing
from ...stepping import Search, solve
from .. import beam as beams
from ..costs import Costs, costs_of
from ..counting import Layout, children_per_work, layout
from ..reduction import Reducing, Reduction
from . import kernels, state

LONGEST = 1000
"""Most rules of a frontier."""


@dataclass(frozen=True)
class FrontierPoint:
    """The best list known of at most ``length`` rules.

    Attributes
    ----------
    length : int
        Most rules; the model has fewer when more do not help.
    errors : int or float
        Training errors of the model, a count or a weight.
    lower_bound : int or float
        No list of at most ``length`` rules makes fewer errors.
    proven : bool
        Whether the model is certified the best: the lower bound meets the errors.
    model : RuleList
    found_at : tuple of float and int
        Seconds of search and units of work when the model was found.
    """

    length: int
    errors: int | float
    lower_bound: int | float
    proven: bool
    model: RuleList
    found_at: tuple[float, int]

    def objective(self, regularization: float) -> float:
        """Errors / weight + regularization * rules of the model.

        Parameters
        ----------
        regularization : float
            Cost of a rule.
        """
        return self.model.objective(regularization)


class FrontierSearch(Search):
    """Step-wise exact search for the rule lists of least training errors with at most 0, 1, .., ``max_length`` rules.

    The lengths are certified one after another, each by a best-first search over pairs of uncaptured set and number
    of rules. The incumbent is the list of at most ``max_length`` rules with the least errors, its objective the
    training error rate; the curve is ``snapshot.detail["frontier"]``, a tuple of `FrontierPoint`, also from `frontier`.

    Parameters
    ----------
    problem : Problem
    max_length : int
        Most rules of the last point; from 0 to 1000.
    memory_limit : int, optional
        As of `rulelab.RuleListSearch`.
    beam_width : int
        Width of the beam search that finds the first lists; 0 starts from the default rule alone.

    Raises
    ------
    ValueError
        When an argument is out of range.

    Notes
    -----
    With regularization 0 the bounds of the CORELS paper (JMLR 18, 2018) that rest on it say nothing. What takes their
    place: the number of rules that are left limits what can still be captured, and a rule of a best list of k rules
    gets more weight right than the errors of the best list of k - 1 rules exceed its own. None of these bounds can be
    switched off; in `Snapshot.pruned`, names that start with "always: " are no bounds but what holds by definition.
    """

    family: ClassVar[str] = "rule_list"
    kind: ClassVar[str] = "rule_list_frontier"

    def __init__(
        self, problem: Problem, max_length: int = 8, memory_limit: int | None = None, beam_width: int = 500
    ) -> None:
        super().__init__(problem)
        replace(MAX_LENGTH, default=LONGEST, most=LONGEST).check(max_length)
        check_arguments(memory_limit=memory_limit)
        beams.check_width(problem, beam_width, max_length)
        self.max_length = int(max_length)
        self.memory_limit = memory_limit
        self.beam_width = int(beam_width)
        self._phase = "reducing"
        self._out_of_memory = False
        self._lists: dict[tuple[int, ...], RuleList] = {}  # of the points, by their antecedents
        self._seconds_found: list[float] = []
        self._costs: Costs
        self._reducing: Reducing | None = None
        self._reduction: Reduction
        self._layout: Layout
        self._beam: beams.Beam | None = None
        self._curve: state.Curve
        self._store: state.Store

    @property
    def compiled(self) -> bool:
        return is_compiled(kernels.advance) and (is_compiled(beams.advance_beam) or not self.beam_width)

    def _rehearse(self) -> None:
        small = FrontierSearch(noisy_problem(), max_length=2, beam_width=2)
        solve(small)
        kernels.rebuild_table(small._store)

    @property
    def frontier(self) -> tuple[FrontierPoint, ...]:
        """The points for 0, 1, .., ``max_length`` rules as they stand; empty before the first `advance`."""
        if self._phase == "reducing":
            return ()
        curve, costs, known = self._curve, self._costs, self._lists
        points: list[FrontierPoint] = []
        lists: dict[tuple[int, ...], RuleList] = {}
        for k in range(len(curve.errors)):
            j = int(np.argmin(curve.errors[: k + 1]))
            path = tuple(self._reduction.antecedents[curve.paths[j, : curve.lengths[j]]].tolist())
            model = lists[path] = known[path] if path in known else RuleList.from_problem(self.problem, path)
            errors, found_at = model.errors, (self._seconds_found[j], int(curve.found_at[j]))
            if k and points[-1].errors <= errors:  # also where sums of weights are rounded
                model, errors, found_at = points[-1].model, points[-1].errors, points[-1].found_at
            proven = costs.exact and bool(curve.lower[k] >= curve.errors[j])
            lower = errors if proven else min(errors, self._in_weight(int(curve.lower[k]), -costs.slack))
            points.append(FrontierPoint(k, errors, lower, proven, model, found_at))
        self._lists = lists
        beyond = range(len(points), self.max_length + 1)  # more rules than antecedents
        return (*points, *(replace(points[-1], length=k) for k in beyond))

    @property
    def frame(self) -> pd.DataFrame:
        """The curve as a table: one row per number of rules; none before the first `advance`.

        Returns
        -------
        DataFrame
            length, rules (of the model, which has fewer when more do not help), errors, lower_bound, proven,
            error_rate, error_rate_bound.
        """
        total = self.problem.total_weight
        rows = [
            (p.length, p.model.complexity, p.errors, p.lower_bound, p.proven, p.errors / total, p.lower_bound / total)
            for p in self.frontier
        ]
        columns = ["length", "rules", "errors", "lower_bound", "proven", "error_rate", "error_rate_bound"]
        return pd.DataFrame(rows, columns=columns)

    def _models(self) -> list[Model | None]:
        return [point.model for point in self.frontier]

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays of the search."""
        if self._phase == "reducing":
            return 0
        return nbytes(self._store, self._curve, self._beam or (), self._layout)

    def _advance(self, max_work: int) -> None:
        target = self.work + max_work
        if self._phase == "reducing":
            self._prepare()
            if slices.is_large(self.problem):
                return
        if self._phase == "incumbent":
            self._run_beam(target)
        elif self._phase == "searching":
            self._run_search(target)

    @property
    def pace(self) -> Pace:
        """The phase, and the number of rules of the lists that are searched: each takes longer than the one before."""
        return (*super().pace, str(self._store.numbers[state.LENGTH])) if self._phase == "searching" else super().pace

    def _prepare(self) -> None:
        """Reduce the problem and arrange it; a part of that where it is large."""
        problem = self.problem
        if self._reducing is None:
            self._costs = costs_of(problem, 0.5)
            self._reducing = Reducing(problem, self._costs, drop_unsupported=False)
        if (reduction := self._reducing.advance()) is None:
            return
        self._reducing = None
        arrays = layout(reduction.patterns, reduction.net, len(reduction.antecedents))
        longest = min(self.max_length, len(reduction.antecedents))
        default = reduction.default_errors
        self._reduction, self._layout = reduction, arrays
        self._curve = state.new_curve(longest, default, reduction.constant)
        self._store = state.new_store(arrays, longest)
        self._seconds_found = [0.0] * (longest + 1)
        kernels.bound_from_the_root(arrays, self._curve, self._store, reduction.constant)
        if self.beam_width and longest:
            self._beam = beams.new_beam(arrays, self.beam_width, longest, default, reduction.constant)
            self._phase = "incumbent"
        else:
            self._start(0)

    def _run_beam(self, target: int) -> None:
        beam, before = self._beam, self._curve.errors.copy()
        assert beam is not None
        ended = beams.advance_beam(self._layout, state.Rules(), beam, self._curve, target - self.work)
        self.work = int(beam.numbers[beams.WORK])
        for k in np.flatnonzero(self._curve.errors < before).tolist():
            self._seconds_found[k] = self._seconds
        if ended:
            self._beam = None
            self._start(0)

    def _start(self, length: int) -> None:
        """Begin with the first length from ``length`` on that is not proven already."""
        curve = self._curve
        self._phase = "searching"
        for k in range(length, len(curve.errors)):
            if k and curve.errors[k - 1] <= curve.errors[k]:
                for array in (curve.errors, curve.paths, curve.lengths, curve.found_at, self._seconds_found):
                    array[k] = array[k - 1]
            if curve.lower[k] < curve.errors[k]:
                self._store.numbers[state.WORK] = self.work
                kernels.start(self._layout, curve, self._store, k, self._reduction.constant)
                return
        self._phase = "certified"

    def _run_search(self, target: int) -> None:
        self._out_of_memory = False
        numbers, curve = self._store.numbers, self._curve
        pace = self.pace
        while self.work < target and self.pace == pace:
            k = int(numbers[state.LENGTH])
            before = curve.errors[k]
            left = target - self.work
            children = left * children_per_work(self._layout)
            outcome = kernels.advance(self._layout, curve, self._store, self._reduction.constant, left, children)
            self.work = int(numbers[state.WORK])
            if curve.errors[k] < before:
                self._seconds_found[k] = self._seconds
            if outcome == kernels.DONE:
                self._start(k + 1)
            if outcome == kernels.PAUSED:
                return
            if outcome == kernels.GROW:
                m = len(self._reduction.antecedents)
                free = None if self.memory_limit is None else self.memory_limit - self.memory_bytes
                room = (state.NODES, m), (state.HEAP, m)
                self._store, enough = with_room(self._store, room, free, kernels.rebuild_table)
                if not enough:
                    self._out_of_memory = True
                    return

    def _snapshot(self) -> Snapshot:
        if self._phase == "reducing":
            model = RuleList.from_problem(self.problem, ())
            first = Incumbent(model, model.errors / self.problem.total_weight, model.errors, 0, (0.0, 0))
            names = {"counts": state.COUNTS, "pruned": state.PRUNED_NAMES}
            return slices.preparing_snapshot(self.problem, first, self._phase, **names, frontier=(), length=0, proven=0)
        store, numbers = self._store, self._store.numbers
        frontier = self.frontier
        last, total = frontier[-1], self.problem.total_weight
        incumbent = Incumbent(last.model, last.errors / total, last.errors, last.model.complexity, last.found_at)
        certified = self._phase == "certified"
        status, limit = standing(certified, self._costs.exact, "memory" if self._out_of_memory else None)
        longest, m = len(self._curve.errors) - 1, len(self._reduction.antecedents)
        queue = tuple(np.trim_zeros(store.queue_by_length, "b").tolist())
        ahead = queue if int(numbers[state.LENGTH]) == longest and self._phase == "searching" else (1,)
        return Snapshot(
            **self._figures,
            status=status,
            incumbent=incumbent,
            lower_bound=min(incumbent.objective, last.lower_bound / total),
            counts=counted(numbers, state.COUNTS),
            pruned=dict(zip(state.PRUNED_NAMES, store.pruned.tolist(), strict=True)),
            queue_by_length=queue,
            log10_remaining=0.0 if certified else remaining.log10_coarse(ahead, m, longest),
            phase=self._phase,
            limit=limit,
            detail={
                "frontier": frontier,
                "length": longest if certified else int(numbers[state.LENGTH]),
                "proven": sum(point.proven for point in frontier),
                "antecedents": m,
                "patterns": len(self._reduction.net),
                "inevitable_errors": self._in_weight(self._reduction.constant),
                "resolution": self._costs.exactness * total,
            },
        )

    def _in_weight(self, errors: int, correction: float = 0.0) -> int | float:
        """Errors on the grid in the problem's weight: an integer where weights are."""
        if self._costs.positives.dtype == self.problem.positives.dtype:
            return errors
        total = self.problem.total_weight
        return max(0.0, (errors * self._costs.per_error * self._costs.unit + correction) * total)
