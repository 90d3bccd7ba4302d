"""The model of a chosen point: of one fold, or searched again on all rows, with its card."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn
import param
from panel.viewable import Viewer

from ..cards.card import Card
from ..cards.view import ModelCard
from ..live.job import Job, Progress
from ..live.pool import POOL
from ..widgets import icons
from ..widgets.html import Html
from ..widgets.live_text import LiveText
from ..widgets.pinned import pinned_note
from ..widgets.style import BAR_CSS, BUTTON_CSS, CARDS_CSS, MODEL_CSS, SELECT_CSS
from . import card as fronts_card
from .points import Point
from .run import Started

ALL_ROWS = -1
"""In place of a fold: the model that is searched again on all rows."""
_OFFERED = "all rows: search again with this setting"
_BASELINE = '<p class="empty">Other methods are here for comparison; they have no model card.</p>'
_WAITING = '<p class="empty">No fold of this setting has a model yet.</p>'
_ABOUT_FOLD = (
    '<p class="note">One of the models behind the point: trained on the other folds, tested on this one. '
    "The point is the mean of all of them.</p>"
)
_ABOUT_SPLIT = '<p class="note">The model of the training rows, tested on the rows that were kept out.</p>'
_ABOUT_ALL = (
    '<p class="note">The same setting searched on all rows: the model to use. No rows are left to test it on; what to '
    "expect of it is what the point says.</p>"
)
_WIDE = {"sizing_mode": "stretch_width", "margin": 0}


class PointModel(Viewer):
    """A list of a point's models and the card of the chosen one.

    Parameters
    ----------
    complain : callable
        Shows an error message.
    wake : callable
        Called when `refresh` has to be called again and again.
    """

    fold: param.Selector[int | None] = param.Selector(default=None, objects=[None], label="Model of")
    on_pin = param.Callable(default=None, doc="Takes a card and gives its letter; None: no button.")

    def __init__(self, complain: Callable[[str], None], wake: Callable[[], None], **params: Any) -> None:
        super().__init__(**params)
        self._complain = complain
        self._wake = wake
        self._started: Started | None = None
        self._point: Point | None = None
        self._of: tuple[Any, ...] = ()
        self._shown: ModelCard | None = None
        self._job: Job | None = None
        self._build()

    def __panel__(self) -> Any:
        return self._layout

    @property
    def card(self) -> Card | None:
        """The card that is shown, with its present texts."""
        return None if self._shown is None else self._shown.card

    def offer(self, started: Started, point: Point) -> None:
        """Let one of the models of a point be chosen; the first one is taken."""
        new = self._point is None or self._started is not started or self._point.key != point.key
        self._started, self._point = started, point
        options: dict[str, Any] = {} if point.baseline else self._models()
        if new or options != self._picker.options:
            chosen = self.fold if not new and self.fold in options.values() else next(iter(options.values()), None)
            self.param.fold.objects = list(options.values()) or [None]
            self._picker.options = options
            self._picker.visible = bool(options)
            self.fold = chosen
        self._choose()

    def refresh(self) -> bool:
        """Show how far a search on all rows is; True while there is something to wait for."""
        job = self._job
        if job is not None:
            if job.busy:
                self._status.param.update(tone="busy", phase=f"Model of all rows: {job.standing}")
                return True
            self._job = None
            self._status.phase = ""
            if job.result is not None:
                self._put(job.result)
            elif not job.progress.cancelled:
                self._complain(f"the model of all rows: {job.error}")
        return False

    def close(self) -> None:
        """End what is under way."""
        if self._job is not None:
            self._job.cancel()
        if self._shown is not None:
            self._shown.close()

    def pin(self, *_: Any) -> None:
        """Hand the card to `on_pin`."""
        if self.card is None or self.on_pin is None:
            return
        try:
            letter = self.on_pin(self.card)
        except ValueError as error:
            self._complain(str(error))
        else:
            self._pinned.object = pinned_note(letter)

    def _models(self) -> dict[str, int]:
        assert self._started is not None
        assert self._point is not None
        sweep, point = self._started.sweeps[self._point.sweep], self._point.point
        folds = sorted(r.fold for r in sweep.results if r.point == point and r.model is not None)
        if sweep.plan.split and folds:
            return {"training rows": folds[0], _OFFERED: ALL_ROWS}
        return {**{f"fold {k + 1} of {sweep.plan.n_folds}": k for k in folds}, _OFFERED: ALL_ROWS} if folds else {}

    @param.depends("fold", watch=True)
    def _choose(self) -> None:
        """Show the card of what is chosen, once."""
        point = self._point
        if point is None or self._started is None or (of := (id(self._started), point.key, self.fold)) == self._of:
            return
        self._of = of
        self.close()
        self._job = None
        self._status.phase = ""
        self._take_away(_BASELINE if point.baseline else _WAITING)
        if self.fold is None:
            return
        sweep = self._started.sweeps[point.sweep]
        data = self._started.data or fronts_card.data_of(sweep)
        if self.fold == ALL_ROWS:
            self._about.object = _ABOUT_ALL
            self._job = Job(partial(_refitted, sweep, point.point, data, self._started.named), POOL)
            self.refresh()
            self._wake()
            return
        self._about.object = _ABOUT_SPLIT if sweep.plan.split else _ABOUT_FOLD
        self._put(self.card_of(self._started, point, self.fold))

    @staticmethod
    def card_of(started: Started, point: Point, fold: int | None) -> Card:
        """The card of a point's model of a fold; raises ValueError where there is none."""
        sweep = started.sweeps[point.sweep]
        result = next((r for r in sweep.results if (r.point, r.fold) == (point.point, fold)), None)
        if result is None:
            raise ValueError("there is no model of this setting to pin")
        code = started.codes[point.sweep] if started.codes else ""
        data = started.data or fronts_card.data_of(sweep)
        return fronts_card.of_fold(sweep, result, data, code, started.named, started.test_share)

    def _put(self, card: Card) -> None:
        self._shown = ModelCard(card)
        self._place.objects = [self._shown.__panel__()]
        self._offer_pin()

    def _take_away(self, text: str) -> None:
        self._shown = None
        self._place.objects = []
        self._offer_pin()
        self._pinned.object = pinned_note()
        self._about.object = text

    @param.depends("on_pin", watch=True)
    def _offer_pin(self) -> None:
        self._pin.visible = self._pinned.visible = self.on_pin is not None and self._shown is not None

    def _build(self) -> None:
        self._picker = pn.widgets.Select.from_param(
            self.param.fold, sizing_mode="stretch_width", margin=(0, 0, 6, 0), stylesheets=[SELECT_CSS]
        )
        self._about = Html("", stylesheets=[MODEL_CSS], **_WIDE)
        self._status = LiveText(caption="Model of all rows", sizing_mode="stretch_width", margin=0)
        self._pin = pn.widgets.Button(
            label="Pin model",
            icon=icons.PIN,
            on_click=self.pin,
            visible=False,
            stylesheets=[BUTTON_CSS],
            margin=0,
            height=34,
            width=120,
        )
        self._pinned = Html(pinned_note(), stylesheets=[MODEL_CSS], margin=0, visible=False)
        self._place = pn.Column(stylesheets=[CARDS_CSS], **_WIDE)
        self._layout = pn.Column(
            *(self._picker, self._about, self._status),
            pn.Row(self._pin, self._pinned, stylesheets=[BAR_CSS], margin=(6, 0)),
            self._place,
            **_WIDE,
        )


def _refitted(sweep: Any, point: int, data: Any, named: bool, progress: Progress) -> Card:
    return fronts_card.refitted(sweep, point, data, progress.report, named)
