"""Other runs than the present one: those of the paper's search, to which bounds are added, and recordings."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any

import pandas as pd
import panel as pn

from ...ablation import AS_SET, STEPS, Ablation, Outcome, of_the_paper
from ...assets import texts
from ...families.wording import at_most
from ...recording import Recording
from ...rule_list import RuleListSearch
from ...snapshot import Status
from ..live.job import Job
from ..live.prepared import Prepared
from ..live.session import SearchSession
from ..live.state import FULL_SPEED, Limits, State
from ..live.ticker import Work, Working
from ..live.wording import count
from ..widgets.esc import esc, plain
from ..widgets.explained import WORD_CSS, word
from ..widgets.fields import WIDE
from ..widgets.html import Html, Press
from ..widgets.style import BAR_CSS, CARD_CSS, SELECT_CSS
from ..widgets.uploader import Uploader

MOST_SECONDS = 5.0  # of a run of the paper's search, which without its strongest bounds needs hours
GUESSES = tuple(STEPS)[1:]
_SAID = texts("other runs")
_DRAWS = "holoviews.plotting.bokeh"
_LINE, _FRAME, _MOST = 24, 90, 520
"""Of the picture of an ablation: the height of a bar, what is around them, and the most, in pixels."""
LARGEST_FILE = 20_000_000
LARGEST_TEXT = 64_000_000
"""That a file may unpack to; the recording of a million prefixes unpacks to three million bytes."""


class Ablating:
    """An ablation of the paper's search for the list that a session looks for; its runs are sessions, too."""

    def __init__(self, given: SearchSession, guess: str = "") -> None:
        def prepare(report: Any) -> Prepared:
            prepared = given.prepared or given.source(report)
            return replace(prepared, search=of_the_paper(prepared.search))

        self.given = given
        self.limits, self._guess = Limits(seconds=min(given.limits.seconds or MOST_SECONDS, MOST_SECONDS)), guess
        self.first = SearchSession(prepare, self.limits, FULL_SPEED, look=given.look, trial=True)
        self.done: Ablation | None = None  # what has ended with something to show

    @property
    def place(self) -> str:
        """Which run the present one is, of how many, and with which bounds."""
        if self.done is None:
            return f"1, {AS_SET}"
        at, variants = len(self.done.outcomes), self.done.variants
        return f"{at + 1} of {len(variants)}, {variants[at].name}"

    def next(self, session: SearchSession) -> SearchSession | None:
        """The session after one that has ended; None: that was the last one."""
        first, last = self.first.prepared, session.snapshot
        if first is None or last is None or session.state is State.FAILED:
            return None
        if self.done is None:
            self.done = Ablation(first.search, added=True)
        variants, outcomes = self.done.variants, self.done.outcomes
        outcomes.append(Outcome(variants[len(outcomes)], last, math.nan))
        if len(outcomes) == len(variants) or session.state is State.STOPPED:
            return None
        made, look = variants[len(outcomes)], self.first.look
        return SearchSession(
            lambda report: replace(first, search=made.of(first.search)), self.limits, FULL_SPEED, look=look, trial=True
        )

    def frame(self) -> pd.DataFrame:
        """That of the ablation, the run with all bounds last; variants that were not proven say their gap."""
        assert self.done is not None
        frame = self.done.frame.replace({"variant": {AS_SET: f"+ {GUESSES[-1]}: {AS_SET}"}})
        frame = pd.concat([frame[1:], frame[:1]], ignore_index=True)
        told = zip(frame["variant"], frame["status"], frame["gap"], strict=True)
        names = [name if status == Status.OPTIMAL else f"{name} (gap {at_most(gap)})" for name, status, gap in told]
        return frame.assign(variant=names)

    @property
    def said(self) -> str:
        """How it went."""
        assert self.done is not None
        ended, of = self.done.outcomes, len(self.done.variants)
        proven = sum(each.snapshot.status is Status.OPTIMAL for each in ended)
        same = f"; {proven} proofs, all of the same objective" if proven > 1 and not self.done.contradiction else ""
        if len(ended) < of:
            return f"Ablation: {len(ended)} of {of} runs have ended{same}."
        return f"Ablation: all {of} runs have ended{same}. {self._answer(self.done.frame)}"

    def _answer(self, frame: pd.DataFrame) -> str:
        """Which of the paper's bounds has saved most, and whether that was expected."""
        all_proven = bool((frame["status"] == Status.OPTIMAL).all())
        first, *others = frame["nodes" if all_proven else "gap"].astype(float)
        saved = dict(zip(GUESSES, (before - after for before, after in pairwise([*others, first])), strict=True))
        most = max(saved, key=lambda name: saved[name])
        of = f"{count(round(saved[most]))} prefixes" if all_proven else f"{saved[most]:.4f} of a gap of {others[0]:.4f}"
        told = f"“{most}” has saved most here, {of}."
        if not self._guess:
            return told
        return f"{'Right' if most == self._guess else f'Not “{self._guess}”'}: {told}"


def comes_back(session: SearchSession) -> bool:
    """Whether a session, which is over or paused, can be ablated as it is, and shown again after that."""
    rests = session.state.over or session.state is State.PAUSED
    return rests and not session.recorded and isinstance(session.search, RuleListSearch)


class RunsBox(Working):
    """An ablation with its picture, and what opens a recording."""

    def __init__(
        self,
        ablate: Callable[..., None],  # what the button does
        opened: Callable[[Recording, str], None],  # takes a recording and its name, and raises ValueError
        start_beat: Callable[[], None],  # sees to it that `refresh` is called while `busy`
        complain: Callable[[str], None],  # shows an error
    ) -> None:
        self._opened, self._work, self._complain = opened, Work(start=start_beat), complain
        self.ablation: Ablating | None = None  # the one that goes on
        self.button = Press(ablate, label="Ablation", margin=0, height=30, width=86)
        self.guess = pn.widgets.Select(
            label="My guess", options=["", *GUESSES], width=150, margin=0, stylesheets=[SELECT_CSS], disabled=True
        )
        about = f'<p class="note">{_SAID["ablation"].format(f"{MOST_SECONDS:g}")} {word("Why", "ablation")}</p>'
        said = Html(about, stylesheets=[CARD_CSS, WORD_CSS], min_width=160, **WIDE)
        bar = pn.FlexBox(self.button, self.guess, said, gap="8px", align_items="end", stylesheets=[BAR_CSS], **WIDE)
        asked: dict[str, Any] = {"label": "Open recording", "accept": ".rulelab", "limit": _SAID["limit"]}
        self.field = Uploader(self._received, most=LARGEST_FILE, width=170, margin=0, **asked)
        self._said = Html("", stylesheets=[CARD_CSS], **WIDE)
        # what each bound saves; empty where there is nothing to draw
        self.picture = pn.Column(sizing_mode="stretch_width", margin=(8, 0, 0, 0))
        self.items = (bar, self._said, self.picture)

    def offer(self, free: bool) -> None:
        """Let an ablation begin, while nothing runs."""
        self.button.able = free
        if self.guess.disabled is self.button.able:
            self.guess.disabled = not self.button.able

    def forget(self) -> None:
        """Say nothing of an ablation any more, and give up the run that it would have brought back."""
        if self.ablation is not None:
            self.ablation.given.close()
        self.ablation = None
        self._said.object = ""
        if len(self.picture):
            self.picture[:] = []

    def begin(self, session: SearchSession) -> SearchSession:
        """Begin an ablation of what a session runs; the first session of it."""
        self.forget()
        threading.Thread(target=import_module, args=(_DRAWS,), daemon=True).start()  # the page does not wait for that
        self.ablation = Ablating(session, self.guess.value)
        return self.ablation.first

    def following(self, session: SearchSession) -> SearchSession | None:
        """What follows a session of an ablation, at the end the run from before it, or its first one; None: nothing."""
        ablation = self.ablation
        if ablation is None:
            return None
        following = ablation.next(session)
        if following is None:
            self.ablation = None
            if ablation.done is not None:
                self._tell(ablation)
                if ablation.done.contradiction:
                    self._complain(ablation.done.contradiction)
                return ablation.given if comes_back(ablation.given) else ablation.first
        return following

    def _tell(self, ablation: Ablating) -> None:
        """Say how it went, and draw how many times the prefixes of the run as set each proof stores, or the gaps."""
        self._said.object = f'<p class="note" role="note">{esc(ablation.said, 600)}</p>'
        frame = ablation.frame()
        if len(frame) < 2 or frame["nodes_factor"].isna().any():
            return
        title, axis = "Nodes of each run", "times the run as set"
        if (frame["status"] != Status.OPTIMAL).any():  # how many nodes those need that were stopped is not known
            title, axis, frame["nodes_factor"] = "Gap of each run", "gap when the run ended; none: proven", frame["gap"]
        import_module(_DRAWS)
        from holoviews import Store

        from ...plots import ablation as drawn

        height = min(_MOST, _FRAME + _LINE * len(frame))
        options: dict[str, Any] = {"responsive": True, "height": height, "toolbar": None, "title": title}
        options |= {"xlabel": "", "ylabel": axis, "backend_opts": {"plot.output_backend": "canvas"}}
        picture = drawn(frame.iloc[::-1]).opts(**options, backend="bokeh")
        # without a theme of its own: that of the document may change while the picture stands
        figure = Store.renderers["bokeh"].instance(theme=None).get_plot(picture).state
        self.picture[:] = [pn.pane.Bokeh(figure, sizing_mode="stretch_width", margin=0)]

    @property
    def busy(self) -> bool:
        """Whether there is more to do: of an ablation, or of a file that is being read."""
        return self.ablation is not None or self._work.busy

    def _received(self, contents: bytes, name: str) -> None:
        self._work.begin(lambda progress: Recording.from_bytes(contents, name, LARGEST_TEXT), partial(self._take, name))

    def _take(self, name: str, job: Job) -> None:
        said = job.error or ""
        if not said:
            try:
                self._opened(job.result, name)
            except ValueError as error:
                said = str(error)
        self.field.param.update(doing="", said=plain(said, 400))
