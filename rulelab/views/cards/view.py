"""A model card to look at, to annotate, to check and to export: the same in a notebook and in the dashboard."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn
import param
from panel.viewable import Viewer

from ...datasets import Dataset
from ...models import Model
from ...search import Search, Snapshot
from ..live.job import Job
from ..live.session import Prepared
from ..live.ticker import Beat
from ..widgets import icons
from ..widgets.download import download
from ..widgets.html import Html
from ..widgets.live_text import LiveText
from ..widgets.style import BAR_CSS, BUTTON_CSS, MODEL_BOX_CSS, PANEL_CSS
from . import card as cards
from . import html as card_html
from . import scores, verifying
from .card import Card
from .differences import Differences
from .style import MODEL_CSS

_WIDE = {"sizing_mode": "stretch_width", "margin": 0}


class ModelCard(Viewer):
    """A model with its rules, proof, scores, data, parameters, intended use and limits.

    Parameters
    ----------
    model : Model or Card
    data : Dataset, optional
        The data that the model was trained on: adds scores and rates per group.
    test_rows : int array, optional
        Positions of the rows of ``data`` that were kept out of training.
    search, snapshot : Search and Snapshot, optional
        That found the model: adds objective, bound, parameters, and the check of the certificate.
    on_remove : callable, optional
        Called by the button Remove; without it there is no such button.

    Examples
    --------
    In a notebook, after ``pn.extension(inline=True)``, which needs no network::

        last = rl.solve(search)
        rl.views.ModelCard(last.incumbent.model, data=data, search=search, snapshot=last)
    """

    letter = param.String(default="", doc="What the card is called among others.")
    intended_use = param.String(default="", label="Intended use")
    limits = param.String(default="", label="Limits")

    def __init__(
        self,
        model: Model | Card,
        *,
        data: Dataset | None = None,
        test_rows: Any = None,
        search: Search | None = None,
        snapshot: Snapshot | None = None,
        on_remove: Callable[[], None] | None = None,
        **params: Any,
    ) -> None:
        if not isinstance(model, Model | Card):
            raise TypeError(f"model must be a rulelab model, such as a RuleList, or a Card, not {model!r}")
        self._card = model if isinstance(model, Card) else _made(model, data, test_rows, search, snapshot)
        self._scores = scores.of_counts(self._card.model)
        self._marked = Differences()
        self._on_remove = on_remove
        self._checking: Job | None = None
        super().__init__(intended_use=self._card.intended_use, limits=self._card.limits, **params)
        self._build()
        self._beat = Beat(self.refresh)
        self._scoring = Job(partial(_score, self._card))
        self.write()
        self._beat.start()

    @property
    def card(self) -> Card:
        """The card with its present texts."""
        return cards.annotated(self._card, self.intended_use, self.limits)

    @property
    def scores(self) -> scores.Scores:
        """As far as they are known."""
        return self._scores

    @property
    def verdict(self) -> str:
        """What the check of the certificate said; empty before it is done."""
        job = self._checking
        if job is None or job.busy:
            return ""
        return str(job.result) if job.result is not None else f"not checked: {job.error}"

    @property
    def busy(self) -> bool:
        """Whether scores or a check are under way."""
        return self._scoring.busy or (self._checking is not None and self._checking.busy)

    def __panel__(self) -> Any:
        return self._layout

    def compare(self, letter: str, marked: Differences) -> None:
        """Give the card its name among others, and highlight what they do not share."""
        if (letter, marked) != (self.letter, self._marked):
            self.letter, self._marked = letter, marked
            self.write()

    def verify(self, *_: Any) -> None:
        """Make the certificate and check it, in another process; again while it runs: cancel."""
        if self._checking is not None and self._checking.busy:
            self._checking.cancel()
            return
        if reason := verifying.refusal(self._card):
            self._checking = None
            self._status.param.update(tone="limit", phase=f"No check: {reason}.")
            return
        self._checking = Job(partial(verifying.check, self._card), verifying.CHECKS)
        self.refresh()
        self._beat.start()

    def close(self) -> None:
        """End what is under way; the card is not shown any more."""
        self._scoring.cancel()
        if self._checking is not None:
            self._checking.cancel()
        self._beat.stop()

    def refresh(self) -> bool:
        """Show what the worker has done; True while it works."""
        busy = self.busy
        if self._scoring.result is not None and self._scoring.result is not self._scores:
            self._scores = self._scoring.result
            self.write()
        job = self._checking
        if job is not None:
            if job.busy:
                self._status.param.update(tone="busy", phase=f"Checking: {job.standing}")
            else:
                tone = "limit" if job.result is None else "proven" if job.result.valid else "failed"
                verdict = self.verdict
                self._status.param.update(tone=tone, phase=verdict[:1].upper() + verdict[1:])
            label = "Cancel" if job.busy else "Verify"
            if self._verify.label != label:
                self._verify.param.update(label=label, icon=icons.STOP if job.busy else icons.CHECK)
        error = self._scoring.error
        if error and not self._scoring.busy and not self._scoring.progress.cancelled:
            self._alert.phase = f"No scores: {error}"
        return busy

    def write(self) -> None:
        """Write everything anew."""
        card = self._card
        texts = {
            self._head: card_html.head(card, self.letter),
            self._rules: card_html.rules(card, self._marked) + card_html.figures(card, self._scores),
            self._more: card_html.groups(self._scores) + card_html.facts(card, self._marked),
        }
        with pn.io.hold():
            for pane, text in texts.items():
                if pane.object != text:
                    pane.object = text
            self._status.caption = f"Check of {self.letter or 'the model'}"

    def _build(self) -> None:
        self._head, self._rules, self._more = (Html("", stylesheets=[MODEL_CSS], **_WIDE) for _ in range(3))
        self._status = LiveText(sizing_mode="stretch_width", margin=(8, 0, 0, 0))
        self._alert = LiveText(role="alert", caption="Error", sizing_mode="stretch_width", margin=0)
        button = {"stylesheets": [BUTTON_CSS], "margin": 0, "height": 34}
        self._verify = pn.widgets.Button(
            label="Verify", icon=icons.CHECK, on_click=self.verify, color="primary", width=98, **button
        )
        actions = [self._verify]
        if self._on_remove is not None:
            remove = self._on_remove
            actions.append(pn.widgets.Button(label="Remove", on_click=lambda _: remove(), width=90, **button))
        exports = [
            download(label, f"{family}{suffix}", callback)
            for family in (self._card.model.family,)
            for label, suffix, callback in (
                ("Model (JSON)", ".json", self.as_json),
                ("Rules (text)", ".txt", self.as_text),
                ("Python", ".py", self.as_python),
            )
        ]
        notes = [
            pn.widgets.TextAreaInput.from_param(
                self.param[name],
                max_length=cards.MAX_NOTE,
                rows=4,
                auto_grow=True,
                max_rows=12,
                sizing_mode="stretch_width",
                margin=(6, 0),
            )
            for name in ("intended_use", "limits")
        ]
        bar = {"stylesheets": [BAR_CSS], "margin": (8, 0, 0, 0)}
        self._layout = pn.Column(
            self._head,
            self._alert,
            self._rules,
            pn.Row(*actions, **bar),
            self._status,
            self._more,
            *notes,
            pn.Row(*exports, **bar),
            stylesheets=[PANEL_CSS, MODEL_BOX_CSS],
            css_classes=["rl-model"],
            **_WIDE,
        )

    def as_json(self) -> io.StringIO:
        """The saved model, with what the card says."""
        return io.StringIO(self.card.to_json())

    def as_text(self) -> io.StringIO:
        """The rules in words."""
        return io.StringIO(f"{self._card.model.to_text(self._card.target or None)}\n")  # type: ignore[attr-defined]

    def as_python(self) -> io.StringIO:
        """A script that makes the model again."""
        return io.StringIO(self._card.code)


def _made(model: Model, data: Dataset | None, test_rows: Any, search: Search | None, snapshot: Snapshot | None) -> Card:
    if search is None or snapshot is None:
        return cards.of_model(model, data, test_rows)
    if snapshot.incumbent is None or snapshot.incumbent.model != model:
        raise ValueError("the snapshot's model is another one; give the snapshot that found this model")
    if data is None:
        return cards.of_search(search, snapshot)
    labels = (data.negative, data.positive)
    prepared = Prepared(search, labels, str(data.target), data.name, data=data, test_rows=test_rows)
    return cards.of_search(search, snapshot, prepared)


def _score(card: Card, progress: Any) -> scores.Scores:
    return scores.of_card(card, progress.report)
