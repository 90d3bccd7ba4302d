"""Falling rule lists on the page: hard or soft, exact or by the paper's Monte-Carlo search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from ....data.problem import Problem
from ....falling_rule_list import BOUNDS, FallingBounds, FallingRuleListSearch
from ....search import solve
from ....warming import tiny_problem
from ...forms.data_settings import DataSettings
from ...forms.fields import column, field, note, worded
from ...widgets.switches import Switches
from ..plots.base import Plot
from ..plots.bounds import BoundsPlot
from ..plots.considered import ConsideredPlot
from ..plots.curves import LENGTHS_QUEUED, Curves
from ..plots.pruned import PrunedPlot
from ..plots.queue import QueuePlot
from ..plots.strata import StrataPlot
from . import mined
from .family import Family, Look
from .mined import MinedRecipe, MinedSettings

_METHODS = {"exact, with a proof": "exact", "Monte-Carlo, as in the paper": "monte_carlo"}


class FallingSettings(MinedSettings):
    """The settings of a falling rule list."""

    positive_weight = param.Number(default=3.0, bounds=(0, None), label="Weight of a missed positive (w)")
    soft = param.Boolean(default=False, label="May rise, at a price (softly falling)")
    violation_penalty = param.Number(default=0.5, bounds=(0, None), label="Price of a rise by 1 (C1)")
    method = param.Selector(default="exact", objects=list(_METHODS.values()), label="Method")
    iterations = param.Integer(default=3000, bounds=(0, 10**9), label="Monte-Carlo lists")
    falling_bounds = param.ListSelector(default=list(BOUNDS), objects=list(BOUNDS), label="Bounds in use")


@dataclass(frozen=True)
class FallingRecipe(MinedRecipe):
    """A recipe for a falling rule list.

    Attributes
    ----------
    positive_weight : float
    violation_penalty : float or None
        None: the list must fall.
    method : str
        "exact" or "monte_carlo".
    iterations : int
        Lists that the Monte-Carlo search makes; the exact one begins with them.
    bounds : tuple of str
        Those that the exact search uses; see `rulelab.falling_rule_list.BOUNDS`.
    """

    positive_weight: float = 1.0
    violation_penalty: float | None = None
    method: str = "exact"
    iterations: int = 3000
    bounds: tuple[str, ...] = BOUNDS

    @property
    def look(self) -> str:
        return _look_of({"method": self.method})

    def search(self, problem: Problem) -> FallingRuleListSearch:
        return self._search(problem, self.regularization, self.iterations)

    def warm_up(self) -> None:
        solve(self._search(tiny_problem(), 0.0, 2), work_limit=200)

    def _search(self, problem: Problem, regularization: float, iterations: int) -> FallingRuleListSearch:
        options: dict[str, Any] = {}
        if self.method == "exact":
            bounds = FallingBounds(**{name: name in self.bounds for name in BOUNDS})
            options = {"bounds": bounds, "memory_limit": self.memory_bytes}
        return FallingRuleListSearch(
            problem,
            regularization=regularization,
            positive_weight=self.positive_weight,
            violation_penalty=self.violation_penalty,
            method=self.method,
            iterations=iterations,
            random_state=0,
            **options,
        )


def _fields(settings: FallingSettings, _table: DataSettings) -> tuple[list[Any], list[Any]]:
    soft = field(settings, "violation_penalty", pn.widgets.FloatInput, step=0.1, visible=settings.param.soft)
    exact = settings.param.method.rx() == "exact"
    own = [
        mined.cost_field(settings),
        field(settings, "positive_weight", pn.widgets.FloatInput, step=1),
        field(settings, "soft", pmui.Checkbox),
        soft,
        field(settings, "method", pn.widgets.Select, options=_METHODS),
        field(settings, "iterations", pn.widgets.IntInput, step=1000),
        column(
            note("Bounds in use"),
            field(settings, "falling_bounds", Switches, options=worded(BOUNDS)),
            visible=exact,
        ),
    ]
    return own, mined.mining_fields(settings)


def _recipe(settings: FallingSettings, **common: Any) -> FallingRecipe:
    return FallingRecipe(
        **common,
        **mined.mining(settings),
        positive_weight=settings.positive_weight,
        violation_penalty=settings.violation_penalty if settings.soft else None,
        method=settings.method,
        iterations=settings.iterations,
        bounds=tuple(settings.falling_bounds),
    )


def _look_of(parameters: Mapping[str, Any]) -> str:
    return "falling_rule_list" if parameters["method"] == "exact" else "falling_monte_carlo"


def _exact_plots(curves: Curves) -> tuple[Plot, ...]:
    return BoundsPlot(curves), StrataPlot(), QueuePlot(curves), PrunedPlot()


def _monte_carlo_plots(curves: Curves) -> tuple[Plot, ...]:
    return BoundsPlot(curves), StrataPlot(), ConsideredPlot(), PrunedPlot()


_LOOKS_FOR = (
    "The search looks for a list of rules whose probability falls from rule to rule, so that the people at the highest "
    "risk come first. "
)
FAMILY = Family(
    name="falling_rule_list",
    label="Falling rule list",
    settings=FallingSettings,
    shared=(
        *mined.SHARED,
        "positive_weight",
        "soft",
        "violation_penalty",
        "method",
        "iterations",
        "falling_bounds",
    ),
    fields=_fields,
    recipe=_recipe,
    compared=mined.compares_none,
    mined=True,
    look_of=_look_of,
    looks={
        "falling_rule_list": Look(
            heading="Best falling rule list so far",
            looks_for=_LOOKS_FOR + "It proves that no such list has a smaller weighted loss. The best list found so "
            "far appears here and changes as the search improves it.",
            columns=LENGTHS_QUEUED,
            plots=_exact_plots,
            unit="lists made, prefixes expanded",
            beside=2,
        ),
        "falling_monte_carlo": Look(
            heading="Best falling rule list so far",
            looks_for=_LOOKS_FOR + "It draws lists at random, antecedents that promise much more often than others, "
            "and keeps the best one. That proves nothing: choose the exact method for a proof.",
            columns={},
            plots=_monte_carlo_plots,
            unit="lists made",
            beside=2,
        ),
    },
)
