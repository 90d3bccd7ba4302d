"""What the families of lists share: their rules are antecedents mined by support."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import panel as pn
import panel_material_ui as pmui
import param

from ....data.antecedents import Antecedents, mine_antecedents
from ....data.problem import Problem
from ....datasets import Dataset
from ...forms.fields import field, pair
from ...live.recipe import Recipe
from ...live.wording import count

MAX_BITS = 4_000_000_000
"""Largest set of antecedents on the page, in rows x antecedents (packed: 500 MB)."""

CONDITIONS = ("quantiles", "negations")
SHARED = (*CONDITIONS, "max_conditions", "min_support", "max_support", "regularization")


class ConditionSettings(param.Parameterized):
    """The settings of all families."""

    quantiles = param.Integer(default=5, bounds=(2, 1000), label="Quantile groups per number")
    negations = param.Boolean(default=True, label="Negate categories")


class MinedSettings(ConditionSettings):
    """The settings of all lists."""

    max_conditions = param.Selector(default=1, objects=[1, 2, 3], label="Conditions per rule, at most")
    min_support = param.Number(default=0.01, bounds=(0, 1), label="Least support")
    max_support = param.Number(default=0.99, bounds=(0, 1), label="Largest support")
    regularization = param.Number(default=0.005, bounds=(0, 1), label="Regularization: cost of a rule")


def condition_fields(settings: ConditionSettings, *others: Any) -> list[Any]:
    """The fields of the conditions, with others between them."""
    return [
        field(settings, "quantiles", pn.widgets.IntInput, start=2, end=1000),
        *others,
        field(settings, "negations", pmui.Checkbox),
    ]


def mining_fields(settings: MinedSettings) -> list[Any]:
    """The fields of the conditions and antecedents."""
    return condition_fields(
        settings,
        field(settings, "max_conditions", pn.widgets.Select),
        pair(
            field(settings, "min_support", pn.widgets.FloatInput, step=0.01),
            field(settings, "max_support", pn.widgets.FloatInput, step=0.01),
        ),
    )


def cost_field(settings: MinedSettings) -> Any:
    """The field of the regularization."""
    return field(settings, "regularization", pn.widgets.FloatInput, step=0.001)


def compares_none(_settings: Any, _table: Any) -> tuple[str, ...]:
    """No columns: lists know no constraint between groups."""
    return ()


def mining(settings: MinedSettings) -> dict[str, Any]:
    """The arguments of a `MinedRecipe`."""
    return {name: getattr(settings, name) for name in SHARED}


@dataclass(frozen=True)
class MinedRecipe(Recipe):
    """A recipe that mines antecedents.

    Attributes
    ----------
    max_conditions : int
    min_support, max_support : float
        Fractions of the rows.
    regularization : float
        Cost of a rule.
    """

    max_conditions: int = 2
    min_support: float = 0.01
    max_support: float = 0.99
    regularization: float = 0.01

    def problem(
        self, features: pd.DataFrame, data: Dataset, training: np.ndarray, report: Callable[[str], None]
    ) -> tuple[Problem, tuple[str, ...]]:
        report(f"mining antecedents of up to {self.max_conditions} of {count(features.shape[1])} conditions")
        antecedents = mine_antecedents(
            features,
            max_conditions=self.max_conditions,
            min_support=self.min_support,
            max_support=self.max_support,
            max_antecedents=MAX_BITS // len(features),
            sample_weight=data.weight_of(training),
        )
        report("merging equal rows")
        problem = Problem.from_antecedents(antecedents, data.y.iloc[training], sample_weight=data.weight_of(training))
        return problem, (_mined(antecedents),)


def _mined(antecedents: Antecedents) -> str:
    reasons = ", ".join(f"{count(n)} {reason}" for reason, n in antecedents.dropped.items() if n)
    dropped = sum(antecedents.dropped.values())
    how_many = f"{count(dropped)} dropped: {reasons}" if dropped else "none dropped"
    return f"{count(len(antecedents))} antecedents mined from {count(len(antecedents.features))} conditions, {how_many}"
