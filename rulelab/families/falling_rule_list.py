"""Falling rule lists of least weighted loss, hard or soft, or fair."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ..parameters import FAIRNESS, FREE_RULES, ITERATIONS, METHOD, POSITIVE_WEIGHT, VIOLATION_PENALTY
from .criteria import held
from .family import Family, alone, class_of_models
from .wording import count, of_rows

if TYPE_CHECKING:
    from ..search import Search


def _objective(model: Any, parameters: Mapping[str, Any], rows: int | None = None) -> str:
    soft, every = parameters.get("violation_penalty"), (*model.rules, model.default)
    alarms = sum(rule.negatives for rule in every if rule.prediction == model.classes[-1])
    missed = sum(rule.positives for rule in every if rule.prediction != model.classes[-1])
    rising = "" if soft is None else f" + {soft:g} x a rise of {float(model.rise):.4g}"
    return (
        f"({count(alarms, 'false alarm')} + {parameters['positive_weight']:g} x {count(missed, 'missed positive')})"
        f" / {of_rows(model.weight, rows)} + {parameters['regularization']:g} x "
        f"{count(model.complexity, 'rule')}{rising}{held(parameters)}"
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
    own=(FREE_RULES, POSITIVE_WEIGHT, VIOLATION_PENALTY, METHOD, ITERATIONS, *FAIRNESS),
    make_model=partial(class_of_models, "FallingRuleList"),
    without_rules=partial(alone, "FallingRuleList", ("positive_weight", "violation_penalty")),
    objective=_objective,
    rehearsal=_rehearsal,
    grid={"regularization": [0.05, 0.02, 0.01, 0.005]},
)
