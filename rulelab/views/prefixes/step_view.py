"""One step of a search over prefixes in slow motion: the prefix that was expanded, and what became of its children."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import panel as pn
import param

from ... import glossary
from ...data.problem import Problem
from ...families import FAMILIES
from ...prefixes import PrefixSearch
from ...slices import Slices
from ...snapshot import Snapshot, Status
from ..cards.rule_tables import conditions_in_words
from ..live.ticker import Beat
from ..live.wording import count, figures, in_signs
from ..notebook import NotebookViewer
from ..search.plot_box import PlotBox
from ..widgets import icons
from ..widgets.esc import esc, plain
from ..widgets.explained import WORD_CSS, Explained
from ..widgets.html import Html
from ..widgets.live_text import LiveText
from ..widgets.press import Press
from ..widgets.style import BAR_CSS, BUTTON_CSS, CARD_CSS, LOW_CSS, PANEL_CSS, STACK_CSS, TAB_CSS, VIEW_CSS
from .frames import StepFrame, step_frame
from .step_plot import TERMS, StepPlot, bound_name
from .step_table import StepTable

_WIDE: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": 0}
_TOP_CSS = ":host { align-content: start; }"
_OWN_HEIGHT_CSS = ":host { flex: none !important; height: auto !important; grid-auto-rows: max-content; }"
"""A parent of fixed height scrolls, and does not squeeze the picture."""
_NOT_BEGUN = "The search has not begun: Step begins it, and shows the first prefix that is expanded."
_PREPARES = "The search prepares its first step: it looks for a first list."
_COMPILES = "Compiling the search: once per machine, some seconds."
_MOMENT = 0.2
"""Seconds of search between two looks at the page."""
_NOTHING_YET = "No prefix is expanded yet. This is what becomes of each first rule when the empty list is."


class StepPane(NotebookViewer):
    """A prefix with the bound of each rule that could come next; frames of it come from elsewhere.

    Parameters
    ----------
    unit : str
        Of the objective.
    kind : str
        Whose bounds they are.

    Attributes
    ----------
    prefix : list of str or None
        What is asked for; None: the prefix that was expanded last.
    path : list of str
        The prefix that is shown.
    """

    prefix = param.ClassSelector(class_=(list, tuple), default=None, allow_None=True, doc="None: expanded last.")
    dark = param.Boolean(default=False, doc="Whether the page around is dark.")
    large = param.Boolean(default=False, doc="Whether the text in the picture is large enough for a projector.")

    def __init__(self, unit: str, kind: str, **params: Any) -> None:
        self.path: list[str] = []
        self._kind, self._unit = kind, unit
        super().__init__(**params)
        self._build()
        self._restyle()

    def __panel__(self) -> Any:
        return self._layout

    def back(self, *_: Any) -> None:
        """Ask for the prefix without its last rule."""
        if self.path:
            self.ask(self.path[:-1])

    def last(self, *_: Any) -> None:
        """Ask for the prefix that was expanded last."""
        self.ask(None)

    def look(self, antecedent: str) -> None:
        """Ask for the prefix with one more rule."""
        self.ask([*self.path, antecedent])

    def ask(self, prefix: Sequence[str] | None) -> None:
        """Ask for a prefix."""
        self.prefix = prefix

    def refuse(self, reason: str) -> None:
        """Say why what was asked for cannot be shown."""
        self._alert.phase = f"There is nothing to see there: {plain(reason.removeprefix('prefix: '), 400)}."

    def remark(self, html: str) -> None:
        """Say something above all."""
        if self._remark.object != html:
            self._remark.object = html

    def clear(self, html: str) -> None:
        """Show nothing, and say why."""
        self._alert.phase, self.path = "", []
        for pane, text in ((self._heading, ""), (self._figures, ""), (self._brief, ""), (self._note, html)):
            pane.object = text
        for box in self._frames:
            box.visible = False
        self._allow(False, False)
        self.remark("")

    def _allow(self, back: bool, last: bool) -> None:
        for button, able in ((self._back, back), (self._last, last)):
            if button.able is not able:
                button.able = able

    def draw(self, frame: StepFrame) -> None:
        """Show a prefix."""
        children, self.path = frame.children, frame.path
        with pn.io.hold():
            self._alert.phase = ""
            begun = not children.empty
            said = _prefix_table(frame.problem, self.path, frame.last) if begun else ""
            note = self._words(frame)
            for pane, text in (
                (self._heading, said),
                (self._brief, _brief(self.path, frame.last) if begun else ""),
                (self._figures, _figures(frame.own, children)),
                (self._note, note),
            ):
                if pane.object != text:
                    pane.object = text
            self._plot.draw(children)
            self._box.refresh()
            for box in self._frames:
                box.visible = begun or (bool(note) and self._note in box)
            self._table.draw(children)
            self._allow(bool(self.path), self.prefix is not None)
        pn.io.push_notebook(self._box.pane)

    def _words(self, frame: StepFrame) -> str:
        """What is to be known before the picture is read; HTML."""
        if frame.refused:
            return f'<p class="empty">{esc(frame.refused, 400)}</p>'
        now = frame.now
        if frame.children.empty:
            return "" if now is None else '<p class="empty">The search prepares: there is no prefix yet.</p>'
        cut_by = frame.children.attrs["prefix_cut_by"]
        if cut_by:
            term = glossary.find(cut_by, frame.kind)
            why = f" {esc(term.sentence, 400)}" if term else ""
            return (
                f'<p class="shown">The search does not continue this prefix: <b>{esc(bound_name(cut_by))}</b> cuts it, '
                f"with all that could follow.{why} Below is what would become of each next rule all the same.</p>"
            )
        if now is not None and not now.counts.get("expanded") and not self.path:
            return f'<p class="note">{_NOTHING_YET}</p>'
        return ""

    @param.depends("dark", "large", watch=True)
    def _restyle(self) -> None:
        self._plot.use_dark(self.dark)
        self._plot.use_size(self.large)

    def _build(self) -> None:
        button: dict[str, Any] = {"margin": 0, "height": 30, "width": 110}
        self._back = Press(self.back, label="One rule back", able=False, **button)
        self._last = Press(self.last, label="Expanded last", able=False, **button)
        self._bar = pn.Row(self._back, self._last, stylesheets=[BAR_CSS], **_WIDE)
        self._alert = LiveText(role="alert", caption="Error", **_WIDE)
        sheets = [CARD_CSS, WORD_CSS, LOW_CSS]
        self._heading, self._figures, self._note, self._remark, self._brief = (
            Html("", stylesheets=sheets, **_WIDE) for _ in range(5)
        )
        self._plot = StepPlot(self._unit, self.look)
        self._box = PlotBox(self._plot, self._plot.picture, lambda: "step")
        self._table = StepTable(self.look, self._kind, **_WIDE)
        self._all = Html("<h2>All next rules</h2>", stylesheets=[CARD_CSS], **_WIDE)
        self._frames = self._parts()
        self._layout = self._arranged()

    def _parts(self) -> tuple[pn.Column, ...]:
        """What there is only when a prefix is shown; on a page the picture comes first."""
        parts = (*self._box.items,), (self._figures, self._heading), (self._all, self._table)
        return tuple(pn.Column(*part, stylesheets=[TAB_CSS], **_WIDE) for part in parts)

    def _arranged(self) -> pn.Column:
        head = self._bar, self._remark, self._alert, self._brief, self._note
        return pn.Column(*head, *self._frames, stylesheets=[STACK_CSS], **_WIDE)


class StepView(StepPane):
    """The prefix that was expanded last, or any other, with the bound of each rule that could come next.

    Parameters
    ----------
    search : PrefixSearch
        An exact search for rule lists or falling rule lists, or that of the CORELS paper. Step advances it; after it
        was advanced elsewhere, `refresh` shows what is new.
    prefix : list or tuple of int or str, optional
        Antecedents by index or name; None: the prefix that was expanded last, whichever that is.
    dark : bool
        Whether the page around is dark.

    Raises
    ------
    TypeError
        When the search is none over prefixes.
    ValueError
        When the prefix has an antecedent that the search does not try, or more rules than any that it could use.

    Examples
    --------
    In a notebook::

        rl.views.StepView(rl.RuleListSearch(problem, regularization=0.01))
    """

    def __init__(self, search: PrefixSearch, prefix: Sequence[int | str] | None = None, **params: Any) -> None:
        if not isinstance(search, PrefixSearch):
            raise TypeError(
                "search must be one over prefixes: a RuleListSearch, a CorelsSearch or an exact FallingRuleListSearch, "
                f"not {search!r}"
            )
        self._search = search
        self._kept: Any = None
        self._goal: int | None = None
        self._beat = Beat(self._go_on)
        super().__init__(FAMILIES[search.family].unit, search.kind or search.family, **params)
        self.prefix = prefix
        if prefix is None:
            self.refresh()

    @property
    def search(self) -> PrefixSearch:
        """What is looked into."""
        return self._search

    def step(self) -> None:
        """Let the search expand one more prefix, and show it; nothing once the search has ended."""
        if not self._ended:
            self._goal = _expanded(self._search) + 1
            while self._go_on():
                pass

    def _press(self, *_: Any) -> None:
        """As `step`, but what takes long is done in parts, between which the page answers."""
        if self._ended or self._goal is not None:
            return
        self._goal = _expanded(self._search) + 1
        self._step.disabled = True
        self._status.param.update(tone="busy", phase=_PREPARES if self._search.compiled else _COMPILES)
        if not self._search.compiled or self._go_on():
            self._beat.start()

    def _go_on(self) -> bool:
        """Work on the step for a moment; whether it takes longer."""
        assert self._goal is not None
        if not _expand(self._search, self._goal, _MOMENT):
            return True
        self._goal = None
        self.ask(None)
        return False

    def look(self, antecedent: str) -> None:
        """Show the prefix with one more rule; why it cannot be looked into is said in the view."""
        try:
            super().look(antecedent)
        except ValueError as error:
            self.refuse(str(error))

    @param.depends("prefix", watch=True)
    def _changed(self) -> None:
        try:
            self.refresh()
        except ValueError:
            with param.parameterized.discard_events(self):
                self.prefix = self._kept
            raise

    def refresh(self) -> None:
        """Show the search as it stands now."""
        frame = step_frame(self._search, self.prefix)
        self._kept = self.prefix
        with pn.io.hold():
            self._stand(frame.now)
            self.draw(frame)

    @property
    def _ended(self) -> bool:
        now = self._search.snapshot
        return now is not None and now.status is not Status.RUNNING and self._search.stopped_by is None

    def ask(self, prefix: Sequence[str] | None) -> None:
        if prefix == self.prefix:
            self.refresh()
        else:
            self.prefix = prefix

    def _stand(self, now: Snapshot | None) -> None:
        """The line beside the buttons."""
        self._step.disabled = self._ended or self._goal is not None
        if now is None:
            self._status.param.update(tone="idle", phase=_NOT_BEGUN, figures=[])
            return
        expanded, queued = (count(now.counts.get(name, 0)) for name in ("expanded", "queued"))
        tone, phase = "paused", f"Prefixes expanded so far: {expanded}; waiting in the queue: {queued}."
        if now.status is Status.OPTIMAL:
            tone, phase = "proven", f"The search has ended, its best list is optimal. Prefixes expanded: {expanded}."
        elif self._ended:
            tone, phase = "limit", f"The search has ended at its limit ({now.limit}). Prefixes expanded: {expanded}."
        shown = [list(pair) for pair in figures(now, self._search.family)]
        self._status.param.update(tone=tone, phase=phase, figures=shown)

    def _build(self) -> None:
        super()._build()
        button = {"stylesheets": [BUTTON_CSS], "margin": 0, "height": 38}
        self._step = pn.widgets.Button(
            label="Step", icon=icons.STEP, on_click=self._press, color="primary", width=92, **button
        )
        self._bar.insert(0, self._step)

    def _parts(self) -> tuple[pn.Column, ...]:
        about = self._alert, self._heading, self._figures, self._note
        return tuple(_framed("rl-wide", *part) for part in (about, self._box.items, (self._all, self._table)))

    def _arranged(self) -> pn.Column:
        self._status = LiveText(sizing_mode="stretch_width", margin=(12, 0, 0, 0))
        head = pn.Column(self._bar, self._status, stylesheets=[STACK_CSS, _TOP_CSS], css_classes=["rl-wide"], **_WIDE)
        return pn.Column(
            head, *self._frames, Explained(), stylesheets=[VIEW_CSS, _OWN_HEIGHT_CSS], css_classes=["rl-view"], **_WIDE
        )


def _framed(place: str, *items: Any) -> pn.Column:
    return pn.Column(*items, css_classes=[place], stylesheets=[PANEL_CSS], **_WIDE)


def _expanded(search: PrefixSearch) -> int:
    now = search.snapshot
    return 0 if now is None else now.counts.get("expanded", 0)


def _expand(search: PrefixSearch, goal: int, seconds: float) -> bool:
    """Advance a search until it has expanded so many prefixes or has ended, for a moment; whether it has.

    What comes before the first prefix goes by in larger parts.
    """
    now, slices, end = search.snapshot, Slices(), time.perf_counter() + seconds
    while True:
        began = time.perf_counter()
        now = search.advance(1 if now is not None and now.phase == "searching" else slices.size)
        if now.status is not Status.RUNNING or now.counts.get("expanded", 0) >= goal:
            return True
        slices.took(time.perf_counter() - began, search.pace)
        if time.perf_counter() >= end:
            return False


def _brief(prefix: Sequence[str], is_last: bool) -> str:
    """The prefix in a line, as HTML."""
    rules = (
        ", ".join(f"{'else if' if k else 'if'} {esc(in_signs(name))}" for k, name in enumerate(prefix))
        or "the empty list"
    )
    return f"<h2>{'Expanded last' if is_last else 'Looked into'}: {rules}</h2>"


def _prefix_table(problem: Problem, prefix: Sequence[str], is_last: bool) -> str:
    """The rules of a prefix with what each captures, as HTML."""
    head = "Expanded last" if is_last else "Looked into"
    left, rows = np.ones(problem.n_patterns, dtype=bool), []
    for k, name in enumerate(prefix):
        j = problem.names.index(name)
        captured = left & ((problem.words[:, j >> 6] >> np.uint64(j & 63)) & np.uint64(1)).astype(bool)
        left &= ~captured
        negative, positive = (each[captured].sum().item() for each in (problem.negatives, problem.positives))
        figures = "".join(f'<td class="num">{count(n)}</td>' for n in (positive + negative, min(positive, negative)))
        words = conditions_in_words(problem.conditions[j] if problem.conditions else None, name)
        rows.append(
            f'<tr><td><span class="kw">{"else if" if k else "if"}</span> {words}</td>'
            f'<td class="label">{esc(problem.classes[positive > negative], 40)}</td>{figures}</tr>'
        )
    over = (problem.negatives[left].sum() + problem.positives[left].sum()).item()
    rest = "else" if prefix else "the empty list:"
    rows.append(
        f'<tr><td><span class="kw">{rest}</span> what could come next</td><td></td><td class="num">{count(over)}</td>'
        "<td></td></tr>"
    )
    heads = '<th>rule</th><th class="label">label</th><th class="num">captured</th><th class="num">errors</th>'
    return (
        f'<h2>{head}</h2><div class="box"><table class="rules"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _figures(own: Any, frame: Any) -> str:
    """The bound of the prefix, taken apart, as HTML; ``own``: its row among the children of its parent."""
    if frame.empty:
        return ""
    best = f"the best list {frame.attrs['incumbent']:.4f}"
    if own is None:
        return f'<p class="sum">It loses nothing yet and has no price; {best}.</p>'
    parts = " + ".join(f"{words} {own[name]:.4f}" for name, words in TERMS.items() if own[name] or name != "further")
    fate = f"cut by {bound_name(own['cut_by'])}" if own["fate"] == "cut" else own["fate"]
    return f'<p class="sum">Bound {own["bound"]:.4f} = {parts}; {best}; now {esc(fate)}.</p>'
