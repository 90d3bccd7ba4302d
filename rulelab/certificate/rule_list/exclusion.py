"""Which line of a proof rules out a given rule list, in numbers and in words.

The table of a proof (see `checker`) speaks of lists in one form: each rule predicts the majority of what it captures
and pays for itself, and among the first rules of one label the one that captures most of that label's net weight comes
first. A given list is brought into this form by changes of which none makes it cost more, and is followed through the
table, rule by rule, until a bound closes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...data.problem import Problem
from ...models import RuleList
from .checker import recompute
from .children import Wanted, opened
from .hints import Lemmas, Separation
from .states import Grid, States, states


@dataclass(frozen=True)
class Change:
    """Something that the proof takes for granted of a list, done to this one; it costs no more afterwards."""

    kind: str
    """One of "label" (the rule predicts the majority), "unpaid" (the rule is left out, for all that it could get right
    costs less than a rule), "nothing" (left out, for it captures nothing that matters), "equal" (the antecedent is
    taken for an earlier one that holds for the same patterns), "everything" (the rule captures all that matters: it is
    the default, and what follows is left out), "first" (the rule comes before others of its label)."""
    antecedent: int  # index among the problem's; -1 of the default rule, which may change its label
    instead: int | None = None  # the antecedent that it is taken for, or before which it comes


@dataclass(frozen=True)
class Line:
    """A set of the table that the list comes to, or what ends its way."""

    kind: str
    """One of "start", "table" (the set that the rule leaves is in the table), and at last one of "rule" (the rule alone
    costs what the set costs at least), "bound" (computed from the set that the rule leaves), "lemma" (a smaller set of
    the table bounds it), "pairs" (of rows of different labels one is wrong, or a rule tells them apart) and "default"
    (no rule is left)."""
    line: int  # row of the table: the set itself, that before the rule, or the lemma
    antecedent: int  # of the rule that leads here; -1 without one
    so_far: float
    """What the rules before and this one cost, in units of the objective; errors that every list makes included."""
    least: float  # what a list that begins with these rules costs at least
    further: Mapping[str, float]
    """Of a bound: what the set costs at least with "no", "one" and "more" further rules."""


@dataclass(frozen=True)
class Exclusion:
    """Why a proof rules a list out.

    Attributes
    ----------
    asked : RuleList
    followed : RuleList
        The list after the changes, which the lines are about.
    objective, followed_objective, optimum : float
        Of the list asked for, of the one that was followed and of the proven model.
    ties : bool
        Whether the list is as good as the proven one.
    changes : tuple of Change
    lines : tuple of Line
    n_sets : int
        Rows of the table.
    names : tuple of str
        Of the problem's antecedents.
    """

    asked: RuleList
    followed: RuleList
    objective: float
    followed_objective: float
    optimum: float
    ties: bool
    changes: tuple[Change, ...]
    lines: tuple[Line, ...]
    n_sets: int
    names: tuple[str, ...] = field(repr=False)

    def __str__(self) -> str:
        return "\n".join([*self._asked(), *self._changed(), "", *map(self._said, self.lines), self._conclusion()])

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each line: kind, line of the table, rule that leads here, cost so far and least cost."""
        rows = [
            (line.kind, line.line, self.names[line.antecedent] if line.antecedent >= 0 else "", line.so_far, line.least)
            for line in self.lines
        ]
        return pd.DataFrame(rows, columns=["kind", "line", "rule", "so_far", "least"])

    def _asked(self) -> list[str]:
        worse = self.objective - self.optimum
        compared = "it is as good as the proven one" if self.ties else f"that is {worse:.4g} more than the proven one"
        return [
            f"the list {_listed(self.asked.antecedent_names)}",
            f"has the objective {self.objective:.7f}; {compared}",
        ]

    def _changed(self) -> list[str]:
        if not self.changes:
            return []
        said = [f"- {self._change(change)}" for change in dict.fromkeys(self.changes)]
        after = f"so the proof speaks of the list {_listed(self.followed.antecedent_names)}"
        return [
            "the proof takes for granted what never makes a list cost more:",
            *said,
            f"{after}, of the objective {self.followed_objective:.7f}",
        ]

    def _change(self, change: Change) -> str:
        if change.antecedent < 0:
            return "the default rule predicts the majority of what is left"
        name = repr(self.names[change.antecedent])
        instead = "" if change.instead is None else repr(self.names[change.instead])
        return {
            "label": f"{name} predicts the majority of what it captures",
            "unpaid": f"{name} is left out: all that it could get right is worth no more than a rule costs",
            "nothing": f"{name} is left out: it captures nothing that matters",
            "equal": f"{name} is the same as {instead} here",
            "everything": f"{name} holds for all that matters: it is the default rule, and ends the list",
            "first": f"{name} comes before {instead}: of rules with one label that follow each other, the order does "
            "not matter, and the proof has the heaviest first",
        }[change.kind]

    def _said(self, line: Line) -> str:
        at = f"line {line.line + 1} of {self.n_sets}"
        rest = f"what is left costs at least {line.least - line.so_far:.7f}"
        if line.kind == "start":
            wrong = f", of which {line.so_far:.7f} for rows that no rule tells apart" if line.so_far else ""
            return f"{at}: any list costs at least {line.least:.7f}{wrong}"
        if line.kind == "pairs" and line.antecedent < 0:
            return f"{at}: {rest}, {_PAIRS}"
        if line.kind == "default":
            return f"{at}, no further rule: the list costs {line.so_far:.7f}"
        spent = f"{at}, after {self.names[line.antecedent]!r}: {line.so_far:.7f} spent"
        together = f"together at least {line.least:.7f}"
        words = {"no": "no further rule", "one": "one", "more": "more"}
        ways = ", ".join(f"{cost:.7f} with {words[key]}" for key, cost in line.further.items())
        return {
            "table": f"{spent}, {rest}; {together}",
            "lemma": f"{spent}, and what is left holds so many of this line's rows that {together}",
            "pairs": f"{spent}, {rest}, {_PAIRS}; {together}",
            "rule": f"{spent}, which is already no less than {self.optimum:.7f}",
            "bound": f"{spent}, what is left costs at least {ways}; {together}",
        }[line.kind]

    def _conclusion(self) -> str:
        """What the last line shows."""
        if self.lines[-1].kind == "default":
            return "so this list is as good as the proven one" if self.ties else "so this list costs more"
        return f"so no list that begins with these rules costs less than {self.optimum:.7f}"


_PAIRS = "as of two rows of different labels one is wrong or a rule tells them apart"


def _listed(names: Sequence[str]) -> str:
    return "of no rules" if not names else "; ".join(map(repr, names))


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
