"""Rule lists that are changed by hand: what they cost, exactly, and which single change is best.

Labels are kept, so that a rule put in at a place changes the label of the patterns that it is the first to capture
there and of no others. What that costs is a sum over those patterns, for all antecedents, places and labels at once a
product of matrices of whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ..data.problem import Problem
from ..models import RuleList
from ..models.base import column_of
from .bench import DELETE, FLIP, INSERT, MOVE, REPLACE, Bench, Change, EditedList, check_new


class RuleListBench(Bench[EditedList]):
    """A problem and a price of rules, under which rule lists are changed.

    ``regularization``: price of a rule; read as the decimal number that Python shows. ``max_length``: most rules.
    """

    family: ClassVar[str] = "rule_list"
    kind: ClassVar[Any] = EditedList

    def __init__(self, problem: Problem, regularization: float, max_length: int | None = None) -> None:
        super().__init__(problem, regularization)
        self.max_length = max_length
        self._wrong = np.stack([self._masses.positives, self._masses.negatives])
        """What each label costs each pattern, shape (2, n_patterns)."""

    def empty(self) -> EditedList:
        """No rule, and the label of most rows; the negative one where both have as many."""
        return EditedList.of(RuleList.from_problem(self.problem, ()))

    def model(self, edited: EditedList) -> RuleList:
        return RuleList.from_problem(self.problem, edited.antecedents, edited.labels)

    def objective(self, edited: EditedList) -> Fraction:
        """Share of the rows that are wrong, and the price of the rules; without rounding."""
        return self._worth(int(self._costs(edited, self._decides(edited.antecedents)).sum()), len(edited))

    def predicts_positive(self, edited: EditedList) -> np.ndarray:
        return np.array(edited.labels, dtype=bool)[self._decides(edited.antecedents)]

    def edit(self, edited: EditedList, doing: str, at: int, other: int) -> EditedList:
        if doing == "flip":
            return edited.flipped(at)
        return {"delete": lambda: edited.deleted(at), "move": lambda: edited.moved(at, other)}[doing]()

    def insert(self, edited: EditedList, place: int, antecedent: int) -> EditedList:
        """With a rule put in that has the label of least errors."""
        check_new(self.problem, edited.antecedents, antecedent, self.max_length)
        return edited.inserted(place, antecedent, self.best_label(edited, place, antecedent))

    def best_label(self, edited: EditedList, place: int, antecedent: int) -> int:
        """The label of least errors for a rule put in at this place; the default's where it would capture nothing."""
        caught = column_of(self.problem, antecedent) & (self._decides(edited.antecedents) >= place)
        negative, positive = (int(self._wrong[label, caught].sum()) for label in (0, 1))
        return edited.labels[-1] if not negative + positive else int(positive < negative)

    def changes(self, edited: EditedList, check: Callable[[], Any]) -> Iterator[Change[EditedList]]:
        yield from self._direct(edited)
        yield from self._with_others(edited, check)

    def _direct(self, edited: EditedList) -> Iterator[Change[EditedList]]:
        """Deletions, label flips and moves, all of them."""
        decides, n = self._decides(edited.antecedents), len(edited)
        costs = self._costs(edited, decides)
        errors = int(costs.sum())
        labels = np.array(edited.labels)[decides]
        flips = self._per_place(self._wrong[1 - labels, np.arange(len(labels))] - costs, decides, n)
        for place, more in enumerate(flips):
            yield Change(FLIP, place, edited.flipped(place), self._worth(errors + int(more), n))
        for place in range(n):
            rest = edited.deleted(place)
            decides = self._decides(rest.antecedents)
            costs = self._costs(rest, decides)
            errors = int(costs.sum())
            yield Change(DELETE, place, rest, self._worth(errors, n - 1))
            more = (self._wrong[edited.labels[place]] - costs) * column_of(self.problem, edited.antecedents[place])
            inserted = np.cumsum(self._per_place(more, decides, n - 1)[::-1])[::-1]
            for to in range(n):
                if to != place:
                    worth = self._worth(errors + int(inserted[to]), n)
                    yield Change(MOVE, place, edited.moved(place, to), worth, to)

    def _with_others(self, edited: EditedList, check: Callable[[], Any]) -> Iterator[Change[EditedList]]:
        """The best insertion and the best replacement at each place with each label."""
        n, m = len(edited), self.problem.n_antecedents
        others = np.setdiff1d(np.arange(m), edited.antecedents)
        if not len(others):
            return
        ways: list[tuple[str, int, int, int]] = []
        columns: list[np.ndarray] = []
        full = self.max_length is not None and n >= self.max_length
        for kind, places in ((INSERT, range(0 if full else n + 1)), (REPLACE, range(n))):
            for place in places:
                check()
                base = edited.deleted(place) if kind == REPLACE else edited
                decides = self._decides(base.antecedents)
                costs = self._costs(base, decides)
                for label in (0, 1):
                    ways.append((kind, place, label, int(costs.sum())))
                    columns.append((self._wrong[label] - costs) * (decides >= place))
        if not columns:
            return
        more = self._over_antecedents(np.stack(columns), check)[:, others]
        for (kind, place, label, errors), row in zip(ways, more, strict=True):
            best = int(np.argmin(row))
            change = edited.inserted if kind == INSERT else edited.replaced
            result = change(place, int(others[best]), label)
            yield Change(kind, place, result, self._worth(errors + int(row[best]), len(result)))

    def _worth(self, errors: int, n_rules: int) -> Fraction:
        return Fraction(errors, self._total) + self.price * n_rules

    def _costs(self, edited: EditedList, decides: np.ndarray) -> np.ndarray:
        """The wrong weight of each pattern."""
        return self._wrong[np.array(edited.labels)[decides], np.arange(len(decides))]

    @staticmethod
    def _per_place(values: np.ndarray, decides: np.ndarray, n_rules: int) -> np.ndarray:
        out = np.zeros(n_rules + 1, dtype=values.dtype)
        np.add.at(out, decides, values)
        return out
