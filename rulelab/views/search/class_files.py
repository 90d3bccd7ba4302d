"""Under a list of several classes: it in other languages, its proof as a file, and what there is not for it."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from typing import Any

import panel as pn

from ...certificate import CertificateError
from ...multiclass import MultiClassCertificate
from ...snapshot import Snapshot, Status
from ..cards.exports import Exports
from ..live.prepared import Prepared
from ..live.session import SearchSession
from ..widgets.download import download
from ..widgets.esc import esc, plain
from ..widgets.html import Html
from ..widgets.live_text import LiveText
from ..widgets.style import BAR_CSS, CARD_CSS

_WITHOUT = (
    "Pin the list to see it beside others in the tab Compare; of its run all is kept but the rows. The tab "
    "Alternatives and the fronts of Compare are of two classes."
)
_MAKING = "The proof is being made ..."
_ON_DISK = "Proof: a file that <code>rulelab verify</code> checks on the table."


class ClassFiles:
    """What stands there while a list of several classes is shown.

    Parameters
    ----------
    session : callable
        Gives the present run.
    model : callable
        Gives the list that is shown, and what it predicts.

    Attributes
    ----------
    column : viewable
    exports : Exports or None
        Once there is something to save.
    """

    def __init__(self, session: Callable[[], SearchSession], model: Callable[[], tuple[Any, str]]) -> None:
        self._session, self._model = session, model
        self.exports: Exports | None = None
        self.column = pn.Column(visible=False, sizing_mode="stretch_width", margin=0)
        self._note = Html("", stylesheets=[CARD_CSS], sizing_mode="stretch_width", margin=(6, 0, 0, 0))
        self._wrong = LiveText(role="alert", caption="Error", sizing_mode="stretch_width", margin=0)
        self._proof = download("Proof", "proof.npz", self._saved, width=90, height=38)
        self._proof.align = "end"
        self._making, self._why = False, ""

    def show(self, prepared: Prepared, latest: Snapshot) -> None:
        """Offer the files of a moment of the run."""
        if not self.column.objects:
            self.exports = Exports(self._model, self._complain)
            row = pn.Row(self.exports, self._proof, stylesheets=[BAR_CSS], margin=0)
            self.column.objects = [row, self._wrong, self._note]
        self._why = unproven_of_classes(prepared, latest)
        self._tell()
        self.column.visible = True

    def hide(self) -> None:
        """There is no such list."""
        self.column.visible = False

    def proof(self) -> io.BytesIO:
        """The certificate, as `rulelab verify` reads it.

        Raises
        ------
        CertificateError
            When there is none.
        """
        prepared = self._session().prepared
        assert prepared is not None, "there is a model"
        out = io.BytesIO()
        proof_of_classes(prepared).save(out)
        out.seek(0)
        return out

    async def _saved(self) -> io.BytesIO:
        """The same, made in a thread of its own; the page goes on, and says so."""
        self._making = True
        self._complain("")
        self._tell()
        try:
            return await asyncio.to_thread(self.proof)
        except CertificateError as error:
            self._complain(f"No proof: {error}")
            raise
        finally:
            self._making = False
            self._tell()

    def _tell(self) -> None:
        """Say whether there is a proof to be had, and let it be asked for then."""
        self._proof.disabled = bool(self._why) or self._making
        about = f"No proof as a file: {esc(self._why)}." if self._why else _MAKING if self._making else _ON_DISK
        said = f'<p class="note" role="status">{about} {_WITHOUT}</p>'
        if said != self._note.object:
            self._note.object = said

    def _complain(self, message: str) -> None:
        self._wrong.phase = plain(message, 600)


def proof_of_classes(prepared: Prepared) -> MultiClassCertificate:
    """The certificate of a list of several classes, for the table itself where that is at hand.

    Raises
    ------
    CertificateError
        When there is none.
    """
    search: Any = prepared.search
    certificate: MultiClassCertificate = search.certificate()
    rows = prepared.classes
    return certificate if rows is None else certificate.for_table(rows.data.X, rows.labels, str(rows.data.target))


def unproven_of_classes(prepared: Prepared, latest: Snapshot) -> str:
    """Why there is no file of a proof; empty when there is one."""
    rows = prepared.classes
    if not hasattr(prepared.search, "certificate"):
        return "a recording holds no rows that it could be made of"
    if latest.status is not Status.OPTIMAL:
        return "the search has not proven this list optimal"
    if prepared.search.parameters["max_length"] is not None:
        return "it would be of lists of any length, and rules per list are limited"
    if rows is not None and len(rows.test):
        return "it would be checked on all rows, and some were kept out of training"
    if rows is not None and rows.data.weight is not None:
        return "it would be checked on rows that count alike, and these have weights"
    return ""
