"""The store of this process, which all of its pages have in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ...store import BoardEntry, Store
from ..alternatives.game import BOARDS, Entry
from ..cards.kept_rows import KEPT_ROWS
from . import proving
from .keeper import Keeper

_KEEPERS: list[Keeper] = []


def keeper() -> Keeper | None:
    """What has it in hand; None: nothing is kept."""
    return _KEEPERS[-1] if _KEEPERS else None


def keep_runs(store: Store | None) -> None:
    """Let the pages of this process keep runs, pinned models and the boards of rooms in a store.

    Parameters
    ----------
    store : Store or None
        It is used by a thread of its own, and closed when another one takes its place; None: nothing is kept.

    Examples
    --------
    >>> rl.views.keep_runs(rl.store.open("runs.sqlite"))
    >>> rl.views.serve()
    """
    BOARDS.lasting = KEPT_ROWS.find = KEPT_ROWS.proof = None
    while _KEEPERS:
        _KEEPERS.pop().close()
    if store is not None:
        _KEEPERS.append(Keeper(store))
        BOARDS.lasting = LastingBoards(_KEEPERS[-1])
        KEPT_ROWS.find = lambda key: store.table(key).dataset()
        KEPT_ROWS.proof = partial(proving.proof_of, _KEEPERS[-1])


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
