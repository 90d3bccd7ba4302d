"""What the address says of the front: it is there where nothing is asked for."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

from ..forms.address import Address, entries
from ..forms.tables import offered

_FORMER = {"Explore": "Alternatives", "What if": "Alternatives"}
"""Tabs by the names that older addresses have."""
_EVERYWHERE = "theme"
"""The only entry that the front has."""


class FrontAddress(Address):
    """An address that asks for something without naming a tab means Search, or where it names a room, its game.

    Where the server was started for a table, a page that asks for nothing begins with that.
    """

    def __init__(self, query: str, show: Callable[[str, bool], None]) -> None:
        super().__init__(_meant(_begun(query)), lambda query, step: show(_shown(query), step))

    def go(self, query: str) -> list[str]:
        """As of `Address`."""
        return super().go(_meant(query))


def _begun(query: str) -> str:
    table = next(iter(offered()), None)
    return query if table is None or dict(entries(query)).keys() - {_EVERYWHERE} else f"?{urlencode({'data': table})}"


def _meant(query: str) -> str:
    query = query.replace("tab=Fronts", "tab=Compare")  # of addresses from before
    asked = dict(entries(query))
    if asked.get("tab") in _FORMER:
        return f"?{urlencode({**asked, 'tab': _FORMER[asked['tab']]})}"
    tab = "Alternatives" if "room" in asked else "Search"
    return f"{query}&tab={tab}" if asked.keys() - {_EVERYWHERE} and "tab" not in asked else query


def _shown(query: str) -> str:
    """Of the front nothing but the theme: the settings of tabs that were open before are not its own."""
    asked = dict(entries(query))
    if "tab" in asked:
        return query
    return f"?{urlencode({_EVERYWHERE: asked[_EVERYWHERE]})}" if _EVERYWHERE in asked else ""
