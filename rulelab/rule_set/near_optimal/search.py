"""All rule sets within a distance of the optimum: counted, grouped by what they predict, with proof of completeness."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ...arguments import ParameterError, Text
from ...data.problem import Problem
from ...kernels import bits
from ...kernels.jit import is_compiled
from ...near_models import NearEnumeration, NearProgress, check_distance
from ...rehearsal import tiny_problem
from ...snapshot import Incumbent, Status
from ...stepping import solve
from ..program import Program, make_program
from ..search import RuleSetSearch
from . import kernels
from .candidates import Candidates
from .result import NearOptimalRuleSets
from .tables import Models, made

RATIO = 0.01  # how far above the optimum an objective may be, as a share of it, where nothing is said

_LEVELS = 6  # distances, each twice the one before, up to which sets are found one after the other
_ROOM = 4096  # sets that are found at once
_ROOM_WORDS = 1 << 20
EFFORT_PER_WORK = 200_000  # cells of the table that a unit of work looks at, about
_BEFORE = ("pricing", "rules", "table")


@dataclass(frozen=True)
class NearOptimalRuleSetProgress(NearProgress):
    """An enumeration at one moment: a `rulelab.results.Snapshot` of the best set, and how far the others are found.

    The status is OPTIMAL when all near-optimal sets are found. The phase is "optimum" while the optimum is being
    certified, then "pricing", "rules" and "table" while the rules that such sets can hold are found, then
    "enumerating", then "finished".

    Attributes
    ----------
    count : int
        Different classifiers so far.
    rules : int
        Rules that near-optimal sets can hold, once they are known.
    optimum, covered, threshold : float
        The optimum's objective (of the incumbent in the first phase); every set with an objective of at most
        ``covered`` has been found; sets up to ``threshold`` are looked for.
    """

    rules: int = 0


class NearOptimalRuleSetSearch(NearEnumeration):
    """Step-wise enumeration of all rule sets within a distance of the optimum.

    A set here holds rules each of which covers some training rows that no other of its rules covers: a rule that does
    not changes no prediction. Conjunctions that hold for the same training rows count once, as a shortest of them. Sets
    that predict the same for every training pattern are one *model*, which is shown by its cheapest set.

    Parameters
    ----------
    search : RuleSetSearch or Problem
        A search without ``fairness``, ``must_use`` and ``max_uses``; it is advanced to its end first when it has not
        certified the optimum.
    within : float, optional
        Sets with an objective at most the optimum's + ``within`` (in rows, or weight) are near-optimal; or
    ratio : float, optional
        at most the optimum's * (1 + ``ratio``). Give one of the two, or neither: then it is a ratio of 0.01.
    limit, memory_limit
        As of `rulelab.NearOptimalSearch`.
    **parameters
        With a problem: arguments of `RuleSetSearch`, such as ``max_complexity``.

    Raises
    ------
    ValueError
        When an argument is out of range, and for what cannot be told apart exactly: weights, or a regularization, of
        too many digits.

    Notes
    -----
    Complete means: over all conjunctions of at most ``conditions`` of the problem's antecedents. The dual values of the
    linear program give every rule a reduced cost, which adds to the linear bound when a set holds it; the rules within
    the distance are enumerated, then the sets of these rules depth first, cut where the reduced costs and what the dual
    values lose to rows that are covered twice exceed the distance. All of it is in integers. Sets are found in rounds
    of growing distance, so that a limit leaves a distance up to which all are known.
    """

    family: ClassVar[str] = "rule_set"
    kind: ClassVar[str] = "near_optimal_rule_sets"

    def __init__(
        self,
        search: RuleSetSearch | Problem,
        within: float | None = None,
        *,
        ratio: float | None = None,
        limit: int = 10_000,
        memory_limit: int | None = None,
        **parameters: Any,
    ) -> None:
        if within is None and ratio is None:
            ratio = RATIO
        _check(search, within, ratio, limit, memory_limit, parameters)
        if isinstance(search, Problem):
            search = RuleSetSearch(search, **parameters)
        super().__init__(search.problem)
        self.search = search
        self.within, self.ratio, self.limit, self.memory_limit = within, ratio, int(limit), memory_limit
        self.work = search.work
        self.phase = "optimum"
        self.program = _program(search)
        self._stuck: str | None = None
        self._best: Incumbent | None = None
        self._lower_bound = 0.0
        self._cost = self._most = 0
        self._candidates: Candidates | None = None
        self._walk: kernels.Walk | None = None
        self._round: Models | None = None
        self._known: Models | None = None
        self._targets: list[int] = []

    @property
    def parameters(self) -> dict[str, Any]:
        own = {"within": self.within, "ratio": self.ratio, "limit": self.limit}
        return {**self.search.parameters, **own, "memory_limit": self.memory_limit}

    @property
    def compiled(self) -> bool:
        return self.search.compiled and (self._before() is not None or is_compiled(kernels.advance))

    @property
    def conditions(self) -> int:
        """The most conditions of a rule that completeness speaks of."""
        return self.search.conditions

    @property
    def optimum(self) -> float:
        """The least objective; of the incumbent while it is not certified."""
        return math.nan if self._best is None else self._best.objective

    @property
    def memory_bytes(self) -> int:
        """Bytes of the rules, of the table of what they cover and of the models."""
        if self.phase == "optimum":
            return self.search.memory_bytes
        parts = [self._candidates, self._round, self._known]
        walk = 0 if self._walk is None else sum(array.nbytes for array in self._walk)
        return walk + sum(part.nbytes for part in parts if part is not None)

    def result(self) -> NearOptimalRuleSets:
        finished = self.phase == "finished"
        truncated = None if finished else self.truncated or "stopped"
        settings: dict[str, Any] = {
            "problem": self.problem,
            "regularization": self.search.regularization,
            "loss": self.search.loss,
            "form": self.search.form,
            "max_conditions": self.search.conditions,
            "optimum": self.optimum,
            "truncated": truncated,
            "work": self.work,
        }
        partial = None if self._round is self._known else self._round
        found = self._candidates, self._known, partial, self._most
        return made(self.program, *found, finished, self.limit, **settings)

    def _advance(self, max_work: int) -> None:
        enough = self._round is not None and len(self._round) <= self.limit
        if self._stuck in ("memory", "columns") or (self._stuck == "limit" and enough):
            self._stuck = None
        target, phase = self.work + max_work, self.phase
        while self.work < target and self.phase == phase and self._stuck is None:
            if phase == "finished":
                return
            if phase == "optimum":
                self._certify(target - self.work)
                return
            if self.memory_limit is not None and self.memory_bytes > self.memory_limit:
                self._stuck = "memory"
                return
            if phase in _BEFORE:
                self._find_rules()
            else:
                self._enumerate()
            self.work += 1

    def _within(self) -> RuleSetSearch | None:
        return self.search if self.phase == "optimum" else None

    def _certify(self, max_work: int) -> None:
        snapshot = self.search.advance(max_work)
        self.work = snapshot.work
        self._best, self._lower_bound = snapshot.incumbent, snapshot.lower_bound
        if snapshot.status is Status.OPTIMAL:
            self._start()
        elif snapshot.status is not Status.RUNNING:
            self._stuck = snapshot.limit or "infeasible"

    def _start(self) -> None:
        """The optimum is certified: how far above it may a cost be?"""
        assert self._best is not None
        program = self.program
        candidates = self._candidates = Candidates(self.search, program, self._best.model.clauses)
        self._cost = candidates.least
        if self.within is not None:
            more = Fraction(repr(float(self.within))) * program.per_loss / program.unit
        else:
            more = self._cost * Fraction(repr(float(self.ratio)))  # type: ignore[arg-type]
        self._most = int(program.below(program.round_up(self._cost + math.floor(more) + 1)))
        candidates.most, self.phase = self._most, candidates.phase
        if self.phase == "done":
            self._find_rules()

    def _find_rules(self) -> None:
        candidates = self._candidates
        assert candidates is not None
        if not candidates.done:
            candidates.advance()
        self.phase = candidates.phase
        if not candidates.done:
            return
        self.phase = "enumerating"
        if candidates.table is None and candidates.features.n_used:
            self._stuck = "columns"
            return
        span = max(0, candidates.most - self._cost)
        self._targets = sorted({self._cost + span // 2**k for k in range(_LEVELS)})
        self._begin(self._targets.pop(0))

    def _begin(self, most: int) -> None:
        """Find all sets up to a cost, from the beginning."""
        candidates = self._candidates
        assert candidates is not None
        if candidates.table is None:  # there is no rule
            self._round = Models(most, 0, ())
            nothing = np.zeros((1, bits.n_words(self.problem.n_patterns)), dtype=np.uint64)
            self._round.take(np.full((1, 1), -1), np.array([self._cost]), nothing)
            return
        table = candidates.table
        place = {rule: k for k, rule in enumerate(candidates.rules)}
        covers = candidates.features.covers
        best = []
        for clause in () if self._best is None else self._best.model.clauses:
            same = (table.covers == covers([tuple(clause)])[0]).all(axis=1)
            best.append(place.get(tuple(clause), int(np.argmax(same))))
        self._round = Models(most, len(candidates.rules), tuple(best))
        room = max(64, min(_ROOM, _ROOM_WORDS // table.covers.shape[1]))
        complexity = self.program.max_complexity
        self._walk = kernels.new_walk(table, candidates.bound, candidates.without_rules, complexity, room)
        if candidates.without_rules <= most * candidates.grid:
            covered = np.zeros((1, table.covers.shape[1]), dtype=np.uint64)
            alone = np.full((1, self._walk.sets.shape[1]), -1, dtype=np.int64)
            self._round.take(alone, np.array([candidates.without_rules]), covered)

    def _enumerate(self) -> None:
        candidates, models = self._candidates, self._round
        assert candidates is not None
        if models is None:
            self._stuck = "columns"
            return
        table, walk = candidates.table, self._walk
        if table is None or walk is None:
            self._known, self.phase = models, "finished"
            return
        each = 10 + len(table.entities) // max(1, len(table.own)) + 4 * table.covers.shape[1]
        kernels.advance(table, walk, models.most * candidates.grid, max(1, EFFORT_PER_WORK // each))
        n = int(walk.numbers[kernels.N_FOUND])
        if n:
            models.take(walk.sets[:n], walk.costs[:n], walk.covered[:n])
            walk.numbers[kernels.N_FOUND] = 0
        if len(models) > self.limit:
            self._stuck = "limit"
        elif walk.numbers[kernels.DONE]:
            self._known = models
            self._next()

    def _next(self) -> None:
        """What was looked for is found: go on to the next distance."""
        assert self._candidates is not None
        assert self._known is not None
        if self._known.most < self._candidates.most:
            self._begin(self._targets.pop(0) if self._targets else self._candidates.most)
        elif self._candidates.overflow:
            self._stuck = "columns"
        else:
            self.phase, self._round, self._walk = "finished", None, None

    def _rehearse(self) -> None:
        self.search.compile()
        solve(NearOptimalRuleSetSearch(tiny_problem(), ratio=0.5, max_complexity=4))

    def _snapshot(self) -> NearOptimalRuleSetProgress:
        finished = self.phase == "finished"
        status = Status.OPTIMAL if finished else Status.RUNNING if self._stuck is None else Status.LIMIT
        n = max((len(models) for models in (self._known, self._round) if models is not None), default=0)
        rules = 0 if self._candidates is None else len(self._candidates.rules)
        queued = 0 if finished or self._walk is None else int(self._walk.numbers[kernels.DEPTH])
        worth = self.program.unit / self.program.per_loss
        covered = self.optimum if self._known is None else float(self._known.most * worth)
        return NearOptimalRuleSetProgress(
            **self._figures,
            status=status,
            incumbent=self._best,
            lower_bound=self._lower_bound,
            counts={"models": n, "rules": rules, "queued": queued},
            log10_remaining=0.0 if finished else math.inf,
            phase=self.phase,
            limit=None if finished else self._stuck,
            count=n,
            rules=rules,
            optimum=self.optimum,
            covered=covered,
            threshold=math.nan if self._candidates is None else float(self._most * worth),
        )


def _program(search: RuleSetSearch) -> Program:
    program = make_program(search.problem, search.max_complexity, search.loss, search.form, None, search.regularization)
    if not program.exact or not program.is_literal:
        raise ValueError(
            "near-optimal rule sets need weights, and a regularization, of few digits, so that objectives can be told "
            "apart exactly"
        )
    return program


def _check(search: Any, within: Any, ratio: Any, limit: Any, memory_limit: Any, parameters: dict[str, Any]) -> None:
    if isinstance(search, RuleSetSearch):
        if parameters:
            raise ValueError(f"{', '.join(parameters)}: the search's own; give them only with a problem")
        parameters = search.parameters
    elif not isinstance(search, Problem):
        raise ParameterError("search", search, "a RuleSetSearch or a Problem")
    for name in ("fairness", "must_use", "max_uses"):
        if value := parameters.get(name):
            raise ParameterError(name, value, "None", Text(f"near-optimal rule sets are found without {{{name}}}"))
    check_distance(within, ratio, memory_limit, limit)
