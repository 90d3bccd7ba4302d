"""The model of a chosen point, with its card."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import panel as pn
import param

from ...families import least_gap
from ...sweeps import FAMILIES, Result, Sweep
from ...sweeps.families import BINARIZING
from ..cards import card as cards
from ..cards.card import Card, Proof
from ..cards.rows import Split
from ..cards.templates import today
from ..cards.view import ModelCard
from ..live.wording import count, family_name
from ..widgets import icons
from ..widgets.buttons import KEEP, pinned_note
from ..widgets.esc import plain
from ..widgets.fields import WIDE, LayoutViewer, button
from ..widgets.html import Html
from ..widgets.style import BAR_CSS, CARDS_CSS, MODEL_CSS
from .points import Point, asked_in_words, in_words
from .run import Started

_BASELINE = '<p class="empty">Other methods are here for comparison; they have no model card.</p>'
_WAITING = '<p class="empty">This setting has no model.</p>'
_ABOUT = '<p class="note">The model of the training rows, tested on the rows that were kept out.</p>'
_UNTESTED = '<p class="note">The model of all rows: none are left to test it on.</p>'


def card_of(started: Started, point: Point) -> Card:
    """The card of a point's model of the training rows, tested on those kept out; ValueError when there is no model."""
    result = started.result_of(point)
    if result is None:
        raise ValueError("there is no model of this setting to pin")
    sweep, data, share = started.sweeps[point.sweep], started.data_of(point), started.test_share
    plan, code = sweep.plan, started.codes[point.sweep] if started.codes else ""
    test = np.flatnonzero(plan.fold_of == result.fold)
    known = plan.tested == bool(share)  # rows that no question deals cannot be dealt again
    split = Split.of(data, started.named, test_share=share) if known else None
    card = cards.of_model(result.load(), data, test if len(test) else None, split)
    proof = None
    if result.objective is not None and result.lower_bound is not None:
        bounds = result.objective, result.lower_bound
        proof = Proof(*bounds, result.status == "optimal", *_said(sweep, result))
    again = (
        f"{code}\nsweep.wait()\nresult = next(r for r in sweep.results if r.point == {result.point})\n"
        "model = result.load()\nprint(model)\n"
    )
    return replace(
        card,
        code=again if code else card.code,
        title=title_of(data.name, sweep),
        proof=proof,
        parameters=_parameters(sweep, result.point),
        made=today(),
    )


def title_of(name: str, sweep: Sweep) -> str:
    """What a card of a point is a model of."""
    return f"{name}, {'training' if sweep.plan.tested else 'all'} rows"


def _said(sweep: Sweep, result: Result) -> tuple[str, str, str]:
    """Scope, equation and bound of what a fit has proven, in words."""
    method, where = FAMILIES[result.family], "these conditions"
    asked = asked_in_words(sweep, result.point)
    where += f" ({asked})" if asked else ""
    if not method.family.needs_groups:
        return f"no {family_name(result.family)} over {where} has a smaller objective", "", ""
    chosen, attribute = sweep.parameters_of(result.point), plain(" and ".join(sweep.plan.identity["sensitive"]), 60)
    bound = "" if result.lower_bound is None else least_gap.bound(chosen, where, result.lower_bound)
    return (least_gap.claim(chosen, where, attribute), method.family.objective(result.load(), chosen), bound)


def _parameters(sweep: Sweep, point: int) -> dict[str, str]:
    """All parameters of a configuration in words, and how it was validated; those that are not set are left out."""
    plan = sweep.plan
    chosen = dict(sweep.parameters_of(point))
    found = {"quantile groups": in_words("thresholds", chosen.pop("thresholds"))}
    if plan.counts is not None:
        found = {"conditions": f"{count(len(plan.counts.conditions))}, under which the rows were counted"}
        chosen = {name: value for name, value in chosen.items() if name not in BINARIZING}
    if "min_support" in chosen:
        found["conditions per rule"] = f"at most {chosen.pop('max_conditions')}"
        found["support"] = f"{chosen.pop('min_support'):g} to {chosen.pop('max_support'):g}"
    found |= {name.replace("_", " "): _in_words(name, value) for name, value in chosen.items() if value is not None}
    found["test split"] = plan.split
    if plan.time_limit is not None:
        found["time limit"] = f"{plan.time_limit:g} s"
    if plan.resample is not None:
        found["resampling"] = plan.resample
    return found


def _in_words(name: str, value: object) -> str:
    if name == "memory_limit" and isinstance(value, int | float):
        return f"{value / 1e6:g} MB"
    text = in_words(name, value)
    return text.replace("_", " ") if isinstance(value, str) else text


class PointModel(LayoutViewer):
    """The card of a point's model; ``complain`` shows an error."""

    on_pin = param.Callable(default=None, doc="Takes a card and gives its letter; None: no button.")

    def __init__(self, complain: Callable[[str], None], **params: Any) -> None:
        super().__init__(**params)
        self._complain = complain
        self._of: tuple[Any, ...] = ()
        self.shown: ModelCard | None = None
        self._about = Html("", stylesheets=[MODEL_CSS], **WIDE)
        self._pin = button(KEEP, self.pin, 120, small=False, icon=icons.PIN, visible=False)
        self._pinned = Html(pinned_note(), stylesheets=[MODEL_CSS], margin=0, visible=False)
        self._place = pn.Column(stylesheets=[CARDS_CSS], **WIDE)
        bar = pn.Row(self._pin, self._pinned, stylesheets=[BAR_CSS], margin=(6, 0))
        self._layout = pn.Column(self._about, bar, self._place, **WIDE)

    @property
    def card(self) -> Card | None:
        """The card that is shown, with its present texts."""
        return None if self.shown is None else self.shown.card

    def offer(self, started: Started, point: Point) -> None:
        """Show the model of a point's training rows, once."""
        known = started.result_of(point) is not None
        if (of := (id(started), point.key, known)) == self._of:
            return
        self._of = of
        self.close()
        self.shown = ModelCard(card_of(started, point)) if known else None
        self._place.objects = [] if self.shown is None else [self.shown.__panel__()]
        about = _ABOUT if started.sweeps[point.sweep].plan.tested else _UNTESTED
        self._about.object = about if known else _BASELINE if point.baseline else _WAITING
        self._pinned.object = pinned_note()
        self._offer_pin()

    def close(self) -> None:
        """End what is under way."""
        if self.shown is not None:
            self.shown.close()

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

    @param.depends("on_pin", watch=True)
    def _offer_pin(self) -> None:
        self._pin.visible = self._pinned.visible = self.on_pin is not None and self.shown is not None
