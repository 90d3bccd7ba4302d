"""What searches for the least gap at one accuracy tell of themselves, whatever family their models are of."""

from __future__ import annotations

import abc
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from .arguments import require
from .data.exact_weights import asked_accuracy, rounded_down
from .data.fairness import criterion_called, emptied_rates, groups_of, left_out, true_gaps
from .data.problem import Problem
from .kernels.bits import unpack
from .models import Model
from .models.base import column_of
from .parameters import check_arguments
from .snapshot import Incumbent, Snapshot, Status
from .stepping import Search

SIMPLE = 3
"""Rules of a model, at most, that reaches the accuracy to ask for by default."""
Simple = tuple[bool, bool, int, int]
"""For which class rules are, whether of what does not hold, how many, and their conditions."""


class LeastGap(Search):
    """A search for a model of least gap, then for one of least cost among these."""

    kind: ClassVar[str] = "least_gap"
    _MODEL: ClassVar[type[Model]]

    def __init__(
        self,
        problem: Problem,
        criterion: Any,
        min_accuracy: float | None,
        min_group_size: int,
        warm_start: Any,
        simple: Simple | None = None,
    ) -> None:
        """``simple``: rules that reach what is asked for by default, or set it, see `right_by_rules`."""
        super().__init__(problem)
        given = [] if warm_start is None else [warm_start] if isinstance(warm_start, self._MODEL) else warm_start
        are_models = isinstance(given, Sequence) and all(isinstance(one, self._MODEL) for one in given)
        require(("warm_start", warm_start, are_models, f"a {self._MODEL.__name__} or several"))
        check_arguments(min_accuracy=min_accuracy, min_group_size=min_group_size)
        self.criterion, self._made = criterion_called(criterion)
        if min_accuracy is None:
            min_accuracy = asked_accuracy(problem.total_positive, problem.total_negative)
            if simple is not None:
                reached = right_by_rules(problem, *simple) / problem.total_weight
                min_accuracy = min(min_accuracy, math.floor(1000 * reached) / 1000)
        self.min_accuracy = float(min_accuracy)
        self.min_group_size = int(min_group_size)
        self.warm_start = tuple(given) or None
        self._fairness = self._made(0.0)  # type: ignore[call-arg]
        self._phase = "reducing"
        self._lower = Fraction(0)
        self._gap_proven = False
        self._best: Any = None
        self._incumbent: tuple[Any, Incumbent, dict[str, Any]] | None = None

    @abc.abstractmethod
    def _predicted(self) -> np.ndarray:
        """Which patterns the best model predicts positive."""

    @property
    def least(self) -> Fraction | None:
        """The gap of the best model, exactly; None while there is none."""
        return None if self._best is None else self._best.gap

    @property
    def lower(self) -> Fraction:
        """No model of this accuracy and size has a smaller gap."""
        return self._lower

    @property
    def is_infeasible(self) -> bool:
        """Whether it is proven that no model is as accurate."""
        return self._phase == "infeasible"

    @property
    def gap_is_proven(self) -> bool:
        """Whether no model of this accuracy has a smaller gap, whatever is left to decide between those of that gap."""
        return self._gap_proven

    @property
    def left_out(self) -> str:
        """Which groups are too small for the criterion, in words; empty when none is."""
        return left_out(self._fairness, groups_of(self.problem, self._fairness), self.min_group_size)

    def _told(
        self, limit: str | None, counts: Mapping[str, int], pruned: Mapping[str, int], detail: Mapping[str, Any]
    ) -> Snapshot:
        """The present state."""
        ended = self._phase in ("certified", "infeasible")
        status = Status.RUNNING if limit is None else Status.LIMIT
        if ended:
            status = Status.OPTIMAL if self._phase == "certified" else Status.INFEASIBLE
        incumbent, notes = self._make_incumbent()
        lower = rounded_down(self._lower)
        if self._gap_proven and incumbent is not None:
            lower = incumbent.objective
        own = {"patterns": self.problem.n_patterns, "gap_is_proven": self._gap_proven, "left_out": self.left_out}
        return Snapshot(
            **self._figures,
            status=status,
            incumbent=incumbent,
            lower_bound=lower,
            counts=dict(counts) | ({"queued": 0} if ended else {}),
            pruned=pruned,
            log10_remaining=0.0 if ended else np.inf,
            phase=self._phase,
            limit=None if ended else limit,
            detail={**own, **detail, **notes},
        )

    def _make_incumbent(self) -> tuple[Incumbent | None, dict[str, Any]]:
        """The best model, and what is told of it; None when there is none yet."""
        best = self._best
        if best is None:
            return None, {}
        if self._incumbent is None or self._incumbent[0] is not best:
            model = best.model
            incumbent = Incumbent(model, float(best.gap), model.errors, model.complexity, best.found_at)
            groups = groups_of(self.problem, self._fairness)
            compared = self._fairness, groups, self._predicted(), self.min_group_size
            notes = {"least_gap": str(best.gap), "true_gaps": true_gaps(*compared), "emptied": emptied_rates(*compared)}
            self._incumbent = best, incumbent, notes
        return self._incumbent[1], self._incumbent[2]


def right_by_rules(problem: Problem, positive: bool, negated: bool, rules: int, conditions: int) -> Any:
    """What a few rules for one class get right, to which conditions were added one by one, and the other class else.

    A row of the other class is wrong once for every rule. ``negated``: rules are of conditions that do not hold.
    """
    wanted, others = (problem.positives, problem.negatives)[:: 1 if positive else -1]
    right, left = others.sum(), np.ones(problem.n_patterns, dtype=bool)
    for _ in range(rules if problem.n_antecedents else 0):
        held, tried = np.ones(problem.n_patterns, dtype=bool), []
        for _ in range(conditions):
            gained = np.where(held, wanted * left - others, 0)
            gains = gained @ unpack(problem.words, problem.n_antecedents)
            gains = gained.sum() - gains if negated else gains
            best = int(np.argmax(gains))
            held = held & (column_of(problem, best) != negated)
            tried.append((gains[best], held))
        gain, held = max(tried, key=lambda one: one[0])
        if gain <= 0:
            break
        right, left = right + gain, left & ~held
    return right
