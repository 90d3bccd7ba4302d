"""The model families of the page, one module each; this is the list of them."""

from __future__ import annotations

from ....search import Search
from . import falling_rule_list, rule_list, rule_set
from .family import Family, Look

__all__ = ["FAMILIES", "LOOKS", "Family", "Look", "look_of"]

FAMILIES: dict[str, Family] = {
    family.name: family for family in (rule_list.FAMILY, falling_rule_list.FAMILY, rule_set.FAMILY)
}
LOOKS: dict[str, Look] = {key: look for family in FAMILIES.values() for key, look in family.looks.items()}


def look_of(search: Search) -> str:
    """Key in `LOOKS` of how a search is shown."""
    return FAMILIES[search.family].look_of(search.parameters)
