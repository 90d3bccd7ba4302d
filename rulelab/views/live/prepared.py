"""What a session searches, and what is known about its data; no widgets, nothing of Panel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...data.fairness import confusions, counted_gaps, groups_of
from ...data.groups import Groups
from ...data.metrics import Confusion, confusion, rates_table
from ...datasets import Dataset
from ...models import Model, MultiClassRuleList, RuleSet
from ...report import Known
from ...report.known import told
from ...rule_list.near_optimal.summary import group_masses
from ...snapshot import Snapshot
from ...stepping import Search

_MOST_ASKED = 200_000  # of more rows it is not said what the model does on each: that would hold up the page


class TrainingRows(NamedTuple):
    """The rows that a model was trained on."""

    X: pd.DataFrame
    labels: pd.Series  # of two classes 1 for the positive one, and 0; of several as they are called
    weight: np.ndarray | None

    @classmethod
    def of(cls, data: Dataset, rows: np.ndarray, labels: pd.Series | None = None) -> TrainingRows:
        """Those at these positions; ``labels``: of all rows, where they are of several classes."""
        weight = None if data.weight is None else data.weight.iloc[rows].to_numpy()
        return cls(data.X.iloc[rows], (data.y if labels is None else labels).iloc[rows], weight)


@dataclass(frozen=True, eq=False)
class ClassRows:
    """All rows, with their labels."""

    data: Dataset  # whose columns count, and whose classes do not
    labels: pd.Series  # of each row
    test: np.ndarray  # positions of the rows that were kept out of training; may be empty

    @property
    def training(self) -> np.ndarray:
        """Positions of the others."""
        return np.setdiff1d(np.arange(len(self.labels)), self.test)

    @property
    def training_rows(self) -> TrainingRows:
        return TrainingRows.of(self.data, self.training, self.labels)


@dataclass(frozen=True)
class Prepared:
    """A search, and what is known about its data."""

    search: Search
    labels: tuple[Any, Any] | None = None  # what to call the negative and the positive class; None: as the model does
    target: str = ""  # what is predicted
    name: str = "search"  # for the names of exported files
    notes: tuple[str, ...] = ()  # about the data and the antecedents, for the user to read
    fewer: str = ""  # why rules have fewer conditions than were asked for, and how many; empty: they have not
    left_out: tuple[str, ...] = ()  # what no condition was made of, with the reasons
    data: Dataset | None = None  # all rows
    test_rows: np.ndarray | None = None  # positions of the rows that were kept out of training; None: none were
    recipe: Any = None  # the `Recipe` that was carried out
    # of a search with a fairness constraint: the last state of the same search without it
    unconstrained: Snapshot | None = None
    classes: ClassRows | None = None  # all rows, where one list predicts several classes; ``data`` is None then
    card: Any = None  # of a kept run whose rows were found again: that of its model

    @property
    def n_rows(self) -> float | None:
        """How many training rows there are; None: as many as they weigh, or it is not known."""
        if self.classes is not None:
            return self.classes.data.count(self.classes.training)
        return sum(self.class_rows) or self.search.problem.n_rows

    @property
    def counts_rows(self) -> bool:
        """Whether what rows weigh is known to be how many they are."""
        data = self.data if self.classes is None else self.classes.data
        return data is not None and data.weight is None

    @property
    def training(self) -> TrainingRows | None:
        """The training rows; None: they are not known, or too many to be asked."""
        if self.classes is not None:
            return self.classes.training_rows
        if self.data is None or len(self.data.y) > _MOST_ASKED:
            return None
        return TrainingRows.of(self.data, self._training_rows(self.data))

    @property
    def class_rows(self) -> tuple[int, ...]:
        """How many training rows the negative and the positive class have, whatever they weigh; empty: not known."""
        if self.data is None:
            return ()
        counted = self._training(self.data)
        return int(counted.rows_of("false_positive_rate")), int(counted.rows_of("true_positive_rate"))

    def known(self, model: Model | MultiClassRuleList, latest: Snapshot) -> Known:
        """What is known of a model that a search has ended with."""
        parameters = self.search.parameters
        more: dict[str, Any] = {
            **told(latest, parameters.get("fairness") or parameters.get("criterion")),
            "fewer": self.fewer,
        }
        if self.data is None or isinstance(model, MultiClassRuleList):
            return Known(model, **more)
        if len(self.data.y) > _MOST_ASKED:
            return Known(model, rows=self.class_rows, effective=self.effective, target=self.data.target, **more)
        return Known.of(model, self.data, self._training_rows(self.data), self.test_rows, **more)

    def rates(self, model: Model) -> pd.DataFrame | None:
        """The rates on the training rows of the groups that the search compares; None: it compares none."""
        groups = getattr(self.search.problem, "groups", None)
        if groups is None:
            return None
        counted = confusions(groups, model.predicts_positive(self.search.problem.matrix()))
        return rates_table(dict(zip(groups.names, counted, strict=True)))

    def counted_gaps(self, model: Model) -> dict[str, float]:
        """The gaps as the search counts them: with the Hamming loss once for each rule that errs; else empty."""
        parameters = self.search.parameters
        criterion = parameters.get("fairness")
        if not isinstance(model, RuleSet) or criterion is None or parameters["loss"] != "hamming":
            return {}
        decided, fires = model.fired(self.search.problem.matrix()), model.form == "dnf"
        wrongly = (decided if fires else ~decided).sum(axis=1)
        missed = (wrongly == 0).astype(wrongly.dtype)
        errors = (missed, wrongly) if fires else (wrongly, missed)
        groups = groups_of(self.search.problem, criterion)
        return counted_gaps(criterion, groups, *errors, parameters["min_group_size"])

    @property
    def effective(self) -> float | None:
        """As how many rows the weighted training rows count; None: they are not weighted."""
        return (
            None if self.data is None or self.data.weight is None else self._training(self.data).trials("accuracy")[1]
        )

    @property
    def attributes(self) -> tuple[str, ...]:
        """Sensitive attributes that groups of the training rows can be made of."""
        data = self.data
        if data is None or data.sensitive is None or self.search.problem.row_pattern is None:
            return ()
        return tuple(map(str, data.sensitive.columns))

    def masses(self, attribute: str) -> Groups:
        """The training rows of the groups of an attribute, by pattern."""
        data = self.data
        assert data is not None
        assert data.sensitive is not None
        rows = self._training_rows(data)
        positive = data.y.iloc[rows].to_numpy(dtype=bool)
        return group_masses(self.search.problem, data.sensitive[attribute].iloc[rows], positive, data.weight_of(rows))

    def _training(self, data: Dataset) -> Confusion:
        """All training rows, as if each was predicted right."""
        rows = self._training_rows(data)
        actual = data.y.iloc[rows].to_numpy() == 1
        weights = (None if each is None else each.iloc[rows].to_numpy() for each in (data.weight, data.heads))
        return confusion(actual, actual, *weights)

    def _training_rows(self, data: Dataset) -> np.ndarray:
        """Their positions."""
        rows = np.arange(len(data.y))
        return rows if self.test_rows is None else np.setdiff1d(rows, self.test_rows)


Source = Callable[[Callable[[str], None]], Prepared]
"""Makes the search, in the worker; calls its argument with what it is doing ("mining antecedents")."""


class Unwanted(Exception):  # noqa: N818 - nothing went wrong
    """What is being prepared is not wanted any more."""
