"""The menu of all that a model is saved as: its file, its rules in words and in several languages, and what there is
besides."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn

from ...models import Model, ModelError, MultiClassRuleList
from ..widgets.buttons import Content, download
from ..widgets.esc import esc, plain
from ..widgets.fields import alert, button
from ..widgets.html import Html
from ..widgets.style import BAR_CSS, CARD_CSS
from .card import Card

AnyModel = Model | MultiClassRuleList
Written = Callable[[AnyModel, str], str]
Files = dict[str, tuple[str, Callable[[], Any]]]
"""What can be saved: its name, with the name of the file and what makes it."""

FORMS: dict[str, tuple[str, Written]] = {
    "SQL (DuckDB)": (".sql", lambda model, _: model.to_sql("duckdb")),
    "SQL (PostgreSQL)": (".sql", lambda model, _: model.to_sql("postgresql")),
    "SQL (SQLite)": (".sql", lambda model, _: model.to_sql("sqlite")),
    "Python function": (".py", lambda model, _: model.to_python()),
    "PMML": (".pmml", lambda model, target: model.to_pmml(target or "prediction")),
}
"""Languages with the ending of a file, and what writes a model of a target in them."""
_MAKING = "The {} is being made ..."


class Exports:
    """A button, and what unfolds under it; each file is made when it is asked for.

    `model` gives the model with the labels of the data, and the name of what it predicts.
    """

    def __init__(self, model: Callable[[], tuple[AnyModel, str]]) -> None:
        self._model = model
        self.button = button("Export", self.turn, 76)
        self._row = pn.FlexBox(stylesheets=[BAR_CSS], gap="8px", margin=0)
        self._note = Html("", stylesheets=[CARD_CSS], sizing_mode="stretch_width", margin=(6, 0, 0, 0))
        self._wrong = alert()
        self.menu = pn.Column(
            self._row, self._wrong, self._note, visible=False, sizing_mode="stretch_width", margin=(8, 0, 0, 0)
        )
        self._making = ""

    def turn(self, *_: Any) -> None:
        """Unfold the menu, or fold it."""
        self.menu.visible = not self.menu.visible
        self.refresh()

    def fold(self) -> None:
        """There is nothing to save."""
        if self.menu.visible:
            self.menu.visible = False

    def refresh(self) -> None:
        """Offer what there is, while the menu is unfolded."""
        if not self.menu.visible:
            return
        files, missing = self.files(), self.missing()
        if [each.label for each in self._row.objects] != list(files):
            self._row.objects = [
                download(label, file, make, width=126, small=True) for label, (file, make) in files.items()
            ]
        for each in self._row.objects:
            each.disabled = bool(self._making)
        about = [_MAKING.format(self._making)] if self._making else missing
        said = f'<p class="note" role="status">{" ".join(about)}</p>'
        self._note.object = said

    def text(self, form: str) -> io.StringIO:
        """The model in one of the languages of `FORMS`; raises ModelError when it cannot be written in it."""
        return io.StringIO(FORMS[form][1](*self._model()))

    def as_json(self) -> io.StringIO:
        """The model, as `rulelab.load_model` reads it."""
        return io.StringIO(self._model()[0].to_json())

    def as_text(self) -> io.StringIO:
        """The rules in words."""
        model, target = self._model()
        return io.StringIO(f"{model.to_text(target or None)}\n")

    def files(self) -> Files:
        """What can be saved now."""
        files: Files = {"Model (JSON)": ("model.json", self.as_json), "Rules (text)": ("rules.txt", self.as_text)}
        return files | {
            form: (f"model{ending}", partial(self.text, form))
            for form, (ending, _) in FORMS.items()
            if not self._unwritable(form)
        }

    def missing(self) -> list[str]:
        """Why there is not more, as HTML."""
        return [f"No {esc(form)}: {esc(said)}." for form in FORMS if (said := self._unwritable(form))]

    def _unwritable(self, form: str) -> str:
        try:
            self.text(form)
        except ModelError as error:
            return str(error)
        return ""

    async def _made(self, what: str, make: Callable[[], Content]) -> Content:
        """What takes long, made in a thread of its own; the page goes on, and says so."""
        self._making, self._wrong.phase = what, ""
        self.refresh()
        try:
            return await asyncio.to_thread(make)
        except ValueError as error:
            self._wrong.phase = plain(f"No {what}: {error}", 600)
            raise
        finally:
            self._making = ""
            self.refresh()


class CardExports(Exports):
    """Those of a card: its file has what the card says."""

    def __init__(self, card: Callable[[], Card]) -> None:
        super().__init__(lambda: (card().named, card().target))
        self._card = card

    def as_json(self) -> io.StringIO:
        """The saved model, with what the card says."""
        return io.StringIO(self._card().to_json())

    def as_script(self) -> io.StringIO:
        """A script that makes the model again."""
        return io.StringIO(self._card().code)

    def files(self) -> Files:
        return super().files() | {"Python script": ("model.py", self.as_script)}
