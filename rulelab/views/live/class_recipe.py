"""What to search on the page for one list of all classes: a recipe with its data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from ...data.antecedents import Antecedents
from ...data.multiclass import MultiClassProblem
from ...datasets import Dataset
from ..widgets.esc import plain
from .class_rows import ClassRows
from .prepared import Prepared
from .recipe import SEARCH_SEED, PageRecipe, mined, refuse_large, split
from .wording import count, grouped, in_signs, titled


@dataclass(frozen=True)
class ClassRecipe(PageRecipe):
    """A recipe whose data have several classes.

    Attributes
    ----------
    labelled : callable
        Gives a Dataset for its columns, and the label of each row.
    """

    labelled: Callable[[], tuple[Dataset, pd.Series]] | None = field(default=None)

    def _prepared(self, report: Callable[[str], None]) -> Prepared:
        assert self.labelled is not None
        report("reading the data")
        data, labels = self.labelled()
        refuse_large(data)
        training, test = split(labels, self.test_share)
        weight = data.weight_of(training)
        report(f"binarizing {count(data.X.shape[1])} columns")
        conditions, binarizer = self.conditions(data.X.iloc[training], weight)
        report(f"mining antecedents of up to {self['max_conditions']} of {count(conditions.shape[1])} conditions")
        features, note = self.features(conditions, None, weight, data.X.columns)
        report("merging equal rows")
        assert isinstance(features, Antecedents)
        problem: Any = MultiClassProblem.from_antecedents(features, labels.iloc[training], sample_weight=weight)
        search = self.search(problem, random_state=SEARCH_SEED, **self.more)
        if not search.compiled:
            search.compile()
        merged = f"{count(problem.n_rows)} rows merged into {count(len(problem.matrix))} patterns"
        fewer = grouped(titled(note, self.family))
        notes = (fewer, mined(features), merged)
        kept_out = f"{count(len(test))} rows kept out of training, for the test" if len(test) else ""
        return Prepared(
            search,
            target=str(data.target),
            name=data.name,
            notes=(
                _about(data, labels),
                *filter(None, (kept_out, *notes)),
            ),
            fewer=fewer,
            left_out=() if binarizer is None else tuple(f"{in_signs(what)}: {why}" for what, why in binarizer.dropped_),
            recipe=replace(self, parameters=self._taken(features), binarizes=binarizer is not None),
            classes=ClassRows(data, labels, test),
        )


def _about(data: Dataset, labels: pd.Series) -> str:
    rows, columns = data.X.shape
    sizes = labels.value_counts(sort=False).sort_index()
    named = ", ".join(f"{plain(label, 40)} ({count(int(n))})" for label, n in sizes.items())
    said = f"{count(rows)} rows, {count(columns)} columns; {plain(data.target, 60)}: {named}"
    return said if data.weight is None else f"{said}; rows weigh as {data.weight.name} says"
