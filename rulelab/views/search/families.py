"""How the model families are shown on the page, in looks.toml; those known by their record alone have a plain look."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

from ...arguments import short
from ...estimators import CertifiedClassifier
from ...falling_rule_list import FairFallingBounds, FallingBounds
from ...families import EVERY_FAMILY
from ...parameters import DEMANDS, MONOTONE
from ...recording import Recording
from ...rule_list import FairRuleListBounds, RuleListBounds
from ...stepping import Search
from ..live.prepared import Prepared
from ..live.recipe import without_fairness
from ..live.session import SearchSession
from .plots.base import Plot
from .plots.bounds import BoundsPlot, IncumbentsPlot
from .plots.curves import Curves
from .plots.falling import ConsideredPlot, StrataPlot
from .plots.generation import ReducedCostPlot
from .plots.prefixes import PrunedPlot, RemainingPlot


@dataclass(frozen=True)
class Drawing:
    """One plot of a kind of search, which is made when it is first seen."""

    kind: type[Plot]
    make: Callable[[Curves], Plot]
    name: str = ""  # its short name among those of which one at a time is seen; empty: it is seen always


_DRAWINGS = {
    "gap": Drawing(BoundsPlot, BoundsPlot),
    "gap and queue": Drawing(BoundsPlot, partial(BoundsPlot, queue=True)),
    "gap between groups": Drawing(BoundsPlot, partial(BoundsPlot, measure="gap between groups")),
    "loss": Drawing(BoundsPlot, partial(BoundsPlot, measure="loss (rows)", relaxation=("master_value", "LP value"))),
    "cut": Drawing(PrunedPlot, lambda _: PrunedPlot(), "Bounds"),
    "lists": Drawing(IncumbentsPlot, lambda _: IncumbentsPlot("rules in the list"), "Models"),
    "sets": Drawing(IncumbentsPlot, lambda _: IncumbentsPlot("complexity of the set"), "Models"),
    "models": Drawing(IncumbentsPlot, lambda _: IncumbentsPlot("complexity of the model"), "Models"),
    "remaining": Drawing(RemainingPlot, RemainingPlot, "Remaining"),
    "strata": Drawing(StrataPlot, lambda _: StrataPlot(), "Strata"),
    "considered": Drawing(ConsideredPlot, lambda _: ConsideredPlot(), "Considered"),
    "reduced cost": Drawing(ReducedCostPlot, ReducedCostPlot, "Reduced cost"),
}


@dataclass(frozen=True)
class Look:
    """How a kind of search is shown."""

    heading: str  # above the best model
    looks_for: str  # what is said in the place of its certificate before there is one
    # objective and bound, and those that are seen one at a time
    plots: tuple[Drawing, ...]
    unit: str  # what a unit of work is
    # whose prefixes can be looked into; empty where the search has none, and then ``no_tree`` says why
    family: str = ""
    no_tree: str = ""
    fair: bool = False  # whether it compares groups of people
    pooled: bool = False  # whether it gathers rules in a pool that can be looked at
    claim: int = 2  # lines that what is proven takes at most in a box of usual width
    counts: Mapping[str, str] = field(default_factory=dict)  # counts of its engine, by what the page calls them


def _read() -> dict[str, Look]:
    written = tomllib.loads(Path(__file__).with_name("looks.toml").read_text(encoding="utf-8"))
    looks = {}
    for key, own in written.items():
        said = {**written.get(own.pop("like", ""), {}), **own}
        said["looks_for"] = f"{said['looks_for']} {said.pop('further', '')}".strip()
        looks[key] = Look(**{**said, "plots": tuple(_DRAWINGS[name] for name in said["plots"])})
    return looks


@dataclass(frozen=True)
class Shown:
    """What the page knows of a family besides its record."""

    # dataclasses of switches, with which the search's bounds can be left out; those for fair models have their own
    bounds: Any = None
    fair_bounds: Any = None
    formerly: Mapping[str, str] = field(default_factory=dict)  # parameters by their names in older addresses

    @property
    def switches(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of the bounds, and of those for fair models."""
        return _names(self.bounds), _names(self.fair_bounds)

    def more(self, settings: Any, fair: bool) -> dict[str, Any]:
        """Arguments of the search that are no parameters of the family."""
        kind = self.fair_bounds if fair else self.bounds
        used = (settings.fair_bounds if fair else settings.bounds) if kind is not None else []
        every = _names(kind)
        return {} if len(used) == len(every) else {"bounds": kind(**{name: name in used for name in every})}


def _names(bounds: Any) -> tuple[str, ...]:
    return () if bounds is None else tuple(each.name for each in fields(bounds))


def look_for(name: str, parameters: Mapping[str, Any]) -> str:
    """Key in `LOOKS` of how a search of a family is shown, by its parameters."""
    fair = "fair_" if parameters.get("fairness") is not None else ""
    if name == "rule_list":
        asked = any(parameters.get(each.name) for each in (*DEMANDS, MONOTONE))
        best_first = asked or (fair and parameters.get("max_length") is not None)
        return f"{fair}{'demanding_' if best_first else ''}rule_list"
    if name == "falling_rule_list" and not fair and parameters["method"] != "exact":
        return "falling_monte_carlo"
    if name in ("falling_rule_list", "rule_set"):
        return f"{fair}{name}"
    if name in ("least_gap", "least_gap_of_sets"):
        return "least_gap_of_sets" if "max_complexity" in parameters else "least_gap"
    return name


_FORMER_OF_LISTS = {"quantiles": "thresholds", "beam": ""}
_FORMER_OF_FALLING = {"quantiles": "thresholds", "falling_bounds": "bounds", "soft": ""}
_FORMER_OF_SETS = {"quantiles": "thresholds", "rule_size": "max_conditions", "complexity_cost": "regularization"}
SHOWN: dict[str, Shown] = {name: Shown() for name in EVERY_FAMILY} | {
    "rule_list": Shown(RuleListBounds, FairRuleListBounds, _FORMER_OF_LISTS),
    "falling_rule_list": Shown(FallingBounds, FairFallingBounds, _FORMER_OF_FALLING),
    "rule_set": Shown(formerly=_FORMER_OF_SETS),
}
LOOKS: dict[str, Look] = {
    name: Look(
        heading=f"Best {family.noun} so far",
        looks_for=f"The search looks for the {family.noun} of least objective.",
        plots=(_DRAWINGS["gap"], _DRAWINGS["models"]),
        unit="units of work",
        no_tree="The page does not know the tree of this kind of search.",
    )
    for name, family in EVERY_FAMILY.items()
} | _read()


def look_of_recorded(recording: Recording) -> str:
    """The same of a recorded search, which has no groups of people."""
    return look_for(recording.family, {**recording.parameters, "fairness": None})


def look_of(search: Search) -> str:
    """Key in `LOOKS` of how a search is shown."""
    return look_for(search.kind if search.kind in SHOWN else search.family, search.parameters)


def sessions_of(search: Any) -> Callable[[], SearchSession]:
    """Makes sessions of a search, or of a fitted classifier's: the first runs it as it is, the later ones anew."""
    given: Any = search.search_ if isinstance(search, CertifiedClassifier) else search
    if not isinstance(given, Search):
        raise TypeError(f"search must be a rulelab search, such as a RuleListSearch, not {short(given)}")
    used = False

    def prepare(report: Callable[[str], None]) -> Prepared:
        nonlocal used
        report("starting")
        this = type(given)(given.problem, **given.parameters) if used else given
        used = True
        return Prepared(this, unconstrained=without_fairness(this, report))

    return lambda: SearchSession(prepare, look=look_of(given))
