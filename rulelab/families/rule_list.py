"""Rule lists of least errors, of two classes or several, and of least gap, where a rule costs a share of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..parameters import BEAM_WIDTH, DEMANDS, FAIRNESS, FREE_RULES, LABELS, MAX_LENGTH, MONOTONE, POLICY, REGULARIZATION
from ..shown import percent
from . import least_gap
from .criteria import held
from .family import Family, alone, class_of_models
from .wording import count, of_rows

if TYPE_CHECKING:
    from ..models import Model
    from ..search import Search


def _objective(model: Any, parameters: Mapping[str, Any], rows: int | None = None) -> str:
    if "min_accuracy" in parameters:
        right = f"{percent(1 - model.errors / model.weight, 2)} %"
        return f"gap in {least_gap.measured(parameters)} of {count(model.complexity, 'rule')} that get {right} right"
    rules = count(model.complexity, "rule")
    wrong = f"{count(model.errors, 'error')} / {of_rows(model.weight, rows)}"
    return f"{wrong} + {parameters['regularization']:g} x {rules}{held(parameters)}"


def _rehearsal() -> Search:
    from ..rehearsal import tiny_problem
    from ..rule_list import RuleListSearch

    return RuleListSearch(tiny_problem(), regularization=0.01)


RULE_LIST = Family(
    name="rule_list",
    noun="rule list",
    unit="share of rows",
    mined=True,
    own=(REGULARIZATION, POLICY, MAX_LENGTH, BEAM_WIDTH, *FAIRNESS, LABELS, *DEMANDS, MONOTONE),
    make_model=partial(class_of_models, "RuleList"),
    without_rules=partial(alone, "RuleList", ()),
    objective=_objective,
    rehearsal=_rehearsal,
    grid={"regularization": [0.05, 0.02, 0.01, 0.005]},
    path="regularization",
    threads=True,
)


def _without_class_rules(
    classes: list[Any], positives: Any, negatives: Any, parameters: Mapping[str, Any]
) -> tuple[Model, float]:
    model = class_of_models("MultiClassRuleList").without_rules(classes, (negatives, positives))
    return model, model.objective(parameters["regularization"])


def _classes_rehearsal() -> Search:
    from ..data.multiclass import MultiClassProblem
    from ..multiclass import MultiClassRuleListSearch

    return MultiClassRuleListSearch(
        MultiClassProblem.from_arrays([[False], [True]] * 2, [0, 1, 2, 1]), regularization=0.01
    )


SEVERAL_CLASSES = Family(
    name="multi_class_rule_list",
    noun="rule list of several classes",
    unit=RULE_LIST.unit,
    model=RULE_LIST.name,
    mined=True,
    own=(REGULARIZATION, MAX_LENGTH),
    make_model=partial(class_of_models, "MultiClassRuleList"),
    without_rules=_without_class_rules,
    objective=RULE_LIST.objective,
    rehearsal=_classes_rehearsal,
    grid=RULE_LIST.grid,
    meaningless=("by_class",),  # supports are of all rows: there is no class that is told from the rest
)


def _least_gap_rehearsal() -> Search:
    from ..rehearsal import grouped_problem
    from ..rule_list import LeastGapSearch

    return LeastGapSearch(grouped_problem(), min_accuracy=0.5, max_length=2, beam_width=2)


LEAST_GAP = Family(
    name="least_gap",
    noun=RULE_LIST.noun,
    title="rule list of least gap",
    model=RULE_LIST.name,
    unit="difference of rates",
    mined=True,
    own=(
        *least_gap.ASKED,
        replace(MAX_LENGTH, default=3, lifted=True, named=True),
        *(each for each in FAIRNESS if each.name == "min_group_size"),
        FREE_RULES,
        replace(
            BEAM_WIDTH,
            default=400,
            help="width of the beam searches for the first lists",
            label="Width of the beam search",
        ),
    ),
    make_model=RULE_LIST.make_model,
    without_rules=RULE_LIST.without_rules,
    objective=RULE_LIST.objective,
    rehearsal=_least_gap_rehearsal,
    grid=least_gap.GRID,
)
