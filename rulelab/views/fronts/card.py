"""The model of a chosen point, with its card: that of the training rows, or one that is searched again on all rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import panel as pn
import param

from ...data.conditions import NothingFound
from ...datasets import Dataset
from ...families import least_gap
from ...recipe import Recipe
from ...sweeps import FAMILIES, Result, Sweep
from ...sweeps.families import BINARIZING
from ...sweeps.plan import Fold
from ..cards import card as cards
from ..cards.card import Card, Proof
from ..cards.rows import Rows, Split
from ..cards.templates import today
from ..cards.view import ModelCard
from ..live.job import POOL, Job
from ..live.ticker import Work, Working
from ..live.wording import count, family_name
from ..widgets import icons
from ..widgets.buttons import KEEP, pinned_note
from ..widgets.esc import plain
from ..widgets.fields import WIDE, LayoutViewer, button, select
from ..widgets.html import Html, LiveText
from ..widgets.style import BAR_CSS, CARDS_CSS, MODEL_CSS
from .points import Point, asked_in_words, in_words
from .run import Started

_OFFERED = "all rows: search again with this setting"
_BASELINE = '<p class="empty">Other methods are here for comparison; they have no model card.</p>'
_WAITING = '<p class="empty">This setting has no model.</p>'
_ABOUT = '<p class="note">The model of the training rows, tested on the rows that were kept out.</p>'
_UNTESTED = '<p class="note">The model of all rows: none are left to test it on.</p>'
_ABOUT_ALL = (
    '<p class="note">The same setting searched on all rows: the model to use. No rows are left to test it on; what to '
    "expect of it is what the point says.</p>"
)


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
    title = title_of(data.name, sweep)
    return _completed(replace(card, code=again if code else card.code), sweep, result.point, title, proof)


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


def refitted(sweep: Sweep, point: int, data: Dataset, report: Callable[[str], None], named: bool = False) -> Card:
    """The card of a family's configuration searched once more, on all rows; such a model has no test rows.

    `report` is told what is being done; it may raise to end the work. `named`: whether `rulelab.datasets.load` knows
    the data by name. ValueError when there is no such model.
    """
    plan, chosen = sweep.plan, sweep.parameters_of(point)
    method = FAMILIES[next(result.family for result in sweep.results if result.point == point)]
    if plan.counts is not None:
        data = replace(plan.counts, test=None, split="").dataset()
    report("making the conditions of all rows")
    part = replace(plan, fold_of=np.full_like(plan.fold_of, -1)).fold(0).train
    title = f"{data.name}, all rows"
    rows = Rows(data, None, Split.of(data, named))
    try:
        problem = method.problem(Fold(0, part, part, plan.compared), chosen)
    except NothingFound as error:
        if Recipe(method.family, chosen).demands:
            raise
        model, objective = method.without_rules(part, chosen)
        proof = Proof(objective, objective, True, str(error))
        return _completed(replace(cards.of_model(model, data), rows=rows), sweep, point, title, proof)
    search = method.search(problem, chosen, plan)
    report("compiling the search")
    search.compile()
    for snapshot in search.steps(time_limit=plan.time_limit, gap=plan.gap):  # noqa: B007 - the last one counts
        report("searching on all rows")
    if snapshot.incumbent is None:
        asked = asked_in_words(sweep, point)
        met = f"obeys ({asked})" if asked else "meets the constraint"
        raise ValueError(f"on all rows no {family_name(method.name)} that {met} was found")
    card = replace(cards.of_search(search, snapshot, cards.prepared_of(search, data)), rows=rows)
    return _completed(card, sweep, point, title, card.proof)


def parameters(sweep: Sweep, point: int) -> dict[str, str]:
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


def _completed(card: Card, sweep: Sweep, point: int, title: str, proof: Proof | None) -> Card:
    return replace(card, title=title, proof=proof, parameters=parameters(sweep, point), made=today())


class PointModel(Working, LayoutViewer):
    """The card of a point's model, and of the same setting searched again on all rows; ``complain`` shows an error."""

    whole = param.Boolean(default=False, label="Model of", doc="Whether it is searched again on all rows.")
    on_pin = param.Callable(default=None, doc="Takes a card and gives its letter; None: no button.")

    def __init__(self, complain: Callable[[str], None], **params: Any) -> None:
        super().__init__(**params)
        self._complain = complain
        self._started: Started | None = None
        self._point: Point | None = None
        self._of: tuple[Any, ...] = ()
        self.shown: ModelCard | None = None
        self._work = Work(self._say_busy, POOL)
        self._build()

    @property
    def card(self) -> Card | None:
        """The card that is shown, with its present texts."""
        return None if self.shown is None else self.shown.card

    def offer(self, started: Started, point: Point) -> None:
        """Show the model of a point's training rows; with rows kept out, that of all rows can be asked for."""
        new = self._point is None or self._started is not started or self._point.key != point.key
        self._started, self._point = started, point
        self._picker.visible = started.sweeps[point.sweep].plan.tested and started.result_of(point) is not None
        if new:
            self.whole = False
        self._choose()

    def _say_busy(self, doing: str) -> None:
        self._status.param.update(tone="busy", phase=f"Model of all rows: {doing}")

    def _take(self, job: Job) -> None:
        self._status.phase = ""
        if job.result is not None:
            self._put(job.result)
        elif not job.progress.cancelled:
            self._complain(f"the model of all rows: {job.error}")

    def close(self) -> None:
        """End what is under way."""
        super().close()
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

    @param.depends("whole", watch=True)
    def _choose(self) -> None:
        """Show the card of what is chosen, once."""
        started, point = self._started, self._point
        if started is None or point is None:
            return
        known = started.result_of(point) is not None
        if (of := (id(started), point.key, known, self.whole)) == self._of:
            return
        self._of = of
        self.close()
        self._work.forget()
        self._status.phase = ""
        self._take_away(_BASELINE if point.baseline else _WAITING)
        if not known:
            return
        sweep = started.sweeps[point.sweep]
        if self.whole:
            self._about.object = _ABOUT_ALL
            data, named = started.data_of(point), started.named
            self._work.begin(lambda progress: refitted(sweep, point.point, data, progress.report, named), self._take)
            self.refresh()
            return
        self._about.object = _ABOUT if sweep.plan.tested else _UNTESTED
        self._put(card_of(started, point))

    def _put(self, card: Card) -> None:
        self.shown = ModelCard(card)
        self._place.objects = [self.shown.__panel__()]
        self._offer_pin()

    def _take_away(self, text: str) -> None:
        self.shown = None
        self._place.objects = []
        self._offer_pin()
        self._pinned.object = pinned_note()
        self._about.object = text

    @param.depends("on_pin", watch=True)
    def _offer_pin(self) -> None:
        self._pin.visible = self._pinned.visible = self.on_pin is not None and self.shown is not None

    def _build(self) -> None:
        options = {"training rows": False, _OFFERED: True}
        self._picker = select(self.param.whole, options=options, sizing_mode="stretch_width", margin=(0, 0, 6, 0))
        self._about = Html("", stylesheets=[MODEL_CSS], **WIDE)
        self._status = LiveText(caption="Model of all rows", **WIDE)
        self._pin = button(KEEP, self.pin, 120, small=False, icon=icons.PIN, visible=False)
        self._pinned = Html(pinned_note(), stylesheets=[MODEL_CSS], margin=0, visible=False)
        self._place = pn.Column(stylesheets=[CARDS_CSS], **WIDE)
        self._layout = pn.Column(
            *(self._picker, self._about, self._status),
            pn.Row(self._pin, self._pinned, stylesheets=[BAR_CSS], margin=(6, 0)),
            self._place,
            **WIDE,
        )
