"""What to sweep on the page, in one frozen description that a worker can carry out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar

from sklearn.model_selection import StratifiedShuffleSplit

from ...arguments import text_of
from ...datasets.normalise import RECORDS
from ...families import MEMORY
from ...questions import ASKING, Question, allows
from ...sweeps import BASELINES, SweepError, sweep
from ...sweeps.families import BINARIZING
from ...warming import saying, warm_up
from ..allowance import ALLOWED
from ..cards.snippet import counting, imports, source
from ..forms.family_settings import TOLERANCE
from ..live.recipe import SPLIT_SEED, PageRecipe, load_code, refuse_large
from ..live.wording import family_name, titled
from .run import Started

Grid = Mapping[str, Sequence[Any]]
MAX_VALUES = 30
"""Most values of one parameter."""
_SIZES: dict[str, Grid] = {"cart": {"max_leaf_nodes": [2, 3, 4, 6, 8, 12]}}
"""Of baselines: sizes that compare with rule lists."""
AT_ONCE_SECONDS = 2.0
"""Of each search that nobody has asked for."""
_SPLITTER = "from sklearn.model_selection import StratifiedShuffleSplit"
_USUAL_VALUES = {
    TOLERANCE.name: "0.02, 0.05, 0.1",
    "max_length": "1, 2, 3, 4",
    "max_conditions": "1, 2, 3",
    "positive_weight": "0.5, 1, 2, 4",
    "thresholds": "3, 5, 10",
}


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
