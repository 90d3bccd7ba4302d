"""What the search for the least gap between groups claims, in words."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Context
from typing import Any

from ..parameters import MIN_ACCURACY, Parameter
from .criteria import CRITERIA
from .wording import count

_GAP = "_gap"

ASKED = (
    Parameter(
        "criterion",
        "equal_opportunity",
        "what the gap between groups is measured in",
        "measure",
        choices=tuple(CRITERIA),
        label="Gap measured in",
        said=tuple(record.words for record in CRITERIA.values()),
        clause="in {}",
        named=True,
    ),
    MIN_ACCURACY,
)
"""What the least gap is asked of: in which rates, and of how accurate models."""
GRID = {"min_accuracy": [0.55, 0.6, 0.65, 0.7, 0.75, 0.8]}
"""The accuracies of a sweep for which none are given."""


def measured(parameters: Mapping[str, Any]) -> str:
    """What the gap is in, such as "missed positives"; of a certificate, the rates."""
    if "criterion" not in parameters:
        rates = (name.removesuffix(_GAP) for name in parameters if name.endswith(_GAP))
        return " and ".join(rate.replace("_", " ") for rate in rates)
    return CRITERIA[parameters["criterion"]].words.partition(": ")[2]


def meant(parameters: Mapping[str, Any], antecedents: int | str) -> str:
    """The lists or sets that are spoken of, over so many antecedents, or over what a text calls them."""
    least = parameters["min_accuracy"]
    share = "that beats one answer for everybody by a tenth of what that leaves wrong"
    share += ", or is as right as simple rules," if "max_complexity" in parameters else ""
    share = share if least is None else f"with an accuracy of at least {100 * least:.10g} %"
    if "max_complexity" in parameters:
        longest = parameters["max_conditions"]
        rules = "" if longest is None else f" of rules of at most {count(int(longest), 'condition')}"
        most = f"of complexity at most {parameters['max_complexity']:g}{rules}"
        return f"rule set {most} over {_over(antecedents, 'condition')} {share}"
    longest = parameters["max_length"]
    most = "" if longest in (None, antecedents) else f" of at most {count(longest, 'rule')}"
    return f"rule list{most} over {_over(antecedents, 'antecedent')} {share}"


def _over(antecedents: int | str, noun: str) -> str:
    return antecedents if isinstance(antecedents, str) else f"these {count(antecedents, noun)}"


def limits(parameters: Mapping[str, Any]) -> str:
    """Which models a front is about, behind what is said of them."""
    if "max_complexity" in parameters:
        longest = parameters["max_conditions"]
        rules = "" if longest is None else f" and rules of at most {count(int(longest), 'condition')}"
        return f", of complexity at most {parameters['max_complexity']:g}{rules}{_counted(parameters)}"
    longest = parameters["max_length"]
    return "" if longest is None else f", of at most {count(longest, 'rule')}"


def claim(parameters: Mapping[str, Any], antecedents: int | str, attribute: str = "") -> str:
    """What is proven of a model of least gap."""
    of = f" of {attribute}" if attribute else ""
    those = meant(parameters, antecedents)
    smaller = f"a smaller gap in {measured(parameters)} between groups{of} than this one"
    return f"no {those} has {smaller}{_counted(parameters)}"


def bound(parameters: Mapping[str, Any], antecedents: int | str, lower: float) -> str:
    """What is proven while the least gap is not."""
    those = meant(parameters, antecedents)
    return f"no {those} has a gap in {measured(parameters)} below {points(lower, ROUND_FLOOR)}{_counted(parameters)}"


def _counted(parameters: Mapping[str, Any]) -> str:
    """How accuracy and gap are counted, where it is not as the model predicts."""
    return ", as the Hamming loss counts both" if "max_complexity" in parameters and by_hamming(parameters) else ""


def by_hamming(parameters: Mapping[str, Any]) -> bool:
    """Whether a search or a certificate of rule sets is of the Hamming loss, not of the training errors."""
    return parameters.get("loss", "hamming") == "hamming" and not parameters.get("zero_one")


def points(gap: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """A difference of two rates; of what is proven rounded down."""
    return f"{Context(4, rounding).create_decimal(repr(100 * gap)).normalize():f} points"
