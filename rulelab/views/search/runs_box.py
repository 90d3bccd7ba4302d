"""Other runs than the present one: an ablation with its picture, and the field that opens a recording."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import panel as pn

from ...recording import Recording
from ..live.job import Job
from ..live.session import SearchSession
from ..live.ticker import Work
from ..widgets.buttons import Press
from ..widgets.esc import esc, plain
from ..widgets.explained import WORD_CSS, word
from ..widgets.fields import WIDE
from ..widgets.html import Html
from ..widgets.style import BAR_CSS, CARD_CSS, SELECT_CSS
from ..widgets.uploader import Uploader
from .ablating import GUESSES, MOST_SECONDS, Ablating

_LEFT_OUT, _ADDED = "each left out", "of the paper, added"
_ABLATES = (
    "Runs the settings of the form as they are and once more without each bound in use, one after the other, each "
    "within the time limit."
)
_ADDS = (
    "Runs the search of the CORELS paper with all its bounds, with the errors so far alone, then with one more bound "
    f"each time, each run for {MOST_SECONDS:g} s at most. Which bound will save most?"
)
_CANNOT = "This kind of search has no bounds that could be left out one by one."
_DRAWS = "holoviews.plotting.bokeh"
_LINE, _FRAME, _MOST = 24, 90, 520
"""Of the picture of an ablation: the height of a bar, what is around them, and the most, in pixels."""
LARGEST_FILE = 20_000_000
LARGEST_TEXT = 64_000_000
"""That a file may unpack to; the recording of a million prefixes unpacks to three million bytes."""
_LIMIT = "A recording that Export has saved; at most 20 MB"


class RunsBox:
    """An ablation with its picture, and what opens a recording."""

    def __init__(
        self,
        ablate: Callable[..., None],  # what the button does
        opened: Callable[[Recording, str], None],  # takes a recording and its name, and raises ValueError
        start_beat: Callable[[], None],  # sees to it that `tick` is called while `busy`
        complain: Callable[[str], None],  # shows an error
    ) -> None:
        self._opened, self._work, self._possible = opened, Work(start=start_beat), False
        self._complain = complain
        self.ablation: Ablating | None = None  # the one that goes on
        self.button = Press(ablate, label="Ablation", margin=0, height=30, width=86)
        listed: dict[str, Any] = {"margin": 0, "stylesheets": [SELECT_CSS], "disabled": True}
        self.way = pn.widgets.Select(label="Bounds", options=[_ADDED, _LEFT_OUT], width=190, **listed)
        self.guess = pn.widgets.Select(label="My guess", options=["", *GUESSES], width=150, **listed)
        self.way.param.watch(lambda *_: self._say_what(), "value")
        self._about = Html("", stylesheets=[CARD_CSS, WORD_CSS], min_width=160, **WIDE)
        bar = pn.FlexBox(
            self.button, self.way, self.guess, self._about, gap="8px", align_items="end", stylesheets=[BAR_CSS], **WIDE
        )
        self.field = Uploader(
            self._received,
            label="Open recording",
            accept=".rulelab",
            limit=_LIMIT,
            most=LARGEST_FILE,
            width=170,
            margin=0,
        )
        self._said = Html("", stylesheets=[CARD_CSS], **WIDE)
        # what each bound saves; empty where there is nothing to draw
        self.picture = pn.Column(sizing_mode="stretch_width", margin=(8, 0, 0, 0))
        self.items = (bar, self._said, self.picture)

    def offer(self, possible: bool, free: bool) -> None:
        """Let an ablation begin: where there is something to leave out, and nothing runs."""
        self._possible = possible
        self._say_what()
        for field in (self.way, self.guess):
            if field.disabled is (possible and free):
                field.disabled = not (possible and free)
        self.button.able = possible and free

    def _say_what(self) -> None:
        added = self.way.value == _ADDED
        what = (_ADDS if added else _ABLATES) if self._possible else _CANNOT
        self._about.object = f'<p class="note">{what} {word("Why", "ablation")}</p>'
        self.guess.visible = added

    def forget(self) -> None:
        """Say nothing of an ablation any more."""
        self.ablation = None
        self._said.object = ""
        if len(self.picture):
            self.picture[:] = []

    def begin(self, session: SearchSession) -> SearchSession:
        """Begin an ablation of what a session would run; the first session of it."""
        threading.Thread(target=import_module, args=(_DRAWS,), daemon=True).start()  # the page does not wait for that
        self.ablation = Ablating(session, self.way.value == _ADDED, self.guess.value)
        return self.ablation.first

    def following(self, session: SearchSession) -> SearchSession | None:
        """What follows a session of an ablation that has ended, at the end its first one; None: nothing."""
        ablation, self.ablation = self.ablation, None
        if ablation is None:
            return None
        try:
            following = ablation.next(session)
        except ValueError as error:
            self._complain(str(error))
            return None
        if following is not None:
            self.ablation = ablation
        elif ablation.done is not None:
            self._tell(ablation)
            if ablation.done.contradiction:
                self._complain(ablation.done.contradiction)
            return ablation.first
        return following

    def _tell(self, ablation: Ablating) -> None:
        """Say how it went, and draw how many times the prefixes of the first run each other one has stored."""
        self._said.object = f'<p class="note" role="note">{esc(ablation.said, 600)}</p>'
        frame = ablation.frame()
        if len(frame) < 2 or frame["nodes_factor"].isna().any():
            return
        import_module(_DRAWS)
        from ...plots import ablation as drawn

        height = min(_MOST, _FRAME + _LINE * len(frame))
        options: dict[str, Any] = {"responsive": True, "height": height, "toolbar": None, "title": "Nodes of each run"}
        said = "times the run as set" + ("; where a gap stands: when it was ended" if ablation.added else "")
        options |= {"xlabel": "", "ylabel": said, "backend_opts": {"plot.output_backend": "canvas"}}
        picture = drawn(frame.iloc[::-1]).opts(**options, backend="bokeh")
        self.picture[:] = [pn.pane.HoloViews(picture, sizing_mode="stretch_width", margin=0)]

    @property
    def busy(self) -> bool:
        """Whether there is more to do: of an ablation, or of a file that is being read."""
        return self.ablation is not None or self._work.busy

    def tick(self) -> None:
        """Show what has been read, or say why it cannot be shown."""
        self._work.refresh()

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
