"""What the checker of a family answers."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Outcome:
    """What a checker found; see `Verification`."""

    valid: bool
    reason: str
    objective: float | None = None
    lower_bound: float | None = None
    resolution: float | None = None
    checked: dict[str, int] = field(default_factory=dict)
