"""What the search for the least gap between groups claims, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .criteria import CRITERIA
from .wording import count

_GAP = "_gap"


def measured(parameters: Mapping[str, Any]) -> str:
    """What the gap is in, such as "missed positives"; of a certificate, the rates."""
    if "criterion" not in parameters:
        rates = (name.removesuffix(_GAP) for name in parameters if name.endswith(_GAP))
        return " and ".join(rate.replace("_", " ") for rate in rates)
    return CRITERIA[parameters["criterion"]].words.partition(": ")[2]


def lists(parameters: Mapping[str, Any], antecedents: int) -> str:
    """The lists that are spoken of."""
    longest = parameters["max_length"]
    most = "" if longest in (None, antecedents) else f" of at most {count(longest, 'rule')}"
    share = f"{100 * parameters['min_accuracy']:.10g} %"
    return f"rule list{most} over these {count(antecedents, 'antecedent')} with an accuracy of at least {share}"


def claim(parameters: Mapping[str, Any], antecedents: int, attribute: str = "") -> str:
    """What is proven of a list of least gap."""
    of = f" of {attribute}" if attribute else ""
    those = lists(parameters, antecedents)
    return f"no {those} has a smaller gap in {measured(parameters)} between groups{of} than this one"


def bound(parameters: Mapping[str, Any], antecedents: int, lower: float) -> str:
    """What is proven while the least gap is not."""
    return f"no {lists(parameters, antecedents)} has a gap in {measured(parameters)} below {points(lower)}"


def points(gap: float) -> str:
    """A difference of two rates."""
    return f"{100 * gap:.4g} points"
