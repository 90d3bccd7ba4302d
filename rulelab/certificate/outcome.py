"""What the checker of a family answers."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Outcome:
    """What a checker found; see `Verification`.

    Attributes
    ----------
    bounded : bool
        The lower bound is proven, whether or not the model is.
    among : str
        What the model, and those that it is compared with, do by demand; empty: anything.
    """

    valid: bool
    reason: str
    bounded: bool = False
    among: str = ""
    objective: float | None = None
    lower_bound: float | None = None
    resolution: float | None = None
    checked: dict[str, int] = field(default_factory=dict)
