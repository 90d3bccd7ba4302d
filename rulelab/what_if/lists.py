"""Lists that are changed by hand: what they cost, exactly, and which single change is best.

The labels of a rule list are kept, so that a rule put in at a place changes the label of the patterns that it is the
first to capture there and of no others. What that costs is a sum over those patterns, for all antecedents, places and
labels at once a product of matrices of whole numbers. In a falling list labels follow from the proportion of positives
among what rules capture, and so does whether it falls: for all antecedents at once floating point numbers say which
lists are worth a look, and exact fractions decide among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ..data.problem import Problem
from ..models import FallingRuleList, RuleList
from ..models.falling_rule_list import ROUNDING, rise_of
from .bench import DELETE, FLIP, INSERT, MOVE, REPLACE, Bench, Change, EditedList


class _ListBench(Bench[EditedList]):
    """A problem and what lists cost, under which they are changed. ``max_length``: most rules."""

    kind: ClassVar[Any] = EditedList

    def __init__(self, problem: Problem, regularization: float, max_length: int | None = None) -> None:
        super().__init__(problem, regularization)
        self.max_length = max_length
        # positives and negatives of each pattern, which is what label 0 and label 1 cost: shape (2, n_patterns)
        self._sides = np.stack([self._masses.positives, self._masses.negatives])

    def edit(self, edited: EditedList, doing: str, at: int, other: int) -> EditedList:
        ways = {
            DELETE: lambda: edited.deleted(at),
            MOVE: lambda: edited.moved(at, other),
            FLIP: lambda: edited.flipped(at),
        }
        return ways[doing]()

    def insert(self, edited: EditedList, place: int, antecedent: int) -> EditedList:
        """With a rule put in that has the label of least errors, where it has one."""
        if antecedent in edited.antecedents:
            k = edited.antecedents.index(antecedent) + 1
            raise ValueError(f"{self.problem.names[antecedent]} is rule {k} already; move it instead")
        if self._full(edited):
            rules = "1 rule" if len(edited) == 1 else f"{len(edited)} rules"
            raise ValueError(f"the settings allow at most {rules}; delete one first")
        return edited.inserted(place, antecedent, self.best_label(edited, place, antecedent))

    def best_label(self, edited: EditedList, place: int, antecedent: int) -> int | None:
        """That of a rule put in at a place; None where labels follow from what rules capture."""
        return None

    def _full(self, edited: EditedList) -> bool:
        return self.max_length is not None and len(edited) >= self.max_length

    def _decides(self, antecedents: tuple[int, ...]) -> np.ndarray:
        """The place of the rule that decides each pattern; that of the default is the number of rules."""
        out = np.full(self.problem.n_patterns, len(antecedents))
        for place in reversed(range(len(antecedents))):
            out[self._column(antecedents[place])] = place
        return out


class RuleListBench(_ListBench):
    """A problem and a price of rules, under which rule lists are changed. ``max_length``: most rules."""

    family: ClassVar[str] = "rule_list"

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

    def best_label(self, edited: EditedList, place: int, antecedent: int) -> int:
        """The label of least errors for a rule put in at this place; the default's where it would capture nothing."""
        caught = self._column(antecedent) & (self._decides(edited.antecedents) >= place)
        negative, positive = (int(self._sides[label, caught].sum()) for label in (0, 1))
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
        flips = self._per_place(self._sides[1 - labels, np.arange(len(labels))] - costs, decides, n)
        for place, more in enumerate(flips):
            yield Change(FLIP, place, edited.flipped(place), self._worth(errors + int(more), n))
        for place in range(n):
            rest = edited.deleted(place)
            decides = self._decides(rest.antecedents)
            costs = self._costs(rest, decides)
            errors = int(costs.sum())
            yield Change(DELETE, place, rest, self._worth(errors, n - 1))
            more = (self._sides[edited.labels[place]] - costs) * self._column(edited.antecedents[place])
            inserted = np.cumsum(self._per_place(more, decides, n - 1)[::-1])[::-1]
            for to in range(n):
                if to != place:
                    worth = self._worth(errors + int(inserted[to]), n)
                    yield Change(MOVE, place, edited.moved(place, to), worth, to)

    def _with_others(self, edited: EditedList, check: Callable[[], Any]) -> Iterator[Change[EditedList]]:
        """The best insertion and the best replacement at each place with each label."""
        n = len(edited)
        others = np.setdiff1d(np.arange(self.problem.n_antecedents), edited.antecedents)
        if not len(others):
            return
        ways: list[tuple[str, int, int, int]] = []
        columns: list[np.ndarray] = []
        for kind, places in ((INSERT, range(0 if self._full(edited) else n + 1)), (REPLACE, range(n))):
            for place in places:
                check()
                base = edited.deleted(place) if kind == REPLACE else edited
                decides = self._decides(base.antecedents)
                costs = self._costs(base, decides)
                for label in (0, 1):
                    ways.append((kind, place, label, int(costs.sum())))
                    columns.append((self._sides[label] - costs) * (decides >= place))
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
        return self._sides[np.array(edited.labels)[decides], np.arange(len(decides))]

    @staticmethod
    def _per_place(values: np.ndarray, decides: np.ndarray, n_rules: int) -> np.ndarray:
        out = np.zeros(n_rules + 1, dtype=values.dtype)
        np.add.at(out, decides, values)
        return out


_NEAR = 1e-9  # objectives that differ by less are told apart by fractions
_Counts = list[tuple[int, int]]


class FallingBench(_ListBench):
    """A problem and what falling rule lists cost, under which they are changed; see `FallingRuleList`.

    Without ``violation_penalty`` lists must fall. Numbers are read as the decimal numbers that Python shows.
    """

    family: ClassVar[str] = "falling_rule_list"

    def __init__(
        self,
        problem: Problem,
        regularization: float,
        positive_weight: float = 1.0,
        violation_penalty: float | None = None,
        max_length: int | None = None,
    ) -> None:
        super().__init__(problem, regularization, max_length)
        self.positive_weight, self.violation_penalty = positive_weight, violation_penalty
        self._weight = Fraction(repr(float(positive_weight)))
        self._penalty = None if violation_penalty is None else Fraction(repr(float(violation_penalty)))
        self._rounding = Fraction(0 if problem.positives.dtype.kind == "i" else ROUNDING)

    def model(self, edited: EditedList) -> FallingRuleList:
        return FallingRuleList.from_problem(
            self.problem, edited.antecedents, self.positive_weight, self.violation_penalty
        )

    def objective(self, edited: EditedList) -> Fraction:
        return self._worth(self._counts(edited))

    def refusal(self, edited: EditedList) -> str:
        if self._obeys(counts := self._counts(edited)):
            return ""
        least, where = Fraction(1), 0
        for k, (positives, negatives) in enumerate(counts):
            if positives + negatives:
                own = Fraction(positives, positives + negatives)
                if own > least:
                    that = "the default" if k == len(edited) else f"rule {k + 1}"
                    return (
                        f"the list does not fall: {that} has {100 * float(own):.3g} % positives, rule {where + 1} "
                        f"before it only {100 * float(least):.3g} %; move, delete or replace a rule"
                    )
                least, where = own, k
        raise AssertionError("a list that rises nowhere falls")

    def predicts_positive(self, edited: EditedList) -> np.ndarray:
        says = [self._weight * positives > negatives for positives, negatives in self._counts(edited)]
        return np.array(says, dtype=bool)[self._decides(edited.antecedents)]

    def changes(self, edited: EditedList, check: Callable[[], Any]) -> Iterator[Change[EditedList]]:
        n = len(edited)
        for place in range(n):
            check()
            for kind, to in ((DELETE, None), *((MOVE, to) for to in range(n) if to != place)):
                result = edited.deleted(place) if to is None else edited.moved(place, to)
                if self._obeys(counts := self._counts(result)):
                    yield Change(kind, place, result, self._worth(counts), to)
        others = np.setdiff1d(np.arange(self.problem.n_antecedents), edited.antecedents)
        if not len(others):
            return
        if not self._full(edited):
            yield from self._put_in(INSERT, edited, range(n + 1), others, check)
        for place in range(n):
            yield from self._put_in(REPLACE, edited.deleted(place), (place,), others, check)

    def _put_in(
        self, kind: str, base: EditedList, places: Any, others: np.ndarray, check: Callable[[], Any]
    ) -> Iterator[Change[EditedList]]:
        """The best antecedent to put into a list at each of some places."""
        n, decides = len(base), self._decides(base.antecedents)
        whole = np.array(self._counts(base), dtype=self._sides.dtype)
        parts = [self._sides[side] * (decides == place) for place in range(n + 1) for side in (0, 1)]
        taken = self._over_antecedents(np.stack(parts), check)[:, others].reshape(n + 1, 2, -1)
        for place in places:
            check()
            before = np.broadcast_to(whole[:place, :, None], (place, 2, len(others)))
            after = whole[place:, :, None] - taken[place:]
            counts = np.concatenate([before, taken[place:].sum(axis=0)[None], after])
            found = self._best(counts, check)
            if found is not None:
                yield Change(kind, place, base.inserted(place, int(others[found[0]])), found[1])

    def _best(self, counts: np.ndarray, check: Callable[[], Any]) -> tuple[int, Fraction] | None:
        """Of lists by their counts, shape (n_rules + 1, 2, n_lists), one of least objective that obeys."""
        objective, rise = self._roughly(counts.astype(np.float64))
        if self._penalty is None:
            objective = np.where(rise <= _NEAR + float(self._rounding), objective, np.inf)
        best: tuple[int, Fraction] | None = None
        for k in np.argsort(objective, kind="stable").tolist():
            if objective[k] > (np.inf if best is None else float(best[1]) + _NEAR) or np.isinf(objective[k]):
                break
            check()
            exact = [(int(p), int(q)) for p, q in counts[:, :, k]]
            if self._obeys(exact) and (best is None or self._worth(exact) < best[1]):
                best = k, self._worth(exact)
        return best

    def _roughly(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Objectives and rises in floating point numbers."""
        positives, negatives = counts[:, 0], counts[:, 1]
        loss = np.minimum(float(self._weight) * positives, negatives).sum(axis=0) / self._total
        rise, least = np.zeros(counts.shape[2]), np.ones(counts.shape[2])
        for p, q in zip(positives, negatives, strict=True):
            own = np.where(p + q > 0, p / np.where(p + q > 0, p + q, 1.0), least)
            rise += np.maximum(own - least, 0.0)
            least = np.minimum(least, own)
        soft = 0.0 if self._penalty is None else float(self._penalty) * rise
        return loss + float(self.price) * (len(counts) - 1) + soft, rise

    def _counts(self, edited: EditedList) -> _Counts:
        """Positives and negatives that each rule, and at last the default, captures."""
        decides = self._decides(edited.antecedents)
        out = np.zeros((len(edited) + 1, 2), dtype=self._sides.dtype)
        np.add.at(out, decides, self._sides.T)
        return [(int(p), int(q)) for p, q in out]

    def _worth(self, counts: _Counts) -> Fraction:
        loss = sum((min(self._weight * p, Fraction(q)) for p, q in counts), Fraction(0))
        soft = Fraction(0) if self._penalty is None else self._penalty * rise_of(counts)
        return loss / self._total + self.price * (len(counts) - 1) + soft

    def _obeys(self, counts: _Counts) -> bool:
        return self._penalty is not None or rise_of(counts) <= self._rounding
