"""Pinned cards as a text that the browser keeps while the page is loaded again; nothing in it is trusted."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from ...store.kept_table import packed
from ..cards.card import BROWSER, Card
from ..cards.card_file import parse
from ..cards.differences import LETTERS
from ..cards.kept_rows import KEPT_ROWS
from ..cards.rows import Split

MAX_CHARACTERS = 4_000_000
"""Browsers keep at least five million characters for a page."""
_NAME = "a pinned model"


def written(cards: Sequence[Card]) -> str:
    """The text; empty without cards.

    Raises
    ------
    ValueError
        When it is too long to be kept.
    """
    entries = [{"model": json.loads(card.to_json()), "split": _split_of(card)} for card in cards]
    text = json.dumps(entries, ensure_ascii=False) if entries else ""
    if len(text) > MAX_CHARACTERS:
        raise ValueError(
            f"the pinned models are too large ({len(text)} characters) for the browser to keep; save them as JSON"
        )
    return text


def read(text: str, report: Callable[[str], None]) -> tuple[list[Card], list[str]]:
    """The cards in a text that the browser kept, and what is wrong with the others.

    Models, texts and numbers are checked as those of an uploaded file. The rows are found again where the data set has
    a name and is on this machine, so that scores are counted anew. A proof is told of, and checked where it is kept.

    Parameters
    ----------
    text : str
    report : callable
        Told what is being done; it may raise to end the work.
    """
    cards: list[Card] = []
    complaints: list[str] = []
    for entry in _entries(text, complaints):
        report("bringing the pinned models back")
        try:
            card = replace(parse(json.dumps(entry["model"]).encode(), _NAME), origin=BROWSER)
        except ValueError as error:
            complaints.append(str(error))
            continue
        split = Split.read(entry.get("split"))
        try:
            found = card if split is None else replace(card, rows=split.rows())
            cards.append(replace(found, recheck=None if KEPT_ROWS.proof is None else KEPT_ROWS.proof(found)))
        except ValueError as error:
            cards.append(card)
            complaints.append(f"{card.title}: its rows cannot be found again, as {error}")
    return cards, complaints


def tables(text: str) -> Callable[[], dict[str, bytes]]:
    """What makes the files of the rows that a text of cards names, as far as they are at hand, by their hash."""
    splits = [entry.get("split") for entry in _entries(text, [])]
    keys = {split["kept"] for split in splits if isinstance(split, dict) and isinstance(split.get("kept"), str)}
    found = {key: KEPT_ROWS.at_hand(key) for key in keys}
    return lambda: {key: made for key, data in found.items() if data is not None and (made := packed(data))}


def _entries(text: str, complaints: list[str]) -> list[dict[str, Any]]:
    try:
        found = json.loads(text) if len(text) <= 2 * MAX_CHARACTERS else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(entry, dict) and "model" in entry for entry in found):
        complaints.append("the browser kept something else than pinned models; it is ignored")
        return []
    return found[: len(LETTERS)]


def _split_of(card: Card) -> dict[str, Any] | None:
    return None if card.rows is None or card.rows.split is None else asdict(card.rows.split)
