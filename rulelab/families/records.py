"""The families of models, and the other questions about their models that are offered, a record each.

Rule lists of least errors, of two classes or several; falling rule lists of least weighted loss, hard or soft; Boolean
rule sets of least loss at a bounded complexity; and lists and sets of least gap between groups.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..parameters import DEMANDS, FAIRNESS, FREE_RULES, PARAMETERS, some
from ..shown import percent
from . import least_gap
from .criteria import held
from .family import Family
from .wording import count, of_rows

if TYPE_CHECKING:
    from ..stepping import Search

_OF_LISTS = some("regularization", "policy", "max_length", "beam_width")
_OF_SETS = some("complexity_cost", "column_limit", "must_use", "max_uses")
_GAP_OF_SETS = ("max_complexity", "max_conditions", "loss", "form", "min_group_size", "column_limit")


def _rehearsal(room: str, name: str, problem: str, **parameters: Any) -> Callable[[], Search]:
    """A search of a class of this module, on a problem of `rulelab.rehearsal`."""

    def made() -> Search:
        rows = getattr(import_module("rulelab.rehearsal"), problem)()
        return getattr(import_module(f"rulelab.{room}"), name)(rows, **parameters)

    return made


def _objective_of_list(model: Any, parameters: Mapping[str, Any], rows: int | None = None) -> str:
    if "min_accuracy" in parameters:
        right = f"{percent(1 - model.errors / model.weight, 2)} %"
        return f"gap in {least_gap.measured(parameters)} of {count(model.complexity, 'rule')} that get {right} right"
    rules = count(model.complexity, "rule")
    wrong = f"{count(model.errors, 'error')} / {of_rows(model.weight, rows)}"
    return f"{wrong} + {parameters['regularization']:g} x {rules}{held(parameters)}"


def _objective_of_falling_list(model: Any, parameters: Mapping[str, Any], rows: int | None = None) -> str:
    soft, every = parameters.get("violation_penalty"), (*model.rules, model.default)
    alarms = sum(rule.negatives for rule in every if rule.prediction == model.classes[-1])
    missed = sum(rule.positives for rule in every if rule.prediction != model.classes[-1])
    rising = "" if soft is None else f" + {soft:g} x a rise of {float(model.rise):.4g}"
    return (
        f"({count(alarms, 'false alarm')} + {parameters['positive_weight']:g} x {count(missed, 'missed positive')})"
        f" / {of_rows(model.weight, rows)} + {parameters['regularization']:g} x "
        f"{count(model.complexity, 'rule')}{rising}{held(parameters)}"
    )


def _objective_of_set(model: Any, parameters: Mapping[str, Any], rows: int | None = None) -> str:
    if "min_accuracy" in parameters:
        right = f"{percent(1 - model.errors / model.weight, 2)} %"
        counted = ", as the Hamming loss counts it," if least_gap.by_hamming(parameters) else ""
        return f"gap in {least_gap.measured(parameters)}{counted} of complexity {model.complexity}; {right} right"
    cost = parameters.get("regularization") or 0
    price = f" + {cost:g} x {model.complexity} of complexity" if cost else ""
    if not least_gap.by_hamming(parameters):
        loss, more = count(model.errors, "error"), ""
    else:
        dnf = model.form == "dnf"
        missed = model.training.false_negative if dnf else model.training.false_positive
        more = f"; {count(model.errors, 'error')} / {of_rows(model.weight, rows)}"
        wrong, covers = ("missed positive", "covers a negative") if dnf else ("false alarm", "rejects a positive")
        times = count(model.hamming_loss - missed, "time")
        loss = f"{count(missed, wrong)} + {times} that a {'rule' if dnf else 'clause'} {covers}"
    size = f"complexity {model.complexity} of at most {parameters['max_complexity']:g}"
    return f"{loss}{price}{more}, {size}{held(parameters)}"


RULE_LIST = Family(
    name="rule_list",
    noun="rule list",
    unit="share of rows",
    mined=True,
    own=(*_OF_LISTS, *FAIRNESS, *some("labels"), *DEMANDS, *some("monotone")),
    models="RuleList",
    objective=_objective_of_list,
    rehearsal=_rehearsal("rule_list", "RuleListSearch", "tiny_problem", regularization=0.01),
    grid={"regularization": [0.05, 0.02, 0.01, 0.005]},
    path="regularization",
    threads=True,
)
FALLING_RULE_LIST = Family(
    name="falling_rule_list",
    noun="falling rule list",
    unit="loss per row",
    mined=True,
    own=(FREE_RULES, *some("positive_weight", "violation_penalty", "method", "iterations"), *FAIRNESS),
    models="FallingRuleList",
    of_models=("positive_weight", "violation_penalty"),
    objective=_objective_of_falling_list,
    rehearsal=_rehearsal("falling_rule_list", "FallingRuleListSearch", "tiny_problem"),
    grid=RULE_LIST.grid,
)
RULE_SET = Family(
    name="rule_set",
    noun="rule set",
    unit="rows",
    mined=False,
    own=(*some("max_complexity", "max_conditions", "loss", "form"), *FAIRNESS, *_OF_SETS),
    models="RuleSet",
    objective=_objective_of_set,
    rehearsal=_rehearsal("rule_set", "RuleSetSearch", "noisy_problem"),
    grid={"max_complexity": [5, 10, 15, 20]},
    path="max_complexity",
    falling=False,
    shaping=some("monotone"),
)
SEVERAL_CLASSES = Family(
    name="multi_class_rule_list",
    noun="rule list of several classes",
    unit=RULE_LIST.unit,
    model=RULE_LIST.name,
    mined=True,
    own=some("regularization", "max_length"),
    models="MultiClassRuleList",
    objective=_objective_of_list,
    rehearsal=_rehearsal("multiclass", "MultiClassRuleListSearch", "three_classes", regularization=0.01),
    grid=RULE_LIST.grid,
    meaningless=("by_class",),  # supports are of all rows: there is no class that is told from the rest
)
LEAST_GAP = Family(
    name="least_gap",
    noun=RULE_LIST.noun,
    title="rule list of least gap",
    model=RULE_LIST.name,
    unit="difference of rates",
    mined=True,
    own=(
        *least_gap.ASKED,
        replace(PARAMETERS["max_length"], default=3, lifted=True, named=True),
        *(each for each in FAIRNESS if each.name == "min_group_size"),
        replace(FREE_RULES, clause="of equal gaps the best at {} a rule"),  # it decides between lists of one gap alone
        replace(
            PARAMETERS["beam_width"],
            default=400,
            help="width of the beam searches for the first lists",
            label="Width of the beam search",
        ),
    ),
    models=RULE_LIST.models,
    objective=_objective_of_list,
    rehearsal=_rehearsal(
        "rule_list", "LeastGapSearch", "grouped_problem", min_accuracy=0.5, max_length=2, beam_width=2
    ),
    grid=least_gap.GRID,
)
LEAST_GAP_OF_SETS = Family(
    name="least_gap_of_sets",
    noun=RULE_SET.noun,
    title="rule set of least gap",
    model=RULE_SET.name,
    unit=LEAST_GAP.unit,
    mined=False,
    own=(*least_gap.ASKED, *(each for each in RULE_SET.own if each.name in _GAP_OF_SETS)),
    models=RULE_SET.models,
    objective=_objective_of_set,
    rehearsal=_rehearsal("rule_set", "LeastGapRuleSetSearch", "grouped_problem", min_accuracy=0.5, max_complexity=4),
    grid=least_gap.GRID,
)
