"""What a proof says of one model that is not the proven one: the lines that rule it out, in numbers and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..models import RuleList

if TYPE_CHECKING:
    import pandas as pd


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
        import pandas as pd

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
