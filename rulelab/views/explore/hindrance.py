"""Why no good models are found with some settings, and what to do, in the words of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...families import NAMING, OF_SEVERAL, Family

_FAMILIES = ("rule_list", "rule_set")
_FOUND = "Explore finds rule lists and rule sets without a fairness constraint or demands on their rules"


def hindrance(family: Family, parameters: Mapping[str, Any]) -> str:
    """Why good models of these settings of the tab Search are not found; empty: they are."""
    if family.name in OF_SEVERAL:
        return (
            "Explore finds models of two classes. The tab Search is set to one list of several classes: choose a "
            "positive class there, under “Roles of columns”, or other data."
        )
    if family.name not in _FAMILIES:
        return f"{_FOUND}. The tab Search is set to a {family.called}: choose “Rule list” or “Rule set” there."
    if parameters.get("fairness") is not None:
        return (
            f"{_FOUND}. Choose no constraint under “Fairness” in the tab Search; “Groups by” then shows the gaps of "
            "all good models."
        )
    asked = [f"“{each.title}”" for each in family.own if each.kind in NAMING and parameters.get(each.name)]
    if asked:
        return (
            f"{_FOUND}. Empty {' and '.join(asked)} in the tab Search; “Using the column” then shows the good models "
            "that use one."
        )
    return ""
