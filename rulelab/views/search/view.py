"""A search to watch and to steer: the same view in a notebook and in the dashboard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import panel as pn
import param

from ...estimators import CertifiedClassifier
from ...models import Model
from ...recording import Recording
from ...snapshot import Snapshot
from ...stepping import Search
from ...warming import begin_in_background
from ..cards.card import Card
from ..live.prepared import Prepared, Source
from ..live.recorded import RecordedSession
from ..live.session import SearchSession
from ..live.state import FULL_SPEED, State
from ..live.ticker import Beat, Presence
from ..live.wording import EARLIER, Standing, count, figures, standing
from ..notebook import NotebookViewer, keep_stills, one_at_a_time
from ..widgets.esc import esc, plain
from ..widgets.explained import Explained, term_classes
from ..widgets.fields import WIDE, Pinning, alert, column, mark, select, when_page_ends
from ..widgets.html import Html
from ..widgets.style import CARD_CSS, PANEL_CSS, sheet
from .best import BestModel
from .certificate import Certificate, notes
from .controls import NO_GROUPS, NOT_EDITED, OPENING, SPEEDS, Controls, Rewind
from .families import LOOKS, look_of_recorded, sessions_of
from .figures import SearchFigures, curves_svg
from .plots.curves import AXES
from .runs_box import RunsBox, comes_back
from .why import WhyBox

ABLATION = "Without a bound"
_LAST_MOMENT = 0.5
"""Seconds that a page which ends waits for its search to stop: between two units of work, of some hundredths."""
_IDLE_EVERY = 4  # beats between two looks at a page on which nothing has been run yet: of a class, most pages wait


class SearchView(Pinning, NotebookViewer):
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
    alone : bool
        Whether it brings along what explains words; False where the page around does.

    Examples
    --------
    In a notebook::

        rl.views.SearchView(rl.RuleListSearch(problem, regularization=0.01))
    """

    speed: param.Selector[str] = param.Selector(default="speeding up", objects=list(SPEEDS), label="Speed")
    axis: param.Selector[str] = param.Selector(default="log work", objects=list(AXES), label="Plot against")
    dark = param.Boolean(default=False, doc="Whether the page around is dark.")
    large = param.Boolean(default=False, doc="Whether the text in the plots is large enough for a projector.")
    stale = param.Boolean(default=False, doc="Whether the settings have changed since the run began.")
    refusal = param.String(default="", doc="Why no run may begin; empty where one may.")
    blocked = param.Boolean(default=False, doc="Whether nothing may be run, for the data are being chosen.")
    opening = param.Boolean(default=False, doc="Whether a kept run will be shown here as soon as it is read.")
    snapshot: param.Parameter[Snapshot | None] = param.Parameter(doc="The latest state of the run; None before it.")
    status: param.Selector[State] = param.Selector(default=State.IDLE, objects=list(State), doc="How the run stands.")
    model: param.Parameter[Model | None] = param.Parameter(doc="The best model so far; None before there is one.")
    edits = param.Boolean(default=False, doc="Whether the run is over, and there is what its models are edited with.")
    moment = param.Integer(None, allow_None=True, doc="Which moment is shown, from 0; None: the present one.")
    on_standing = param.Callable(doc="Takes the session when a run begins, ends or is forgotten, and its model's card.")
    on_edit = param.Callable(doc="Takes the search that has ended, its state, and the model to edit; None: no button.")
    editable = param.Callable(default=lambda search: True, doc="Whether `on_edit` can edit the models of a search.")
    on_person = param.Callable(doc="Takes a search and a model, gives what sends a person through; None: no button.")

    def __init__(
        self,
        search: Search | CertifiedClassifier | None = None,
        *,
        new_session: Callable[[], SearchSession] | None = None,
        question: pn.viewable.Viewable | None = None,
        alone: bool = True,
        **params: Any,
    ) -> None:
        if (search is None) == (new_session is None):
            raise ValueError("give either a search or new_session")
        self._new_session = new_session or sessions_of(search)
        super().__init__(**params)
        begin_in_background()
        self._look = ""
        self._beats, self._told = 0, (False, False)
        self._beat = Beat(self.tick)
        self._presence = Presence(lambda: self.session, lambda: self.plots.resend())
        self.session = self._new_session()  # the present run
        self._build(alone, question)
        self._take(self.session)
        if self._presence.served:
            self._beat.start()
            when_page_ends(self.close)
        if isinstance(search, CertifiedClassifier):
            self.step()

    def _picture(self) -> str:
        return curves_svg(self.plots.shown)

    def part(self, name: str) -> pn.viewable.Viewable | None:
        """A part: "controls", "certificate", "status", "counts", "moment", "model" or a plot, then opened; or None."""
        known = {
            "controls": self._controls.bar,
            "certificate": self.certificate.box,
            "status": self.certificate.text,
            "counts": self.certificate.counts,
            "moment": self.rewind,
            "model": self._model,
            self.plots.box(0).name.lower(): self._gap,
            "queue by prefix length": self._gap,  # its foot
        }
        return self._why if self.why.turn_to(name) else known.get(name)

    @one_at_a_time
    def run(self, *_: Any) -> None:
        """Start, go on after a pause or a limit, or begin anew after the end."""
        state = self.session.state
        anew = state is State.IDLE or (state.over and (self.stale or not self.session.resumable))
        self._go(lambda: self.session.run(), anew)

    @one_at_a_time
    def step(self, *_: Any) -> None:
        """Do one unit of work; nothing after the end, which the line beside the buttons says."""
        self._go(lambda: self.session.step(), self.session.state is State.IDLE)

    @one_at_a_time
    def ablate(self, *_: Any) -> None:
        """Run the paper's search for the same list, with all its bounds and then with one more each time."""
        self._go(self._begin_ablating, self.stale or bool(self.refusal) or not comes_back(self.session))

    def _go(self, act: Callable[[], None], anew: bool) -> None:
        """Do something with the run, with a new one unless that is refused, and look at it from then on."""
        with pn.io.hold():  # what is seen before a run does not come back between two
            if anew:
                if self.refusal:
                    self.complain(self.refusal)
                    return
                self.reset()
            self.best.prepare()
            self._set_pace()
            act()
            self._show_standing(self.session)
        self._tell_standing(self.session)
        self._beat.start()

    @one_at_a_time
    def pause(self, *_: Any) -> None:
        """Hold the search."""
        self.session.pause()

    def run_or_pause(self, *_: Any) -> None:
        """Run, or hold what runs; nothing begins where a kept run is about to be shown."""
        if self.session.goes_on or not self.opening:
            (self.pause if self.session.goes_on else self.run)()

    @one_at_a_time
    def forward(self) -> None:
        """Go to the next moment while looking back, else do a step."""
        if self.rewind.moment is not None:
            self.rewind.move(1)
        elif not self.opening:
            self.step()

    @one_at_a_time
    def stop(self, *_: Any) -> None:
        """End the search and keep what it has proven."""
        self.session.stop()
        self._beat.start()

    @one_at_a_time
    def reset(self, *_: Any) -> None:
        """Forget the run; the next one starts from the beginning, with the present settings."""
        self._forget_for(self._new_session())

    @one_at_a_time
    def open(
        self, recording: Recording, name: str = "recording", card: Card | None = None, source: Source | None = None
    ) -> None:
        """Show a recorded run, with the card of its model; Run begins anew. ValueError when nothing was recorded.

        `source` makes its search again, with which its models are edited.
        """
        self._forget_for(RecordedSession(recording, name, look_of_recorded(recording), card, source))
        self._beat.start()

    def _forget_for(self, session: SearchSession) -> None:
        """End the present run, and show another session."""
        self.session.close()
        self.runs_box.forget()
        self.stale = False
        self._take(session)
        self.complain("")

    def _take(self, session: SearchSession) -> None:
        """Show another session, of which nothing is found and proven as yet."""
        self.session, look = session, LOOKS[session.look]
        with pn.io.hold():
            if session.look == self._look:
                self.plots.clear()
                self.why.clear()
            else:
                self._take_look(session.look)
            self.best.clear(look)
            self.certificate.clear(look)
            self._notes.object = ""
        self.refresh()

    def _begin_ablating(self) -> None:
        first = self.runs_box.begin(self.session)
        if first is not self.session:
            self._take(first)
        first.pace = FULL_SPEED
        first.run()

    def pin(self, *_: Any) -> None:
        """Hand the best model so far to `on_pin`, as a model card."""
        if self.best.shown is not None and (letter := self.hand_on(self.best.model_card)):
            self.best.say_pinned(letter)

    def edit(self, *_: Any) -> None:
        """Hand the search that has ended to `on_edit`, with the moment whose model is shown."""
        if self.on_edit is not None and (shown := self._in_workshop()) is not None:
            with self.complaining():
                self.on_edit(*shown)

    def ask(self, *_: Any) -> None:
        """Send one person through the model that is shown, or take away what does."""
        if self.best.person.visible:
            self.best.send(None)
        elif self.on_person is not None and (shown := self._in_workshop()) is not None:
            self.best.send(self.on_person(shown[0], shown[2]))

    def _in_workshop(self) -> tuple[Prepared, Snapshot, Model] | None:
        """The search that has ended, its end, and the model that is shown, in its labels; None: there are none."""
        shown, workshop = self.best.shown, self.session.workshop
        best = None if shown is None else shown.incumbent
        if best is None or not isinstance(workshop, tuple):
            return None
        return *workshop, best.model.relabelled(workshop[0].search.problem.classes)

    def close(self) -> None:
        """End the worker and the updates; what a run that is under way has come to is kept, where runs are."""
        session = self.session
        if self.on_standing is not None and session.alive and not session.state.over:
            session.stop()
            session.join(_LAST_MOMENT)
            self._tell_standing(session)
        session.close()
        self.runs_box.forget()
        self.certificate.check.close()
        self._beat.stop()

    def present(self, on: bool) -> None:
        """Show figure and model alone, large enough for an audience, or all there is."""
        with pn.io.hold():
            self.large = on
            for part in (self._controls.bar, self.certificate.box, self._model, self._gap, self._why):
                mark(part, "rl-staged", on)
            self.certificate.counts.visible = not on
            self._controls.present(on)

    @one_at_a_time
    def refresh(self) -> None:
        """Bring everything in the view up to date with the session."""
        session, state = self.session, self.session.state  # it may end meanwhile, which the next beat shows
        with pn.io.hold():
            self._show_standing(session)
            self.rewind.offer(len(session.history), session.state.busy)  # what is said to have ended can be rewound
            latest, prepared = session.snapshot, session.prepared
            new = latest is not None and (latest is not self.best.shown or state.over is not self.best.over)
            if new and prepared is not None and self.rewind.moment is None:
                self.best.show(prepared, self.plots.follow(session))
            self.certificate.show(self.best.shown, prepared)
            self.rewind.follow()
            self.plots.point(self.rewind.moment, self.rewind.able)
            if self.plots.texts_wait and (self.certificate.due or not session.state.busy):
                self.plots.show_texts()
            self.why.refresh(None if self.rewind.moment is None else self.best.shown)
        self._tell_standing(session)
        edits = isinstance(session.workshop, tuple)
        if self.snapshot is not session.snapshot or (self.status, self.edits) != (state, edits):
            best = None if session.snapshot is None else session.snapshot.incumbent
            model = None if best is None else best.model
            self.param.update(snapshot=session.snapshot, status=state, model=model, edits=edits)
        if not self._presence.served:
            pn.io.push_notebook(*self.plots.panes)
            if not session.state.busy:
                keep_stills()

    def _tell_standing(self, session: SearchSession) -> None:
        told = session.state is not State.IDLE, session.state.over
        if self.on_standing is not None and told != self._told:
            last = session.snapshot if session.state.over and not session.recorded else None
            self._told = told
            self.on_standing(session, self.best.card_at(last) if last is not None and last.incumbent else None)

    @one_at_a_time
    def tick(self) -> bool:
        """One beat of the page: pause when nobody is connected, show what is new; True while more may come."""
        self._presence.mind()
        self._beats += 1
        before, awaited = self.session.state, self.session.recorded and self.session.workshop is None
        if before is State.IDLE and self._presence.served and self._beats % _IDLE_EVERY and not self._waits:
            return True
        self.rewind.tick()
        self.refresh()
        following = self.runs_box.following(self.session) if self.session.state.over else None
        if following is not None:
            self._told = False, False  # also of a run that comes back
            self._take(following)
            if following.state is State.IDLE:
                following.run()
        self.runs_box.refresh()
        session = self.session
        seen = before is session.state and not (before.busy or session.stopping)  # it may go on, or end, meanwhile
        return self._presence.served or self._waits or awaited or not seen

    @property
    def _waits(self) -> bool:
        """Whether there is more to show soon, although no search runs."""
        return bool(self.runs_box.busy or self.rewind.playing or self.why.waits)

    @one_at_a_time
    def _look_back(self, *_: Any) -> None:
        """Show everything as it was at a moment of the run, or at its present end."""
        moment, prepared, self.best.shown = self.rewind.moment, self.session.prepared, None
        if moment is not None and prepared is not None:
            snapshots = self.session.history.snapshots[: moment + 1]
            with pn.io.hold():
                self.plots.look_back(snapshots)
                self.best.show(prepared, snapshots[-1])
        self.refresh()
        self.moment = self.rewind.moment

    def _show_standing(self, session: SearchSession) -> None:
        now, idle = self._standing(session), session.state is State.IDLE
        # small while nothing has run, the gap a sketch; between runs of ablations as they are: a phone keeps its place
        if self.runs_box.ablation is None:
            for box, waits in ((self._model, idle), (self._gap, session.snapshot is None), (self._why, idle)):
                mark(box, "rl-waits", waits)
                mark(box, "rl-earlier", self.stale and session.state.over)
        self._offer()
        self.certificate.tell(now)
        if session.error and self._alert.phase != plain(session.error, 600):
            self.complain(session.error)
        elif session.state.busy and self._alert.phase:
            self.complain("")
        self._notes.object = notes(session.prepared)
        self._controls.show(session, self.stale, self.blocked, OPENING if self.opening else self.refusal)
        self.runs_box.offer(not (session.state.busy or self.blocked or self.runs_box.ablation))

    def _standing(self, session: SearchSession) -> Standing:
        if self.opening and not session.state.busy:
            return replace(standing(session), tone="busy", phase="opening the kept run ...")
        at, prepared, shown = self.rewind.moment, session.prepared, self.best.shown
        if not (at is None or session.state.busy or shown is None or prepared is None):
            phase = f"looking back: moment {count(at + 1)} of {count(len(session.history))}"
            return Standing("paused", phase, figures(shown, prepared.search.family))
        now = standing(session)
        if self.stale and session.state.over:
            now = replace(now, tone="earlier", phase=f"{EARLIER}{now.phase}")
        if session.state is State.IDLE and (self.blocked or self.refusal):
            lacking = "the data have no groups" if self.refusal == NO_GROUPS else "a field is wrong"
            now = replace(now, phase=f"not ready: {'the data are not chosen' if self.blocked else lacking}")
        before = session.called if isinstance(session, RecordedSession) else ""
        if self.runs_box.ablation is not None:
            before = self.runs_box.ablation.place
        return replace(now, phase=f"{before}: {now.phase}") if before else now

    @param.depends("axis", "dark", "large", watch=True)
    def _restyle(self) -> None:
        with pn.io.hold():
            self.plots.use_axis(self.axis)
            self.plots.use_dark(self.dark)
            self.plots.use_size(self.large)
            figure = self.plots.plot(0).figure  # the slider has the same ends
            self.rewind.styles = {"--left": f"{figure.min_border_left}px", "--right": f"{figure.min_border_right}px"}
            self.why.use_look(self.dark, self.large)
            self._notes.visible = not self.large

    @param.depends("on_pin", "on_edit", "on_person", watch=True)
    def _offer(self) -> None:
        """Show what can be done with the model; a search that goes on cannot be edited beside."""
        workshop = self.session.workshop
        edits = isinstance(workshop, tuple) and self.editable(workshop[0].search)
        self.best.offer(bool(self.on_pin), edits and bool(self.on_edit), edits and bool(self.on_person))
        why = ("" if edits else NOT_EDITED) if isinstance(workshop, tuple) else workshop
        self.best.lacking.object = f'<p class="note">{esc(why, 300)}</p>' if why and self.on_edit is not None else ""

    @param.depends("blocked", "refusal", watch=True)
    def _block(self) -> None:
        if not self.refusal:
            self.complain("")
        self._show_standing(self.session)

    @param.depends("opening", watch=True)
    def _await(self) -> None:
        self._show_standing(self.session)

    @param.depends("speed", watch=True)
    def _set_pace(self) -> None:
        self.session.pace = SPEEDS[self.speed]

    def _build(self, alone: bool, question: pn.viewable.Viewable | None) -> None:
        self._alert = alert(css_classes=["rl-row" if alone else "rl-above"])
        self._notes = Html("", stylesheets=[CARD_CSS], css_classes=["rl-row"], **WIDE)
        actions = {"run": self.run_or_pause, "step": self.step, "stop": self.stop, "reset": self.reset}
        selects = [select(self.param[name], 150, css_classes=term_classes(name)) for name in ("speed", "axis")]
        self.rewind = Rewind(self._beat.start, lambda: self.plots.places)
        self._controls = Controls(actions, selects, question)
        self.rewind.param.watch(self._look_back, "moment")
        self.best = BestModel(lambda: self.session, self.pin, self.edit, self.ask)
        self.certificate = Certificate(lambda: self.session, self.best.model_card)
        self.why = WhyBox(lambda: self.session, self._file_name, self._beat.start)
        self.why.body.css_classes = ["rl-fill"]
        self.runs_box = RunsBox(self.ablate, self.open, self._beat.start, self.complain)
        self._controls.menu.append(self.runs_box.field)
        bottom = [self._notes, Explained()] if alone else [self._notes]
        frame, grid = [PANEL_CSS, sheet("fill.css")], [sheet("search.css")]
        self._gap = column(sheets=frame, classes="rl-wide rl-gap")
        self._model = column(*self.best.parts, sheets=[PANEL_CSS], classes="rl-wide rl-best")
        self._why = column(self.why.strip, self.why.body, sheets=frame, classes="rl-wide rl-why")
        answer = column(self.certificate.box, self._model, sheets=grid, classes="rl-answer")
        found = column(self._gap, self.certificate.counts, self._why, sheets=grid, classes="rl-found")
        halves = column(answer, found, sheets=grid, classes="rl-halves")
        above = self._controls.bar, self._alert
        self._layout = column(*above, halves, *bottom, sheets=grid, classes="rl-view" + " rl-alone" * alone)

    def _take_look(self, name: str) -> None:
        """Make the plots of another kind of search."""
        self._look = name
        self.plots = SearchFigures(LOOKS[name], self.rewind.move_to, self._file_name)
        self._restyle()
        gap = self.plots.box(0)
        gap.fill()
        self._gap.objects = [*gap.items, self.rewind]
        more = self.plots.by_name()
        if LOOKS[name].family == "rule_list":  # others have no bounds that the paper's search adds one by one
            more[ABLATION] = lambda: self.runs_box.items
        self.why.take(LOOKS[name], self.best.compared, more)

    def _file_name(self) -> str:
        prepared = self.session.prepared
        return "search" if prepared is None else prepared.name
