"""Sweeps on the page: what of the question is swept, with what, and the button that starts and ends it."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar

import panel as pn
import param
from sklearn.model_selection import StratifiedShuffleSplit

from ...arguments import text_of
from ...assets import texts
from ...datasets.normalise import RECORDS
from ...families import MEMORY
from ...questions import ASKING, Question, allows
from ...sweeps import BASELINES, SweepError, sweep
from ...sweeps.families import BINARIZING
from ...warming import saying, warm_up
from ..allowance import ALLOWED
from ..cards.snippet import counting, imports, source
from ..forms.address import Address, Part
from ..forms.family_settings import TOLERANCE
from ..live.recipe import SPLIT_SEED, PageRecipe, load_code, refuse_large
from ..live.wording import counted, family_name, titled
from ..widgets import icons
from ..widgets.esc import esc
from ..widgets.fields import WIDE, LayoutViewer, button, column, row, select
from ..widgets.html import Html
from ..widgets.style import CARD_CSS, NUMBER_CSS, STACK_CSS
from .points import Started
from .run import Run
from .view import FrontView

_ALL_FITTED = "All of these are fitted; other values, or another setting, ask for more."


class FrontsView(LayoutViewer):
    """The fronts of a question, and what fills them.

    `question` gives the recipe whose setting is swept, with the attribute whose groups are compared; raises ValueError.
    `address`: of the page, to be followed.
    """

    swept: param.Selector[str] = param.Selector(
        default="regularization", objects=["regularization"], check_on_set=False, label="Setting to sweep"
    )
    values = param.String(default="", label="Its values", doc="Empty: the usual ones.")

    def __init__(self, question: Callable[[], PageRecipe], address: Address | None = None, **params: Any) -> None:
        super().__init__(**params)
        self._question = question
        self._asked: tuple[Any, ...] = ()  # the question of the points
        self._filled: tuple[Any, ...] = ()  # the last fits that were begun
        self.view = FrontView(apart=True)
        self._swept = select(self.param.swept, 250)
        low = ".bk-input { height: 36px !important; min-height: 0 !important; }"  # as high as the list beside it
        look: dict[str, Any] = {"width": 230, "margin": 0, "stylesheets": [NUMBER_CSS, low]}
        self._values = pn.widgets.TextInput.from_param(self.param["values"], description=None, **look)
        self._said = Html("", stylesheets=[CARD_CSS, ":host { flex: 1 1 280px; }"], align="center", **WIDE)
        self._fill = button("Fill the front", self.run, 150, 38, small=False, icon=icons.RUN, align="end")
        self._cancel = button("Stop", self.cancel, 150, 38, small=False, icon=icons.STOP, align="end", visible=False)
        self.view.param.watch(lambda event: self._show_sweeping(event.new), "sweeping")
        bar = row(self._swept, self._values, self._fill, self._cancel, self._said)
        self.complaints: list[str] = []  # about the address
        if address is not None:
            self.complaints += address.follow(Part(self, ["swept", "values"]))
            self.complaints += address.follow(Part(self.view, ["on", "criterion"]))
        self._layout = column(bar, self.view, sheets=[STACK_CSS, ":host { gap: 2px; }"], classes="rl-view")

    def order(self) -> Order:
        """What would be swept now; raises ValueError with a message for the user."""
        question = self._question()
        known = sweepable(question)
        swept = self.swept if self.swept in known else next(iter(known))
        return Order.of(question, swept, self.values or known[swept][1])

    @param.depends("swept", "values", watch=True)
    def follow_question(self, *_: Any) -> None:
        """Offer the settings of the present question, and say what filling the front takes."""
        refused = True
        with contextlib.suppress(ValueError):  # what is said tells why
            known = sweepable(self._question())
            refused = False
            asked = self.swept if self.swept in known else next(iter(known))
            self.param.swept.objects = {title: name for name, (title, _) in known.items()}
            self.swept = asked
            self._values.placeholder = known[asked][1]
        told = self.told
        self._fill.disabled = refused or told == _ALL_FITTED
        self._said.object = f'<p class="note">{esc(told)}</p>'

    @property
    def told(self) -> str:
        """What filling the front takes, or why it cannot be."""
        try:
            order = self.order()
        except ValueError as error:
            return text_of(error)
        run, limit = self.view.run, f"each ends with a proof or after {order.time_limit:g} s"
        if run is not None and self._filled == _fits_of(order) and not run.sweeping and run.whole:
            return _ALL_FITTED
        same = run is not None and self._asked == _said_of(order.question)
        progress = [sweep.progress for sweep in run.started.sweeps] if run is not None and same else []
        if not (done := sum(each.done for each in progress)):
            return f"{counted(order.n_fits, 'fits')}, other methods among them; {limit}."
        seconds = math.ceil(order.n_fits * sum(each.seconds for each in progress) / done)
        return f"{counted(order.n_fits, 'more fits')}, other methods among them, about {seconds} s; {limit}."

    def run(self, *_: Any) -> None:
        """Fill the front beside what is known of the same question; a sweep that runs is cancelled."""
        try:
            self._begin(self.order())
        except ValueError as error:
            self.view.complain(text_of(error))

    def begin(self) -> None:
        """Let there be some points of the present question, unless there are."""
        with contextlib.suppress(ValueError):  # what is said tells why
            if self._asked != _said_of(question := self._question()):
                self._begin(Order.at_once(question))

    def _begin(self, order: Order) -> None:
        before, asked = self.view.run, _said_of(order.question)
        known = before.started if before is not None and self._asked == asked else Started(())
        self._asked, self._filled = asked, _fits_of(order)
        self.view.follow(Run(lambda report: known.and_more(order(report))))

    def cancel(self, *_: Any) -> None:
        """End the sweep and keep what it has found."""
        if self.view.run is not None:
            self.view.run.cancel()

    @param.depends("swept", watch=True)
    def _usual(self) -> None:
        """The values of one setting are none of another."""
        self.values = ""

    def _show_sweeping(self, sweeping: bool) -> None:
        self._cancel.visible, self._fill.visible = sweeping, not sweeping
        self.follow_question()


def _fits_of(order: Order) -> tuple[Any, ...]:
    """Equal for the same fits."""
    return _said_of(order.question), dict(order.grid), order.baselines


def _said_of(question: PageRecipe) -> tuple[Any, ...]:
    """Equal for the same question."""
    return question.family.name, dict(question.parameters), question.load_code, question.sensitive, question.test_share


Grid = Mapping[str, Sequence[Any]]
MAX_VALUES = 30  # most values of one parameter
_SIZES: dict[str, Grid] = {"cart": {"max_leaf_nodes": [2, 3, 4, 6, 8, 12]}}
"""Of baselines: sizes that compare with rule lists."""
AT_ONCE_SECONDS = 2.0  # of each search that nobody has asked for
_SPLITTER = "from sklearn.model_selection import StratifiedShuffleSplit"
_USUAL_VALUES = texts("usual values")


def numbers(text: str, name: str, whole: bool = False) -> list[Any]:
    """The numbers of a text such as ``0.05, 0.02``, each once, in order; ValueError names field and wrong entry."""
    kind = "whole numbers" if whole else "numbers"
    parts = [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]
    if not 1 <= len(parts) <= MAX_VALUES:
        raise ValueError(f"{name}: write 1 to {MAX_VALUES} {kind} with commas between, not {len(parts)}")
    found: dict[Any, None] = {}
    for part in parts:
        try:
            value = int(part) if whole else float(part)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ValueError(f"{name}: {part[:40]!r} is none of {kind}; write them with commas between")
        found[value] = None
    return list(found)


@dataclass(frozen=True)
class Order:
    """A sweep of one setting of a question, with the Dask `client` of the server, if it has one."""

    client: ClassVar[Any] = None
    # its training and test rows are taken, and the groups that it compares; a table of this server is counted
    question: PageRecipe = field(repr=False)
    grid: Grid  # values by parameter
    baselines: tuple[str, ...] = ()
    time_limit: float = 10.0  # seconds of each search
    fixed: Mapping[str, Any] = field(default_factory=dict)  # what all models have in common, by parameter

    @classmethod
    def of(cls, question: PageRecipe, swept: str, values: str) -> Order:
        """The sweep of one of `sweepable` with values, commas between them; ValueError with a message for the user."""
        family, counted = question.family, question.counted is not None
        whole = next((each.kind == "whole" for each in family.parameters if each.name == swept), False)
        found: list[Any] = numbers(values, sweepable(question)[swept][0], whole)
        fair: Any = question["fairness"] if "fairness" in family.defaults else None
        name = swept
        if swept == TOLERANCE.name:
            name, found = "fairness", [None, *(replace(fair, **dict.fromkeys(asdict(fair), one)) for one in found)]
        left = {name, MEMORY.name, *(BINARIZING if counted else ())}
        usual = family.defaults
        fixed = {k: v for k, v in question.parameters.items() if k not in left and v != usual[k]}
        return cls(question, {name: found}, tuple(available(question)), fixed=fixed)

    @classmethod
    def at_once(cls, question: PageRecipe) -> Order:
        """A small sweep over the size of models, with greedy lists and trees of such sizes beside them."""
        known = sweepable(question)
        size = next(name for name in ("max_length", *known) if name in known)
        return replace(
            cls.of(question, size, known[size][1]), baselines=("greedy_list", "cart"), time_limit=AT_ONCE_SECONDS
        )

    @property
    def n_fits(self) -> int:
        """How many models are fitted."""
        grids = [self.grid, *(_SIZES.get(name, BASELINES[name].grid) for name in self.baselines)]
        return sum(math.prod(len(values) for values in grid.values()) for grid in grids)

    def __call__(self, report: Callable[[str], None]) -> Started:
        """Start the sweep, and the baselines beside it; ValueError with a message for the user: no sweep goes on."""
        question, family = self.question, self.question.family
        report("reading the data")
        swept: Any
        if question.counted is not None:
            swept = question.counted.count(question.binarizer(), question.test_share, SPLIT_SEED, report)
            data = swept.dataset()
        else:
            swept = data = question.load()
        refuse_large(data)
        with saying(report, f"the search for a {family_name(family.name)}"):
            warm_up(family.name)
        report(f"starting: {family_name(family.name)}")
        try:
            started = sweep(swept, family.name, **self._options, client=self.client)
        except ValueError as error:
            raise SweepError(titled(text_of(error), family)) from error
        share = 0.0 if question.counted is not None else question.test_share
        return Started((started,), data, (self.code,), question.load_code == load_code(data.name), share)

    @property
    def code(self) -> str:
        """Python that starts the sweep as ``sweep``."""
        question, counted = self.question, self.question.counted is not None
        values = [*self.fixed.values(), *(value for values in self.grid.values() for value in values)]
        return "\n".join(
            [
                *([_SPLITTER, ""] if question.test_share and not counted else []),
                "import rulelab as rl",
                *imports(values),
                "",
                *(counting(question) if counted else [f"data = {question.load_code}"]),
                "sweep = rl.sweep(",
                f"    {'counts' if counted else 'data'},",
                f"    {question.family.name!r},",
                *(f"    {name}={source(value)}," for name, value in self._options.items()),
                ")",
            ]
        )

    @property
    def _options(self) -> dict[str, Any]:
        share, limit = self.question.test_share, {} if ALLOWED.fit is None else {MEMORY.name: [ALLOWED.fit]}
        cv: dict[str, Any] = {"cv": 0}
        if share:  # as `rulelab.views.live.recipe.split` draws it; counts are split already
            draw = StratifiedShuffleSplit(n_splits=1, test_size=share, random_state=SPLIT_SEED)
            cv = {} if self.question.counted is not None else {"cv": draw}
        return {
            "grid": {name: list(values) for name, values in self.grid.items()} | limit,
            **({"fixed": dict(self.fixed)} if self.fixed else {}),
            **cv,
            "sensitive": None if self.question.sensitive is None else [self.question.sensitive],
            "baselines": {name: _SIZES.get(name) for name in self.baselines},
            "time_limit": self.time_limit if ALLOWED.seconds is None else min(self.time_limit, ALLOWED.seconds),
        }


def sweepable(question: PageRecipe) -> dict[str, tuple[str, str]]:
    """The settings of a question that can be swept, each with what it is called and its usual values."""
    family = question.family
    usual = {name: ", ".join(f"{value:g}" for value in values) for name, values in family.grid.items()} | _USUAL_VALUES
    asked = Question.of(family.model or family.name, question.parameters)
    free = (each for each in family.parameters if each.name not in ASKING or allows(asked, each.name))
    titles = {each.name: each.title for each in free}
    if question.counted is not None:
        titles = {name: title for name, title in titles.items() if name not in BINARIZING}
    if "fairness" in family.defaults and question["fairness"] is not None:
        titles[TOLERANCE.name] = TOLERANCE.title
    return {name: (titles[name], values) for name, values in usual.items() if name in titles}


def available(question: PageRecipe) -> list[str]:
    """The baselines that a question allows; those that are fair belong where a criterion is asked for."""
    fair = question.sensitive is not None and "fairness" in question.parameters and question["fairness"] is not None
    scored = any("score_text" in r.excluded and question.load_code == load_code(name) for name, r in RECORDS.items())
    needs = {"compas_score": scored, "exponentiated_gradient": fair, "threshold_optimizer": fair}
    needs |= dict.fromkeys(("svm", "adaboost", "ripper", "c45_rules", "c50"), False)
    counted = question.counted is not None
    return [
        name
        for name, method in BASELINES.items()
        if needs.get(name, True) and method.installed and (not counted or method.of_counts)
    ]
