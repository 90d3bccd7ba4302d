"""Cards of fields as one part of the page: a form of many widgets costs the server more than all the rest of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import param
from panel.custom import JSComponent

from ...assets import asset
from .style import sheet


class Field(Protocol):
    """One field of a form."""

    kind: str  # "number", "choice", "switch", "switches" or "note"
    label: str
    term: str  # its entry in the glossary; empty: none
    shown: Callable[[], bool]  # whether it is seen now
    owners: tuple[param.Parameterized, ...]  # on whose values its looks depend

    def state(self) -> dict[str, Any]:
        """What is seen of it, beside its label: plain texts, numbers and lists."""

    def take(self, value: Any) -> None:
        """Set what the browser says; what cannot be is left."""


@dataclass
class FieldCard:
    """A heading, and the fields under it."""

    title: str
    fields: list[Field] = field(default_factory=list)
    open: bool = True  # whether its fields are seen from the beginning; the user may fold it


class FieldCards(JSComponent):
    """Cards under each other, each with a heading that folds it away; all that is shown are texts, never HTML."""

    cards = param.List(default=[], doc="What the browser shows.")

    _esm = asset("dom.js", "field_cards.js")
    _stylesheets = [sheet("word.css", "select.css", "field_cards.css")]

    def __init__(self, content: Sequence[FieldCard], **params: Any) -> None:
        self.content = list(content)  # their number stays; titles and fields may change, see `refresh`
        self._watched: list[param.Parameterized] = []
        super().__init__(cards=self._states(), **params)
        self.refresh()

    def refresh(self, *_: Any) -> None:
        """Bring it up to date, also after other fields were put in."""
        for owner in (owner for card in self.content for each in card.fields for owner in each.owners):
            if not any(owner is one for one in self._watched):
                self._watched.append(owner)
                names = [name for name in owner.param if name != "name"]
                owner.param.watch(self.refresh, names, precedence=1)  # once all fields have taken what was set
        states = self._states()
        if states != self.cards:
            self.cards = states

    def find(self, label: str) -> Field:
        """The field of this label; raises KeyError."""
        for card in self.content:
            for each in card.fields:
                if each.label == label:
                    return each
        raise KeyError(label)

    def _handle_msg(self, data: Any) -> None:
        fields = {f"{i}.{k}": each for i, card in enumerate(self.content) for k, each in enumerate(card.fields)}
        told = fields.get(str(data.get("key"))) if isinstance(data, dict) else None
        if told is not None:
            told.take(data.get("value"))
            self.refresh()

    def _states(self) -> list[dict[str, Any]]:
        def seen(key: str, each: Field) -> dict[str, Any]:
            named = {name: getattr(each, name) for name in ("kind", "label", "term")}
            return {"key": key, "shown": each.shown(), **named, **each.state()}

        every = [[seen(f"{i}.{k}", each) for k, each in enumerate(card.fields)] for i, card in enumerate(self.content)]
        cards = zip(self.content, every, strict=True)
        return [{"title": card.title, "open": card.open, "fields": fields} for card, fields in cards]
