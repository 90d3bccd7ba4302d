"""What stands under "Runs": the button of the ablation, the field that opens a recording, and the table of the runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ....ablation import nodes_of
from ....assets import asset
from ....recording import Recording
from ....snapshot import Status
from ...live.job import Job
from ...live.ticker import Work
from ...live.wording import NONE, apart, below, count, gap
from ...widgets.buttons import Press
from ...widgets.esc import esc, plain
from ...widgets.explained import WORD_CSS, word
from ...widgets.fields import WIDE
from ...widgets.html import Html
from ...widgets.style import BAR_CSS, CARD_CSS, SELECT_CSS, sheet
from ...widgets.uploader import Uploader
from .ablating import GUESSES, MOST_SECONDS, AblationPicture
from .past import MOST_RUNS, PastRun, Runs, differing

_LEFT_OUT, _ADDED = "each left out", "of the paper, added"
HEADS = ["run", "objective", "lower bound", "gap", "nodes", "search time", "integral"]
TERMS = {"run": "runs", "integral": "primal-dual integral"}
_EMPTY = "No run has ended yet. Each one stays here with its figures, and as a pale line beneath the next one's curves."
_ABLATES = (
    "Runs the settings of the form as they are and once more without each bound in use, one after the other, each "
    "within the time limit."
)
_ADDS = (
    "Runs the search of the CORELS paper with all its bounds, with the errors so far alone, then with one more bound "
    f"each time, each run for {MOST_SECONDS:g} s at most. Which bound will save most?"
)
_CANNOT = "This kind of search has no bounds that could be left out one by one."


class RunsBox:
    """The runs and what can be done with them: an ablation in `head`, and in `items` the table and its picture."""

    def __init__(
        self,
        runs: Runs,
        changed: Callable[[], None],  # called when other pale curves are to be drawn
        ablate: Callable[..., None],  # what the button does
        to_form: Callable[[str], None],  # takes the query of a run's settings
    ) -> None:
        self._runs, self._changed, self._to_form = runs, changed, to_form
        self._note, self._possible = "", False
        self.button = Press(ablate, label="Ablation", margin=0, height=30, width=86)
        listed: dict[str, Any] = {"margin": 0, "stylesheets": [SELECT_CSS], "disabled": True}
        self.way = pn.widgets.Select(label="Bounds", options=[_LEFT_OUT, _ADDED], width=190, **listed)
        self.guess = pn.widgets.Select(label="My guess", options=["", *GUESSES], width=150, visible=False, **listed)
        self.way.param.watch(lambda *_: self._say_what(), "value")
        self._about = Html("", stylesheets=[CARD_CSS, WORD_CSS], min_width=160, **WIDE)
        self._said = Html("", stylesheets=[CARD_CSS], **WIDE)
        self.table = RunTable(self.act, heads=HEADS, terms=TERMS, empty=_EMPTY, **WIDE)
        bar = pn.FlexBox(
            self.button, self.way, self.guess, self._about, gap="8px", align_items="end", stylesheets=[BAR_CSS], **WIDE
        )
        self.picture = AblationPicture()
        self.head, self.items = (bar,), (self._said, self.table, self.picture.pane)

    def offer(self, possible: bool, free: bool) -> None:
        """Let an ablation begin: where there is something to leave out, and nothing runs."""
        self._possible = possible
        self._say_what()
        for field in (self.way, self.guess):
            if field.disabled is (possible and free):
                field.disabled = not (possible and free)
        self.button.able = possible and free

    @property
    def added(self) -> bool:
        """Whether the bounds of the paper are to be added one by one."""
        return self.way.value == _ADDED

    def _say_what(self) -> None:
        added = self.added
        what = (_ADDS if added else _ABLATES) if self._possible else _CANNOT
        self._about.object = f'<p class="note">{what} {word("Why", "ablation")}</p>'
        self.guess.visible = added

    def say(self, note: str) -> None:
        """Say how the ablation went; empty: nothing."""
        self._note = note
        self.show(self._runs.present)

    def show(self, present: PastRun | None) -> None:
        """Bring the table up to date."""
        gone = f"{count(self._runs.gone)} older runs have made room: {MOST_RUNS} are kept." if self._runs.gone else ""
        said = " ".join(filter(None, (self._note, gone)))
        self._said.object = f'<p class="note" role="note">{esc(said, 600)}</p>' if said else ""
        shown = rows(list(self._runs), present)
        if shown != self.table.rows:
            self.table.rows = shown

    def act(self, number: Any, what: str) -> None:
        """Do what was pressed in the table."""
        run = self._runs.find(number)
        if run is None:
            return
        if what == "show":
            run.shown = not run.shown
        elif what == "pin":
            pinned = sum(each.pinned for each in self._runs)
            if not run.pinned and pinned >= MOST_RUNS - 1:
                self._note = f"{count(pinned)} runs are pinned; one place stays free for the next run."
            else:
                run.pinned = not run.pinned
        elif what == "remove":
            self._runs.remove(run)
        elif run.query is not None:
            self._to_form(run.query)
        self.show(self._runs.present)
        self._changed()


def rows(runs: Sequence[PastRun], present: PastRun | None) -> list[dict[str, Any]]:
    """What the table shows, in the order in which the runs began: what stands there stays there."""
    apart_words = differing([run.settings for run in runs])
    latest = present or (runs[-1] if runs else None)
    return [
        {
            "number": run.number,
            "cells": cells(run),
            "said": _said(run, words, latest),
            "shown": run.shown,
            "pinned": run.pinned,
            "present": run is present,
            "comparable": latest is None or run.key == latest.key,
            "settable": run.query is not None,
        }
        for run, words in zip(runs, apart_words, strict=True)
    ]


def cells(run: PastRun) -> list[str]:
    """Objective, lower bound, gap, nodes, search time, integral; of an ablation with what they are times the first."""
    now, best = run.snapshot, run.snapshot.incumbent
    found, bound = (NONE, below(now.lower_bound, run.family))
    if best is not None:
        found, bound = apart(best.objective, now.lower_bound, run.family)
    nodes, seconds = nodes_of(now), now.seconds
    base = None if run.basis is None else run.basis.snapshot
    return [
        found,
        NONE if now.status is Status.INFEASIBLE else bound,
        gap(now, run.family),
        count(nodes) + _times(nodes, None if base is None else nodes_of(base)),
        f"{seconds:.2f} s" + _times(seconds, None if base is None else base.seconds),
        f"{run.integral:.4g}",
    ]


def _times(value: float, first: float | None) -> str:
    return f" (×{value / first:.3g})" if first else ""


def _said(run: PastRun, words: dict[str, str], latest: PastRun | None) -> str:
    """What was set differently, how it ended, and why it is in no plot."""
    if run.variant and run.basis is not None:
        words = {}  # its run as set says the others
    said = [run.variant, *(f"{name}: {value}" for name, value in words.items()), run.said]
    if latest is not None and run.key != latest.key:
        said.append("other data or family: not in the plot")
    return " · ".join(filter(None, said))


ACTS = ("show", "pin", "form", "remove")


class RunTable(JSComponent):
    """Two lines a run, all as text; what is pressed is told by the number of the run, which may be anything."""

    heads: param.List[list[str]] = param.List(default=[], doc="Names of the columns, that of the number first.")
    terms = param.Dict(default={}, doc="What a name is called in the glossary, where that is something else.")
    rows = param.List(default=[], doc="See `rulelab.views.search.runs.box.rows`.")
    empty = param.String(default="", doc="What is said where there is no run.")

    _esm = asset("dom.js", "run_table.js")
    _stylesheets = [sheet("run_table.css")]

    def __init__(self, on_act: Callable[[Any, str], None], **params: Any) -> None:
        super().__init__(**params)
        self._on_act = on_act

    def _handle_msg(self, data: Any) -> None:
        """From the browser, which may send anything."""
        if isinstance(data, dict) and data.get("act") in ACTS:
            self._on_act(data.get("run"), data["act"])


LARGEST_FILE = 20_000_000
LARGEST_TEXT = 64_000_000
"""That a file may unpack to; the recording of a million prefixes unpacks to three million bytes."""
_LIMIT = "A file that the button Recording, beside the best model, has saved; at most 20 MB"


class Opener:
    """A button that takes a recording; ``opened`` takes it and its name, and raises ValueError."""

    def __init__(self, opened: Callable[[Recording, str], None], start_beat: Callable[[], None]) -> None:
        self._opened = opened
        self._work = Work(start=start_beat)
        self.field = Uploader(
            self._received,
            label="Open recording",
            accept=".rulelab",
            limit=_LIMIT,
            most=LARGEST_FILE,
            sizing_mode="stretch_width",
            margin=(8, 0),
        )

    @property
    def busy(self) -> bool:
        """Whether a file is being read."""
        return self._work.busy

    def tick(self) -> None:
        """Show what has been read, or say why it cannot be shown."""
        self._work.refresh()

    def _take(self, name: str, job: Job) -> None:
        said = job.error or ""
        if not said:
            try:
                self._opened(job.result, name)
            except ValueError as error:
                said = str(error)
        self.field.param.update(doing="", said=plain(said, 400))

    def _received(self, contents: bytes, name: str) -> None:
        self._work.begin(lambda progress: Recording.from_bytes(contents, name, LARGEST_TEXT), partial(self._take, name))
