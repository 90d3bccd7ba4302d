"""Boolean rule sets of least loss at a bounded complexity, with fairness constraints, and those of least gap."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ..parameters import (
    COLUMN_LIMIT,
    COMPLEXITY_COST,
    FAIRNESS,
    FORM,
    LOSS,
    MAX_COMPLEXITY,
    MAX_CONDITIONS,
    MAX_USES,
    MONOTONE,
    MUST_USE,
)
from ..shown import percent
from . import least_gap
from .criteria import held
from .family import Family, class_of_models
from .wording import count, of_rows

if TYPE_CHECKING:
    from ..models import Model
    from ..search import Search


def _without_rules(
    classes: list[Any], positives: Any, negatives: Any, parameters: Mapping[str, Any]
) -> tuple[Model, float]:
    model = class_of_models("RuleSet").without_rules(classes, positives, negatives)
    return model, float(model.errors)


def _objective(model: Any, parameters: Mapping[str, Any], rows: int | None = None) -> str:
    if "min_accuracy" in parameters:
        right = f"{percent(1 - model.errors / model.weight, 2)} %"
        counted = ", as the Hamming loss counts it," if least_gap.by_hamming(parameters) else ""
        return f"gap in {least_gap.measured(parameters)}{counted} of complexity {model.complexity}; {right} right"
    cost = parameters.get("regularization") or 0
    price = f" + {cost:g} x {model.complexity} of complexity" if cost else ""
    if not least_gap.by_hamming(parameters):
        loss, more = count(model.errors, "error"), ""
    else:
        missed = model.training.false_negative if model.form == "dnf" else model.training.false_positive
        more = f"; {count(model.errors, 'error')} / {of_rows(model.weight, rows)}"
        loss = (
            f"{count(missed, 'missed positive')} + {count(model.hamming_loss - missed, 'time')} that a rule covers a "
            "negative"
            if model.form == "dnf"
            else f"{count(missed, 'false alarm')} + {count(model.hamming_loss - missed, 'time')} that a clause rejects "
            "a positive"
        )
    size = f"complexity {model.complexity} of at most {parameters['max_complexity']:g}"
    return f"{loss}{price}{more}, {size}{held(parameters)}"


def _rehearsal() -> Search:
    from ..rehearsal import noisy_problem
    from ..rule_set import RuleSetSearch

    return RuleSetSearch(noisy_problem())


RULE_SET = Family(
    name="rule_set",
    noun="rule set",
    unit="rows",
    mined=False,
    own=(MAX_COMPLEXITY, MAX_CONDITIONS, LOSS, FORM, *FAIRNESS, COMPLEXITY_COST, COLUMN_LIMIT, MUST_USE, MAX_USES),
    make_model=partial(class_of_models, "RuleSet"),
    without_rules=_without_rules,
    objective=_objective,
    rehearsal=_rehearsal,
    grid={"max_complexity": [5, 10, 15, 20]},
    path="max_complexity",
    falling=False,
    shaping=(MONOTONE,),
)


_OF_SETS = ("max_complexity", "max_conditions", "loss", "form", "min_group_size", "column_limit")


def _least_gap_rehearsal() -> Search:
    from ..rehearsal import grouped_problem
    from ..rule_set import LeastGapRuleSetSearch

    return LeastGapRuleSetSearch(grouped_problem(), min_accuracy=0.5, max_complexity=4)


LEAST_GAP_OF_SETS = Family(
    name="least_gap_of_sets",
    noun=RULE_SET.noun,
    title="rule set of least gap",
    model=RULE_SET.name,
    unit="difference of rates",
    mined=False,
    own=(*least_gap.ASKED, *(each for each in RULE_SET.own if each.name in _OF_SETS)),
    make_model=RULE_SET.make_model,
    without_rules=RULE_SET.without_rules,
    objective=RULE_SET.objective,
    rehearsal=_least_gap_rehearsal,
    grid=least_gap.GRID,
)
