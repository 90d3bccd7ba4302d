"""Rule sets on the page: DNF or CNF, with a fairness criterion of choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import panel as pn
import param

from ....data.problem import Problem
from ....datasets import Dataset
from ....families import CRITERIA
from ....models.rule_set import FORMS, LOSSES
from ....rule_set import (
    AccuracyParity,
    Criterion,
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    FalsePositiveRateParity,
    RuleSetSearch,
)
from ....search import Search, Snapshot, solve
from ....warming import noisy_problem
from ...forms.data_settings import DataSettings
from ...forms.fields import column, field, note, pair
from ...live.recipe import Recipe
from ...live.wording import count
from ..fairness import without_fairness
from ..plots.base import Plot
from ..plots.bounds import BoundsPlot
from ..plots.curves import Curves
from ..plots.generation import GENERATED, EffortPlot, ReducedCostPlot
from ..plots.incumbents import IncumbentsPlot
from ..plots.rates import RatesPlot
from . import mined
from .family import Family, Look

NO_CRITERION = "none"
_CRITERIA: dict[str, type[Criterion]] = {
    "equal_opportunity": EqualOpportunity,
    "equalized_odds": EqualizedOdds,
    "demographic_parity": DemographicParity,
    "false_positive_rate_parity": FalsePositiveRateParity,
    "accuracy_parity": AccuracyParity,
}
_WHAT = {NO_CRITERION: "none", **{record.name: record.words for record in CRITERIA.values()}}
CRITERION_WORDS = {words: name for name, words in _WHAT.items()}
"""The criteria to choose from, by what they compare."""
_LOSSES = {"Hamming: rules to add or remove": "hamming", "0-1: training errors": "zero_one"}
_FORMS = {"DNF: any rule holds": "dnf", "CNF: all clauses hold": "cnf"}


class RuleSetSettings(mined.ConditionSettings):
    """The settings of a rule set."""

    max_complexity = param.Integer(default=10, bounds=(1, 10_000), label="Set complexity C")
    rule_size = param.Selector(default=3, objects=[1, 2, 3, 4, 5, 6, None], label="Rule size D")
    loss = param.Selector(default="hamming", objects=list(LOSSES), label="Loss")
    form = param.Selector(default="dnf", objects=list(FORMS), label="Form")
    complexity_cost = param.Number(default=0.0, bounds=(0, None), label="Cost of a unit of complexity, in rows")
    fairness = param.Selector(default=NO_CRITERION, objects=list(_WHAT), label="Fairness")
    tolerance = param.Number(default=0.05, bounds=(0, 1), label="Largest difference (ε)")
    negatives_tolerance = param.Number(default=0.05, bounds=(0, 1), label="On negatives (ε₂)")


@dataclass(frozen=True)
class RuleSetRecipe(Recipe):
    """A recipe for a rule set.

    Attributes
    ----------
    max_complexity : int
    rule_size : int or None
        Most conditions of a rule; None: any number.
    loss, form : str
    complexity_cost : float
    fairness : str
        Name of the criterion, or "none".
    tolerance, negatives_tolerance : float
        Largest differences between groups; the second one is that of equalized odds on negatives.
    """

    max_complexity: int = 20
    rule_size: int | None = None
    loss: str = "hamming"
    form: str = "dnf"
    complexity_cost: float = 0.0
    fairness: str = NO_CRITERION
    tolerance: float = 0.05
    negatives_tolerance: float = 0.05

    @property
    def look(self) -> str:
        return "rule_set" if self.fairness == NO_CRITERION else "fair_rule_set"

    @property
    def criterion(self) -> Criterion | None:
        """The fairness criterion; raises ValueError when a tolerance is out of range."""
        return criterion_of(self.fairness, self.tolerance, self.negatives_tolerance)

    def problem(
        self, features: pd.DataFrame, data: Dataset, training: np.ndarray, report: Callable[[str], None]
    ) -> tuple[Problem, tuple[str, ...]]:
        groups = None if self.fairness == NO_CRITERION else _groups(data, self.sensitive)
        report("merging equal rows")
        problem = Problem.from_arrays(
            features,
            data.y.iloc[training],
            sample_weight=data.weight_of(training),
            groups=None if groups is None else groups.iloc[training],
        )
        notes = [f"{count(features.shape[1])} conditions"]
        if problem.groups is not None:
            sizes = (problem.groups.positives + problem.groups.negatives).sum(axis=1).tolist()
            named = ", ".join(f"{name} ({count(size)})" for name, size in zip(problem.groups.names, sizes, strict=True))
            notes.append(f"groups by {self.sensitive}: {named}")
        return problem, tuple(notes)

    def search(self, problem: Problem) -> RuleSetSearch:
        return RuleSetSearch(
            problem,
            max_complexity=self.max_complexity,
            max_conditions=self.rule_size,
            loss=self.loss,
            form=self.form,
            fairness=self.criterion,
            regularization=self.complexity_cost,
            memory_limit=self.memory_bytes,
        )

    def warm_up(self) -> None:
        solve(RuleSetSearch(noisy_problem(), max_complexity=10, max_conditions=3), work_limit=200)

    def comparison(self, search: Search, report: Callable[[str], None]) -> Snapshot | None:
        return without_fairness(search, report)


def criterion_of(fairness: str, tolerance: float, negatives_tolerance: float) -> Criterion | None:
    """The criterion by its name, None for "none"; raises ValueError when a tolerance is out of range."""
    if fairness == NO_CRITERION:
        return None
    if fairness == "equalized_odds":
        return EqualizedOdds(tolerance, negatives_tolerance)
    return _CRITERIA[fairness](tolerance)


def _groups(data: Dataset, column: str | None) -> pd.Series:
    """The group of each row."""
    if column is None or data.sensitive is None or column not in data.sensitive:
        raise ValueError(
            f"fairness compares groups of people, but {data.name} has no sensitive attribute; choose fairness: none, "
            "a data set that has one (diabetes, compas, adult, ...), or upload a file and pick a column"
        )
    return data.sensitive[column]


def _fields(settings: RuleSetSettings, table: DataSettings) -> tuple[list[Any], list[Any]]:
    fair = settings.param.fairness.rx() != NO_CRITERION
    known = table.param.sensitive.rx().rx.is_not(None)
    size = {**{str(d): d for d in settings.param.rule_size.objects if d is not None}, "any": None}
    own = [
        pair(
            field(settings, "max_complexity", pn.widgets.IntInput, start=1),
            field(settings, "rule_size", pn.widgets.Select, options=size),
        ),
        field(settings, "loss", pn.widgets.Select, options=_LOSSES),
        field(settings, "form", pn.widgets.Select, options=_FORMS),
        field(settings, "complexity_cost", pn.widgets.FloatInput, step=0.1),
        field(settings, "fairness", pn.widgets.Select, options=CRITERION_WORDS),
        column(
            column(field(table, "sensitive", pn.widgets.Select), visible=known),
            column(
                note("These data have no sensitive attribute: there are no groups to be fair to."),
                visible=table.param.sensitive.rx().rx.is_(None),
            ),
            field(settings, "tolerance", pn.widgets.FloatInput, step=0.01),
            column(
                field(settings, "negatives_tolerance", pn.widgets.FloatInput, step=0.01),
                visible=settings.param.fairness.rx() == "equalized_odds",
            ),
            visible=fair,
        ),
    ]
    return own, mined.condition_fields(settings)


def _compared(settings: RuleSetSettings, table: DataSettings) -> tuple[str, ...]:
    return () if settings.fairness == NO_CRITERION or table.sensitive is None else (table.sensitive,)


def _recipe(settings: RuleSetSettings, **common: Any) -> RuleSetRecipe:
    return RuleSetRecipe(
        **common,
        quantiles=settings.quantiles,
        negations=settings.negations,
        max_complexity=settings.max_complexity,
        rule_size=settings.rule_size,
        loss=settings.loss,
        form=settings.form,
        complexity_cost=settings.complexity_cost,
        fairness=settings.fairness,
        tolerance=settings.tolerance,
        negatives_tolerance=settings.negatives_tolerance,
    )


def _look_of(parameters: Mapping[str, Any]) -> str:
    return "rule_set" if parameters["fairness"] is None else "fair_rule_set"


def _plots(curves: Curves) -> tuple[Plot, ...]:
    return (
        BoundsPlot(curves, "loss (rows)", ("master_value", "LP value")),
        ReducedCostPlot(curves),
        EffortPlot(curves),
        IncumbentsPlot("complexity of the set"),
    )


def _fair_plots(curves: Curves) -> tuple[Plot, ...]:
    return *_plots(curves), RatesPlot()


_LOOKS_FOR = (
    "The search looks for a set of rules, of bounded complexity, with the least loss: the positives that no rule "
    "covers, and the rules that cover a negative. Rules come from column generation, which also proves how good a set "
    "can be. The best set found so far appears here and changes as the search improves it."
)
_PLAIN = Look(
    heading="Best rule set so far",
    looks_for=_LOOKS_FOR,
    columns=GENERATED,
    plots=_plots,
    unit="masters, pricings, set searches",
    beside=2,
)
FAMILY = Family(
    name="rule_set",
    label="Rule set",
    settings=RuleSetSettings,
    shared=(
        *mined.CONDITIONS,
        "max_complexity",
        "rule_size",
        "loss",
        "form",
        "complexity_cost",
        "fairness",
        "tolerance",
        "negatives_tolerance",
    ),
    fields=_fields,
    recipe=_recipe,
    compared=_compared,
    mined=False,
    look_of=_look_of,
    looks={
        "rule_set": _PLAIN,
        "fair_rule_set": replace(
            _PLAIN,
            looks_for=_LOOKS_FOR + " Only sets count that treat the groups alike, by the criterion of choice.",
            plots=_fair_plots,
            under=1,
        ),
    },
)
