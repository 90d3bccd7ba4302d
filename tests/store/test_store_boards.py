"""Pinned models and boards that last."""

import contextlib
import sqlite3
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from patience import wait_until

import rulelab as rl
from rulelab.store import BoardEntry, StoreError, boards
from rulelab.views.alternatives.game import Boards
from rulelab.views.kept_runs.keeping import Keeper


@pytest.fixture
def store(tmp_path: Path) -> Iterator[rl.store.Store]:
    with rl.store.open(tmp_path / "runs.sqlite") as out:
        yield out


def entry(name: str, errors: int, **more: object) -> BoardEntry:
    return BoardEntry(name, Fraction(errors, 7), 2, **more)  # type: ignore[arg-type]


def names(board: list[tuple[object, BoardEntry]]) -> dict[str, Fraction]:
    return {each.name: each.objective for _, each in board}


def test_pinned_models_are_found_by_their_hash(store, monkeypatch) -> None:
    one, two = store.keep_pins("[1]"), store.keep_pins("[2]")
    assert store.keep_pins("[1]") == one
    assert (store.pins(one), store.pins(two[:16])) == ("[1]", "[2]")
    for which in ("0123456789abcdef", "%", "", None, "x" * 16):
        with pytest.raises(StoreError):
            store.pins(which)
    monkeypatch.setattr(boards, "MOST_PINS", 2)
    store.keep_pins("[3]")
    with pytest.raises(StoreError, match="no pinned models"):
        store.pins(two)
    with contextlib.closing(sqlite3.connect(store.place)) as bare:
        bare.execute("UPDATE pins SET content = 'x'")
        bare.commit()
    with pytest.raises(StoreError, match="not what their hash says"):
        store.pins(one)


def test_a_board_is_kept_exactly_and_bounded(store, monkeypatch) -> None:
    third = BoardEntry("Ada", Fraction(10**30 + 1, 3 * 10**30), 3, 1, True)
    store.keep_entry("room", "game", third)
    store.keep_entry("room", "game", BoardEntry("player 1", Fraction(1, 7), 2, 0, False))
    store.keep_entry("room", "game", BoardEntry("Bob", Fraction(1, 7), 1, 0, False), instead_of="player 1")
    store.keep_entry("room", "other game", third)
    assert [each.name for each in store.board("room", "game")] == ["Bob", "Ada"]
    assert store.board("room", "game")[1] == third
    monkeypatch.setattr(boards, "MOST_ENTRIES", 2)
    store.keep_entry("room", "game", BoardEntry("Eve", Fraction(1, 2), 1, 0, False))
    assert len(store.board("room", "game")) == 2


@pytest.mark.parametrize("objective", ["1/0", "x", "-1/2", "1", "1/2/3", "9" * 5000 + "/1", 3])
def test_entries_that_cannot_be_read_are_left_out(store, objective) -> None:
    store.keep_entry("room", "game", BoardEntry("Ada", Fraction(1, 2), 1, 0, False))
    with contextlib.closing(sqlite3.connect(store.place)) as bare:
        bare.execute("UPDATE boards SET objective = ?", (objective,))
        bare.commit()
    assert store.board("room", "game") == []


def test_a_room_is_as_it_was_when_the_server_begins_anew(tmp_path: Path) -> None:
    place = tmp_path / "runs.sqlite"

    def server() -> tuple[Boards, Keeper]:
        keeper, out = Keeper(rl.store.open(place)), Boards()
        out.lasting = keeper.do
        return out, keeper

    first, keeper = server()
    first.put("room", "game", "one", entry("player 1", 5))
    first.put("room", "game", "one", entry("Ada", 3))
    first.put("room", "game", "two", entry("Bob", 4, revealed=True))
    first.leave("two")
    assert names(first.board("room", "game")) == {"Ada": Fraction(3, 7), "Bob": Fraction(4, 7)}, (
        "who left is still there"
    )
    keeper.close()

    second, keeper = server()
    second.put("room", "game", "three", entry("Ada", 6))
    wait_until(lambda: len(second.board("room", "game")) == 2)
    assert names(second.board("room", "game")) == {"Ada": Fraction(3, 7), "Bob": Fraction(4, 7)}
    second.put("room", "game", "four", entry("Bob", 1))
    assert names(second.board("room", "game"))["Bob"] == Fraction(4, 7), "Bob has looked at the optimum"
    assert len(second.board("room", "game")) == 2
    second.put("room", "game", "three", entry("Ada", 2))
    keeper.close()
    with rl.store.open(place) as store:
        assert {each.name: each.objective for each in store.board("room", "game")} == {
            "Ada": Fraction(2, 7),
            "Bob": Fraction(4, 7),
        }


def test_without_a_store_who_leaves_is_gone() -> None:
    board = Boards()
    board.put("room", "game", "one", entry("Ada", 3))
    board.leave("one")
    assert board.board("room", "game") == []
