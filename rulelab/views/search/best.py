"""The box of the best model at the moment that is shown: its rules, its doubts, and what it is saved as."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import panel as pn

from ...certificate import Certificate
from ...families.account import equation, title
from ...models import Model
from ...multiclass import MultiClassCertificate, MultiClassRuleListSearch
from ...report import Known
from ...report.known import compared
from ...snapshot import Snapshot, Status
from ..cards.card import Card, in_words, of_search
from ..cards.exports import Exports, Files, Source
from ..cards.html import rates_of_groups
from ..cards.report import report
from ..cards.rule_tables import class_tables
from ..cards.scores import doubt_list, fairness_notes, in_place_of, incumbent_card, of_card, on_test_rows
from ..live.prepared import Prepared
from ..live.recorded import RecordedSession
from ..live.session import SearchSession
from ..widgets import icons
from ..widgets.browser import Pointer
from ..widgets.esc import esc
from ..widgets.explained import WORD_CSS, word
from ..widgets.fields import KEEP, WIDE, button
from ..widgets.html import Html
from ..widgets.style import BAR_CSS, CARD_CSS, LOW_CSS, MODEL_CSS
from .families import Look

_EMPTY = '<p class="empty">What is found stands here, and changes as the search improves it.</p>'
_GROUPS = '<p class="empty">How the groups of people fare, without the constraint and with it.</p>'
_ON_DISK = "Proof: a file that <code>rulelab verify</code> checks on the table."
_OF_SEVERAL = "The tab Alternatives and the fronts of Compare are of two classes."


class BestModel:
    """What stands in the box, and four buttons under it: keep to compare, edit, one person, export."""

    def __init__(
        self,
        session: Callable[[], SearchSession],
        keep: Callable[..., None],
        edit: Callable[..., None],
        ask: Callable[..., None],
    ) -> None:
        self.shown: Snapshot | None = None  # the moment of the run; None: before it
        self.over = False  # whether that is its end
        self.session = session  # gives the present run
        self._look: Look
        self._model: Model | None = None
        self._rows = 0  # places in the table: while a search runs it never becomes shorter
        self._drawn: tuple[Any, ...] = ()  # of what moment the card is
        self._before = ""  # what stood there until now
        self.heading = Html("", stylesheets=[CARD_CSS, WORD_CSS], css_classes=["rl-heading"], margin=0)
        self.card = Html("", stylesheets=[CARD_CSS, LOW_CSS], css_classes=["rl-rules"], **WIDE)
        below: dict[str, Any] = {"stylesheets": [MODEL_CSS], **WIDE, "margin": (10, 0, 0, 0)}
        self.groups = Html("", **(below | {"margin": 0}))  # of all sensitive attributes, at the end
        self.compared = Html(_GROUPS, **below)  # of the groups that the search compares
        self.exports = AnswerExports(self)
        self._keep = button(KEEP, keep, 172, icon=icons.PIN)
        self._edit = button("Edit", edit, 64)
        self._ask = button("One person", ask, 104)
        bar = pn.Row(self._keep, self._edit, self._ask, self.exports.button, stylesheets=[BAR_CSS], margin=0)
        beneath = {**WIDE, "margin": (6, 0, 0, 0)}
        self.lacking = Html("", stylesheets=[CARD_CSS], **beneath)  # why some of the buttons are not there
        self.person = pn.Column(visible=False, css_classes=["rl-person"], **beneath)
        self._pointer = Pointer(head="rl-person", width=0, height=0, margin=0)
        self._actions = bar, self.lacking, self.exports.menu, self.person, self._pointer
        self.actions = pn.Column(visible=False, **beneath)
        self.parts = self.heading, self.card, self.actions, self.groups
        self.offer(False, False)

    def clear(self, look: Look) -> None:
        """Show that nothing has been found, in the words of this kind of search."""
        self.shown, self._look = None, look
        self._before = "" if self._model is None else self.card.object
        self._show_no_model()
        self._name()
        self.say_pinned("")

    def show(self, prepared: Prepared, latest: Snapshot) -> None:
        """Show the best model of a moment of the run."""
        session, self.shown, best = self.session(), latest, latest.incumbent
        # one that was stopped still says that it runs
        over = self.over = latest.status is not Status.RUNNING or (session.state.over and latest is session.snapshot)
        if best is None:
            self._show_no_model()
        elif (self._places(best.model), latest.status, over) != self._drawn or best.model is not self._model:
            self._model, self._rows = best.model, self._places(best.model)
            self._drawn = self._rows, latest.status, over
            parts, spare = equation(prepared.search, latest), self._rows - len(best.model.rules)
            rows, counted = prepared.n_rows, prepared.counts_rows
            named = in_words(best.model, prepared.labels)
            training = prepared.training if over else None
            rules = incumbent_card(best, prepared.labels, prepared.target, parts, spare, rows, counted, training)
            tables = class_tables(best.model, prepared.classes)
            known = prepared.known(named, latest) if over else None
            said = on_test_rows(known) + doubt_list(known) if known else ""
            notes = fairness_notes(latest, prepared.unconstrained, prepared.counted_gaps(best.model))
            further = tables + said + notes
            self.card.object = f'{rules}<div class="further">{further}</div>' if further else rules
            self._show_groups(prepared, best.model, known)
            self.prepare()
            self.send(None)
            self.actions.visible = True
            self.say_pinned("")
            self.exports.refresh()
        self._name(title(prepared.search, latest) if best is not None else "")

    def _show_groups(self, prepared: Prepared, model: Model, known: Known | None) -> None:
        """The rates of the groups that the search compares, and at its end of those of other sensitive attributes."""
        found, free, parameters = prepared.rates(model), prepared.unconstrained, prepared.search.parameters
        asked = compared(parameters.get("fairness") or parameters.get("criterion"))
        name = getattr(prepared.recipe, "sensitive", None) or "group"
        tables = {} if known is None else dict(known.groups)
        on_test = known is not None and known.on_test
        if asked and found is not None:
            if not on_test:
                tables.pop(name, None)  # which is what the search compares
            without = None if free is None or free.incumbent is None else prepared.rates(free.incumbent.model)
            self.compared.object = rates_of_groups({name: found}, asked, without)
        self.groups.object = rates_of_groups(tables, on_test=on_test)

    def _places(self, model: Model) -> int:
        """How many rules there is place for."""
        return len(model.rules) if self.over else max(len(model.rules), self._rows)

    def say_pinned(self, letter: str) -> None:
        """Say which card the model has become; an empty letter takes it away."""
        self._keep.label = f"Pinned as {letter} in Compare" if letter else KEEP

    def model_card(self) -> Card:
        """The model card at the moment that is shown; ValueError when there is no model yet, or no card of it."""
        assert self.shown is not None
        return self.card_at(self.shown)

    def card_at(self, snapshot: Snapshot) -> Card:
        """The model card of another moment; of a kept run the one that came with it, which is of its end."""
        session = self.session()
        if isinstance(session, RecordedSession):
            end, card = session.snapshot.incumbent, session.card
            if card is None:
                raise ValueError("A recording holds no rows, and so no model card: Run, and pin its model.")
            if snapshot.incumbent is None or end is None or snapshot.incumbent.model != end.model:
                raise ValueError("Of a kept run only the model at its end has a card: move the slider to its end.")
            return card  # type: ignore[no-any-return]
        assert session.search is not None
        return of_search(session.search, snapshot, session.prepared)

    @property
    def in_words(self) -> Model:
        """The model with the labels of the data; it is asked for where there is one."""
        assert self._model is not None
        prepared = self.session().prepared
        return in_words(self._model, None if prepared is None else prepared.labels)

    def offer(self, keep: bool, edit: bool, ask: bool = False) -> None:
        """Show the buttons that keep the model, edit it, and send a person through, where there is what does that."""
        for each, shown in ((self._keep, keep), (self._edit, edit), (self._ask, ask)):
            each.visible = shown

    def send(self, panel: pn.viewable.Viewable | None) -> None:
        """Show what the model says of one person; None: take it away."""
        if panel is not None or self.person.visible:
            self.person.param.update(objects=[] if panel is None else [panel], visible=panel is not None)
            self._pointer.heads += panel is not None

    def prepare(self) -> None:
        """Make the buttons, hidden, and keep the place of the model before: what comes late moves what is below."""
        if not self.actions.objects:
            self.actions.objects = list(self._actions)
        if self._model is None and self._before:
            self.card.object = in_place_of(self._before, _EMPTY)

    def _show_no_model(self) -> None:
        self._model = None
        self.send(None)
        self.groups.object, self.compared.object = "", _GROUPS
        if self.card.object not in (_EMPTY, in_place_of(self._before, _EMPTY)):
            self.card.object = _EMPTY
        if self.actions.visible:
            self.actions.visible = False
        self.exports.fold()

    def _name(self, title: str = "") -> None:
        """Say what the best model is, as far as that is proven."""
        heading = title or self._look.heading
        self.heading.object = f'<h2 aria-label="{esc(heading)}">{word(heading, self._look.heading)}</h2>'


class AnswerExports(Exports):
    """Those of an answer, of the moment that is shown: with its proof, a report and the whole run."""

    def __init__(self, best: BestModel) -> None:
        super().__init__(lambda: (best.in_words, self._source))
        self._best = best

    @property
    def _source(self) -> Source:
        prepared = self._prepared
        rows = prepared if prepared.classes is None else prepared.classes
        return Source.of(prepared.target, rows.data, getattr(prepared.search.problem, "fingerprint", None))

    @property
    def _prepared(self) -> Prepared:
        prepared = self._best.session().prepared
        assert prepared is not None, "there is a model"
        return prepared

    def proof(self) -> io.BytesIO:
        """The certificate, as `rulelab verify` reads it; raises CertificateError when there is none."""
        out = io.BytesIO()
        proof_of(self._prepared, self._best.in_words.classes).save(out)
        out.seek(0)
        return out

    def report(self) -> io.StringIO:
        """The card with test scores and groups as a page that needs no network."""
        card = self._best.model_card()
        return io.StringIO(report([card], [of_card(card, lambda doing: None)]))

    def offered(self) -> tuple[Files, list[str]]:
        (files, missing), session = super().offered(), self._best.session
        missing.append(f"No proof as a file: {esc(self._unproven)}." if self._unproven else _ON_DISK)
        if self._prepared.classes is not None:
            missing.append(_OF_SEVERAL)
        if not self._unproven:
            files["Proof"] = "proof.npz", partial(self._made, "proof", self.proof)
        with suppress(ValueError):  # there is no card
            self._best.model_card()
            files["Report (HTML)"] = "report.html", partial(self._made, "report", self.report)
        files["Trace (CSV)"] = "trace.csv", lambda: io.StringIO(session().history.frame().to_csv(index=False))
        files["Recording"] = "run.rulelab", lambda: io.BytesIO(session().recording().to_bytes())
        return files, missing

    @property
    def _unproven(self) -> str:
        assert self._best.shown is not None
        return unproven(self._prepared, self._best.shown)


def proof_of(prepared: Prepared, classes: tuple[Any, ...]) -> Certificate | MultiClassCertificate:
    """The certificate in these labels, which the data have, so that it is checked on the table; CertificateError."""
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
