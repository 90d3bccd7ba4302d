"""The tab Learn: the guided walks, how far one has come in each, and a script for ten minutes before an audience."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import panel as pn
import param

from ...assets import texts
from ..forms.address import Address, Part
from ..live.wording import counted, filled
from ..widgets.browser import Kept, Pointer
from ..widgets.esc import esc
from ..widgets.fields import WIDE, Complaining, LayoutViewer, alert, button, column, when_page_ends
from ..widgets.html import Html
from ..widgets.style import BAR_CSS, COMPARE_CSS, STACK_CSS, sheet
from . import twelve
from .plan import sections
from .plans import PLANS
from .walk import TEXT_CSS, Walk

KEYS = tuple(texts("keys").items())  # what the keyboard does in presenter mode

MINUTES = [
    (each.heading, *each.of("what to show", "what to say"))
    for each in [*sections(Path(__file__).with_name("script.md"))][1:]
]
"""When, what the page shows, and what to say."""
SCRIPT = "script"
WALKS: dict[str, tuple[str, int]] = {
    twelve.NAME: (twelve.ABOUT, len(twelve.STEPS)),
    **{name: (plan.about, len(plan.steps)) for name, plan in PLANS.items()},
}
"""In the order in which they are offered: a sentence, and the number of steps."""
_SAYS = texts("learn")["says"]


def script_html() -> str:
    return filled("learn_script.html", minutes=MINUTES, keys=KEYS)


def read_progress(text: str) -> dict[str, list[int]]:
    """The steps done in each walk, from a text that may come from anywhere; what is not sound is left out."""
    try:
        found = json.loads(text) if len(text) < 10_000 else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return {}
    sound = {}
    for name, (_, length) in WALKS.items():
        steps = found.get(name)
        if isinstance(steps, list):
            sound[name] = [k for k in range(1, length + 1) if any(k is each or k == each for each in steps)]
    return sound


class LearnView(Complaining, LayoutViewer):
    """The walks to choose from, or the one that is open."""

    walk: param.Selector[str] = param.Selector(default="", objects=["", *WALKS, SCRIPT], doc="What is open.")
    step = param.Integer(default=1, bounds=(1, None), doc="The step of the walk that is open.")
    dark = param.Boolean(default=False, doc="Whether the page is dark.")
    on_game = param.Callable(default=None, doc="Begins the game with the hidden optimum; None: it is not offered.")
    on_script = param.Callable(default=None, doc="Performs the script on the page; None: it can be read alone.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._progress: dict[str, list[int]] = {}
        self.opened: Walk | twelve.TwelvePeople | None = None  # the walk that is open
        # to be shown somewhere on the page: keeps the progress in the browser
        self.kept = Kept(key="rulelab-learn", lasting=True, width=0, height=0, margin=0)
        self.kept.param.watch(self._found, "found")
        self._alert = alert()
        self._leave = button("All walks", lambda _: self.param.update(walk="", step=1), 96, small=False)
        self._body = column(sheets=[STACK_CSS])
        self._pointer = Pointer(head="rl-learn", width=0, height=0, margin=0)
        self._layout = column(self._alert, self._body, self.kept, self._pointer, classes="rl-learn", sheets=[STACK_CSS])
        when_page_ends(self._close)
        self._show()

    @param.depends("on_game", "on_script", watch=True)
    def _show_offers(self) -> None:
        if self.walk not in WALKS:
            self._show()

    @param.depends("walk", watch=True)
    def _show(self) -> None:
        self._close()
        self._pointer.heads += 1
        if self.walk == SCRIPT:
            perform = self.on_script
            begin = [] if perform is None else [button("Begin", perform, 92, small=False, color="primary")]
            self._body.objects = [
                pn.Row(self._leave, *begin, stylesheets=[BAR_CSS], margin=0),
                Html(script_html(), stylesheets=[TEXT_CSS], **WIDE),
            ]
        elif self.walk:
            self._body.objects = self._made(self.walk)
        else:
            self._body.objects = [Html(_SAYS, stylesheets=[TEXT_CSS], **WIDE), self._offers()]

    def _made(self, name: str) -> list[Any]:
        names = [*WALKS]
        after = partial(self._start, names[(names.index(name) + 1) % len(names)])
        own = {"step": min(self.step, WALKS[name][1]), "done": self._progress.get(name, [])}
        if name == twelve.NAME:
            self.opened = people = twelve.TwelvePeople(**own, **WIDE)
            people.param.watch(after, "left")
        else:
            self.opened = Walk(name, alone=False, above=self._leave, after=after, dark=self.dark, **own)
        self.step = own["step"]
        self.opened.param.watch(self._keep, "done")
        self.opened.param.watch(lambda event: self.param.update(step=event.new), "step")
        return [self._leave, self.opened] if name == twelve.NAME else [self.opened]

    @param.depends("step", watch=True)
    def _go(self) -> None:
        if self.opened is not None and self.opened.step != self.step:
            self.opened.step = min(self.step, WALKS[self.walk][1])

    def _offers(self) -> pn.Column:
        items = [self._offer(name.capitalize(), "", "", "Start", partial(self._start, name)) for name in WALKS]
        self._offered: dict[str, Any] = dict(zip(WALKS, items, strict=True))
        self._say_progress()
        if (play := self.on_game) is not None:
            about = "Build a list by hand while the proven optimum is hidden: alone, or with a class in one room."
            items.append(self._offer("Beat the optimizer", about, "a game", "Play", lambda _: play()))
        about = "A script: what to show and what to say, and the keys that drive the page from a projector."
        read = partial(self._start, SCRIPT)
        items.append(self._offer("Ten minutes before an audience", about, "a page to read", "Read", read))
        return column(*items, sheets=[sheet("walk_list.css")])

    def _offer(self, title: str, about: str, said: str, verb: str, begin: Callable[..., Any]) -> pn.Column:
        text = Html(_about(title, about, said), stylesheets=[TEXT_CSS], **WIDE)
        press = button(verb, begin, 92, small=False, description=title)
        return column(text, press, sheets=[STACK_CSS, ":host { align-content: space-between; }"], classes="rl-offer")

    def _say_progress(self) -> None:
        """How far each walk is, in the list as it stands: somebody may be about to press in it."""
        for name, (text, press) in self._offered.items():
            (sentence, of), done = WALKS[name], len(self._progress.get(name, []))
            text.object = _about(name.capitalize(), sentence, counted(of, "steps") + (f", {done} done" if done else ""))
            press.label = "Go on" if 0 < done < of else "Start"

    def _start(self, name: str, *_: Any) -> None:
        done: Sequence[int] = self._progress.get(name, [])
        steps = range(1, WALKS[name][1] + 1) if name in WALKS else [1]
        self.param.update(walk=name, step=next((k for k in steps if k not in done), 1))

    def _keep(self, event: param.parameterized.Event) -> None:
        self._progress[self.walk] = list(event.new)
        self.kept.kept = json.dumps(self._progress)

    def _found(self, event: param.parameterized.Event) -> None:
        """The browser says what it kept: at once when the page is there, and never again."""
        if event.old is None and event.new:
            found = read_progress(event.new)
            self._progress = {**found, **self._progress}
            if self.opened is not None:
                self.opened.done = sorted({*self.opened.done, *found.get(self.walk, [])})
            elif not self.walk:
                self._say_progress()

    def _close(self) -> None:
        if self.opened is not None:
            self.opened.close()
            self.opened = None

    @param.depends("dark", watch=True)
    def _restyle(self) -> None:
        if isinstance(self.opened, Walk):
            self.opened.dark = self.dark


def _about(title: str, about: str, said: str) -> str:
    return f'<h3>{esc(title)}</h3><p>{esc(about)}</p><p class="note">{esc(said)}</p>'


class LearnTab:
    """The walks on the page."""

    def __init__(self, address: Address) -> None:
        self.view = LearnView()
        self.complain = self.view.complain
        self.complaints = address.follow(Part(self.view, ["walk", "step"], steps=["walk"]))
        self.layout = column(self.view, sheets=[COMPARE_CSS])
