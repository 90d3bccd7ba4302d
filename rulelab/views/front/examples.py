"""The searches that the front begins."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Example:
    """A search to begin with.

    Attributes
    ----------
    data : str
        Name of the data set, which has to be at hand: nothing is downloaded for it.
    speed : str
        One of `rulelab.views.search.speeds.SPEEDS`.
    settings : mapping of str to value
        Of the form, besides family and data.
    """

    data: str
    speed: str = "speeding up"
    settings: dict[str, Any] = field(default_factory=dict)


EXAMPLES = {
    "proof": Example(  # few enough prefixes to see each: five better lists and the proof in 20 seconds
        "diabetes",
        "1 step per tick",
        {"regularization": 0.003, "thresholds": 2, "max_conditions": 1, "beam_width": 0},
    ),
    "compas": Example("compas", settings={"regularization": 0.01}),
}
"""By the names of their cards."""
