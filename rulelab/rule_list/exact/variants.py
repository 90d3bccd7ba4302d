"""Which search finds the list that is asked for: that of any list, of fair ones, or of those that meet demands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...arguments import ParameterError, Text
from ...data.fairness import Criterion, PredictiveParity
from ..bounds import RuleListBounds
from ..constrained.search import ConstrainedRuleListSearch
from ..fair.predictive import PredictiveParitySearch
from ..fair.search import FairRuleListSearch
from .parallel.threads import check_jobs

_PARAMETERS = (
    *("problem", "regularization", "policy", "bounds", "max_length"),
    *("memory_limit", "random_state", "beam_width", "warm_start"),
)
_DEMANDS = ("must_use", "first_rule", "max_uses", "monotone")


def variant_of(arguments: tuple[Any, ...], fairness: Criterion | None, named: dict[str, Any]) -> Any:
    """The search that these arguments of `RuleListSearch` ask for, where it is another one; else None.

    Demands that ask for nothing are taken out of ``named``. The other searches have one thread, whatever ``n_jobs`` is.
    """
    demands = {name: value for name in _DEMANDS if not _is_nothing(value := named.pop(name, None))}
    if fairness is None and not demands:
        return None
    check_jobs(named.pop("n_jobs", None))
    named = dict(zip(_PARAMETERS, arguments, strict=False)) | named
    if fairness is None:
        return _constrained({**named, **demands})
    if demands or named.get("max_length") is not None:
        return _constrained({**named, **demands, "fairness": fairness})
    return _fair(fairness, named)


def _is_nothing(demand: Any) -> bool:
    return demand is None or (isinstance(demand, str | list | tuple | Mapping) and not demand)


def _fair(fairness: Criterion, named: dict[str, Any]) -> FairRuleListSearch | PredictiveParitySearch:
    _refuse_policy(named, "where a list has to be fair")
    bounds = named.get("bounds")
    if isinstance(bounds, RuleListBounds):
        if bounds != RuleListBounds():
            text = Text(
                "{bounds} of other rule lists cannot be left out where a list has to be fair; its own can, see "
                "FairRuleListBounds"
            )
            raise ParameterError("bounds", bounds, "None, or a FairRuleListBounds", text)
        del named["bounds"]
    named.pop("max_length", None)
    kind = PredictiveParitySearch if isinstance(fairness, PredictiveParity) else FairRuleListSearch
    return kind(fairness=fairness, **named)


def _constrained(named: dict[str, Any]) -> ConstrainedRuleListSearch:
    _refuse_policy(named, "where a list has to use something")
    if named.pop("bounds", None) not in (None, RuleListBounds()):
        text = Text("{bounds} have no switches where a list has to use something: leave them out")
        raise ParameterError("bounds", named, "None", text)
    return ConstrainedRuleListSearch(**named)


def _refuse_policy(named: dict[str, Any], where: str) -> None:
    """These searches know one policy; the random state is that of another one."""
    policy = named.pop("policy", "lower_bound")
    if policy != "lower_bound":
        raise ParameterError("policy", policy, f"'lower_bound' {where}")
    named.pop("random_state", None)
