"""A model card in a saved model's file, which may come from anywhere."""

from __future__ import annotations

import json
from typing import Any

from ...models import Model, ModelError, MultiClassRuleList, parse_any_model, parse_model
from ..widgets.esc import plain
from . import snippet
from .card import FILE, MAX_NAME, MAX_NOTE, SENTENCE, Card, Proof

MAX_UPLOAD_BYTES = 5_000_000
_MAX_ENTRIES = 60
_LARGEST = 1e300


def parse(contents: bytes, file_name: str) -> Card:
    """The card in a saved model's file, which may come from anywhere.

    Raises
    ------
    ModelError
        When it is no saved model; the message names the entry.
    """
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
