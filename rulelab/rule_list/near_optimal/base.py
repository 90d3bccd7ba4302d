"""What searches for lists near the optimum share: certifying it, the threshold, and the sets of patterns."""

from __future__ import annotations

import abc
import math
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ... import slices
from ...arguments import ParameterError
from ...data.problem import Problem
from ...kernels import bits
from ...kernels.bit_words import transposed
from ...near_models import check_distance
from ...snapshot import Incumbent, Status, standing
from ...stepping import Search
from ..costs import Costs, cost_of, costs_of
from ..counting import Layout, layout
from ..exact.search import RuleListSearch
from ..pair_multipliers import Multipliers
from . import state

WITHIN = 0.01
"""How far above the optimum an objective may be, where nothing is said."""

_LONGEST = int(np.iinfo(np.int16).max) - 1


def grid_of(search: RuleListSearch) -> Costs:
    """The grid on which all lists of a search are told apart, whatever they cost."""
    m, longest = search.problem.n_antecedents, search.max_length
    return costs_of(search.problem, search.regularization, m if longest is None else min(m, longest))


class AfterOptimum(Search):
    """A search about the optimum of another one, which certifies it first, in the phase "optimum"."""

    family: ClassVar[str] = "rule_list"

    def __init__(self, search: RuleListSearch | Problem, regularization: Any, max_length: Any) -> None:
        self.search = search_of(search, regularization, max_length)
        super().__init__(self.search.problem)
        self.work = self.search.work
        self.regularization, self.max_length = self.search.regularization, self.search.max_length
        self.phase = "optimum"
        self._stuck: str | None = None
        self._best: Incumbent | None = None
        self._lower_bound = 0.0
        self.optimum = math.nan

    @property
    @abc.abstractmethod
    def _own_compiled(self) -> bool:
        """Whether the kernels that it comes to after the optimum are ready."""

    @property
    def compiled(self) -> bool:
        return self.search.compiled and (self._before() is not None or self._own_compiled)

    @property
    def _rehearsed_as(self) -> tuple[object, ...]:
        return type(self), self.search._rehearsed_as

    def _within(self) -> Search | None:
        return self.search if self.phase == "optimum" else None

    def _certify(self, max_work: int) -> bool:
        """Go on to the optimum; whether it is certified."""
        now = self.search.advance(max_work)
        assert now.incumbent is not None
        self.work, self._best, self._lower_bound = now.work, now.incumbent, now.lower_bound
        self.optimum = now.incumbent.objective
        if now.status is Status.LIMIT and not self.search.certified:
            self._stuck = now.limit
        return self.search.certified

    def _standing(self, exact: bool) -> dict[str, Any]:
        """What its snapshots have in common; ``exact``: whether costs tell all lists apart."""
        finished = self.phase == "finished"
        status, limit = standing(finished, exact, self._stuck)
        found = {"incumbent": self._best, "lower_bound": self._lower_bound, "phase": self.phase}
        remaining = {"log10_remaining": 0.0 if finished else math.inf}
        return {**self._figures, **found, **remaining, "status": status, "limit": limit}


class NearSearch(AfterOptimum):
    """A search for lists near the optimum: after "optimum", and "preparing" of a large table, comes `_begin`."""

    _SEPARATE_AFTER = 60_000_000
    """Words and weights looked at for the states that are stored; before that multipliers cost more than they save."""

    def __init__(
        self,
        search: RuleListSearch | Problem,
        regularization: float | None,
        within: float | None,
        ratio: float | None,
        max_length: int | None,
        memory_limit: int | None,
        limit: int = 1,
    ) -> None:
        if within is None and ratio is None:
            within = WITHIN
        check_distance(within, ratio, memory_limit, limit)
        super().__init__(search, regularization, max_length)
        self.within, self.ratio = within, ratio
        self.memory_limit = memory_limit
        self.threshold = math.nan
        self.prepared = False  # whether the sets of patterns are known: it has come to the lists
        self.best_cost = self.constant = 0
        self.representatives: np.ndarray
        self.groups: np.ndarray
        self.slots: np.ndarray
        self.weights: np.ndarray
        self.costs: Costs
        self.limits: state.Limits
        self._multipliers: Multipliers
        self._layout: Layout
        self._sets: state.Sets

    @abc.abstractmethod
    def _begin(self) -> None:
        """Start with the lists: the sets, costs and limits are known."""

    @abc.abstractmethod
    def _run(self, max_work: int) -> None:
        """Go on with the lists, for at most so many units of work."""

    def _advance(self, max_work: int) -> None:
        self._stuck = None
        if self.phase == "optimum":
            if self._certify(max_work):
                self.phase = "preparing"
                if self.compiled and not slices.is_large(self.problem):  # no limit counts what is compiled between
                    self._prepare()
        elif self.phase == "preparing":
            self._prepare()
        elif self.phase != "finished":
            self._run(max_work)

    def _standing(self, exact: bool = True) -> dict[str, Any]:
        return super()._standing(not self.prepared or self.costs.exact)

    def _prepare(self) -> None:
        assert self._best is not None
        optimum, problem = self._best.model.antecedents, self.problem
        costs = grid_of(self.search)
        columns = transposed(problem.words, problem.n_antecedents)
        self.groups, first = bits.group_equal_rows(columns)
        self.representatives = first[bits.counts(columns[first]) > 0]
        net = costs.positives - costs.negatives
        self.constant = int(np.minimum(costs.positives, costs.negatives).sum())
        columns = columns[self.representatives]
        rows = transposed(columns, problem.n_patterns)
        m = len(columns)
        self._layout = layout(rows, net, m)
        balanced = rows[net == 0]
        extra = transposed(balanced, m) if len(balanced) else np.zeros((m, 0), dtype=np.uint64)
        all_balanced = bits.pack(np.ones((1, len(balanced)), dtype=bool))[0] if len(balanced) else extra[:0].ravel()
        self._sets = state.Sets(
            captures=np.hstack([self._layout.by_antecedent, extra]),
            full=np.concatenate([self._layout.full, all_balanced]),
            weighted=len(self._layout.full),
        )
        total = np.stack([problem.positives, problem.negatives])
        self.slots = self._slots(rows, net)
        self.weights = np.where(self.slots >= 0, total[:, self.slots], 0)
        self.costs = costs
        self.best_cost = cost_of(optimum, problem, costs)
        self.limits = self._make_limits(m)
        self.threshold = self.limits.threshold * costs.unit
        self._multipliers = Multipliers(self._layout, self.limits)
        self._begin()
        self.prepared = True

    def _make_limits(self, m: int) -> state.Limits:
        costs = self.costs
        total = int(costs.positives.sum() + costs.negatives.sum())
        longest = m if self.search.max_length is None else min(m, self.search.max_length)
        threshold = self._most(total, longest)
        worst = costs.per_error * total + m * costs.per_rule
        if costs.per_rule:
            longest = min(longest, (threshold - costs.per_error * self.constant) // costs.per_rule)
        return state.Limits(
            per_error=costs.per_error,
            per_rule=costs.per_rule,
            threshold=min(threshold, worst),
            max_length=min(longest, _LONGEST),
            separation=self.search.bounds.separation,
            separate_after=self._SEPARATE_AFTER // (self._layout.effort + 20 * m),
        )

    @property
    @abc.abstractmethod
    def memory_bytes(self) -> int:
        """Bytes of the arrays of the search."""

    @property
    def _free(self) -> int | None:
        """Bytes that the memory limit leaves; None without one."""
        return None if self.memory_limit is None else self.memory_limit - self.memory_bytes

    def _most(self, total: int, longest: int) -> int:
        """The largest cost of a list that counts, of ``total`` rows and at most ``longest`` rules."""
        costs = self.costs
        per_objective = costs.per_error * total
        if self.within is not None:
            threshold = self.best_cost + math.floor(Fraction(repr(float(self.within))) * per_objective)
        else:
            threshold = math.floor(self.best_cost * (1 + Fraction(repr(float(self.ratio)))))  # type: ignore[arg-type]
        if costs.exact:
            return self._corrected(threshold, total, longest)
        return threshold + math.ceil(2 * costs.slack * per_objective)

    def _corrected(self, threshold: int, total: int, longest: int) -> int:
        """The threshold for which costs tell which lists are near, also where they keep only the order of objectives.

        Of so many rules and one error more at a time, the first list that is too far off costs more than the threshold,
        and the one before it does not.
        """
        costs, best = self.costs, self._best
        assert best is not None
        per_rule = Fraction(repr(self.regularization)) * total
        rules = len(best.model)
        errors = (self.best_cost - costs.per_rule * rules) // costs.per_error
        optimum = errors + per_rule * rules
        if self.within is not None:
            most = optimum + Fraction(repr(float(self.within))) * total
        else:
            most = optimum * (1 + Fraction(repr(float(self.ratio))))  # type: ignore[arg-type]
        allowed = [min(total, math.floor(most - per_rule * k)) for k in range(longest + 1) if per_rule * k <= most]
        ends = [(costs.per_error * wrong + costs.per_rule * k, wrong < total) for k, wrong in enumerate(allowed)]
        beyond = [cost + costs.per_error - 1 for cost, is_end in ends if is_end]
        if len(allowed) <= longest:
            beyond.append(costs.per_rule * len(allowed) - 1)
        return max(max(cost for cost, _ in ends), min([threshold, *beyond]))

    def _slots(self, rows: np.ndarray, net: np.ndarray) -> np.ndarray:
        """The pattern at each bit of the sets, -1 where there is none."""
        pattern = {row.tobytes(): u for u, row in enumerate(rows)}
        weighted = bits.unpack(self._layout.full[None], len(self._layout.weights))[0]
        placed = transposed(np.ascontiguousarray(self._layout.by_antecedent), len(weighted))
        out = np.full(bits.WORD * len(self._sets.full), -1, dtype=np.int64)
        for slot in np.flatnonzero(weighted).tolist():
            out[slot] = pattern[placed[slot].tobytes()]
        balanced = np.flatnonzero(net == 0)
        out[len(weighted) : len(weighted) + len(balanced)] = balanced
        return out


def search_of(search: Any, regularization: Any, max_length: Any) -> RuleListSearch:
    """The search that is given, or one of the problem that is given in its place; raises ValueError."""
    if isinstance(search, RuleListSearch):
        if regularization is not None or max_length is not None:
            raise ValueError("regularization and max_length are the search's own; give them only with a problem")
        return search
    if not isinstance(search, Problem):
        raise ParameterError("search", search, "a RuleListSearch or a Problem")
    if regularization is None:
        raise ValueError("with a problem, give the regularization too")
    return RuleListSearch(search, regularization, max_length=max_length)
