"""Which line of a proof rules out a given rule list.

The table of a proof (see `checker`) speaks of lists in one form: each rule predicts the majority of what it captures
and pays for itself, and among the first rules of one label the one that captures most of that label's net weight comes
first. A given list is brought into this form by changes of which none makes it cost more, and is followed through the
table, rule by rule, until a bound closes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...data.problem import Problem
from ...models import RuleList
from ..exclusion import Change, Exclusion, Line
from .checker import recompute
from .children import Wanted, opened
from .hints import Lemmas, Separation
from .states import Grid, States, states


class _Rule(NamedTuple):
    antecedent: int  # among those of the states
    positive: bool


def exclude(
    problem: Problem, model: RuleList, regularization: float, arrays: Mapping[str, np.ndarray], asked: RuleList
) -> Exclusion:
    """Follow a list through the table of a proof of ``model`` that was checked; CertificateError if it does not fit."""
    costs, best, *_ = recompute(problem, model, regularization)
    objective = recompute(problem, asked, regularization).objective
    space = states(problem, costs)
    way = _Way(space, costs, arrays)
    rules, default = _in_space(space, problem.classes, asked, way.changes)
    way.follow(rules)
    followed = RuleList.from_problem(problem, [int(space.antecedents[a]) for a in way.taken])
    rest = followed.default
    if rest.prediction != default and rest.positives != rest.negatives:
        way.changes.append(Change("label", -1))
    after = recompute(problem, followed, regularization).objective
    if after > objective + costs.tolerance:
        raise AssertionError("a change of the list has made it cost more")
    ties, found = abs(objective - best) <= costs.tolerance, (tuple(way.changes), tuple(way.lines), len(way.sets))
    return Exclusion(asked, followed, float(objective), float(after), float(best), ties, *found, problem.names)


def _in_space(space: States, classes: Sequence[Any], asked: RuleList, changes: list[Change]) -> tuple[list[_Rule], Any]:
    """The rules over the antecedents that the states keep, others changed by why they were dropped; and the default."""
    default = asked.default.prediction
    rules = [_Rule(rule.antecedent or 0, rule.prediction == classes[1]) for rule in asked.rules]
    for dropped in space.dropped:
        while dropped.antecedent in (used := [rule.antecedent for rule in rules]):
            at = used.index(dropped.antecedent)
            changes.append(Change(dropped.kind, dropped.antecedent, dropped.instead))
            if dropped.kind == "everything":
                default = classes[int(rules[at].positive)]
                rules = rules[:at]
            elif dropped.instead is None:
                del rules[at]
            else:
                rules[at] = _Rule(dropped.instead, rules[at].positive)
    place = {int(a): i for i, a in enumerate(space.antecedents)}
    return [_Rule(place[rule.antecedent], rule.positive) for rule in rules], default


class _Way:
    """The way of a list through a table: what is done to it, and the lines that it comes to.

    ``taken``: the rules of the list, by antecedents of the states.
    """

    def __init__(self, space: States, costs: Grid, arrays: Mapping[str, np.ndarray]) -> None:
        self.space, self.unit, self.antecedents = space, costs.unit, space.antecedents.tolist()
        self.changes: list[Change] = []
        self.lines: list[Line] = []
        self.taken: list[int] = []
        self.sets, self.values = arrays["sets"], arrays["values"]
        self._row = {packed: row for row, packed in enumerate(map(bytes, self.sets))}
        self._chosen = arrays.get("lemmas", np.zeros(0, dtype=np.int64))
        self._lemmas = Lemmas(space, self.sets[self._chosen], self.values[self._chosen])
        self._separation = Separation.read(space, arrays)

    def change(self, kind: str, a: int, instead: int | None = None) -> None:
        """Note what is done to a rule, whose antecedents are those of the states."""
        self.changes.append(Change(kind, self.antecedents[a], None if instead is None else self.antecedents[instead]))

    def note(
        self, kind: str, row: int, a: int, paid: int, least: int, further: Mapping[str, float] | None = None
    ) -> None:
        """Note a line."""
        antecedent = self.antecedents[a] if a >= 0 else -1
        self.lines.append(Line(kind, row, antecedent, float(paid * self.unit), float(least * self.unit), further or {}))

    def follow(self, rules: list[_Rule]) -> None:
        """Bring the rules into the form of the table and follow them until they are at an end, or something ends it."""
        row = self._row[bytes(self.space.everything[0])]
        paid = self.space.per_error * self.space.constant
        self.note("start", row, -1, paid, paid + int(self.values[row]))
        while rules := self._in_form(rules, self.sets[row]):
            if self._separation.least(self.sets[row : row + 1])[0] >= self.values[row]:
                self.note("pairs", row, -1, paid, paid + int(self.values[row]))
                self.taken += [rule.antecedent for rule in rules]
                return
            a, rules = rules[0].antecedent, rules[1:]
            self.taken.append(a)
            positive, negative = self._captured(self.sets[row], a)
            price = self.space.per_rule + self.space.per_error * min(positive, negative)
            paid += price
            after = self._after(row, a, paid, int(self.values[row]) - price)
            if after is None:
                self.taken += [rule.antecedent for rule in rules]
                return
            row = after
        paid += self.space.per_error * min(self._captured(self.sets[row]))
        self.note("default", row, -1, paid, paid)

    def _in_form(self, rules: list[_Rule], packed: np.ndarray) -> list[_Rule]:
        """The rules such that the first one pays in the set and is the heaviest of the first ones of its label."""
        while rules := self._relabelled(rules, packed):
            captured = [self._captured(packed, rule.antecedent) for rule in rules]
            if max(captured[0]) * self.space.per_error <= self.space.per_rule:
                self.change("unpaid" if any(captured[0]) else "nothing", rules[0].antecedent)
                rules = rules[1:]
                continue
            label = rules[0].positive
            alike = next((i for i, rule in enumerate(rules) if rule.positive != label), len(rules))
            weights = [counts[not label] for counts in captured[:alike]]
            heaviest = weights.index(max(weights))
            if heaviest == 0:
                break
            self.change("first", rules[heaviest].antecedent, rules[0].antecedent)
            rules = [rules[heaviest], *rules[:heaviest], *rules[heaviest + 1 :]]
        return rules

    def _relabelled(self, rules: list[_Rule], packed: np.ndarray) -> list[_Rule]:
        """The rules with the majority of what each captures; a tie keeps its label."""
        out = []
        for rule in rules:
            positive, negative = self._captured(packed, rule.antecedent)
            better = positive < negative if rule.positive else positive > negative
            if better:
                self.change("label", rule.antecedent)
            out.append(_Rule(rule.antecedent, rule.positive != better))
            packed = packed & self.space.outside[rule.antecedent]
        return out

    def _after(self, row: int, a: int, paid: int, required: int) -> int | None:
        """The row of the set that a rule leaves in a set; None where no row is needed to close it."""
        left = self.sets[row] & self.space.outside[a]
        at = self._row.get(bytes(left), -1)
        if required <= 0:
            self.note("rule", row, a, paid, paid)
        elif a not in self._left_to_show(row):
            self.note("bound", row, a, paid, paid + required, self._further(row, a, left, required))
        elif at >= 0 and self.values[at] >= required:
            self.note("table", at, a, paid, paid + int(self.values[at]))
            return at
        elif self._separation.least(left[None])[0] >= required:
            self.note("pairs", row, a, paid, paid + required)
        else:
            size = np.bitwise_count(self.sets[row]).sum(dtype=np.int64)
            lemma = self._lemmas.proving(left[None], np.array([required]), size[None])[0]
            if lemma < 0:  # with multipliers for the set before the rule
                self.note("pairs", row, a, paid, paid + required)
            else:
                self.note("lemma", int(self._chosen[lemma]), a, paid, paid + required)
        return None

    def _left_to_show(self, row: int) -> np.ndarray:
        """The antecedents of the rules that bounds do not close in a set."""
        sets = self.sets[row : row + 1]
        rules = opened(self.space, sets, self.values[row : row + 1])
        return rules.antecedent[Wanted.after(self.space, sets, rules).unproven(self.space, Lemmas.of(self.space, None))]

    def _further(self, row: int, a: int, left: np.ndarray, required: int) -> dict[str, float]:
        """What the set that a rule leaves costs at least with no, one and more rules that may follow in this form."""
        positive, negative, all_positive, all_negative = (part[0] for part in self.space.net_weights(left[None]))
        before = self.space.net_weights(self.sets[row : row + 1])
        with_rest = np.minimum(all_positive - positive, all_negative - negative)
        one = []
        for label, wrong in ((0, negative), (1, positive)):
            of_this = before[label][0]
            heavier = of_this > of_this[a]
            majority = before[label][0][a] >= before[1 - label][0][a]
            allowed = ~heavier if majority else np.ones_like(heavier)
            one.append((wrong + with_rest)[allowed])
        least = np.concatenate(one)
        cost = self.space.cost_of
        out = {"no": int(cost(np.minimum(all_positive, all_negative))[0])}
        if len(least):
            out["one"] = self.space.per_rule + int(cost(least.min()[None])[0])
        return {key: float(value * self.unit) for key, value in (out | {"more": required}).items()}

    def _captured(self, packed: np.ndarray, a: int | None = None) -> tuple[int, int]:
        """Positive and negative net weight that an antecedent captures of a set; of the set itself without one."""
        inside = self.space.unpack(packed[None])[0]
        if a is not None:
            inside = inside & self.space.inside[:, a]
        weights = np.where(inside, self.space.weights, 0)
        return int(weights[: self.space.n_positive].sum()), int(weights[self.space.n_positive :].sum())
