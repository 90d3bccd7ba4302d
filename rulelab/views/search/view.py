"""A search to watch and to steer: the same view in a notebook and in the dashboard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import panel as pn
import param

from ...arguments import short
from ...estimators import CertifiedClassifier
from ...models import Model
from ...recording import Recording
from ...search import Search
from ...snapshot import Snapshot
from ...warming import begin_in_background
from ..cards.card import Card
from ..live.recorded import RecordedSession
from ..live.session import SearchSession
from ..live.state import FULL_SPEED, State
from ..live.ticker import Beat, Presence
from ..live.wording import Standing, count, figures
from ..notebook import NotebookViewer, keep_stills, one_at_a_time
from ..widgets.esc import plain
from ..widgets.explained import Explained, term_classes
from ..widgets.fields import WIDE, Complaining, alert, select, when_page_ends
from ..widgets.html import Html
from ..widgets.style import CARD_CSS, FILL_CSS, PANEL_CSS, SEARCH_CSS, STACK_CSS
from .ablating import Ablating
from .best import BestModel
from .certificate import Certificate, notes
from .controls import SPEEDS, Controls, Rewind, status_of
from .families import LOOKS, look_of_recorded, sessions_of
from .figures import RunPlots, curves_svg
from .plots.curves import AXES
from .runs_box import RunsBox
from .why import WhyBox

RUNS = "Runs"
_LAST_MOMENT = 0.5
"""Seconds that a page which ends waits for its search to stop: between two units of work, of some hundredths."""
_IDLE_EVERY = 4
"""Beats between two looks at a page on which nothing has been run yet: of a class, most pages wait."""


class SearchView(Complaining, NotebookViewer):
    """A search of any family with its controls, status line, live plots and the best model so far.

    Parameters
    ----------
    search : Search or fitted classifier, optional
        The search to show, that of a classifier with its end. Reset, and Run after the end, make it anew from its
        problem and parameters.
    new_session : callable, optional
        Instead of a search: called before each run, it gives the `SearchSession` to show.
    speed : str
        One of `SPEEDS`.
    axis : str
        ``"log work"``, ``"work"`` or ``"time"``.
    question : viewable, optional
        What is asked, beside the buttons.

    Examples
    --------
    In a notebook::

        rl.views.SearchView(rl.RuleListSearch(problem, regularization=0.01))
    """

    _alone: ClassVar[bool] = False

    speed: param.Selector[str] = param.Selector(default="speeding up", objects=list(SPEEDS), label="Speed")
    axis: param.Selector[str] = param.Selector(default="log work", objects=list(AXES), label="Plot against")
    dark = param.Boolean(default=False, doc="Whether the page around is dark.")
    large = param.Boolean(default=False, doc="Whether the text in the plots is large enough for a projector.")
    stale = param.Boolean(default=False, doc="Whether the settings have changed since the run began.")
    refusal = param.String(default="", doc="Why no run may begin; empty where one may.")
    blocked = param.Boolean(default=False, doc="Whether nothing may be run, for the data are being chosen.")
    snapshot: param.Parameter[Snapshot | None] = param.Parameter(doc="The latest state of the run; None before it.")
    status: param.Selector[State] = param.Selector(default=State.IDLE, objects=list(State), doc="How the run stands.")
    model: param.Parameter[Model | None] = param.Parameter(doc="The best model so far; None before there is one.")
    moment = param.Integer(None, allow_None=True, doc="Which moment is shown, from 0; None: the present one.")
    on_standing = param.Callable(doc="Takes the session when a run begins, ends or is forgotten, and its model's card.")
    on_pin = param.Callable(doc="Takes the card of the model to compare, and gives its letter; None: no button.")
    on_edit = param.Callable(doc="Takes the search that has ended, its state, and the model to edit; None: no button.")
    editable = param.Callable(default=lambda search: True, doc="Whether `on_edit` can edit the models of a search.")
    on_person = param.Callable(doc="Takes a search and a model, gives what sends a person through; None: no button.")

    def __init__(
        self,
        search: Search | CertifiedClassifier | None = None,
        *,
        new_session: Callable[[], SearchSession] | None = None,
        question: pn.viewable.Viewable | None = None,
        **params: Any,
    ) -> None:
        if (search is None) == (new_session is None):
            raise ValueError("give either a search or new_session")
        fitted = isinstance(search, CertifiedClassifier)
        if isinstance(search, CertifiedClassifier):
            search = search.search_
        if search is not None and not isinstance(search, Search):
            raise TypeError(f"search must be a rulelab search, such as a RuleListSearch, not {short(search)}")
        super().__init__(**params)
        begin_in_background()
        alone = self._alone or search is not None
        if search is not None:
            new_session = sessions_of(search)
        assert new_session is not None
        self._new_session = new_session
        self.session = self._new_session()  # the present run
        self._beats = 0
        self._told = (False, False)
        self._ablation: Ablating | None = None
        self._beat = Beat(self.tick)
        self._build(alone, question)
        self._take_look()
        self._presence = Presence(lambda: self.session, lambda: self.plots.resend())
        if self._presence.served:
            self._beat.start()
            when_page_ends(self.close)
        self.refresh()
        if fitted:
            self.step()

    def __panel__(self) -> Any:
        return self._column

    def _picture(self) -> str:
        return curves_svg(self.plots.so_far())

    def part(self, name: str) -> pn.viewable.Viewable | None:
        """A part by its name: "controls", "certificate", "status", "counts", "moment", "model" or a plot's; else None.

        A plot that stands behind others is opened.
        """
        known = {
            "controls": self._controls.bar,
            "certificate": self.certificate.box,
            "status": self.certificate.text,
            "counts": self.certificate.counts,
            "moment": self._rewind,
            "model": self._model,
            **self._boxes,
        }
        return self._why if self.why.turn_to(name) else known.get(name)

    @one_at_a_time
    def run(self, *_: Any) -> None:
        """Start, go on after a pause or a limit, or begin anew after the end."""
        state = self.session.state
        with pn.io.hold():  # what is seen before a run does not come back between two
            if state is State.IDLE or (state.over and (self.stale or not self.session.resumable)):
                if self._refused():
                    return
                self.reset()
            self.best.prepare()
            self.session.pace = SPEEDS[self.speed]
            self.session.run()
            self._show_standing(self.session)
        self._tell_standing(self.session)
        self._beat.start()

    @one_at_a_time
    def step(self, *_: Any) -> None:
        """Do one unit of work; nothing after the end, which the line beside the buttons says."""
        if self.session.state is State.IDLE:
            if self._refused():
                return
            self.reset()
        self.best.prepare()
        self.session.step()
        self._tell_standing(self.session)
        self._beat.start()

    @one_at_a_time
    def pause(self, *_: Any) -> None:
        """Hold the search."""
        self.session.pause()

    def run_or_pause(self, *_: Any) -> None:
        """Run, or hold what runs."""
        (self.pause if self.session.goes_on else self.run)()

    @one_at_a_time
    def forward(self) -> None:
        """Go to the next moment while looking back, else do a step."""
        if self._rewind.moment is None:
            self.step()
        else:
            self._rewind.move(1)

    @one_at_a_time
    def backward(self) -> None:
        """Look at the moment before the one that is shown."""
        self._rewind.move(-1)

    @one_at_a_time
    def replay(self) -> None:
        """Play the run, or hold what is played."""
        self._rewind.press()

    @one_at_a_time
    def stop(self, *_: Any) -> None:
        """End the search and keep what it has proven."""
        self.session.stop()
        self._beat.start()

    @one_at_a_time
    def reset(self, *_: Any) -> None:
        """Forget the run; the next one starts from the beginning, with the present settings."""
        self._let_go()
        self.runs_box.forget()
        self._take(self._new_session())
        self.complain("")

    @one_at_a_time
    def ablate(self, *_: Any) -> None:
        """Run the present settings as they are, and then without each bound in use, one run after the other."""
        if self._refused():
            return
        self.reset()
        ablation = Ablating(self.session, self.runs_box.added, self.runs_box.guess.value)
        if ablation.first is not self.session:
            self._take(ablation.first)
        self._ablation = ablation
        self.runs_box.get_ready()
        self.session.pace = FULL_SPEED
        self.session.run()
        self._tell_standing(self.session)
        self._beat.start()

    def _let_go(self) -> None:
        """End the present run."""
        self.session.close()
        self._ablation, self.stale = None, False

    def _take(self, session: SearchSession) -> None:
        """Show another session."""
        self.session = session
        self.best.shown = None
        with pn.io.hold():
            if self.session.look == self._look:
                self.plots.begin_anew()
                self.plots.clear()
                self.why.clear()
                self.plots.show_texts()
            else:
                self._take_look()
            self._clear()
            self._notes.object = ""
        self.refresh()

    def _clear(self) -> None:
        """Nothing is found and proven as yet."""
        look = LOOKS[self._look]
        self.best.clear(look)
        self.certificate.clear(look.looks_for, look.claim)

    def _go_on_ablating(self) -> None:
        """Begin the next run of an ablation when one has ended; at the end show the one with everything."""
        ablation, session = self._ablation, self.session
        if ablation is None or not session.state.over:
            return
        if session.state is State.FAILED or (session.snapshot is None and not ablation.begun):
            self._ablation = None
            return
        try:
            following = ablation.next(session)
        except ValueError as error:
            self._ablation = None
            self.complain(str(error))
            return
        if following is not None:
            self._take(following)
            following.run()
            return
        self._ablation = None
        self._take(ablation.first)
        self.runs_box.tell(ablation)
        if ablation.wrong:
            self.complain(ablation.wrong)

    def pin(self, *_: Any) -> None:
        """Hand the best model so far to `on_pin`, as a model card."""
        if self.on_pin is None or self.best.shown is None:
            return
        try:
            self.best.say_pinned(self.on_pin(self.best.model_card()))
        except ValueError as error:
            self.complain(str(error))

    def edit(self, *_: Any) -> None:
        """Hand the search that has ended to `on_edit`, with the moment whose model is shown."""
        session, shown = self.session, self.best.shown
        best = None if shown is None else shown.incumbent
        if self.on_edit is None or best is None or not session.state.over:
            return
        try:
            self.on_edit(session.prepared, session.snapshot, best.model)
        except ValueError as error:
            self.complain(str(error))

    def ask(self, *_: Any) -> None:
        """Send one person through the model that is shown, or take away what does."""
        shown, person = self.best.shown, self.best.person
        best = None if shown is None else shown.incumbent
        if person.visible:
            self.best.send(None)
        elif self.on_person is not None and best is not None:
            self.best.send(self.on_person(self.session.prepared, best.model))

    def _refused(self) -> bool:
        if self.refusal:
            self.complain(self.refusal)
        return bool(self.refusal)

    @param.depends("refusal", watch=True)
    def _mended(self) -> None:
        if not self.refusal:
            self.complain("")

    def close(self) -> None:
        """End the worker and the updates; what a run that is under way has come to is kept, where runs are."""
        session = self.session
        if self.on_standing is not None and session.alive and not session.state.over:
            session.stop()
            session.join(_LAST_MOMENT)
            self._tell_standing(session)
        session.close()
        self.certificate.check.close()
        self._beat.stop()

    @one_at_a_time
    def refresh(self) -> None:
        """Bring everything in the view up to date with the session."""
        session, state = self.session, self.session.state  # it may end meanwhile, which the next beat shows
        with pn.io.hold():
            self._show_standing(session)
            self._rewind.offer(len(session.history), session.state.busy)  # what is said to have ended can be rewound
            latest, prepared = session.snapshot, session.prepared
            new = latest is not None and latest is not self.best.shown
            if new and prepared is not None and self._rewind.moment is None:
                self.best.show(prepared, self.plots.show_new())
            self.certificate.show(self.best.shown, prepared)
            self._rewind.follow()
            self.plots.point(self._rewind.moment, self._rewind.able)
            if self.plots.texts_wait and (self.certificate.due or not session.state.busy):
                self.plots.show_texts()
            self.why.refresh(None if self._rewind.moment is None else self.best.shown)
        self._tell_standing(session)
        if self.snapshot is not session.snapshot or self.status is not state:
            best = None if session.snapshot is None else session.snapshot.incumbent
            model = None if best is None else best.model
            self.param.update(snapshot=session.snapshot, status=state, model=model)
        if not self._presence.served:
            pn.io.push_notebook(*self.plots.panes)
            if not session.state.busy:
                keep_stills()

    def _tell_standing(self, session: SearchSession) -> None:
        told = session.state is not State.IDLE, session.state.over
        if self.on_standing is not None and told != self._told:
            latest = session.snapshot if session.state.over else None
            self._told = told
            made = None
            if latest is not None and latest.incumbent is not None and not session.recorded:
                made = self.best.card_at(latest)
            self.on_standing(session, made)

    @one_at_a_time
    def tick(self) -> bool:
        """One beat of the page: pause when nobody is connected, show what is new; True while more may come."""
        self._presence.mind()
        self._beats += 1
        before = self.session.state
        if before is State.IDLE and self._presence.served and self._beats % _IDLE_EVERY and not self._waits:
            return True
        self._rewind.tick()
        self.refresh()
        self._go_on_ablating()
        self.runs_box.tick()
        session = self.session
        seen = before is session.state and not (before.busy or session.stopping)  # it may go on, or end, meanwhile
        return self._presence.served or self._waits or not seen

    @property
    def _waits(self) -> bool:
        """Whether there is more to show soon, although no search runs."""
        return bool(self._ablation or self.runs_box.busy or self._rewind.playing or self.why.waits)

    @one_at_a_time
    def _look_back(self, *_: Any) -> None:
        """Show everything as it was at a moment of the run, or at its present end."""
        self.plots.begin_anew()
        self.best.shown = None
        prepared = self.session.prepared
        if self._rewind.moment is not None and prepared is not None:
            with pn.io.hold():
                self.best.show(prepared, self.plots.show_moment())
        self.refresh()
        self.moment = self._rewind.moment

    def _show_standing(self, session: SearchSession) -> None:
        now, idle = self._standing(session), session.state is State.IDLE
        # boxes are small while nothing has run, and a sketch stands for the gap until there is one to draw
        for box, waits in ((self._model, idle), (self._gap, session.snapshot is None), (self._why, idle)):
            if waits is not ("rl-waits" in box.css_classes):
                others = [name for name in box.css_classes if name != "rl-waits"]  # a walk outlines it, too
                box.css_classes = [*others, "rl-waits"] if waits else others
        self._offer()
        self.certificate.tell(now)
        if session.error and self._alert.phase != plain(session.error, 600):
            self.complain(session.error)
        elif session.state.busy and self._alert.phase:
            self.complain("")
        self._notes.object = notes(session.prepared)
        self._controls.show(session, self.stale, self.blocked, self.refusal)
        free = not (session.state.busy or self.blocked or self._ablation)
        self.runs_box.offer(bool(LOOKS[session.look].family), free)

    def _standing(self, session: SearchSession) -> Standing:
        at, prepared = self._rewind.moment, session.prepared
        if at is None or session.state.busy or self.best.shown is None or prepared is None:
            now = status_of(session, self.stale)
            if session.state is State.IDLE and (self.blocked or self.refusal):
                why = "the data are not chosen" if self.blocked else "a field is wrong"
                now = replace(now, phase=f"not ready: {why}")
            if isinstance(session, RecordedSession) and prepared is not None:
                kind = "Recording" if session.card is None else "Kept run,"
                now = replace(now, phase=f"{kind} {prepared.name}: {now.phase}")
            return now if self._ablation is None else replace(now, phase=f"{self._ablation.place}: {now.phase}")
        phase = f"looking back: moment {count(at + 1)} of {count(len(session.history))}"
        return Standing("paused", phase, figures(self.best.shown, prepared.search.family))

    @param.depends("axis", "dark", "large", watch=True)
    def _restyle(self) -> None:
        with pn.io.hold():
            self.plots.use_axis(self.axis)
            self.plots.use_dark(self.dark)
            self.plots.use_size(self.large)
            self.why.use_look(self.dark, self.large)
            self._notes.visible = not self.large

    @param.depends("on_pin", "on_edit", "on_person", watch=True)
    def _offer(self) -> None:
        """Show what can be done with the model; a search that goes on cannot be edited beside."""
        session = self.session
        there = session.state.over and not session.recorded and session.search is not None
        edits = there and self.editable(session.search)
        self.best.offer(bool(self.on_pin), edits and bool(self.on_edit), edits and bool(self.on_person))

    @param.depends("blocked", "refusal", watch=True)
    def _block(self) -> None:
        self._show_standing(self.session)

    @param.depends("speed", watch=True)
    def _set_pace(self) -> None:
        self.session.pace = SPEEDS[self.speed]

    def _build(self, stands_alone: bool, question: pn.viewable.Viewable | None) -> None:
        place = ["rl-row"] if stands_alone else ["rl-above"]
        self._alert = alert(css_classes=place)
        self._notes = Html("", stylesheets=[CARD_CSS], css_classes=["rl-row"], **WIDE)
        actions = {"run": self.run_or_pause, "step": self.step, "stop": self.stop, "reset": self.reset}
        selects = [select(self.param[name], 150, css_classes=term_classes(name)) for name in ("speed", "axis")]
        self._rewind = Rewind(self._beat.start, lambda: self.plots.places)
        self._controls = Controls(actions, selects, question)
        self._rewind.param.watch(self._look_back, "moment")
        self.best = BestModel(lambda: self.session, self.pin, self.edit, self.ask)
        self.certificate = Certificate(lambda: self.session, self.best.model_card)
        self._offer()
        self.why = WhyBox(lambda: self.session, self._file_name, self._beat.start)
        self.why.body.css_classes = ["rl-fill"]
        self.runs_box = RunsBox(self.ablate, self.open, self._beat.start)
        bottom = [self._notes, Explained()] if stands_alone else [self._notes]
        self._gap, self._model = _box("rl-gap", FILL_CSS), _box("rl-best")
        self._why = _box("rl-why", FILL_CSS, self.why.strip, self.why.body)
        halves = (
            _part("rl-answer", self.certificate.box, self._model),
            _part("rl-found", self._gap, self.certificate.counts, self._why),
        )
        self._column = _part("rl-view", self._controls.bar, self._alert, _part("rl-halves", *halves), *bottom)
        if stands_alone:
            self._column.css_classes = [*self._column.css_classes, "rl-alone"]

    def _take_look(self) -> None:
        """Make the plots of the session's kind of search."""
        self._look = self.session.look
        look = LOOKS[self._look]
        self.plots = RunPlots(lambda: self.session, self._rewind, lambda: self.best.shown, self._file_name)
        self._restyle()
        gap, under = self.plots.always()
        gap.fill()
        self._gap.objects = [*gap.items, self._rewind]
        beneath = {box.name.lower(): pn.Column(*box.items, stylesheets=[STACK_CSS], **WIDE) for box in under}
        best = self.best
        self._model.objects = [best.heading, best.card, best.actions, best.groups, *beneath.values()]
        self._boxes = {gap.name.lower(): self._gap, **beneath}  # of the plots that are always seen
        self.why.take(look, best.compared, self.plots.by_name() | {RUNS: lambda: self.runs_box.items})
        self._clear()

    @one_at_a_time
    def open(self, recording: Recording, name: str = "recording", card: Card | None = None) -> None:
        """Show a recorded run in the place of the present one, with the card of its model; Run begins a new one.

        Raises
        ------
        ValueError
            When nothing was recorded.
        """
        session = RecordedSession(recording, name, look_of_recorded(recording), card)
        self._let_go()
        self._take(session)
        self.complain("")
        self._beat.start()

    def _file_name(self) -> str:
        prepared = self.session.prepared
        return "search" if prepared is None else prepared.name


def _part(place: str, *items: Any) -> pn.Column:
    """Parts under each other, or side by side, as the style sheet says for this place."""
    return pn.Column(*items, css_classes=[place], stylesheets=[SEARCH_CSS], **WIDE)


def _box(place: str, further_css: str = "", *items: Any) -> pn.Column:
    """A frame around plots or texts, in the place of the grid that its CSS class says."""
    sheets = [PANEL_CSS, further_css] if further_css else [PANEL_CSS]
    return pn.Column(*items, css_classes=["rl-wide", place], stylesheets=sheets, **WIDE)
