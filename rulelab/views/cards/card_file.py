"""Model cards in texts that may come from anywhere: a saved model's file, the pinned cards that a browser keeps."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from ...models import Model, ModelError, MultiClassRuleList, parse_any_model, parse_model
from ...store.kept_table import packed
from ..widgets.esc import plain
from . import snippet
from .card import BROWSER, FILE, MAX_NAME, MAX_NOTE, SENTENCE, Card, Proof
from .differences import LETTERS
from .rows import KEPT_ROWS, Split

MAX_UPLOAD_BYTES = 5_000_000
_MAX_ENTRIES = 60
_LARGEST = 1e300


def parse(contents: bytes, file_name: str) -> Card:
    """The card in a saved model's file, which may come from anywhere; ModelError names the entry that is wrong."""
    name = plain(file_name, 80)
    if len(contents) > MAX_UPLOAD_BYTES:
        raise ModelError(f"{name} has {len(contents)} bytes, more than the {MAX_UPLOAD_BYTES} that the page takes")
    try:
        model = parse_any_model(contents)
    except ModelError as error:
        raise ModelError(f"{name} cannot be used: {error}") from None
    entry = json.loads(contents).get("card")
    entry = entry if isinstance(entry, dict) else {}
    labels = entry.get("labels")
    usable = (
        isinstance(labels, list) and len(labels) == len(model.classes) == 2 and labels != [*map(str, model.classes)]
    )
    return Card(
        model=model,
        title=_text(entry, "title", 80) or name.removesuffix(".json"),
        name=_text(entry, "name", MAX_NAME),
        target=_text(entry, "target", 80),
        labels=tuple(plain(label, 80) for label in labels) if usable else None,  # type: ignore[union-attr,arg-type]
        proof=_proof(entry.get("proof")),
        data=_texts(entry, "data"),
        parameters=_texts(entry, "parameters"),
        made=_text(entry, "made", 40),
        fewer=_text(entry, "fewer", MAX_NOTE),
        intended_use=_text(entry, "intended_use", MAX_NOTE),
        limits=_text(entry, "limits", MAX_NOTE),
        code=snippet.of_model(model),
        origin=FILE,
        unconstrained=_other_model(entry.get("unconstrained"), model),
    )


def _other_model(entry: Any, model: Model | MultiClassRuleList) -> Model | None:
    """The model without the constraint that a file holds; None where it is none, or of another kind."""
    try:
        found = parse_model(json.dumps(entry)) if isinstance(entry, dict) else None
    except (ModelError, ValueError):
        return None
    return found if found is not None and (found.family, len(found.classes)) == (model.family, 2) else None


def _proof(entry: Any) -> Proof | None:
    if not isinstance(entry, dict):
        return None
    numbers = [entry.get(name) for name in ("objective", "lower_bound")]
    if not all(type(n) in (int, float) and abs(n) < _LARGEST for n in numbers):  # type: ignore[arg-type]
        return None
    objective, lower_bound = map(float, numbers)  # type: ignore[arg-type]
    scope, equation, bound = (_text(entry, name, SENTENCE) for name in ("scope", "equation", "bound"))
    return Proof(objective, lower_bound, entry.get("proven") is True, scope, equation, bound)


def _text(entry: dict[str, Any], name: str, limit: int) -> str:
    value = entry.get(name)
    return value[:limit] if isinstance(value, str) else ""


def _texts(entry: dict[str, Any], name: str) -> dict[str, str]:
    found = entry.get(name)
    pairs = list(found.items())[:_MAX_ENTRIES] if isinstance(found, dict) else []
    return {plain(key, 60): plain(value, 200) for key, value in pairs if isinstance(value, str)}


MAX_CHARACTERS = 4_000_000  # browsers keep at least five million characters for a page
_NAME = "a pinned model"


def written(cards: Sequence[Card]) -> str:
    """The text, empty without cards; ValueError when it is too long to be kept."""
    splits = [None if card.rows is None else card.rows.split for card in cards]
    entries = [
        {"model": json.loads(card.to_json()), "split": None if split is None else asdict(split)}
        for card, split in zip(cards, splits, strict=True)
    ]
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

    `report` is told what is being done; it may raise to end the work.
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
