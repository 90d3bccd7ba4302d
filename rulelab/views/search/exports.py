"""The menu of all that an answer is saved as: its model in several languages, its proof, a report, its whole run."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import panel as pn

from ...certificate import Certificate
from ...models import ModelError
from ...multiclass import MultiClassCertificate, MultiClassRuleListSearch
from ...snapshot import Snapshot, Status
from ..cards.card import Card
from ..cards.exports import FORMS, AnyModel
from ..cards.report import report
from ..cards.scores import of_card
from ..live.prepared import Prepared
from ..live.session import SearchSession
from ..widgets.download import Content, download
from ..widgets.esc import esc, plain
from ..widgets.html import Html
from ..widgets.live_text import LiveText
from ..widgets.style import BAR_CSS, CARD_CSS

_MAKING = "The {} is being made ..."
_ON_DISK = "Proof: a file that <code>rulelab verify</code> checks on the table."
_OF_SEVERAL = "The tab Alternatives and the fronts of Compare are of two classes."


class Exports:
    """What unfolds under the answer; each file is made when it is asked for, of the moment that is shown.

    Parameters
    ----------
    session : callable
        Gives the present run.
    model, card : callable
        Give the model in the words of the data, and its card.
    shown : callable
        Gives the moment of the run that is shown.

    Attributes
    ----------
    menu : Column
    """

    def __init__(
        self,
        session: Callable[[], SearchSession],
        model: Callable[[], AnyModel],
        card: Callable[[], Card],
        shown: Callable[[], Snapshot | None],
    ) -> None:
        self._session, self._model, self._card, self._shown = session, model, card, shown
        self._row = pn.FlexBox(stylesheets=[BAR_CSS], gap="8px", margin=0)
        self._note = Html("", stylesheets=[CARD_CSS], sizing_mode="stretch_width", margin=(6, 0, 0, 0))
        self._wrong = LiveText(role="alert", caption="Error", sizing_mode="stretch_width", margin=0)
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
        """Offer what there is at the moment that is shown, while the menu is unfolded."""
        if not self.menu.visible:
            return
        files, missing = self._files(), self._missing()
        if [each.label for each in self._row.objects] != list(files):
            self._row.objects = [
                download(label, file, make, width=126, small=True) for label, (file, make) in files.items()
            ]
        for button in self._row.objects:
            button.disabled = bool(self._making)
        about = [_MAKING.format(self._making)] if self._making else missing
        said = f'<p class="note" role="status">{" ".join(about)}</p>'
        if said != self._note.object:
            self._note.object = said

    def text(self, form: str) -> io.StringIO:
        """The model in one of the languages of `FORMS`; raises ModelError when it cannot be written in it."""
        return io.StringIO(FORMS[form][1](self._model(), self._target))

    def proof(self) -> io.BytesIO:
        """The certificate, as `rulelab verify` reads it; raises CertificateError when there is none."""
        prepared = self._session().prepared
        assert prepared is not None, "there is a model"
        out = io.BytesIO()
        proof_of(prepared, self._model().classes).save(out)
        out.seek(0)
        return out

    def report(self) -> io.StringIO:
        """The card with test scores and groups as a page that needs no network."""
        card = self._card()
        return io.StringIO(report([card], [of_card(card, lambda doing: None)]))

    @property
    def _target(self) -> str:
        prepared = self._session().prepared
        return "" if prepared is None else prepared.target

    def _files(self) -> dict[str, tuple[str, Callable[[], Any]]]:
        """Names of what can be saved, with the file's name and what makes it."""
        files: dict[str, tuple[str, Callable[[], Any]]] = {
            "Model (JSON)": ("model.json", lambda: io.StringIO(self._model().to_json())),
            "Rules (text)": (
                "rules.txt", lambda: io.StringIO(f"{self._model().to_text(self._target or None)}\n")
            ),
        }  # fmt: skip
        for form, (ending, _) in FORMS.items():
            if not self._unwritable(form):
                files[form] = f"model{ending}", partial(self.text, form)
        if not self._unproven:
            files["Proof"] = "proof.npz", partial(self._made, "proof", self.proof)
        if self._has_card:
            files["Report (HTML)"] = "report.html", partial(self._made, "report", self.report)
        files["Trace (CSV)"] = "trace.csv", lambda: io.StringIO(self._session().history.frame().to_csv(index=False))
        files["Recording"] = "run.rulelab", lambda: io.BytesIO(self._session().recording().to_bytes())
        return files

    def _missing(self) -> list[str]:
        """Why there is not more, as HTML."""
        why = [f"No {esc(form)}: {esc(said)}." for form in FORMS if (said := self._unwritable(form))]
        why.append(f"No proof as a file: {esc(self._unproven)}." if self._unproven else _ON_DISK)
        prepared = self._session().prepared
        return [*why, _OF_SEVERAL] if prepared is not None and prepared.classes is not None else why

    def _unwritable(self, form: str) -> str:
        try:
            self.text(form)
        except ModelError as error:
            return str(error)
        return ""

    @property
    def _unproven(self) -> str:
        prepared, latest = self._session().prepared, self._shown()
        assert prepared is not None
        assert latest is not None
        return unproven(prepared, latest)

    @property
    def _has_card(self) -> bool:
        try:
            self._card()
        except ValueError:
            return False
        return True

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


def proof_of(prepared: Prepared, classes: tuple[Any, ...]) -> Certificate | MultiClassCertificate:
    """The certificate in the labels of the data, so that it is checked on the table.

    Parameters
    ----------
    prepared : Prepared
    classes : tuple
        Of the model in the words of the data.

    Raises
    ------
    CertificateError
        When there is none.
    """
    search: Any = prepared.search
    certificate: Certificate | MultiClassCertificate = search.certificate()
    rows = prepared.classes
    if isinstance(certificate, MultiClassCertificate):
        return certificate if rows is None else certificate.for_table(rows.data.X, rows.labels, str(rows.data.target))
    if certificate.origin is None or len(classes) != 2:
        return certificate
    origin = replace(certificate.origin, classes=classes, target=prepared.target or None)
    fingerprint = replace(search.problem, classes=classes).fingerprint
    return replace(certificate, fingerprint=fingerprint, origin=origin)


def unproven(prepared: Prepared, latest: Snapshot) -> str:
    """Why there is no file of a proof; empty when there is one."""
    search, rows = prepared.search, prepared.classes
    if latest.status is not Status.OPTIMAL:
        return "the search has not proven this model optimal"
    if not hasattr(search, "certificate"):
        return "a recording holds no rows that it could be made of"
    if not isinstance(search, MultiClassRuleListSearch):
        return ""
    if search.parameters["max_length"] is not None:
        return "it would be of lists of any length, and rules per list are limited"
    if rows is not None and len(rows.test):
        return "it would be checked on all rows, and some were kept out of training"
    if rows is not None and rows.data.weight is not None:
        return "it would be checked on rows that count alike, and these have weights"
    return ""
