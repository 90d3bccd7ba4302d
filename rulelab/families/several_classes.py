"""Rule lists of least errors whose rules each predict one of several classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .family import Family
from .parameter import REGULARIZATION
from .rule_list import RULE_LIST

if TYPE_CHECKING:
    from ..models import Model
    from ..search import Search

_NOT_BY_CLASS = "Supports are of all rows: there is no class that is told from the rest."


def _model() -> Any:
    from ..models import MultiClassRuleList

    return MultiClassRuleList


def _without_rules(
    classes: list[Any], positives: Any, negatives: Any, parameters: Mapping[str, Any]
) -> tuple[Model, float]:
    model = _model().without_rules(classes, (negatives, positives))
    return model, model.objective(parameters["regularization"])


def _rehearsal() -> Search:
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
    own=(REGULARIZATION, *(each for each in RULE_LIST.own if each.name == "max_length")),
    make_model=_model,
    without_rules=_without_rules,
    objective=RULE_LIST.objective,
    rehearsal=_rehearsal,
    grid=RULE_LIST.grid,
    only={"by_class": (False, _NOT_BY_CLASS)},
)
