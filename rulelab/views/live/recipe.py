"""What to search on the page, with the data: of two classes, or one list of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from ...arguments import ParameterError, Text, text_of
from ...data.antecedents import Antecedents
from ...data.binarize import Binarizer
from ...data.multiclass import MultiClassProblem
from ...data.problem import Problem
from ...datasets import Dataset
from ...families import FAMILIES, MEMORY
from ...questions import search_of
from ...recipe import Recipe
from ...shown import percent
from ...snapshot import Snapshot
from ...stepping import Search, solve
from ...tables import PatternCounts, as_rows
from ...warming import mining_is_compiled, saying, warm_up_mining
from ..allowance import ALLOWED
from ..widgets.esc import plain
from .prepared import ClassRows, Prepared
from .wording import count, grouped, in_signs, titled

MAX_CELLS = 10_000_000
"""Largest table on the page, in rows x columns."""
SPLIT_SEED = SEARCH_SEED = 0
COMPARISON_SECONDS = 3.0
"""Most time for the model without the constraint."""


@dataclass(frozen=True)
class PageRecipe(Recipe):
    """A recipe with its data."""

    load: Callable[[], Dataset]  # gives the Dataset
    load_code: str = ""  # Python that does the same, with ``rl`` for this package; empty: not known
    test_share: float = 0.0  # fraction of the rows that are kept out of training, at random and by class
    sensitive: str | None = None  # column whose values are the groups that the search has to be fair to
    # arguments of the search that are no parameters of the family, such as ``bounds``
    more: Mapping[str, Any] = field(default_factory=dict)
    binarizes: bool = True  # whether conditions are made of the columns; not where all of them are Boolean
    weighted: bool = False  # whether the data say how much each row counts
    left_out_rows: int = 0  # that ``load`` leaves out, as their target is not known
    counted: Any = None  # a table whose rows are counted under the conditions; it stands for what ``load`` gives
    # where one list predicts several classes: gives a Dataset for its columns, and the label of each row
    labelled: Callable[[], tuple[Dataset, pd.Series]] | None = None
    # once it was carried out: the conditions that rules must not use, and of the names of what they must not use those
    # of antecedents that are mined all the same
    forbidden: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()

    def __call__(self, report: Callable[[str], None]) -> Prepared:
        """Load, binarize and set up the search; raises ValueError with a message for the user."""
        parameters = self.parameters
        if ALLOWED.memory is not None:  # what one search may hold on this server; mining keeps to it, too
            parameters = {**parameters, MEMORY.name: ALLOWED.within(self[MEMORY.name])}
        try:
            return replace(self, parameters=parameters)._prepared(report)
        except ValueError as error:
            text = titled(text_of(error), self.family)
            if isinstance(error, ParameterError):
                raise ParameterError(error.name, error.value, error.requirement, text) from error
            raise ValueError(text) from error

    def _prepared(self, report: Callable[[str], None]) -> Prepared:
        labels: pd.Series | None = None
        counts: PatternCounts | None = None
        binarizer: Binarizer | None = self.binarizer()
        if self.counted is not None:
            counts = self.counted.count(binarizer, self.test_share, SPLIT_SEED, report)
            data = counts.dataset()
        else:
            report("reading the data")
            data, labels = (self.load(), None) if self.labelled is None else self.labelled()
        refuse_large(data)
        groups = _groups(data, self.sensitive) if compares_groups(self.parameters) else None
        if counts is None:
            training, test = split(data.y if labels is None else labels, self.test_share)
            weight = data.weight_of(training)
            report(f"binarizing {count(data.X.shape[1])} columns")
            conditions, binarizer = self.conditions(data.X.iloc[training], weight)
        else:
            (training, test), conditions = counts.positions, counts.training.frame
            weight = data.weight_of(training)
        if self.family.mined:
            if not mining_is_compiled():
                with saying(report, "the mining", "some seconds"):
                    warm_up_mining()
            report(f"mining antecedents of up to {self['max_conditions']} of {count(conditions.shape[1])} conditions")
        y = None if labels is not None else data.y.iloc[training]
        features, note = self.features(conditions, y, weight, data.X.columns)
        report("merging equal rows")
        problem: Any
        if labels is not None:
            assert isinstance(features, Antecedents), "lists of several classes are made of antecedents"
            problem = MultiClassProblem.from_antecedents(features, labels.iloc[training], sample_weight=weight)
        else:
            problem = self.problem(features, y, weight, groups=None if groups is None else groups.iloc[training])
            if counts is not None:
                problem = as_rows(problem, counts.training)
        search = self.search(problem, **{"random_state": SEARCH_SEED, **self.more})
        if not search.compiled:
            with saying(report, "the search"):
                search.compile()
        patterns = problem.n_patterns if labels is None else len(problem.matrix)
        merged = f"{count(problem.n_rows)} rows merged into {count(patterns)} patterns"
        fewer = grouped(titled(note, self.family))
        compared = "" if labels is not None else _compared(problem, self.sensitive)
        kept_out = f"{count(data.count(test))} rows kept out of training, for the test" if len(test) else ""
        notes = (kept_out, fewer.partition(": ")[2], mined(features), compared, merged)
        two_classes: dict[str, Any] = {
            "labels": (data.negative, data.positive),
            "data": data,
            "test_rows": test if len(test) else None,
            "unconstrained": without_fairness(search, report),
        }
        return Prepared(
            search,
            target=str(data.target),
            name=data.name,
            notes=(_about(data, labels, self.left_out_rows), *filter(None, notes)),
            fewer=fewer,
            left_out=() if binarizer is None else tuple(f"{in_signs(what)}: {why}" for what, why in binarizer.dropped_),
            recipe=replace(
                self,
                parameters=self._taken(features),
                binarizes=binarizer is not None,
                forbidden=tuple(self.forbidden_of(conditions)),
                joined=self.still_used(features),
            ),
            **(two_classes if labels is None else {"classes": ClassRows(data, labels, test)}),
        )

    def _taken(self, features: Antecedents | pd.DataFrame) -> Mapping[str, Any]:
        """The parameters, with as many conditions to a rule as there was room for."""
        if not isinstance(features, Antecedents):
            return self.parameters
        return {**self.parameters, "max_conditions": max(map(len, features.members))}


def compares_groups(parameters: Mapping[str, Any]) -> bool:
    """Whether a search with these parameters is about groups of people."""
    return parameters.get("fairness") is not None or "criterion" in parameters


def split(y: pd.Series, test_share: float) -> tuple[np.ndarray, np.ndarray]:
    """Positions of training and test rows, in order, the same each time, with the classes' proportions.

    In order, since what is asked later of the rows of a problem takes those that were not kept out as they follow each
    other. ValueError: too few.
    """
    rows = np.arange(len(y))
    if not 0 <= test_share <= 0.9:
        raise ValueError(f"the test share must lie between 0 and 0.9, not {test_share:g}")
    if test_share == 0:
        return rows, rows[:0]
    training, test = train_test_split(rows, test_size=test_share, stratify=y, random_state=SPLIT_SEED)
    return np.sort(training), np.sort(test)


def load_code(name: str) -> str:
    """Python that loads a data set by its name."""
    return f"rl.datasets.load({name!r})"


def refuse_large(data: Dataset) -> None:
    """Raise a ValueError for data that are too large for the page."""
    rows, columns = data.X.shape
    if rows * columns > MAX_CELLS:
        raise ValueError(
            f"{data.name} has {count(rows * columns)} cells ({count(rows)} rows x {count(columns)} columns), more than "
            f"the {count(MAX_CELLS)} that the page takes; use the library, which has no limit"
        )


def without_fairness(search: Search, report: Callable[[str], None]) -> Snapshot | None:
    """The best model of the same search without its fairness constraint; None when it has none."""
    if search.parameters.get("fairness") is None:
        return None
    report("searching without the fairness constraint, to compare")
    free = search_of(FAMILIES[search.family], search.problem, {**search.parameters, "fairness": None})
    return solve(free, time_limit=COMPARISON_SECONDS)


def _groups(data: Dataset, column: str | None) -> pd.Series:
    """The group of each row."""
    if column is None or data.sensitive is None or column not in data.sensitive:
        text = Text(
            "fairness compares groups of people, but {} has no sensitive attribute; choose {fairness}: none, "
            "a data set that has one (diabetes, compas, adult, ...), or upload a file and pick a column",
            data.name,
        )
        raise ParameterError("fairness", column, "none where there is no sensitive attribute", text)
    return data.sensitive[column]


def _compared(problem: Problem, column: str | None) -> str:
    if problem.groups is None:
        return ""
    sizes = (problem.groups.positives + problem.groups.negatives).sum(axis=1).tolist()
    named = ", ".join(f"{name} ({count(size)})" for name, size in zip(problem.groups.names, sizes, strict=True))
    return f"groups by {column}: {named}"


def mined(features: Antecedents | pd.DataFrame) -> str:
    """How many antecedents there are, and which were dropped, in words."""
    if not isinstance(features, Antecedents):
        return f"{count(features.shape[1])} conditions"
    reasons = ", ".join(f"{count(n)} {reason}" for reason, n in features.dropped.items() if n)
    dropped = sum(features.dropped.values())
    how_many = f"{count(dropped)} dropped: {reasons}" if dropped else "none dropped"
    return f"{count(len(features))} antecedents mined from {count(len(features.features))} conditions, {how_many}"


def _about(data: Dataset, labels: pd.Series | None, left_out: int) -> str:
    """How large the data are, how many rows are not used, and their classes: two, or those of the labels."""
    every = np.arange(len(data.y))
    rows = data.count(every)
    if labels is None:
        positive = data.count(every[data.y.to_numpy() == 1])
        classes = f"{data.target} is {data.positive} in {count(positive)} ({percent(positive / rows, 0)} %)"
    else:
        sizes = labels.value_counts(sort=False).sort_index()
        named = ", ".join(f"{plain(label, 40)} ({count(int(n))})" for label, n in sizes.items())
        classes = f"{plain(data.target, 60)}: {named}"
    left = f" ({count(rows + left_out)}, {count(left_out)} left out: target unknown)" if left_out else ""
    said = f"{count(rows)} rows{left}, {count(data.X.shape[1])} columns; {classes}"
    if data.heads is not None:
        return f"{said}; {data.notes}"
    return said if data.weight is None else f"{said}; rows weigh as {data.weight.name} says"
