"""Rule sets that are changed by hand: what they cost, exactly, and which single change is best.

A rule that comes, or becomes another one, changes what is covered at all, and how often negatives are covered. What
that costs is a sum over the patterns that satisfy a condition, for all conditions at once a product of matrices of
whole numbers. A CNF is a DNF of the negated conditions for the other class, and is counted as that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ..data.problem import Problem
from ..models import RuleSet
from .bench import ADD, DELETE, INSERT, REMOVE, REPLACE, Bench, Change, EditedSet


class RuleSetBench(Bench[EditedSet]):
    """A problem and what rule sets cost, under which they are changed.

    ``max_complexity``: most rules and conditions, counted together. ``regularization``: of a unit of it, in rows.
    """

    family: ClassVar[str] = "rule_set"
    kind: ClassVar[Any] = EditedSet

    def __init__(
        self,
        problem: Problem,
        max_complexity: int,
        max_conditions: int | None = None,
        loss: str = "hamming",
        form: str = "dnf",
        regularization: float = 0.0,
    ) -> None:
        super().__init__(problem, regularization)
        self.max_complexity, self.max_conditions = max_complexity, max_conditions
        self.loss, self.form = loss, form
        sides = self._masses.positives, self._masses.negatives
        self._wanted, self._unwanted = sides if form == "dnf" else sides[::-1]

    def model(self, edited: EditedSet) -> RuleSet:
        return RuleSet.from_problem(self.problem, edited.clauses, self.form)

    def objective(self, edited: EditedSet) -> Fraction:
        """The loss in rows, or weight, and the price of the complexity; without rounding."""
        return self._worth(self._loss(self._times(edited)), edited.complexity)

    def predicts_positive(self, edited: EditedSet) -> np.ndarray:
        covered = self._times(edited) > 0
        return covered if self.form == "dnf" else ~covered

    def edit(self, edited: EditedSet, doing: str, at: int, other: int) -> EditedSet:
        if doing == "remove" and other in edited.clauses[at]:
            return self._distinct(edited, at, edited.removed(at, other))
        return {"delete": lambda: edited.deleted(at)}[doing]()

    def insert(self, edited: EditedSet, place: int, antecedent: int) -> EditedSet:
        """With one more condition in a rule; after the last one, with a rule of this condition alone."""
        names, new = self.problem.names, place == len(edited)
        if not new and antecedent in edited.clauses[place]:
            raise ValueError(f"rule {place + 1} has {names[antecedent]} already")
        if not new and self.max_conditions is not None and len(edited.clauses[place]) >= self.max_conditions:
            raise ValueError(f"the settings allow rules of at most {self.max_conditions} conditions")
        if edited.complexity + 1 + new > self.max_complexity:
            raise ValueError(
                f"the settings allow a complexity of at most {self.max_complexity}, rules and conditions counted "
                "together; take something away first"
            )
        return self._distinct(edited, place, edited.added(place, antecedent))

    def changes(self, edited: EditedSet, check: Callable[[], Any]) -> Iterator[Change[EditedSet]]:
        room = self.max_complexity - edited.complexity
        for place, clause in enumerate(edited.clauses):
            check()
            rest = edited.deleted(place)
            yield Change(DELETE, place, rest, self.objective(rest))
            for old in clause if len(clause) > 1 else ():
                result = edited.removed(place, old)
                if len(set(result.clauses)) == len(result):
                    yield Change(REMOVE, place, result, self.objective(result), old=old)
        ways: list[tuple[str, int, int | None, tuple[int, ...]]] = []
        if room >= 2:
            ways.append((INSERT, len(edited), None, ()))
        for place, clause in enumerate(edited.clauses):
            if room >= 1 and (self.max_conditions is None or len(clause) < self.max_conditions):
                ways.append((ADD, place, None, clause))
            ways.extend((REPLACE, place, old, tuple(j for j in clause if j != old)) for old in clause)
        if ways:
            yield from self._with_others(edited, ways, check)

    def _with_others(
        self, edited: EditedSet, ways: list[tuple[str, int, int | None, tuple[int, ...]]], check: Callable[[], Any]
    ) -> Iterator[Change[EditedSet]]:
        """The best condition to join to each of some conjunctions."""
        columns, losses = [], []
        for _, place, _, base in ways:
            check()
            times = self._times(edited if place == len(edited) else edited.deleted(place))
            more = np.where(times == 0, self._unwanted - self._wanted, self._unwanted if self.loss == "hamming" else 0)
            columns.append(more * self._covers(base))
            losses.append(self._loss(times))
        sums = self._over_antecedents(np.stack(columns), check)
        if self.form == "cnf":
            sums = np.array([column.sum() for column in columns], dtype=sums.dtype)[:, None] - sums
        for (kind, place, old, base), loss, row in zip(ways, losses, sums, strict=True):
            taken = {*base, *(() if old is None else (old,))}
            for k, clause in enumerate(edited.clauses):
                if k != place and len(clause) == len(base) + 1 and set(base) < set(clause):
                    taken |= set(clause) - set(base)
            left = np.setdiff1d(np.arange(len(row)), sorted(taken))
            if len(left):
                j = int(left[np.argmin(row[left])])
                result = edited.added(place, j) if old is None else edited.with_clause(place, (*base, j))
                objective = self._worth(loss + int(row[j]), result.complexity)
                yield Change(kind, place, result, objective, old=old, new=j)

    def _distinct(self, edited: EditedSet, place: int, result: EditedSet) -> EditedSet:
        if len(set(result.clauses)) < len(result):
            twice = next(k for k, clause in enumerate(result.clauses) if k != place and clause == result.clauses[place])
            raise ValueError(f"rule {place + 1} would be the same as rule {twice + 1}")
        return result

    def _covers(self, clause: tuple[int, ...]) -> np.ndarray:
        """The patterns that a rule of a DNF covers, or a clause of a CNF rejects."""
        out = np.ones(self.problem.n_patterns, dtype=bool)
        for j in clause:
            out &= self._column(j) if self.form == "dnf" else ~self._column(j)
        return out

    def _times(self, edited: EditedSet) -> np.ndarray:
        """How many rules cover each pattern."""
        out = np.zeros(self.problem.n_patterns, dtype=np.int64)
        for clause in edited.clauses:
            out += self._covers(clause)
        return out

    def _loss(self, times: np.ndarray) -> int:
        often = times if self.loss == "hamming" else times > 0
        return int(self._wanted[times == 0].sum()) + int((self._unwanted * often).sum())

    def _worth(self, loss: int, complexity: int) -> Fraction:
        return loss * self._masses.unit + self.price * complexity
