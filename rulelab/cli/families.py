"""What ``rulelab fit`` and ``rulelab verify`` know of each family of models: its options, its search, its words."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..limits import MAX_ANTECEDENTS, MEMORY_LIMIT
from .console import CommandError, one_line, say

if TYPE_CHECKING:
    from ..data.problem import Problem
    from ..datasets import Dataset
    from ..models import Model
    from ..search import Search

_MINING = {"max_conditions": 2, "min_support": 0.01, "max_support": 0.99, "max_antecedents": MAX_ANTECEDENTS}
CRITERIA = {
    "equal-opportunity": "EqualOpportunity",
    "equalized-odds": "EqualizedOdds",
    "demographic-parity": "DemographicParity",
    "false-positive-rate-parity": "FalsePositiveRateParity",
    "accuracy-parity": "AccuracyParity",
}


@dataclass(frozen=True)
class Family:
    """One family on the command line.

    Attributes
    ----------
    option : str
        Value of ``--model``.
    noun : str
        Such as "rule list".
    options : mapping of str to value
        The options that it takes beside those of all families, with their defaults.
    problem : callable
        Makes the problem from the settings, the data set and its conditions.
    search : callable
        Makes the search from the settings and the problem.
    objective : callable
        Says what the objective of a model is made of, given the parameters.
    """

    option: str
    noun: str
    options: Mapping[str, Any]
    problem: Callable[[dict[str, Any], Dataset, Any], Problem]
    search: Callable[[dict[str, Any], Problem], Search]
    objective: Callable[[Any, Mapping[str, Any]], str]

    def settings(self, args: argparse.Namespace) -> dict[str, Any]:
        """The options with the family's defaults; refuses those of other families."""
        own = {
            name: getattr(args, name) if _is_given(args, name) else default for name, default in self.options.items()
        }
        for other in FAMILIES.values():
            for name in other.options:
                if name not in self.options and _is_given(args, name):
                    raise CommandError(f"--{name.replace('_', '-')} is not an option of --model {self.option}")
        own["random_state"] = args.random_state
        if own.get("method", "exact") == "exact":
            return {**own, "memory_limit": getattr(args, "memory_limit", MEMORY_LIMIT)}
        if _is_given(args, "memory_limit"):
            raise CommandError("--memory-limit is for --method exact: the other needs next to no memory")
        return own


def _is_given(args: argparse.Namespace, name: str) -> bool:
    """Whether an option is on the command line: limits that "none" lifts have no place there otherwise."""
    lifted = name in ("max_antecedents", "memory_limit") and hasattr(args, name)
    return lifted or getattr(args, name, None) is not None


def count(n: int, noun: str) -> str:
    """The number with its noun, in the plural where it needs one."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _mined(settings: dict[str, Any], data: Dataset, conditions: Any) -> Problem:
    from ..data.mining import mine_within
    from ..data.problem import Problem

    limits = {name: settings.pop(name) for name in _MINING}
    antecedents, note = mine_within(conditions, **limits, memory_limit=settings.get("memory_limit"))
    if note:
        say(note)
    return Problem.from_antecedents(antecedents, data.y)


def _plain(settings: dict[str, Any], data: Dataset, conditions: Any) -> Problem:
    from ..data.problem import Problem

    fairness = settings["fairness"] = _criterion(settings["fairness"])
    if fairness is not None and data.sensitive is None:
        raise CommandError("--fairness compares groups: name a sensitive attribute with --sensitive")
    return Problem.from_arrays(conditions, data.y, groups=None if fairness is None else data.sensitive)


def _rule_list(settings: dict[str, Any], problem: Problem) -> Search:
    from ..rule_list import CorelsSearch, RuleListSearch

    if settings.pop("search") == "corels":
        del settings["max_length"], settings["beam_width"]
        return CorelsSearch(problem, **settings)
    return RuleListSearch(problem, **settings)


def _falling(settings: dict[str, Any], problem: Problem) -> Search:
    from ..falling_rule_list import FallingRuleListSearch

    new: Any = FallingRuleListSearch
    return new(problem, **settings)  # type: ignore[no-any-return]


def _rule_set(settings: dict[str, Any], problem: Problem) -> Search:
    from ..rule_set import RuleSetSearch

    return RuleSetSearch(problem, **settings)


def _criterion(text: str | None) -> Any:
    from .. import rule_set

    if text is None:
        return None
    name, _, limits = text.partition(":")
    try:
        values = [float(limit) for limit in limits.split(",")]
        return getattr(rule_set, CRITERIA[name])(*values)
    except (KeyError, TypeError, ValueError) as error:
        known = ", ".join(CRITERIA)
        raise CommandError(
            f"--fairness must be a criterion and the largest difference it allows, such as equal-opportunity:0.05 or "
            f"equalized-odds:0.05,0.05, not {one_line(text)!r} ({one_line(str(error))}); there are {known}"
        ) from None


def _errors_and_rules(model: Any, parameters: Mapping[str, Any]) -> str:
    rules = count(model.complexity, "rule")
    return f"{model.errors} errors / {model.weight} rows + {parameters['regularization']:g} x {rules}"


def _weighted_loss(model: Any, parameters: Mapping[str, Any]) -> str:
    soft = parameters.get("violation_penalty")
    rising = "" if soft is None else f" + {soft:g} x the rises"
    rules = count(model.complexity, "rule")
    return (
        f"loss with a missed positive at {parameters['positive_weight']:g} false alarms"
        f" + {parameters['regularization']:g} x {rules}{rising}"
    )


def _loss_within(model: Any, parameters: Mapping[str, Any]) -> str:
    return (
        f"the loss in rows, at a complexity of {model.complexity} of at most {parameters['max_complexity']:g}; "
        f"{model.errors} errors"
    )


FAMILIES: dict[str, Family] = {
    family.option: family
    for family in (
        Family(
            "rule-list",
            "rule list",
            {
                **_MINING,
                "regularization": 0.01,
                "search": "exact",
                "policy": "lower_bound",
                "max_length": None,
                "beam_width": 500,
            },
            _mined,
            _rule_list,
            _errors_and_rules,
        ),
        Family(
            "falling-rule-list",
            "falling rule list",
            {
                **_MINING,
                "regularization": 0.01,
                "positive_weight": 1.0,
                "violation_penalty": None,
                "method": "exact",
                "iterations": 3000,
            },
            _mined,
            _falling,
            _weighted_loss,
        ),
        Family(
            "rule-set",
            "rule set",
            {
                "max_conditions": None,
                "regularization": 0.0,
                "max_complexity": 20,
                "loss": "hamming",
                "form": "dnf",
                "fairness": None,
            },
            _plain,
            _rule_set,
            _loss_within,
        ),
    )
}


def family_of(model: Model) -> Family:
    """The family of a saved model."""
    return FAMILIES[model.family.replace("_", "-")]
