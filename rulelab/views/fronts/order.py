"""What to sweep on the page, in one frozen description that a worker can carry out."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar

from sklearn.model_selection import StratifiedShuffleSplit

import rulelab

from ...arguments import text_of
from ...datasets import load
from ...datasets.registry import RECORDS
from ...families import MEMORY
from ...sweeps import BASELINES, FAMILIES, Sweep, SweepError, sweep
from ...sweeps.families import BINARIZING
from ...warming import warm_up
from ..allowance import ALLOWED
from ..forms.family_settings import TOLERANCE
from ..live.recipe import SPLIT_SEED, PageRecipe, load_code, refuse_large
from ..live.wording import family_name, titled
from .run import Started

MAX_VALUES = 30
"""Most values of one parameter."""
SMALL_TREES = {"max_leaf_nodes": [2, 3, 4, 6, 8, 12]}
"""Of CART: sizes that compare with rule lists."""

FOLDS = 5
AT_ONCE_SECONDS = 2.0
"""Of each search that nobody has asked for."""
COUNTED_SHARE = 0.3
"""Of counted rows for the test, where the question keeps none."""
_SPLITTER = "from sklearn.model_selection import StratifiedShuffleSplit\n\n"
_USUAL_VALUES = {
    TOLERANCE.name: "0.02, 0.05, 0.1",
    "max_length": "1, 2, 3, 4",
    "max_conditions": "1, 2, 3",
    "thresholds": "3, 5, 10",
}

Grid = Mapping[str, Sequence[Any]]


def numbers(text: str, name: str, whole: bool = False) -> list[Any]:
    """The numbers of a text such as ``0.05, 0.02``, each once, in their order.

    Raises
    ------
    ValueError
        Naming the field and the entry that is no number.
    """
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
    """Sweeps of some families over the same rows, with the Dask `client` of the server, if it has one.

    Attributes
    ----------
    data : str
        Name of the data set, unless a question says where it is.
    grids : mapping of family to grid
    baselines : tuple of str
    folds : int
        Where the question keeps no rows for the test; else its training and test rows are taken.
    sensitive : tuple of str
        Sensitive attributes, intersected when there are several.
    time_limit : float
        Seconds of each search.
    question : PageRecipe or None
        Whose data are taken; a table of this server is counted as it says.
    fixed : mapping
        What all models have in common, by parameter.
    """

    client: ClassVar[Any] = None
    data: str
    grids: Mapping[str, Grid]
    baselines: tuple[str, ...] = ()
    folds: int = FOLDS
    sensitive: tuple[str, ...] = ()
    time_limit: float = 10.0
    question: PageRecipe | None = field(default=None, repr=False)
    fixed: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, question: PageRecipe, swept: str, values: str) -> Order:
        """The sweep of one setting of a question.

        Parameters
        ----------
        question : PageRecipe
            With the attribute whose groups are compared.
        swept : str
            One of `sweepable`.
        values : str
            Numbers with commas between.

        Raises
        ------
        ValueError
            With a message for the user.
        """
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
        return cls(
            data="",
            grids={family.name: {name: found}},
            baselines=tuple(available(question)),
            sensitive=() if question.sensitive is None else (question.sensitive,),
            question=question,
            fixed=fixed,
        )

    @classmethod
    def at_once(cls, question: PageRecipe) -> Order:
        """A small sweep over the size of models, with trees of such sizes beside them."""
        known = sweepable(question)
        size = next(name for name in ("max_length", *known) if name in known)
        return replace(cls.of(question, size, known[size][1]), baselines=("cart",), time_limit=AT_ONCE_SECONDS)

    @property
    def n_fits(self) -> int:
        """How many models are fitted."""
        folds = 1 if self._share else self.folds
        grids = [*self.grids.values()]
        grids += [SMALL_TREES if name == "cart" else BASELINES[name].grid for name in self.baselines]
        return folds * sum(math.prod(len(values) for values in grid.values()) for grid in grids)

    def __call__(self, report: Callable[[str], None]) -> Started:
        """Start all sweeps; baselines are fitted beside the first one.

        Raises
        ------
        ValueError
            With a message for the user; then no sweep goes on.
        """
        if not self.grids:
            raise SweepError("choose at least one family to sweep")
        report("reading the data")
        swept: Any
        if self._counted:
            assert self.question is not None
            swept = self.question.counted.count(self.question.binarizer(), self._share, SPLIT_SEED, report)
            data = swept.dataset()
        else:
            swept = data = load(self.data) if self.question is None else self.question.load()
        refuse_large(data)
        for family in self.grids:
            report(f"compiling the search for a {family_name(family)}: once per machine, some seconds")
            warm_up(family)
        started: list[Sweep] = []
        try:
            for family in self.grids:
                report(f"starting: {family_name(family)}")
                started.append(sweep(swept, family, **self._options(family), client=self.client))
        except ValueError as error:
            for one in started:
                one.cancel()
            raise SweepError(titled(text_of(error), FAMILIES[family].family)) from error
        codes = tuple(self.code(family) for family in self.grids)
        share = 0.0 if self._counted else self._share
        return Started(tuple(started), data, codes, self._source == load_code(data.name), share)

    def code(self, family: str) -> str:
        """Python that starts the family's sweep as ``sweep``."""
        options = "".join(f"    {name}={_source(value)},\n" for name, value in self._options(family).items())
        source = self._counted_code() if self._counted else f"data = {self._source}\n"
        splitter = _SPLITTER if self._share and not self._counted else ""
        return (
            f"{splitter}import rulelab as rl\n{_imports(self.grids[family])}\n{source}"
            f"sweep = rl.sweep(\n    data,\n    {family!r},\n{options})"
        )

    def _options(self, family: str) -> dict[str, Any]:
        first = next(iter(self.grids))
        own = {"cart": SMALL_TREES}
        baselines = {name: own.get(name) for name in self.baselines} if family == first else {}
        limit = {} if ALLOWED.fit is None else {MEMORY.name: [ALLOWED.fit]}
        return {
            "grid": {name: list(values) for name, values in self.grids[family].items()} | limit,
            **({"fixed": dict(self.fixed)} if self.fixed else {}),
            **({} if self._counted else {"cv": self._cv}),
            "sensitive": list(self.sensitive) or None,
            "baselines": baselines,
            "time_limit": self.time_limit if ALLOWED.seconds is None else min(self.time_limit, ALLOWED.seconds),
        }

    @property
    def _counted(self) -> bool:
        return self.question is not None and self.question.counted is not None

    @property
    def _cv(self) -> int | StratifiedShuffleSplit:
        """The split of the question, as `rulelab.views.live.recipe.split` draws it, or folds."""
        if not self._share:
            return self.folds
        return StratifiedShuffleSplit(n_splits=1, test_size=self._share, random_state=SPLIT_SEED)

    @property
    def _share(self) -> float:
        """Of the rows, for the test; 0 where they are dealt to folds."""
        asked = 0.0 if self.question is None else self.question.test_share
        return asked or (COUNTED_SHARE if self._counted else 0.0)

    @property
    def _source(self) -> str:
        return load_code(self.data) if self.question is None else self.question.load_code

    def _counted_code(self) -> str:
        assert self.question is not None
        table = self.question.counted
        asked = {name: self.question[name] for name in BINARIZING if self.question[name] != BINARIZING[name]}
        options = ", ".join(f"{name}={value!r}" for name, value in asked.items())
        return (
            f"table = {table.code()}\n"
            f"conditions = rl.Binarizer({options}).fit({table.features_code()})\n"
            f"data = rl.tables.count(table, conditions, {table.count_code()})"
            f".split_at_random({self._share!r}, {SPLIT_SEED})\n"
        )


def sweepable(question: PageRecipe) -> dict[str, tuple[str, str]]:
    """The settings of a question that can be swept, each with what it is called and its usual values."""
    family = question.family
    usual = {name: ", ".join(f"{value:g}" for value in values) for name, values in family.grid.items()} | _USUAL_VALUES
    titles = {each.name: each.title for each in family.parameters}
    if question.counted is not None:
        titles = {name: title for name, title in titles.items() if name not in BINARIZING}
    if "fairness" in family.defaults and question["fairness"] is not None:
        titles[TOLERANCE.name] = TOLERANCE.title
    return {name: (titles[name], values) for name, values in usual.items() if name in titles}


def available(question: PageRecipe) -> list[str]:
    """The baselines that a question allows; those that are fair belong where a criterion is asked for."""
    fair = question.sensitive is not None and "fairness" in question.parameters and question["fairness"] is not None
    fair = fair and importlib.util.find_spec("fairlearn") is not None
    scored = any("score_text" in r.excluded and question.load_code == load_code(name) for name, r in RECORDS.items())
    needs = {"compas_score": scored, "exponentiated_gradient": fair, "threshold_optimizer": fair, "adaboost": False}
    counted = question.counted is not None
    return [name for name in BASELINES if needs.get(name, True) and (not counted or BASELINES[name].of_counts)]


def _criteria(grid: Grid) -> list[Any]:
    return [value for values in grid.values() for value in values if hasattr(value, "rates")]


def _imports(grid: Grid) -> str:
    names = sorted({type(value).__name__ for value in _criteria(grid)} - set(rulelab.__all__))
    return f"from rulelab.rule_set import {', '.join(names)}\n" if names else ""


def _source(value: Any) -> str:
    """Python source of options: plain values, and fairness criteria, which are frozen data classes."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {_source(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(_source(one) for one in value)}]"
    name = type(value).__name__
    return f"rl.{value!r}" if name in rulelab.__all__ else repr(value)
