"""What the pages of this process keep in its store: sessions that are over, rows behind cards, boards of games."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict
from functools import partial

from ...certificate import Certificate
from ...certificate.parts import within
from ...multiclass import MultiClassCertificate
from ...proving import is_quick
from ...store import Run, Store
from ..alternatives.game import BOARDS
from ..cards.card import Card
from ..cards.rows import KEPT_ROWS
from ..live.recipe import load_code
from ..live.session import SearchSession
from ..live.state import State
from ..search.best import proof_of, unproven
from ..search.in_words import settings_in_words
from . import proving
from .keeper import Keeper
from .proving import MOST_SECONDS

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
        BOARDS.lasting = _KEEPERS[-1].do
        KEPT_ROWS.find = lambda key: store.table(key).dataset()
        KEPT_ROWS.proof = partial(proving.proof_of, _KEEPERS[-1])


def is_worth_keeping(session: SearchSession) -> bool:
    """Whether a session is over, was searched here, and came to anything."""
    ended = session.state in (State.ENDED, State.STOPPED)
    known = session.snapshot is not None and session.prepared is not None
    return ended and not session.recorded and known


def save(session: SearchSession, card: Card | None, before: Future[Run] | None) -> Callable[[Store], Run]:
    """What saves a session, to be called in the thread of the store.

    `card`: of its model. `before`: what has kept an earlier state of the session, whose place it takes.
    """
    prepared, query = session.prepared, session.query
    assert prepared is not None
    settings = settings_in_words(session)
    recipe, data = prepared.recipe, prepared.data
    named = data is not None and getattr(recipe, "load_code", "") == load_code(data.name)
    split = card.rows.split if card is not None and card.rows is not None else None

    def work(store: Store) -> Run:
        earlier = None if before is None or before.exception() else before.result()
        return store.save(
            session.recording(),
            data=data,
            test_rows=prepared.test_rows,
            settings=settings,
            query=query,
            model=None if card is None else card.to_json().encode(),
            split=None if split is None else asdict(split),
            keep_rows=not named,
            data_name=prepared.name,
            instead_of=None if earlier is None else earlier.hash,
        )

    return work


def is_provable(session: SearchSession) -> bool:
    """Whether there is a proof that is made in a moment."""
    last, search, prepared = session.snapshot, session.search, session.prepared
    return last is not None and prepared is not None and not unproven(prepared, last) and is_quick(search, last)


def prove(session: SearchSession, card: Card) -> Callable[[], Certificate | MultiClassCertificate]:
    """What makes the proof of a session that was kept, for the labels of the kept model."""
    prepared = session.prepared
    assert prepared is not None

    def make() -> Certificate | MultiClassCertificate:
        with within(MOST_SECONDS, "the proof"):
            return proof_of(prepared, card.named.classes)

    return make
