"""The parameters of families: a name and a default each, the same wherever a person meets them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from ..limits import MAX_ANTECEDENTS, MEMORY_LIMIT, TIME_LIMIT


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
        noun = "a whole number" if self.kind == "whole" else "a number"
        if not math.isfinite(self.most):
            return f"{noun} {'above' if self.above else 'of at least'} {self.least:g}"
        if self.above:
            return f"{noun} above {self.least:g} and {'below' if self.below else 'at most'} {self.most:.12g}"
        return f"{noun} from {self.least:g} to {'below ' * self.below}{self.most:.12g}"

    @property
    def optional(self) -> bool:
        """Whether it may be None."""
        return self.lifted or self.default is None

    @property
    def title(self) -> str:
        """Its label, or else its name in words."""
        return self.label or self.name.replace("_", " ").capitalize()


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
    Parameter(
        "max_categories", 20, "categories of a column that get conditions", "whole", 1, label="Categories per column"
    ),
)
"""How conditions are made of the columns of a table, see `rulelab.Binarizer`, which alone makes finer groups."""

MINING = (
    Parameter(
        "max_conditions",
        2,
        "most conditions that a rule joins",
        "whole",
        1,
        label="Conditions per rule, at most",
        clause="at most {} conditions per rule",
    ),
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
    Parameter(
        "max_antecedents",
        MAX_ANTECEDENTS,
        "most antecedents; where there are more, rules have fewer conditions",
        "whole",
        1,
        lifted=True,
        label="Antecedents, at most",
        clause="at most {} antecedents",
    ),
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

FAIRNESS = (
    Parameter("fairness", None, "largest difference between groups in a rate", "criterion"),
    Parameter(
        "min_group_size",
        30,
        "least rows of a group that fairness is about, of the class it counts",
        "whole",
        label="Rows of a group, at least",
    ),
)
"""A criterion, and the groups that it compares."""

MEMORY = Parameter(
    "memory_limit", MEMORY_LIMIT, "bytes that the search may take", "size", lifted=True, label="Memory limit (MB)"
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
