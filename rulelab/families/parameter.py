"""The parameters of families: a name and a default each, the same wherever a person meets them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..limits import MAX_ANTECEDENTS, MEMORY_LIMIT


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
        "whole", "number", "fraction", "choice", "switch", "size" (of bytes), "criterion" or "text".
    least : float
        Of a number.
    above : bool
        Whether a number must be above ``least``.
    choices : tuple of str
    lifted : bool
        Whether None lifts it, where it has another default.
    """

    name: str
    default: Any
    help: str
    kind: str
    least: float = 0
    above: bool = False
    choices: tuple[str, ...] = ()
    lifted: bool = False


BINARIZING = (
    Parameter("thresholds", 10, "quantile groups of a number, or cuts by column", "whole", 2),
    Parameter("negations", True, "conditions with `!=` and `not`", "switch"),
    Parameter("max_categories", 20, "categories of a column that get conditions", "whole", 1),
)
"""How conditions are made of the columns of a table, see `rulelab.Binarizer`."""

MINING = (
    Parameter("max_conditions", 2, "most conditions that a rule joins", "whole", 1),
    Parameter("min_support", 0.01, "least fraction of the rows that a rule's conditions hold on", "fraction"),
    Parameter("max_support", 0.99, "largest fraction of the rows that a rule's conditions hold on", "fraction"),
    Parameter("by_class", False, "count supports within a class", "switch"),
    Parameter(
        "max_antecedents",
        MAX_ANTECEDENTS,
        "most antecedents; where there are more, rules have fewer conditions",
        "whole",
        1,
        lifted=True,
    ),
)
"""How antecedents are made of conditions, see `rulelab.mine_antecedents`."""

MEMORY = Parameter("memory_limit", MEMORY_LIMIT, "bytes that the search may take", "size", lifted=True)
