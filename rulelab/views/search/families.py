"""How the model families are shown on the page; this is the list of them, also of those known by their record alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ...falling_rule_list import FairFallingBounds, FallingBounds
from ...families import EVERY_FAMILY, Family
from ...parameters import DEMANDS, MONOTONE
from ...recording import Recording
from ...rule_list import FairRuleListBounds, RuleListBounds
from ...search import Search
from .plots.base import Plot
from .plots.bounds import BoundsPlot
from .plots.considered import ConsideredPlot
from .plots.curves import LENGTHS_QUEUED, REMAINING, Column, Curves
from .plots.generation import GENERATED, EffortPlot, ReducedCostPlot
from .plots.incumbents import FrontierPlot, IncumbentsPlot
from .plots.pruned import PrunedPlot
from .plots.queue import QueuePlot, RemainingPlot
from .plots.rates import RatesPlot
from .plots.strata import StrataPlot


@dataclass(frozen=True)
class Drawing:
    """One plot of a kind of search, which is made when it is first seen."""

    kind: type[Plot]
    make: Callable[[Curves], Plot]
    name: str = ""  # its short name among those of which one at a time is seen; empty: it is seen always


@dataclass(frozen=True)
class Look:
    """How a kind of search is shown."""

    heading: str  # above the best model
    looks_for: str  # what is said in the place of its certificate before there is one
    columns: Mapping[str, Column]  # what the plots over time share, besides time, work, objective and bound
    # objective and bound, those that are seen one at a time, and those that stand under the best model
    plots: tuple[Drawing, ...]
    unit: str  # what a unit of work is
    # whose prefixes can be looked into; empty where the search has none, and then ``no_tree`` says why
    family: str = ""
    no_tree: str = ""
    pooled: bool = False  # whether it gathers rules in a pool that can be looked at
    several: bool = False  # whether its models tell more than two classes apart
    claim: int = 2  # lines that what is proven takes in a box of usual width


@dataclass(frozen=True)
class Shown:
    """What the page knows of a family besides its record."""

    look_of: Callable[[Mapping[str, Any]], str]  # key in `looks` by the search's parameters
    looks: Mapping[str, Look]
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


def _models(complexity: str) -> Drawing:
    return Drawing(IncumbentsPlot, lambda _: IncumbentsPlot(complexity), "Models")


_GAP = Drawing(BoundsPlot, BoundsPlot)
_QUEUE = Drawing(QueuePlot, QueuePlot, "Queue")
_CUT = Drawing(PrunedPlot, lambda _: PrunedPlot(), "Bounds")
_REMAINING = Drawing(RemainingPlot, RemainingPlot, "Remaining")


def _look_of_lists(parameters: Mapping[str, Any]) -> str:
    asked = any(parameters.get(each.name) for each in (*DEMANDS, MONOTONE))
    if parameters.get("fairness") is not None:
        best_first = asked or parameters.get("max_length") is not None
        return "fair_demanding_rule_list" if best_first else "fair_rule_list"
    return "demanding_rule_list" if asked else "rule_list"


_LISTS_LOOK_FOR = (
    "The search looks for the rule list with the fewest errors, where each rule costs as much as a fixed share of the "
    "rows, and proves that there is no better one."
)
_FRONTIER = Drawing(FrontierPlot, lambda _: FrontierPlot("rules in the list"), "Models")
_LISTS = Look(
    heading="Best rule list so far",
    looks_for=_LISTS_LOOK_FOR,
    columns=LENGTHS_QUEUED | REMAINING,
    plots=(_GAP, _QUEUE, _CUT, _FRONTIER, _REMAINING),
    unit="prefixes",
    family="rule_list",
)
_DEMANDING_LISTS = replace(
    _LISTS,
    looks_for=f"{_LISTS_LOOK_FOR} Only lists count that obey what is asked of them.",
    columns={},
    plots=(_GAP, _CUT, _FRONTIER),
    family="",
    no_tree="There is no tree to look at: of prefixes that leave the same rows this search keeps only those that are "
    "cheaper, or have used more of what they must.",
)
_RULE_LIST = Shown(
    look_of=_look_of_lists,
    looks={
        "rule_list": replace(_LISTS, claim=1),
        "fair_rule_list": replace(
            _LISTS,
            heading="Best fair rule list so far",
            looks_for=f"{_LISTS_LOOK_FOR} Only lists count that treat groups as much alike as is asked for.",
            columns={},
            plots=(_GAP, _CUT, _FRONTIER),
            unit="units of work",
            family="",
            no_tree="There is no tree to look at: this search goes through the prefixes in passes, each up to a higher "
            "bound, and keeps of those that leave the same rows only what can still become fair.",
        ),
        "fair_demanding_rule_list": replace(
            _DEMANDING_LISTS,
            heading="Best fair rule list so far",
            looks_for=f"{_LISTS_LOOK_FOR} Only lists count that are as fair as is asked for, and obey all else.",
        ),
        "demanding_rule_list": _DEMANDING_LISTS,
    },
    bounds=RuleListBounds,
    fair_bounds=FairRuleListBounds,
    formerly={"quantiles": "thresholds", "beam": ""},
)


_SEVERAL = "multi_class_rule_list"
_OF_SEVERAL = Look(
    heading="Best rule list of several classes so far",
    looks_for=(
        "The search looks for the list whose rules each predict one of all classes, with the fewest errors of all "
        "together, where each rule costs as much as a fixed share of the rows, and proves that there is no better one."
    ),
    columns=LENGTHS_QUEUED,
    plots=(_GAP, _QUEUE, _CUT, _FRONTIER),
    unit="prefixes",
    no_tree="There is no tree to look at: of prefixes that leave the same rows this search keeps only the cheapest.",
    several=True,
)
_LISTS_OF_SEVERAL = Shown(look_of=lambda parameters: _SEVERAL, looks={_SEVERAL: _OF_SEVERAL})


def _look_of_falling(parameters: Mapping[str, Any]) -> str:
    if parameters.get("fairness") is not None:
        return "fair_falling_rule_list"
    return "falling_rule_list" if parameters["method"] == "exact" else "falling_monte_carlo"


_STRATA = Drawing(StrataPlot, lambda _: StrataPlot(), "Strata")
_CONSIDERED = Drawing(ConsideredPlot, lambda _: ConsideredPlot(), "Considered")
_FALLING_LOOKS_FOR = (
    "The search looks for a list of rules whose probability falls from rule to rule, so that the people at the highest "
    "risk come first. "
)
_FALLING_RULE_LIST = Shown(
    look_of=_look_of_falling,
    looks={
        "falling_rule_list": Look(
            heading="Best falling rule list so far",
            looks_for=_FALLING_LOOKS_FOR + "It proves that no such list has a smaller weighted loss.",
            columns=LENGTHS_QUEUED | REMAINING,
            plots=(_GAP, _STRATA, _QUEUE, _CUT, _REMAINING),
            unit="lists, prefixes",
            family="falling_rule_list",
        ),
        "fair_falling_rule_list": Look(
            heading="Best fair falling rule list so far",
            looks_for=_FALLING_LOOKS_FOR
            + "Of those that treat groups as much alike as is asked for, it finds the one of least weighted loss, and "
            "proves that there is no better one.",
            columns=LENGTHS_QUEUED,
            plots=(_GAP, _STRATA, _QUEUE, _CUT),
            unit="prefixes",
            no_tree="There is no tree to look at: of prefixes that capture the same rows this search keeps only some, "
            "and drops what can no longer become fair.",
        ),
        "falling_monte_carlo": Look(
            heading="Best falling rule list so far",
            looks_for=_FALLING_LOOKS_FOR
            + "It draws lists at random, antecedents that promise much more often than others, and keeps the best one. "
            "That proves nothing: choose the exact method for a proof.",
            columns={},
            plots=(_GAP, _STRATA, _CONSIDERED, _CUT),
            unit="lists made",
            no_tree="There is no tree: this method draws whole lists at random and stores no beginnings of lists.",
        ),
    },
    bounds=FallingBounds,
    fair_bounds=FairFallingBounds,
    formerly={"quantiles": "thresholds", "falling_bounds": "bounds", "soft": ""},
)


def _look_of_sets(parameters: Mapping[str, Any]) -> str:
    return "rule_set" if parameters["fairness"] is None else "fair_rule_set"


_OF_SETS = (
    Drawing(BoundsPlot, lambda curves: BoundsPlot(curves, "loss (rows)", ("master_value", "LP value"))),
    Drawing(ReducedCostPlot, ReducedCostPlot, "Reduced cost"),
    Drawing(EffortPlot, EffortPlot, "Effort"),
    _models("complexity of the set"),
)
_SETS_LOOK_FOR = (
    "The search looks for a set of rules, of bounded complexity, with the least loss: the positives that no rule "
    "covers, and the rules that cover a negative. Rules come from column generation, which also proves how good a set "
    "can be."
)
_SETS = Look(
    heading="Best rule set so far",
    looks_for=_SETS_LOOK_FOR,
    columns=GENERATED,
    plots=_OF_SETS,
    unit="steps",
    pooled=True,
    no_tree=(
        "There is no tree of prefixes: column generation gathers rules in a pool, and asks an LP what a better set "
        "lacks."
    ),
)
_RULE_SET = Shown(
    look_of=_look_of_sets,
    looks={
        "rule_set": _SETS,
        "fair_rule_set": replace(
            _SETS,
            looks_for=_SETS_LOOK_FOR + " Only sets count that treat the groups alike, by the criterion of choice.",
            plots=(*_OF_SETS, Drawing(RatesPlot, lambda _: RatesPlot())),
        ),
    },
    formerly={"quantiles": "thresholds", "rule_size": "max_conditions", "complexity_cost": "regularization"},
)


def _look_of_least_gap(parameters: Mapping[str, Any]) -> str:
    return "least_gap_of_sets" if "max_complexity" in parameters else "least_gap"


_LEAST_GAP = Drawing(BoundsPlot, lambda curves: BoundsPlot(curves, "gap between groups"))
_LISTS_OF_LEAST_GAP = Look(
    heading="Rule list of least gap so far",
    looks_for=(
        "The search looks for the rule list that treats the groups most alike among all that are as accurate as you "
        "ask for, and proves that none has a smaller gap."
    ),
    columns={},
    plots=(_LEAST_GAP, _CUT, _models("rules in the list")),
    unit="units of work",
    no_tree="There is no tree of prefixes: the search asks again and again whether any list has a smaller gap.",
    claim=3,
)
_SETS_OF_LEAST_GAP = replace(
    _LISTS_OF_LEAST_GAP,
    heading="Rule set of least gap so far",
    looks_for=_LISTS_OF_LEAST_GAP.looks_for.replace("list", "set"),
    plots=(_LEAST_GAP, _models("complexity of the set")),
    no_tree=_LISTS_OF_LEAST_GAP.no_tree.replace("list", "set"),
)
_SHOWN_OF_LISTS = Shown(
    look_of=_look_of_least_gap, looks={"least_gap": _LISTS_OF_LEAST_GAP, "least_gap_of_sets": _SETS_OF_LEAST_GAP}
)
_SHOWN_OF_SETS = Shown(look_of=_look_of_least_gap, looks={"least_gap_of_sets": _SETS_OF_LEAST_GAP})


def shown(family: Family) -> Shown:
    """Objective and bound, and the models found."""
    look = Look(
        heading=f"Best {family.noun} so far",
        looks_for=f"The search looks for the {family.noun} of least objective.",
        columns={},
        plots=(_GAP, _models("complexity of the model")),
        unit="units of work",
        no_tree="The page does not know the tree of this kind of search.",
    )
    return Shown(look_of=lambda parameters: family.name, looks={family.name: look})


_OWN = {
    "rule_list": _RULE_LIST,
    "falling_rule_list": _FALLING_RULE_LIST,
    "rule_set": _RULE_SET,
    "least_gap": _SHOWN_OF_LISTS,
    "least_gap_of_sets": _SHOWN_OF_SETS,
    "multi_class_rule_list": _LISTS_OF_SEVERAL,
}
SHOWN: dict[str, Shown] = {name: _OWN.get(name) or shown(family) for name, family in EVERY_FAMILY.items()}
LOOKS: dict[str, Look] = {key: look for family in SHOWN.values() for key, look in family.looks.items()}


def look_of_recorded(recording: Recording) -> str:
    """The same of a recorded search, which has no groups of people."""
    return SHOWN[recording.family].look_of({**recording.parameters, "fairness": None})


def look_of(search: Search) -> str:
    """Key in `LOOKS` of how a search is shown."""
    return SHOWN[search.kind if search.kind in SHOWN else search.family].look_of(search.parameters)
