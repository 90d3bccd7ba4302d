"""A guided walk over a live search: a text beside it that says what to look at, what to do, and what it means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import panel as pn
import param
from markupsafe import Markup

from ... import datasets
from ...families import FAMILIES
from ...parameters import TIME_LIMIT
from ..live.recipe import PageRecipe
from ..live.session import SearchSession
from ..live.state import Limits
from ..live.wording import count, filled
from ..notebook import NotebookViewer
from ..search.families import look_for
from ..search.view import SearchView
from ..widgets.browser import Pointer
from ..widgets.esc import esc
from ..widgets.explained import Explained
from ..widgets.fields import WIDE, button, column, mark
from ..widgets.html import Html
from ..widgets.style import BAR_CSS, CHOICES_CSS, LIT_CSS, PANEL_CSS, sheet
from .plan import Plan, Run, Seen, Step, as_html
from .plans import PLANS

TEXT_CSS = sheet("walk_text.css")
_LIT = "rl-lit"


class Walk(NotebookViewer):
    """A guided walk: a few steps, each with two sentences, one thing to do, and a question.

    Parameters
    ----------
    name : str
        "branch and bound", "equal rows", "falling lists", "column generation" or "what fairness costs".
    alone : bool
        Whether it brings along what explains words; False where the page around does.
    above : viewable, optional
        Stands over the text of the step.
    after : callable, optional
        What the button Next does at the last step; without it there is nothing after that.

    Attributes
    ----------
    plan : Plan
    view : SearchView
        The live search.

    Examples
    --------
    In a notebook::

        rl.views.Walk("branch and bound")
    """

    step = param.Integer(default=1, bounds=(1, None), doc="The step that is shown, from 1.")
    done: param.List[list[int]] = param.List(default=[], item_type=int, doc="The steps that have been done.")
    answers: param.Dict[dict[int, list[str]]] = param.Dict(default={}, doc="By step, what was answered, in turn.")
    dark = param.Boolean(default=False, doc="Whether the page around is dark.")

    def __init__(
        self,
        name: str,
        *,
        alone: bool = True,
        above: pn.viewable.Viewable | None = None,
        after: Callable[[], Any] | None = None,
        **params: Any,
    ) -> None:
        key = " ".join(str(name).lower().replace("-", " ").split())
        if key not in PLANS:
            raise ValueError(f"there is no walk {name!r}; there are {', '.join(PLANS)}")
        self.plan: Plan = PLANS[key]
        self._family = FAMILIES[self.plan.family]
        self._chosen = next(iter(self.plan.choice.values)) if self.plan.choice else ""
        self._seen = Seen()
        self._lit: pn.viewable.Viewable | None = None
        self._after = after
        super().__init__(**params)
        self.param["step"].bounds = (1, len(self.plan.steps))
        self.view = SearchView(new_session=self._new_session, alone=False, speed=self.plan.speed, dark=self.dark)
        self._session = self.view.session
        self._build(alone, above)
        self.view.param.watch(self._look, ["snapshot", "status", "moment"])
        self.param.watch(lambda event: self.view.param.update(dark=event.new), "dark")
        self._show()

    def close(self) -> None:
        """End the search and the updates."""
        self.view.close()

    @property
    def _step(self) -> Step:
        return self.plan.steps[self.step - 1]

    def _new_session(self) -> SearchSession:
        plan = self.plan
        chosen = {plan.choice.name: plan.choice.values[self._chosen]} if plan.choice else {}
        recipe = PageRecipe(
            self._family,
            {**plan.parameters, **chosen},
            partial(datasets.load, plan.data),
            load_code=f"rl.datasets.load({plan.data!r})",
            sensitive=plan.sensitive,
        )
        look = look_for(plan.family, {**self._family.defaults, **recipe.parameters})
        return SearchSession(recipe, Limits(seconds=TIME_LIMIT), look=look)

    def _look(self, *_: Any) -> None:
        """Learn what has happened in the search."""
        view, seen = self.view, self._seen
        search, moments = view.session.search, view.session.history.snapshots
        looked = view.moment is not None and view.moment < len(moments)  # a new run has none yet
        seen = replace(
            seen,
            status=view.status,
            anew=view.session is not self._session,
            ends=seen.ends + (view.status.over and not seen.status.over),
            snapshot=view.snapshot,
            before=0 if view.snapshot is None else min(seen.before, view.snapshot.work),
            moments=moments if looked else (),
            at=view.moment if looked else None,
            problem=None if search is None else search.problem,
        )
        if seen.status.over and seen.snapshot is not None and search is not None and seen.snapshot.incumbent:
            runs = {run.choice: run for run in seen.runs}  # one that is run again keeps its place
            runs[self._chosen] = Run(self._chosen, seen.snapshot, search.problem)
            seen = replace(seen, runs=tuple(runs.values()))
        if seen.runs != self._seen.runs:
            self._runs.object = self._table(seen.runs)
        self._seen = seen
        self._light()
        if self.step not in self.done and self._step.done(seen):
            self.done = sorted({*self.done, self.step})
            self._pointer.ends += 1

    @param.depends("step", watch=True)
    def _begin(self) -> None:
        snapshot, self._session = self._seen.snapshot, self.view.session
        self._seen = replace(self._seen, before=0 if snapshot is None else snapshot.work, anew=False, ends=0)
        self._show()
        self._look()

    @property
    def score(self) -> tuple[int, int]:
        """How many questions were answered rightly at once, of those that were answered."""
        first = [found[0] == self.plan.steps[step - 1].choices[0] for step, found in self.answers.items()]
        return sum(first), len(first)

    @param.depends("done", "answers", watch=True)
    def _show(self) -> None:
        step, number, of = self._step, self.step, len(self.plan.steps)
        done, told = number in self.done, self.answers.get(number, [])
        text = {"text": Markup(as_html(step.text, self.plan.family)), "do": step.do, "scored": self._scored()}
        self._text.object = filled(
            "walk_step.html", name=self.plan.name, number=number, of=of, done=done, share=len(self.done) / of, **text
        )
        self._question.object = f'<p class="ask">{esc(step.question, 300)}</p>'
        self._asked.param.update(options=list(step.offered), value=told[-1] if told else None)
        right = bool(told) and told[-1] == step.choices[0]
        said = f"<b>Right.</b> {self._answer(step, done)}" if right else "<b>Not so.</b> Try again."
        self._marked.object = f'<p class="marked" role="status">{said}</p>' if told else ""
        if self._offer is not None:
            self._offer.visible = step.chooses
        self._back.disabled = number == 1
        last = number == of
        self._next.param.update(
            label="Next walk" if last and self._after else "Next" if done or last else "Skip",
            color="primary" if done else "default",
            disabled=last and self._after is None,
        )
        self._light()

    def _answer(self, step: Step, done: bool) -> str:
        text = step.answer
        if step.figures is not None:
            known = done and self._seen.snapshot is not None
            later = "Once this step is done, the figures of your search stand here."
            text = text.format(**step.figures(self._seen)) if known else later
        return as_html(text, self.plan.family)

    def _scored(self) -> str:
        right, asked = self.score
        return f" · {right} of {asked} answered right at once" if asked else ""

    def _mark(self, event: param.parameterized.Event) -> None:
        told = self.answers.get(self.step, [])
        if event.new in self._step.choices and told[-1:] != [event.new]:
            self.answers = {**self.answers, self.step: [*told, event.new]}
            self._pointer.ends += 1

    def _light(self) -> None:
        """Outline the part of the view that the step speaks of."""
        part = self.view.part(self._step.look_at)
        mark(self._layout, "rl-slides", "slider" in self._step.do)
        if part is self._lit:
            return
        if self._lit is not None:
            mark(self._lit, _LIT, False)
        if part is not None:
            if LIT_CSS not in part.stylesheets:
                part.stylesheets = [*part.stylesheets, LIT_CSS]
            mark(part, _LIT, True)
        self._lit = part

    def _table(self, runs: tuple[Run, ...]) -> str:
        if self.plan.choice is None or not runs:
            return ""
        figures: dict[str, Callable[[Run], str]] = {
            "objective": lambda run: f"{run.best.objective:.5g}",
            **self.plan.figures,
            "work": lambda run: count(run.snapshot.work),
            "proven": lambda run: "yes" if run.snapshot.status == "optimal" else "no",
        }
        return filled("walk_runs.html", label=self.plan.choice.label, runs=runs, figures=figures)

    def choose(self, value: str) -> None:
        """Choose what the next run has, where the plan has a choice."""
        if self._choice is not None:
            self._choice.value = value

    def _choose(self, event: param.parameterized.Event) -> None:
        self._chosen = event.new
        self.view.reset()

    def _build(self, alone: bool, above: pn.viewable.Viewable | None) -> None:
        html: dict[str, Any] = {"stylesheets": [TEXT_CSS], **WIDE}
        self._text, self._question, self._marked, self._runs = (Html("", **html) for _ in range(4))
        self._question.css_classes = ["rl-asked"]
        self._back = button("Back", lambda _: self._go(-1), 88, small=False)
        self._next = button("Next", lambda _: self._go(1), 88, small=False)
        self._asked = pn.widgets.RadioBoxGroup(stylesheets=[CHOICES_CSS], **WIDE)
        self._asked.param.watch(self._mark, "value")
        self._choice = self._offer = None
        if self.plan.choice is not None:
            offered = {"options": list(self.plan.choice.values), "value": self._chosen, "inline": True}
            self._choice = pn.widgets.RadioBoxGroup(**offered, stylesheets=[CHOICES_CSS], **WIDE)
            self._choice.param.watch(self._choose, "value")
            label = Html(f'<p class="ask">{esc(self.plan.choice.label, 100)}</p>', **html)
            self._offer = column(label, self._choice)
        ways = (*([] if above is None else [above]), self._back, self._next)
        guide = column(
            pn.Row(*ways, stylesheets=[BAR_CSS, sheet("walk_ways.css")], margin=0),
            self._text,
            *filter(None, [self._offer]),
            self._question,
            self._asked,
            self._marked,
            self._runs,
            classes="rl-guide",
            sheets=[PANEL_CSS],
        )
        self._pointer = Pointer(width=0, height=0, margin=0)
        further = [self._pointer, *([Explained()] if alone else [])]
        self._layout = column(guide, self.view, *further, sheets=[sheet("walk.css")])

    def _go(self, by: int) -> None:
        if self.step + by > len(self.plan.steps) and self._after is not None:
            self._after()
            return
        self.step += by
        self._pointer.turns += 1
