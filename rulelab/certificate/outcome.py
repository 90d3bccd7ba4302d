"""What the checker of a family, and `verify`, answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..shown import Fact, Shown

_STATES = {"optimal": "proven optimal", "bound": "only a bound is proven", "refused": "refused: nothing is proven"}


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


@dataclass(frozen=True, repr=False)
class Verification(Shown):
    """The answer of `verify`; true as a condition when the proof holds.

    Attributes
    ----------
    valid : bool
        The model is proven optimal for this problem and these parameters.
    reason : str
        What was proven, or the first thing that is wrong.
    state : str
        ``"optimal"``: the model is proven optimal (``valid``). ``"bound"``: only ``lower_bound`` is proven, and the
        model may be optimal or not. ``"refused"``: nothing is proven.
    parameters : mapping of str to float
        For which the certificate speaks, such as ``regularization``.
    objective, lower_bound : float or None
        The model's objective, recomputed, and the bound that the table claims; None where an earlier check failed.
    resolution : float or None
        The proven difference of the two before they are rounded to floats: 0 where all costs are exact.
    checked : mapping of str to int
        Counts of what was checked.
    seconds : float
        Wall time of the check.
    among : str
        What the model must do, as all do that it is proven to be the best of; empty: anything.
    """

    valid: bool
    reason: str
    state: str = "refused"
    parameters: Mapping[str, float] = field(default_factory=dict)
    objective: float | None = None
    lower_bound: float | None = None
    resolution: float | None = None
    checked: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    among: str = ""

    def __bool__(self) -> bool:
        return self.valid

    def _title(self) -> str:
        return f"Verification, {_STATES.get(self.state, self.state)}"

    def _facts(self) -> Iterator[Fact]:
        yield "reason", self.reason
        yield "among those of which each", self.among or None
        yield "objective", self.objective
        yield "lower bound", self.lower_bound
        yield "resolution", self.resolution or None
        yield from ((name.replace("_", " "), value) for name, value in self.parameters.items())
        yield "checked", tuple(f"{n} {name.replace('_', ' ')}" for name, n in self.checked.items())
        yield "seconds", round(self.seconds, 3)
