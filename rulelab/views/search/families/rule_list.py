"""Optimal rule lists on the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from ....data.problem import Problem
from ....rule_list import BOUNDS, POLICIES, RuleListBounds, RuleListSearch
from ....search import solve
from ....warming import tiny_problem
from ...forms.data_settings import DataSettings
from ...forms.fields import field, note, worded
from ...widgets.switches import Switches
from ..plots.base import Plot
from ..plots.bounds import BoundsPlot
from ..plots.curves import LENGTHS_QUEUED, Curves
from ..plots.incumbents import FrontierPlot
from ..plots.pruned import PrunedPlot
from ..plots.queue import QueuePlot
from . import mined
from .family import Family, Look
from .mined import MinedRecipe, MinedSettings

_BEAM_WIDTH = 500


class RuleListSettings(MinedSettings):
    """The settings of a rule list."""

    policy = param.Selector(default="lower_bound", objects=list(POLICIES), label="Order of the queue")
    beam = param.Boolean(default=False, label="Start with a beam search")
    bounds = param.ListSelector(default=list(BOUNDS), objects=list(BOUNDS), label="Bounds in use")


@dataclass(frozen=True)
class RuleListRecipe(MinedRecipe):
    """A recipe for a rule list.

    Attributes
    ----------
    policy : str
    beam : bool
        Whether a beam search finds a first list.
    bounds : tuple of str
        Those that are used; see `rulelab.rule_list.BOUNDS`.
    """

    policy: str = "lower_bound"
    beam: bool = True
    bounds: tuple[str, ...] = BOUNDS

    @property
    def look(self) -> str:
        return _look_of({})

    def search(self, problem: Problem) -> RuleListSearch:
        return RuleListSearch(
            problem,
            regularization=self.regularization,
            policy=self.policy,
            bounds=RuleListBounds(**{name: name in self.bounds for name in BOUNDS}),
            memory_limit=self.memory_bytes,
            beam_width=_BEAM_WIDTH if self.beam else 0,
        )

    def warm_up(self) -> None:
        solve(RuleListSearch(tiny_problem(), regularization=0.01, beam_width=2 if self.beam else 0))


def _fields(settings: RuleListSettings, _table: DataSettings) -> tuple[list[Any], list[Any]]:
    own = [
        mined.cost_field(settings),
        field(settings, "policy", pn.widgets.Select, options=worded(list(POLICIES))),
        field(settings, "beam", pmui.Checkbox),
        note("Bounds in use"),
        field(settings, "bounds", Switches, options=worded(BOUNDS)),
    ]
    return own, mined.mining_fields(settings)


def _recipe(settings: RuleListSettings, **common: Any) -> RuleListRecipe:
    return RuleListRecipe(
        **common,
        **mined.mining(settings),
        policy=settings.policy,
        beam=settings.beam,
        bounds=tuple(settings.bounds),
    )


def _look_of(_parameters: Mapping[str, Any]) -> str:
    return "rule_list"


def _plots(curves: Curves) -> tuple[Plot, ...]:
    return BoundsPlot(curves), QueuePlot(curves), PrunedPlot(), FrontierPlot("rules in the list")


FAMILY = Family(
    name="rule_list",
    label="Rule list",
    settings=RuleListSettings,
    shared=(*mined.SHARED, "policy", "beam", "bounds"),
    fields=_fields,
    recipe=_recipe,
    compared=mined.compares_none,
    mined=True,
    look_of=_look_of,
    looks={
        "rule_list": Look(
            heading="Best rule list so far",
            looks_for=(
                "The search looks for the rule list with the fewest errors, where each rule costs as much as a fixed "
                "share of the rows, and proves that there is no better one. The best list found so far appears here "
                "and changes as the search improves it."
            ),
            columns=LENGTHS_QUEUED,
            plots=_plots,
            unit="prefixes expanded",
        )
    },
)
