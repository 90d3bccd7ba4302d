"""Parameters: a name, a default, a title and a range each, the same wherever a person meets them.

Constructors, estimators, forms and the command line check values by these records, which stand in ``parameters.toml``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .files import load_tables


@dataclass(frozen=True)
class Parameter:
    """A parameter."""

    name: str  # as an argument of estimators and searches; on the command line with hyphens
    default: Any  # what holds where nobody says anything; searches themselves do what they are told
    help: str  # what it is, in a few words
    # kind: "whole", "number", "fraction", "choice", "switch", "size" (of bytes), "criterion", "text", "measure" (a
    # criterion without a tolerance), "name" (of an antecedent), "names", "limits" or "directions" (by column)
    kind: str
    least: float = 0
    above: bool = False  # whether a number must be above ``least``
    choices: tuple[str, ...] = ()  # all values; of a text those that forms offer
    lifted: bool = False  # whether None lifts it, where it has another default
    most: float = math.inf
    label: str = ""  # its name in forms and messages of the page
    said: tuple[str, ...] = ()  # the choices in words; empty: as they are
    none: str = "no limit"  # what None means, in words
    example: str = ""  # what one may write, where None is what holds else
    below: bool = False  # whether a number must be below ``most``
    clause: str = ""  # how a sentence about the search says its value, with ``{}`` in its place; empty: by its title
    named: bool = False  # whether such a sentence says it also where it has its default

    def accepts(self, value: float) -> bool:
        """Whether a number is in its range."""
        low = value > self.least if self.above else value >= self.least
        return low and (value < self.most if self.below else value <= self.most)

    @property
    def required(self) -> str:
        """What a number has to be, in words, such as "a number above 0 and below 1"."""
        return self._in_words("a whole number" if self.kind == "whole" else "a number")

    def _in_words(self, noun: str) -> str:
        if not math.isfinite(self.most):
            return f"{noun} {'above' if self.above else 'of at least'} {self.least:g}"
        if self.above:
            return f"{noun} above {self.least:g} and {'below' if self.below else 'at most'} {self.most:.12g}"
        return f"{noun} from {self.least:g} to {'below ' * self.below}{self.most:.12g}"

    def check(self, value: Any) -> None:
        """Refuse what is no number in its range, or none where it may not be None. Raises ParameterError."""
        from .arguments import ParameterError, is_number, is_whole  # with numpy, which reading a record does without

        if value is None and self.optional:
            return
        if not (is_whole(value, 0) if self.kind in ("whole", "size") else is_number(value)) or not self.accepts(value):
            required = self._in_words("a whole number of bytes") if self.kind == "size" else self.required
            raise ParameterError(self.name, value, required + " or None" * self.optional)

    @property
    def optional(self) -> bool:
        """Whether it may be None."""
        return self.lifted or self.default is None

    @property
    def title(self) -> str:
        """Its label, or else its name in words."""
        return self.label or self.name.replace("_", " ").capitalize()


PARAMETERS = {
    name: Parameter(**{"name": name, "default": None, **fields})
    for name, fields in load_tables(Path(__file__).with_suffix(".toml")).items()
}
"""By the names of their tables in the file."""


def some(*names: str) -> tuple[Parameter, ...]:
    """Those of these tables."""
    return tuple(PARAMETERS[name] for name in names)


MAX_CATEGORIES = PARAMETERS["max_categories"]
BINARIZING = some("thresholds", "negations", "max_categories")
"""How conditions are made of the columns of a table, see `rulelab.Binarizer`."""
JOINED, MOST_ANTECEDENTS = some("joined", "max_antecedents")
MINING = some("joined", "min_support", "max_support", "by_class", "max_antecedents")
"""How antecedents are made of conditions, see `rulelab.mine_antecedents`."""
MUST_NOT_USE, MONOTONE = some("must_not_use", "monotone")
DEMANDS = some("must_use", "first_rule", "max_uses")
"""Of rule lists: what a list has to obey."""
NAMING = ("name", "names", "limits", "directions")
"""The kinds of parameters that name what only some data have."""
REGULARIZATION, COMPLEXITY_COST = some("regularization", "complexity_cost")
FREE_RULES = replace(REGULARIZATION, above=False)
"""Of falling lists and least gaps, where rules may cost nothing."""
FAIRNESS = some("fairness", "min_group_size")
"""A criterion, and the groups that it compares."""
MEMORY, TIME = some("memory_limit", "time_limit")
MAX_LENGTH, BEAM_WIDTH, ITERATIONS, MIN_ACCURACY = some("max_length", "beam_width", "iterations", "min_accuracy")

# The limits that hold by default, for estimators, the command line, sweeps and the page: every call ends. They are
# lifted with None, on the command line with ``none``. The searches themselves, such as `rulelab.RuleListSearch`, have
# none: whoever drains their steps decides.
TIME_LIMIT: float = TIME.default
"""Seconds of search."""
MEMORY_LIMIT: int = MEMORY.default
"""Bytes that a search may take."""
MAX_ANTECEDENTS: int = MOST_ANTECEDENTS.default
"""Most antecedents to choose rules from; where conjunctions are more, those of fewer conditions are taken.

With more of them hardly any search ends with a proof within the time."""


def check_arguments(**given: Any) -> None:
    """Refuse the first argument that no search takes, of those that mean the same for all. Raises ParameterError."""
    for name, value in given.items():
        PARAMETERS[name].check(value)
