"""What an answer is saved as, besides its model: its proof, a report, its whole run."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from ...certificate import Certificate
from ...multiclass import MultiClassCertificate, MultiClassRuleListSearch
from ...snapshot import Snapshot, Status
from ..cards.card import Card
from ..cards.exports import AnyModel, Exports, Files
from ..cards.report import report
from ..cards.scores import of_card
from ..live.prepared import Prepared
from ..live.session import SearchSession
from ..widgets.esc import esc

_ON_DISK = "Proof: a file that <code>rulelab verify</code> checks on the table."
_OF_SEVERAL = "The tab Alternatives and the fronts of Compare are of two classes."


class AnswerExports(Exports):
    """Those of an answer, of the moment that is shown: with its proof, a report and the whole run.

    `session` gives the present run. `model` and `card` give the model in the words of the data, and its card. `shown`
    gives the moment of the run that is shown.
    """

    def __init__(
        self,
        session: Callable[[], SearchSession],
        model: Callable[[], AnyModel],
        card: Callable[[], Card],
        shown: Callable[[], Snapshot | None],
    ) -> None:
        super().__init__(lambda: (model(), self._target))
        self._session, self._card, self._shown = session, card, shown

    def proof(self) -> io.BytesIO:
        """The certificate, as `rulelab verify` reads it; raises CertificateError when there is none."""
        prepared = self._session().prepared
        assert prepared is not None, "there is a model"
        out = io.BytesIO()
        proof_of(prepared, self._model()[0].classes).save(out)
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

    def files(self) -> Files:
        files = super().files()
        if not self._unproven:
            files["Proof"] = "proof.npz", partial(self._made, "proof", self.proof)
        if self._has_card:
            files["Report (HTML)"] = "report.html", partial(self._made, "report", self.report)
        files["Trace (CSV)"] = "trace.csv", lambda: io.StringIO(self._session().history.frame().to_csv(index=False))
        files["Recording"] = "run.rulelab", lambda: io.BytesIO(self._session().recording().to_bytes())
        return files

    def missing(self) -> list[str]:
        why = super().missing()
        why.append(f"No proof as a file: {esc(self._unproven)}." if self._unproven else _ON_DISK)
        prepared = self._session().prepared
        return [*why, _OF_SEVERAL] if prepared is not None and prepared.classes is not None else why

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


def proof_of(prepared: Prepared, classes: tuple[Any, ...]) -> Certificate | MultiClassCertificate:
    """The certificate in the labels of the data, so that it is checked on the table.

    `classes`: of the model in the words of the data. CertificateError when there is none.
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
