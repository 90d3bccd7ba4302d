"""A model card to look at, to annotate, to check and to export: the same in a notebook and in the dashboard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import panel as pn
import param

from ...arguments import short
from ...datasets import Dataset
from ...models import Model
from ...snapshot import Snapshot
from ...stepping import Search
from ..live.job import Job
from ..live.ticker import Work
from ..notebook import NotebookViewer
from ..widgets.esc import esc, plain
from ..widgets.fields import WIDE, alert, button, column, row
from ..widgets.html import Html
from ..widgets.style import BAR_CSS, MODEL_CSS, PANEL_CSS, sheet
from . import card as cards
from . import html as card_html
from . import scores
from .card import Card
from .differences import default_names
from .exports import card_exports
from .html import Place, Section
from .verifying import ROBUSTNESS, Check, fragile, refusal

_LINES_CSS = sheet("lines.css")
_OF_LINES = ("rules", "figures", "groups", "facts")  # parts whose lines are rows of the grid around them
_OF_TEXT = ("head", "by_class", "doubts", "fairness")


class ModelCard(NotebookViewer):
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
    sample_weight : array, shape (n_rows,), optional
        Weights of the rows of ``data``.
    on_remove : callable, optional
        Called by the button Remove; without it there is no such button.

    Attributes
    ----------
    intended_use, limits : str
        Written by people, shown and saved with the model.
    exports : Exports
        What it is saved as.
    parts : dict of str to pane
        What is written in it: "head", "rules", "figures", "by_class", "doubts", "fairness", "groups", "facts".
    check, robust : Check
        Of the certificate, and of how many rows may change.

    Examples
    --------
    In a notebook::

        last = rl.solve(search)
        rl.views.ModelCard(last.incumbent.model, data=data, search=search, snapshot=last)
    """

    letter = param.String(default="", doc="What the card is called among others.")
    called = param.String(default="", doc="The name that people gave it; empty: none.")
    scored = param.Integer(default=0, doc="How often its scores have changed.")
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
        sample_weight: Any = None,
        on_remove: Callable[[], None] | None = None,
        **params: Any,
    ) -> None:
        if not isinstance(model, Model | Card):
            raise TypeError(f"model must be a rulelab model, such as a RuleList, or a Card, not {short(model)}")
        if not isinstance(model, Card):
            model = _made(model, data, test_rows, search, snapshot)
            if sample_weight is not None and model.rows is not None:
                model = replace(model, rows=replace(model.rows, weight=np.asarray(sample_weight)))
        self._card = model
        self.scores = scores.of_counts(self._card)  # as far as they are known
        self._place = Place(name=default_names([self._card])[0])
        self._on_remove = on_remove
        self.exports = card_exports(lambda: self.card)
        self.check = Check(lambda: self._card)
        self.robust = Check(lambda: self._card, task=ROBUSTNESS, width=104)
        own = {"called": self._card.name, "intended_use": self._card.intended_use, "limits": self._card.limits}
        super().__init__(**own, **params)
        self._build()
        self._scoring = Work()
        self.write()
        self._scoring.begin(lambda progress: scores.of_card(self._card, progress.report), self._take_scores)

    @property
    def card(self) -> Card:
        """The card with its present texts."""
        return cards.annotated(self._card, self.intended_use, self.limits, self.called)

    @property
    def title(self) -> str:
        """Its name: the one that people gave it, or what tells it apart."""
        return self.called or self._place.name

    @property
    def verdict(self) -> str:
        """What the check of the certificate said; empty before it is done."""
        return self.check.verdict

    @property
    def robustness(self) -> str:
        """How many rows may change before another list wins; empty before that is found."""
        return self.robust.verdict

    @property
    def busy(self) -> bool:
        """Whether scores or a check are under way."""
        return self._scoring.busy or self.check.busy or self.robust.busy

    def take(self, place: Place) -> None:
        """Take a place among other cards."""
        self._place, self.letter = place, place.letter
        self.write()

    def verify(self, *_: Any) -> None:
        """Make the certificate and check it, in another process; again while it runs: cancel."""
        self.check.press()

    def close(self) -> None:
        """End what is under way; the card is not shown any more."""
        for each in (self._scoring, self.check, self.robust):
            each.close()

    def refresh(self) -> bool:
        """Show what the workers have done; True while they work."""
        busy = [each.refresh() for each in (self._scoring, self.check, self.robust)]
        return any(busy)

    def _take_scores(self, job: Job) -> None:
        if job.result is not None:
            self.scores = job.result
            self.write()
            self.scored += 1
        elif not job.progress.cancelled:
            self._alert.phase = f"No scores: {job.error}"

    def write(self) -> None:
        """Write everything anew."""
        card, place = self._card, self._place
        heading = f'<h2 class="aside">{esc(self.letter)} {esc(self.title)}</h2>'
        badge = f'<span class="letter">{esc(self.letter)}</span>' if self.letter else ""
        head = Section(heading + card_html.head(card))
        written = {"head": head, **card_html.sections(card, self.scores, place)}
        texts = {self.parts[name]: part for name, part in written.items()}
        with pn.io.hold():
            line = 1
            for item in self._layout.objects:
                text, height = texts.get(item, Section(""))
                if item in texts and item.object != text:
                    item.object = text
                item.styles = {"grid-row": f"{line} / span {height}"}
                line += height
            self._layout.styles = {"grid-row": f"1 / span {line - 1}"}
            self._badge.object = badge
            self._name.placeholder = plain(self._place.name, 160)
            self.check.line.caption = f"Check of {self.letter or 'the model'}"
            self.robust.line.caption = f"Robustness of {self.letter or 'the model'}"

    @param.depends("called", watch=True)
    def _rename(self) -> None:
        """A name has one line; the key Enter ends it."""
        name = plain(" ".join(self.called.split()), cards.MAX_NAME)
        if name != self.called:
            self.called = name
        else:
            self.write()

    def _typed(self, event: param.parameterized.Event) -> None:
        if "\n" in event.new:
            self._name.value = self.called = plain(" ".join(event.new.split()), cards.MAX_NAME)

    def _build(self) -> None:
        self._badge = Html("", stylesheets=[MODEL_CSS], margin=0, align="center")
        self.parts = {name: Html("", stylesheets=[MODEL_CSS], **WIDE) for name in _OF_TEXT}
        self.parts |= {name: Html("", stylesheets=[MODEL_CSS, _LINES_CSS], **WIDE) for name in _OF_LINES}
        self._alert = alert()
        self._name = pn.widgets.TextAreaInput.from_param(
            self.param.called,
            label="Name",
            rows=1,
            resizable=False,
            max_length=cards.MAX_NAME,
            stylesheets=[sheet("text_area.css", "name.css")],
            sizing_mode="stretch_width",
            margin=0,
        )
        self._name.param.watch(self._typed, "value_input")
        actions: list[Any] = [self.check.button]
        self.check.button.visible = not refusal(self._card)
        proven = self._card.proof is not None and self._card.proof.proven
        if proven and not self.check.button.visible:
            self.check.press()  # says why it cannot be checked
        if proven and not fragile(self._card):
            actions.append(self.robust.button)
        if self._on_remove is not None:
            remove = self._on_remove
            actions.append(button("Remove", lambda _: remove(), None))
        actions.append(self.exports.button)
        notes = [
            pn.widgets.TextAreaInput.from_param(
                self.param[name],
                max_length=cards.MAX_NOTE,
                rows=3,
                sizing_mode="stretch_width",
                margin=(6, 0),
                stylesheets=[sheet("text_area.css", "note.css")],
            )
            for name in ("intended_use", "limits")
        ]
        self._layout = column(
            row(self._badge, self._name, sheets=()),
            self.parts["head"],
            self._alert,
            self.parts["rules"],
            pn.Row(*actions, stylesheets=[BAR_CSS, ":host { gap: 5px; }"], margin=(8, 0, 0, 0)),
            self.check.line,
            self.robust.line,
            self.exports.menu,
            *(self.parts[name] for name in ("figures", "by_class", "doubts", "fairness", "groups", "facts")),
            *notes,
            sheets=[PANEL_CSS, sheet("model_box.css")],
            classes="rl-model",
        )


def _made(model: Model, data: Dataset | None, test_rows: Any, search: Search | None, snapshot: Snapshot | None) -> Card:
    if search is None or snapshot is None:
        return cards.of_model(model, data, test_rows)
    if snapshot.incumbent is None or snapshot.incumbent.model != model:
        raise ValueError("the snapshot's model is another one; give the snapshot that found this model")
    return cards.of_search(search, snapshot, cards.prepared_of(search, data, test_rows))
