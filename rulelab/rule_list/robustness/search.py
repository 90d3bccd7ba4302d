"""How many rows may change before another rule list is better than the optimal one, step by step."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import islice
from typing import ClassVar

import numpy as np
import pandas as pd

from ...data.problem import Problem
from ...data.problem_arguments import ProblemError
from ...kernels.jit import is_compiled
from ...models import Model, RuleList
from ...models.base import column_of
from ...parameters import check_arguments
from ...rehearsal import tiny_problem
from ...snapshot import Snapshot, Status
from ...stepping import Search, solve
from ..costs import Costs
from ..exact.search import RuleListSearch
from ..near_count import kernels
from ..near_optimal.base import AfterOptimum, grid_of
from .labelling import Labelling, NearStates
from .neighbours import CHANGES, Labelled, Measure, Rival, better, neighbours, predicted
from .result import Robustness, RobustnessTo, rows_to_change

_GROWTH = Fraction(4, 3)


class RobustnessSearch(AfterOptimum):
    """Step-wise: how many rows may change until another rule list has a smaller objective than the optimal one.

    Rows may take the other label, be removed, or be added; an added row satisfies the same antecedents as some training
    row. The antecedents and the optimal list, with its labels, stay as they are; the other lists may have any labels,
    as the majorities change with the rows. A list of the same predictions never wins: it has no fewer rules.

    First the optimum is certified, and the lists that one change makes of it give numbers of rows that are enough (the
    phase "neighbours"). Then, up to growing distances, all sets of patterns that lists pass through are found
    ("lists") and all lists over them are compared, with any labels ("labels"): what is known then of all other lists
    is that they are farther away, which says how many rows at least one of them needs. It ends when the list that needs
    the fewest rows is found and no list farther away needs fewer.

    Parameters
    ----------
    search : RuleListSearch or Problem
        A search is advanced to its end first when it has not certified the optimum. Weights must be integers: a row of
        weight w counts as w rows, each of which may change without the others.
    regularization : float, optional
        With a problem: the cost of one rule.
    max_length : int, optional
        With a problem: most rules in a list, also in another one that wins.
    memory_limit : int, optional
        Bytes that the sets and lists up to one distance may take.

    Raises
    ------
    ValueError
        When an argument is out of range, and ProblemError, one of them, when weights are not integers.

    Notes
    -----
    Let e be the errors of another list d more than those of the optimal one, k its rules more, and x = e + lambda n k.
    As many rows as are on the right side of the optimal list alone can speak for d. Then d wins after j rows
    change their labels when 2 j > x; after j are removed when j (1 + lambda k) > x, and later where rows on which both
    agree have to go too; after j are added when j (1 - lambda k) > x. All is counted in integers, with the
    regularization as the decimal number that it is given as.

    References
    ----------
    Sotskov, Leontev and Gordeev, "Some concepts of stability analysis in combinatorial optimization", Discrete Applied
    Mathematics 58 (1995), call the largest change of the data that leaves a solution optimal its stability radius.

    Examples
    --------
    >>> import numpy as np, rulelab as rl
    >>> A = np.array([[1, 0], [1, 1], [0, 1], [0, 0]], dtype=bool).repeat(5, axis=0)
    >>> search = rl.RobustnessSearch(rl.Problem.from_arrays(A, A[:, 0]), 0.1)
    >>> _ = rl.solve(search)
    >>> search.robustness.relabelled.withstands
    3
    """

    kind: ClassVar[str] = "rule_list_robustness"

    def __init__(
        self,
        search: RuleListSearch | Problem,
        regularization: float | None = None,
        *,
        max_length: int | None = None,
        memory_limit: int | None = None,
    ) -> None:
        super().__init__(search, regularization, max_length)
        check_arguments(memory_limit=memory_limit)
        self.memory_limit = memory_limit
        self._costs = _checked(self.search)
        self._rivals: dict[str, Rival] = {}
        self._withstands = dict.fromkeys(CHANGES, 0)
        self._ties: int | None = None
        self._stage: NearStates | None = None
        self._labelling: Labelling | None = None
        self._base = self._covered = self._threshold = self._lists = 0
        self._measure: Measure
        self._own: Labelled
        self._positive: np.ndarray
        self._columns: dict[int, np.ndarray]

    @property
    def _own_compiled(self) -> bool:
        return is_compiled(kernels.advance, kernels.rebuild_table)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the sets and of the lists over them."""
        stage = 0 if self._stage is None else self._stage.memory_bytes
        return stage + (0 if self._labelling is None else self._labelling.memory_bytes)

    @property
    def robustness(self) -> Robustness | None:
        """What is known; None before the optimum is certified."""
        if self.phase == "optimum" or self._best is None:
            return None
        return Robustness(
            self.problem,
            self.regularization,
            self._best.model,
            self._best.objective,
            self._ties,
            **{change: self._known(change) for change in CHANGES},
        )

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each way in which rows can change, as in `Robustness.frame`; no row before the optimum is known."""
        known = self.robustness
        if known is None:
            columns = ["change", "withstands", "breaks", "exact", "share", "rival", "rival_objective"]
            return pd.DataFrame(columns=columns)
        return known.frame

    def _models(self) -> list[Model | None]:
        known = self.robustness
        return [] if known is None else [each.rival for each in known.changes]

    def _rehearse(self) -> None:
        self.search.compile()
        search = RuleListSearch(tiny_problem(), 0.01)
        solve(search)
        small = NearStates(search, 0)
        while small.phase != "expanded":
            small.advance(1)
        kernels.rebuild_table(small.states.store._replace(state_table=np.empty(64, dtype=np.int32)))

    def _known(self, change: str) -> RobustnessTo:
        rival, problem = self._rivals.get(change), self.problem
        if rival is None:
            nothing = pd.DataFrame({"pattern": [], "label": [], "rows": []})
            return RobustnessTo(change, self._withstands[change], None, None, nothing)
        other = rival.antecedents, rival.labels
        rows = rows_to_change(problem, self._own, other, change, rival.rows)
        return RobustnessTo(change, self._withstands[change], rival.rows, RuleList.from_problem(problem, *other), rows)

    def _advance(self, max_work: int) -> None:
        self._stuck = None
        target, pace = self.work + max_work, self.pace
        while self.work < target and self.pace == pace and self.phase != "finished" and self._stuck is None:
            left = target - self.work
            if self.phase == "optimum":
                if self._certify(left):
                    self._prepare()
            elif self.phase == "neighbours":
                self._look_around(left)
            elif self.phase == "lists":
                self._find_sets(left)
            else:
                self._label(left)
                if self._labelling is not None and self._labelling.counting:
                    return

    def _within(self) -> Search | None:
        return self._stage if self.phase == "lists" else super()._within()

    def _prepare(self) -> None:
        assert self._best is not None
        problem, costs, model = self.problem, self._costs, self._best.model
        labels = tuple(problem.classes.index(rule.prediction) for rule in (*model.rules, model.default))
        self._own = tuple(model.antecedents), labels
        m = problem.n_antecedents
        self._measure = Measure(
            weight=int(problem.total_weight),
            regularization=Fraction(repr(float(self.regularization))),
            errors=int(model.errors),
            rules=len(model),
            per_error=costs.per_error,
            per_rule=costs.per_rule,
            inevitable=int(np.minimum(problem.positives, problem.negatives).sum()),
            longest=m if self.max_length is None else min(m, self.max_length),
        )
        self._positive = predicted(problem, *self._own).positive
        self._columns = {a: column_of(problem, a) for a in self._own[0]}
        self._base = self.work
        self.phase = "neighbours"

    def _look_around(self, max_work: int) -> None:
        """Look at no more than so many of the lists that one change makes of the optimal one."""
        problem, measure, done = self.problem, self._measure, self.work - self._base
        some = list(islice(neighbours(problem, self._own), done, done + max_work))
        for antecedents, labels in some:
            made = predicted(problem, antecedents, labels, self._columns)
            if made.captures and len(antecedents) <= measure.longest:
                differs = made.positive != self._positive
                differing = int((problem.positives + problem.negatives)[differs].sum())
                found = better(self._rivals, measure, len(antecedents), made.errors, differing)
                self._rivals |= {change: Rival(rows, antecedents, made.labels) for change, rows in found.items()}
        self.work += len(some)
        if len(some) < max_work:
            self._covered = measure.cost - 1
            self._next()

    def _next(self) -> None:
        """Begin with the lists up to the next distance, or end."""
        wanted = [
            self._measure.threshold(change, self._rivals[change].rows, self._covered)
            for change in CHANGES
            if self._rivals[change].rows > self._withstands[change] + 1
        ]
        if not wanted and self._ties is not None:
            self._stage = self._labelling = None
            self.phase = "finished"
            return
        best = self._measure.cost
        farther = max(2 * self._costs.per_error, math.floor((_GROWTH - 1) * (self._covered - best)))
        self._threshold = max(best, min(self._covered + farther, max(wanted, default=best)))
        self._base = self.work
        self._stage = NearStates(self.search, self._threshold, self.memory_limit)
        self._labelling = None
        self.phase = "lists"

    def _find_sets(self, max_work: int) -> None:
        stage = self._stage
        assert stage is not None
        now = stage.advance(max_work)
        self.work = self._base + stage.work - self.search.work
        if now.status is Status.LIMIT:
            self._stuck = now.limit
        elif stage.phase == "expanded":
            self._lists = stage.n_lists
            free = None if self.memory_limit is None else self.memory_limit - stage.memory_bytes
            self._labelling = Labelling(
                stage.states, self._masses(stage), self._measure, stage.representatives, self._rivals, free
            )
            self._base = self.work
            self.phase = "labels"

    def _masses(self, stage: NearStates) -> np.ndarray:
        """Of each bit: positives, negatives, and of these two what the optimal list predicts positive."""
        problem, slots = self.problem, stage.slots
        counts = np.stack([problem.positives, problem.negatives], axis=1)
        counts = np.hstack([counts, counts * self._positive[:, None]])
        return np.where(slots[:, None] >= 0, counts[slots], 0)

    def _label(self, max_work: int) -> None:
        labelling = self._labelling
        assert labelling is not None
        labelling.advance(max_work)
        self.work = self._base + labelling.work
        if labelling.full:
            self._stuck = "memory"
        elif labelling.done:
            if self._ties is None:
                self._ties = labelling.ties()
            self._covered = self._threshold
            for change in CHANGES:
                enough, least = self._rivals[change].rows, self._measure.least(change, self._covered)
                self._withstands[change] = (enough if least is None else min(enough, least)) - 1
            self._next()

    def _snapshot(self) -> Snapshot:
        stage = self._stage
        states = stage.states.n if stage is not None and stage.prepared else 0
        found = {change: self._rivals[change].rows for change in CHANGES if change in self._rivals}
        return Snapshot(
            **self._standing(exact=True),
            counts={"states": states, "lists": self._lists, "queued": 0 if self.phase == "finished" else 1},
            detail={"withstands": dict(self._withstands), "breaks": found, "ties": self._ties},
        )


def _checked(search: RuleListSearch) -> Costs:
    """The grid, where rows can be counted on it."""
    problem = search.problem
    if not problem.integral:
        raise ProblemError(
            "robustness counts the rows that may change, but this problem's weights are not integers; make the problem "
            "without sample_weight, or with whole numbers that count equal rows"
        )
    costs = grid_of(search)
    if not costs.exact:
        raise ValueError(
            f"regularization {search.regularization!r} has too many digits to compare rule lists of "
            f"{problem.total_weight} rows exactly; round it"
        )
    return costs
