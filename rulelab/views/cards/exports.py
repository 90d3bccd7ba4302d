"""The menu of all that a model is saved as: its file, its rules in words and in several languages, and more."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import panel as pn

from ...models import Model, ModelError, MultiClassRuleList
from ..live.wording import family_name, today
from ..widgets.esc import esc, plain
from ..widgets.fields import Content, alert, button, column, download
from ..widgets.html import Html
from ..widgets.style import BAR_CSS, CARD_CSS
from .card import Card

AnyModel = Model | MultiClassRuleList
Files = dict[str, tuple[str, Callable[[], Any]]]
"""What can be saved: its name, with the name of the file and what makes it."""
JSON, RULES, SCRIPT = "Model (JSON)", "Rules (text)", "Python script"


class Source(NamedTuple):
    """The data of a model."""

    target: str = ""  # what is predicted
    name: str = ""
    cells: Mapping[str, Any] | None = None  # how the columns of a file were read; None: it was no text file
    hash: str = ""  # SHA-256 of the training rows

    @classmethod
    def of(cls, target: str, data: Any, problem: str | None) -> Source:
        """Of a data set, where it is known, and the hash of the problem that was made of it."""
        return cls(target, "" if data is None else data.name, getattr(data, "forms", None) or None, problem or "")


def _statement(dialect: str, model: AnyModel, of: Source) -> str:
    """What selects prediction and probability, and says in comments what it is."""
    known = f"{family_name(model.family)}{of.target and f' that predicts {of.target}'}, written on {today()}"
    about = [known, of.name and f"data: {of.name}", of.hash and f"SHA-256 of the training rows: {of.hash}"]
    return model.to_sql(dialect, cells=of.cells, table=of.name or "data", about=list(filter(None, about)))


FORMS: dict[str, tuple[str, Callable[[AnyModel, Source], str]]] = {
    JSON: ("model.json", lambda model, _: model.to_json()),
    RULES: ("rules.txt", lambda model, of: f"{model.to_text(of.target or None)}\n"),
    "SQL (DuckDB)": ("model.sql", partial(_statement, "duckdb")),
    "SQL (PostgreSQL)": ("model.sql", partial(_statement, "postgresql")),
    "SQL (SQLite)": ("model.sql", partial(_statement, "sqlite")),
    "Python function": ("model.py", lambda model, of: model.to_python(of.cells, probability=True)),
    "PMML": ("model.pmml", lambda model, of: model.to_pmml(of.target or "prediction", of.cells)),
}
"""What models are written in, with the name of the file, and what writes a model of some data."""
_MAKING = "The {} is being made ..."


class Exports:
    """A button, and what unfolds under it; each file is made when it is asked for.

    `model` gives the model with the labels of the data, and what is known of these. `own`: what is written
    besides, or otherwise, by what it is called: the name of the file, and what writes it.
    """

    def __init__(
        self,
        model: Callable[[], tuple[AnyModel, Source]],
        own: Mapping[str, tuple[str, Callable[[], str]]] | None = None,
    ) -> None:

        def of_model(write: Callable[[AnyModel, Source], str]) -> Callable[[], str]:
            return lambda: write(*model())

        self._forms = {form: (file, of_model(write)) for form, (file, write) in FORMS.items()} | dict(own or {})
        self.button = button("Export", self.turn, 76)
        self._row = pn.FlexBox(stylesheets=[BAR_CSS], gap="8px", margin=0)
        self._note = Html("", stylesheets=[CARD_CSS], sizing_mode="stretch_width", margin=(6, 0, 0, 0))
        self._wrong = alert()
        self.menu = column(self._row, self._wrong, self._note, visible=False, margin=(8, 0, 0, 0))
        self._making = ""

    def turn(self, *_: Any) -> None:
        """Unfold the menu, or fold it."""
        self.menu.visible = not self.menu.visible
        self.refresh()

    def fold(self) -> None:
        """There is nothing to save."""
        self.menu.visible = False

    def refresh(self) -> None:
        """Offer what there is, while the menu is unfolded."""
        if not self.menu.visible:
            return
        files, missing = self.offered()
        if [each.label for each in self._row.objects] != list(files):
            self._row.objects = [
                download(label, file, make, width=126, small=True) for label, (file, make) in files.items()
            ]
        for each in self._row.objects:
            each.disabled = bool(self._making)
        about = [_MAKING.format(self._making)] if self._making else missing
        self._note.object = f'<p class="note" role="status">{" ".join(about)}</p>'

    def text(self, form: str) -> io.StringIO:
        """The model in one of the `FORMS`, or of its own; raises ModelError when it cannot be written in it."""
        return io.StringIO(self._forms[form][1]())

    def offered(self) -> tuple[Files, list[str]]:
        """What can be saved now, and why there is not more, as HTML."""
        files: Files = {}
        missing = []
        for form, (file, _) in self._forms.items():
            try:
                self.text(form)
            except ModelError as error:
                missing.append(f"No {esc(form)}: {esc(error)}.")
            else:
                files[form] = file, partial(self.text, form)
        return files, missing

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


def card_exports(card: Callable[[], Card]) -> Exports:
    """Those of a card: its file has what the card says, and a script makes the model again."""
    own = {JSON: ("model.json", lambda: card().to_json()), SCRIPT: ("model.py", lambda: card().code)}

    return Exports(lambda: (card().named, source_of(card())), own)


def source_of(card: Card) -> Source:
    """The data of a card's model."""
    known, proven = card.rows or card.classes, card.model.provenance
    return Source.of(card.target, known and known.data, None if proven is None else proven.data)
