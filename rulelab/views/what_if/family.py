"""The searches whose models can be edited, and what is said and asked for in the editor of each family."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ...falling_rule_list import FallingRuleListSearch, SoftSearch
from ...rule_list import RuleListSearch
from ...rule_set import RuleSetSearch
from ...search import Search
from ...what_if import Bench, FallingBench, RuleListBench, RuleSetBench

Editable: TypeAlias = RuleListSearch | FallingRuleListSearch | RuleSetSearch

KINDS = (
    "rule lists, falling rule lists (by the exact search) and rule sets without a fairness constraint or demands on "
    "their rules"
)


def editable(search: Search) -> bool:
    """Whether models of this search can be edited."""
    whole = type(search) in (RuleListSearch, FallingRuleListSearch, SoftSearch, RuleSetSearch)
    free = not any(getattr(search, name, None) for name in ("must_use", "max_uses"))
    return whole and free and getattr(search, "fairness", None) is None


def bench_of(search: Search) -> Bench[Any]:
    """What models of a search cost, under which they are changed.

    Raises
    ------
    ValueError
        When models of this search are not edited.
    """
    if editable(search):
        problem, of = search.problem, search.parameters
        if isinstance(search, RuleListSearch):
            return RuleListBench(problem, of["regularization"], of["max_length"])
        if isinstance(search, FallingRuleListSearch):
            return FallingBench(
                problem, of["regularization"], of["positive_weight"], of["violation_penalty"], of["max_length"]
            )
        names = ("max_complexity", "max_conditions", "loss", "form", "regularization")
        return RuleSetBench(problem, **{name: of[name] for name in names})
    raise ValueError(f"the settings of the tab Search are of another kind: What if edits {KINDS}; choose them there")


@dataclass(frozen=True)
class Words:
    """What the editor of a family says.

    Attributes
    ----------
    noun : str
        Of a model, for short.
    heading : str
        Above the editor.
    over : str
        What models are made of.
    texts : dict of str to str
        For the browser: ``kind`` ("list": labels can be flipped; "falling"; "set": rules have conditions and no order),
        ``add``, ``place``, ``search``, ``counts`` (headings of fields and columns).
    """

    noun: str
    heading: str
    over: str = "antecedents"
    texts: dict[str, str] = field(default_factory=dict)


_ADD = {"add": "Add a rule", "place": "Its place", "search": "search the antecedents", "counts": "captured first"}
_WORDS = {
    "rule_list": Words("list", "Your list", texts={"kind": "list", **_ADD}),
    "falling_rule_list": Words("list", "Your list", texts={"kind": "falling", **_ADD}),
    "rule_set": Words(
        "set",
        "Your rule set",
        "conditions",
        {
            "kind": "set",
            "add": "Add a condition",
            "place": "To",
            "search": "search the conditions",
            "counts": "covered",
        },
    ),
}


def words_of(family: str) -> Words:
    """What the editor of a family says."""
    return _WORDS[family]
