"""Boards of rooms that last: what the page has in memory, kept in the store beside it."""

from __future__ import annotations

from collections.abc import Callable

from ...store import BoardEntry
from ..alternatives.game import Entry
from .keeper import Keeper


class LastingBoards:
    """Keeps entries by a keeper.

    Parameters
    ----------
    keeper : Keeper
    """

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    def keep(self, room: str, game: str, entry: Entry, instead_of: str | None) -> None:
        """Keep an entry; see `rulelab.views.alternatives.game.Lasting`."""
        kept = BoardEntry(entry.name, entry.objective, entry.rules, entry.hints, entry.revealed)
        self._keeper.do(lambda store: store.keep_entry(room, game, kept, instead_of))

    def bring(self, room: str, game: str, take: Callable[[list[Entry]], None]) -> None:
        """Hand over what was kept of a board."""

        self._keeper.do(
            lambda store: take(
                [
                    Entry(each.name, each.objective, each.rules, each.hints, each.revealed)
                    for each in store.board(room, game)
                ]
            )
        )
