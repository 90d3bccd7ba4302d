"""Parameters: a name, a default, a title and a range each, the same wherever a person meets them.

Constructors, estimators, forms and the command line check values by these records.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

# The limits that hold by default, for estimators, the command line, sweeps and the page: every call ends. They are
# lifted with None, on the command line with ``none``. The searches themselves, such as `rulelab.RuleListSearch`, have
# none: whoever drains their steps decides.
TIME_LIMIT = 40.0
"""Seconds of search."""
MEMORY_LIMIT = 1_000_000_000
"""Bytes that a search may take."""
MAX_ANTECEDENTS = 1_000
"""Most antecedents to choose rules from; where conjunctions are more, those of fewer conditions are taken.

With more of them hardly any search ends with a proof within the time."""


@dataclass(frozen=True)
class Parameter:
    """A parameter.

    Attributes
    ----------
    name : str
        As an argument of estimators and searches; on the command line with hyphens.
    default : object
        What holds where nobody says anything. Searches themselves have milder limits: they do what they are told.
    help : str
        What it is, in a few words.
    kind : str
        "whole", "number", "fraction", "choice", "switch", "size" (of bytes), "criterion", "text",
        "measure" (a criterion without a tolerance),
        "name" (of an antecedent), "names", "limits" (numbers by column) or "directions" (by column).
    least, most : float
        Of a number.
    above, below : bool
        Whether a number must be above ``least``, and below ``most``.
    choices : tuple of str
        All values; of a text those that forms offer.
    lifted : bool
        Whether None lifts it, where it has another default.
    label : str
        Its name in forms and messages of the page.
    said : tuple of str
        The choices in words; empty: as they are.
    none : str
        What None means, in words.
    example : str
        What one may write, where None is what holds else.
    clause : str
        How a sentence about the search says its value, with ``{}`` in its place; empty: by its title.
    named : bool
        Whether such a sentence says it also where it has its default.
    """

    name: str
    default: Any
    help: str
    kind: str
    least: float = 0
    above: bool = False
    choices: tuple[str, ...] = ()
    lifted: bool = False
    most: float = math.inf
    label: str = ""
    said: tuple[str, ...] = ()
    none: str = "no limit"
    example: str = ""
    below: bool = False
    clause: str = ""
    named: bool = False

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


MAX_CATEGORIES = Parameter(
    "max_categories", 20, "categories of a column that get conditions", "whole", 1, label="Categories per column"
)
BINARIZING = (
    Parameter(
        "thresholds",
        5,
        "quantile groups of a number, or cuts by column",
        "whole",
        2,
        most=1000,
        label="Quantile groups per number",
    ),
    Parameter("negations", True, "conditions with `!=` and `not`", "switch", label="Negate categories"),
    MAX_CATEGORIES,
)
"""How conditions are made of the columns of a table, see `rulelab.Binarizer`, which alone makes finer groups."""

JOINED = Parameter(
    "max_conditions",
    2,
    "most conditions that a rule joins",
    "whole",
    1,
    most=3,
    label="Conditions per rule, at most",
    clause="at most {} conditions per rule",
)
MOST_ANTECEDENTS = Parameter(
    "max_antecedents",
    MAX_ANTECEDENTS,
    "most antecedents; where there are more, rules have fewer conditions",
    "whole",
    1,
    lifted=True,
    label="Antecedents, at most",
    clause="at most {} antecedents",
)
MINING = (
    JOINED,
    Parameter(
        "min_support",
        0.01,
        "least fraction of the rows that a rule's conditions hold on",
        "fraction",
        most=1,
        label="Least support",
    ),
    Parameter(
        "max_support",
        0.99,
        "largest fraction of the rows that a rule's conditions hold on",
        "fraction",
        most=1,
        label="Largest support",
    ),
    Parameter("by_class", False, "count supports within a class", "switch", label="Support within a class"),
    MOST_ANTECEDENTS,
)
"""How antecedents are made of conditions, see `rulelab.mine_antecedents`."""

MUST_NOT_USE = Parameter(
    "must_not_use",
    None,
    "a column, condition or antecedent that no rule may use",
    "names",
    none="everything may be used",
    example="age, bmi > 30",
    clause="without {}",
)
"""Of every family: what is left out before the search."""

MONOTONE = Parameter(
    "monotone",
    None,
    "a column of which more can only help a positive prediction (increasing), or only hinder it (decreasing)",
    "directions",
    label="Monotone columns",
    none="none",
    example="age: increasing",
    clause="monotone in {}",
)
"""Of rule sets, and of rule lists rule by rule: which way conditions point, see `rulelab.data.directions`."""

MUST_USE = Parameter(
    "must_use",
    None,
    "a column, condition or antecedent that some rule must use",
    "names",
    none="nothing in particular",
    example="age, bmi > 30",
    clause="using {}",
)
"""Of rule lists and rule sets, whose rules use columns and conditions."""

MAX_USES = Parameter(
    "max_uses",
    None,
    "most conditions on a column in the whole list or set",
    "limits",
    label="Conditions on a column, at most",
    none="any number",
    example="age: 1",
)
"""Of rule lists and rule sets."""

DEMANDS = (
    MUST_USE,
    Parameter(
        "first_rule",
        None,
        "the antecedent of the first rule",
        "name",
        none="any",
        example="age > 30",
        clause="beginning with {}",
    ),
    MAX_USES,
)
"""Of rule lists: what a list has to obey."""
NAMING = ("name", "names", "limits", "directions")
"""The kinds of parameters that name what only some data have."""

REGULARIZATION = Parameter(
    "regularization",
    0.01,
    "cost of one rule, as a fraction of the rows",
    "number",
    above=True,
    most=1,
    below=True,
    label="Regularization: cost of a rule",
    clause="a rule costing {}",
    named=True,
)
"""Of lists."""
FREE_RULES = replace(REGULARIZATION, above=False)
"""Of falling lists and least gaps, where rules may cost nothing."""

MIN_GROUP_SIZE = Parameter(
    "min_group_size",
    30,
    "least rows of a group that fairness is about, of the class it counts",
    "whole",
    label="Rows of a group, at least",
)
FAIRNESS = (Parameter("fairness", None, "largest difference between groups in a rate", "criterion"), MIN_GROUP_SIZE)
"""A criterion, and the groups that it compares."""

MEMORY = Parameter(
    "memory_limit", MEMORY_LIMIT, "bytes that the search may take", "size", 1, lifted=True, label="Memory limit (MB)"
)
TIME = Parameter(
    "time_limit",
    TIME_LIMIT,
    "seconds of search",
    "number",
    lifted=True,
    label="Time limit (s)",
    clause="for {} s at most",
)
"""Of fitting, for every family."""

MAX_LENGTH = Parameter(
    "max_length",
    None,
    "most rules, not counting the default",
    "whole",
    label="Rules, at most",
    none="any number",
    clause="at most {} rules",
)
BEAM_WIDTH = Parameter(
    "beam_width",
    500,
    "width of the beam search for the first list",
    "whole",
    most=10_000,
    label="Width of the beam search (0: none)",
)
MAX_COMPLEXITY = Parameter(
    "max_complexity",
    20,
    "most rules and conditions, counted together",
    "whole",
    2,
    most=10_000,
    label="Set complexity C",
    clause="at most {} rules and conditions",
    named=True,
)
"""Beyond the most of it linear programs lose their precision."""
MAX_CONDITIONS = Parameter(
    "max_conditions",
    3,
    "most conditions of a rule",
    "whole",
    1,
    lifted=True,
    label="Rule size D: conditions per rule",
    none="any number",
)
COMPLEXITY_COST = Parameter(
    "regularization",
    0.0,
    "cost of a unit of complexity, in rows",
    "number",
    label="Cost of a unit of complexity, in rows",
    clause="a unit of complexity costing {} rows",
)
COLUMN_LIMIT = Parameter(
    "column_limit",
    20_000,
    "most rules that the proof may look at together",
    "whole",
    1,
    label="Rules in the proof, at most",
)
POSITIVE_WEIGHT = Parameter(
    "positive_weight",
    1.0,
    "cost of a missed positive, in false alarms",
    "number",
    above=True,
    label="Weight of a missed positive (w)",
    clause="a missed positive counting as {} false alarms",
)
VIOLATION_PENALTY = Parameter(
    "violation_penalty",
    None,
    "softly falling: cost of a rise by 1",
    "number",
    label="Price of a rise by 1 (C1)",
    clause="a rise by 1 costing {}",
    none="it must fall",
)
ITERATIONS = Parameter(
    "iterations", 3000, "random lists, with which the exact search begins", "whole", 1, label="Monte-Carlo lists"
)
MIN_ACCURACY = Parameter(
    "min_accuracy",
    None,
    "least share of the rows that are right",
    "fraction",
    most=1,
    label="Accuracy, at least",
    none="a tenth above one answer for all",
    clause="at least {} of the rows right",
)

_OF_SEARCHES = (
    Parameter("curiosity", 0.8, "how much rules of few errors are preferred", "number", most=1),
    Parameter("limit", 10_000, "most models that are kept", "whole", 1),
    Parameter("random_state", None, "seed of what is random", "whole"),
    Parameter("ratio", None, "how far above the optimum, as a share of it", "number"),
    Parameter("termination", 0.01, "probability of ending a list before a rule", "number", most=1, below=True),
    Parameter("within", None, "how far above the optimum, in its units", "number"),
)
"""What is no parameter of a family."""
_BY_NAME = {
    each.name: each
    for each in (
        *(BEAM_WIDTH, COLUMN_LIMIT, ITERATIONS, MAX_CONDITIONS, MAX_LENGTH, MAX_COMPLEXITY, MEMORY, MIN_ACCURACY),
        *(MIN_GROUP_SIZE, POSITIVE_WEIGHT, VIOLATION_PENALTY, *_OF_SEARCHES),
    )
}


def check_arguments(**given: Any) -> None:
    """Refuse the first argument that no search takes, of those that mean the same for all. Raises ParameterError."""
    for name, value in given.items():
        _BY_NAME[name].check(value)
