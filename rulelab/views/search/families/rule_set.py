"""Rule sets on the page: DNF or CNF, with a fairness criterion of choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..plots.base import Plot
from ..plots.bounds import BoundsPlot
from ..plots.curves import Curves
from ..plots.generation import GENERATED, EffortPlot, ReducedCostPlot
from ..plots.incumbents import IncumbentsPlot
from ..plots.rates import RatesPlot
from .family import Drawing, Look, Shown


def _look_of(parameters: Mapping[str, Any]) -> str:
    return "rule_set" if parameters["fairness"] is None else "fair_rule_set"


def _losses(curves: Curves) -> Plot:
    return BoundsPlot(curves, "loss (rows)", ("master_value", "LP value"))


def _incumbents(_curves: Curves) -> Plot:
    return IncumbentsPlot("complexity of the set")


_PLOTS = (
    Drawing(BoundsPlot, _losses),
    Drawing(ReducedCostPlot, ReducedCostPlot, "Reduced cost"),
    Drawing(EffortPlot, EffortPlot, "Effort"),
    Drawing(IncumbentsPlot, _incumbents, "Models"),
)
_LOOKS_FOR = (
    "The search looks for a set of rules, of bounded complexity, with the least loss: the positives that no rule "
    "covers, and the rules that cover a negative. Rules come from column generation, which also proves how good a set "
    "can be."
)
_PLAIN = Look(
    heading="Best rule set so far",
    looks_for=_LOOKS_FOR,
    columns=GENERATED,
    plots=_PLOTS,
    unit="steps",
    pooled=True,
    no_tree=(
        "There is no tree of prefixes: column generation gathers rules in a pool, and asks an LP what a better set "
        "lacks."
    ),
)
SHOWN = Shown(
    look_of=_look_of,
    looks={
        "rule_set": _PLAIN,
        "fair_rule_set": replace(
            _PLAIN,
            looks_for=_LOOKS_FOR + " Only sets count that treat the groups alike, by the criterion of choice.",
            plots=(*_PLOTS, Drawing(RatesPlot, lambda _: RatesPlot())),
        ),
    },
    formerly={"quantiles": "thresholds", "rule_size": "max_conditions", "complexity_cost": "regularization"},
)
