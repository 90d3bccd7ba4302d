"""Falling rule lists of least weighted loss, hard or soft, or fair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .criteria import in_words
from .family import Family
from .parameter import FAIRNESS, FREE_RULES, Parameter
from .wording import count, of_rows

if TYPE_CHECKING:
    from ..models import Model
    from ..search import Search


def _model() -> type[Model]:
    from ..models import FallingRuleList

    return FallingRuleList


def _without_rules(
    classes: list[Any], positives: Any, negatives: Any, parameters: Mapping[str, Any]
) -> tuple[Model, float]:
    from ..models import FallingRuleList

    weight, penalty = parameters["positive_weight"], parameters["violation_penalty"]
    model = FallingRuleList.without_rules(classes, positives, negatives, weight, penalty)
    return model, model.objective(parameters["regularization"])


def _objective(model: Any, parameters: Mapping[str, Any], rows: int | None = None) -> str:
    soft, every = parameters.get("violation_penalty"), (*model.rules, model.default)
    fairness = parameters.get("fairness")
    held = "" if fairness is None else f"; {in_words(fairness)}"
    alarms = sum(rule.negatives for rule in every if rule.prediction == model.classes[-1])
    missed = sum(rule.positives for rule in every if rule.prediction != model.classes[-1])
    rising = "" if soft is None else f" + {soft:g} x a rise of {float(model.rise):.4g}"
    return (
        f"({count(alarms, 'false alarm')} + {parameters['positive_weight']:g} x {count(missed, 'missed positive')})"
        f" / {of_rows(model.weight, rows)} + {parameters['regularization']:g} x "
        f"{count(model.complexity, 'rule')}{rising}{held}"
    )


def _rehearsal() -> Search:
    from ..falling_rule_list import FallingRuleListSearch
    from ..rehearsal import tiny_problem

    return FallingRuleListSearch(tiny_problem())


FALLING_RULE_LIST = Family(
    name="falling_rule_list",
    noun="falling rule list",
    unit="loss per row",
    mined=True,
    own=(
        FREE_RULES,
        Parameter(
            "positive_weight",
            1.0,
            "cost of a missed positive, in false alarms",
            "number",
            above=True,
            label="Weight of a missed positive (w)",
            clause="a missed positive counting as {} false alarms",
        ),
        Parameter(
            "violation_penalty",
            None,
            "softly falling: cost of a rise by 1",
            "number",
            label="Price of a rise by 1 (C1)",
            none="it must fall",
        ),
        Parameter(
            "method",
            "exact",
            "monte_carlo proves nothing",
            "choice",
            choices=("exact", "monte_carlo"),
            label="Method",
            said=("exact, with a proof", "Monte-Carlo, as in the paper"),
        ),
        Parameter(
            "iterations",
            3000,
            "random lists, with which the exact search begins",
            "whole",
            1,
            label="Monte-Carlo lists",
        ),
        *FAIRNESS,
    ),
    make_model=_model,
    without_rules=_without_rules,
    objective=_objective,
    rehearsal=_rehearsal,
    grid={"regularization": [0.05, 0.02, 0.01, 0.005]},
)
