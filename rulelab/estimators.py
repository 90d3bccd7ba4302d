"""The scikit-learn face: `fit` binarizes, mines antecedents and drains the same steps as every view."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .antecedents import Antecedents, check_limits, mine_antecedents
from .binarize import Binarizer
from .columns import as_frame, match_columns, read_weights
from .conditions import NothingFound, attach_conditions
from .metrics import group_rates
from .models import RuleList
from .problem import Problem
from .rule_list import RuleListSearch
from .search import Snapshot, Status, steps

_TRACE_ROWS = 10_000


class RuleListClassifier(ClassifierMixin, BaseEstimator):
    """The rule list of least ``errors / n + regularization * rules``, with a proof that none is better.

    Parameters
    ----------
    regularization : float, default 0.01
        Cost of one rule, above 0 and below 1: a rule must correct at least this fraction of the rows.
    max_conditions : {1, 2, 3}, default 2
        Most conditions that a rule joins.
    min_support, max_support : float, default 0.01 and 0.99
        Fractions of the rows that a rule's conditions may hold on.
    thresholds : int or dict, default 10
        Quantile groups of a numeric column, or cuts by column; see `Binarizer`.
    negations : bool, default True
        Also use ``!=`` and ``not``; see `Binarizer`.
    max_categories : int, default 20
        Categories of a column that get conditions; see `Binarizer`.
    policy : str, default "lower_bound"
        Order of the search; see `RuleListSearch`. It does not change the optimum.
    max_length : int, optional
        Most rules, not counting the default.
    time_limit : float, optional
        Seconds of search. At a limit the best list so far is kept, and a ConvergenceWarning tells the proven gap.
    gap : float, default 0.0
        Stop when the objective is proven to be within this of the optimum.
    memory_limit : int, optional
        Bytes that the search may take.
    beam_width : int, default 500
        Width of the beam search for the first list; 0 to start from the default rule.
    random_state : int, RandomState or None
        Seed of the policy "random".

    Attributes
    ----------
    model_ : RuleList
        Predicts on raw tables, too; see `RuleList.to_json` for saving it.
    objective_, lower_bound_, gap_ : float
        ``gap_`` is 0 for a certified optimum.
    status_ : Status
        OPTIMAL, or LIMIT when the search stopped before its proof.
    trace_ : DataFrame
        The states of the search: seconds, work, objective, lower_bound, gap, errors, rules, queued, created, expanded.
    classes_ : array
    n_features_in_ : int
    feature_names_in_ : array of str
        When fitted on a DataFrame with named columns.
    binarizer_ : Binarizer or None
        None when the columns were Boolean already.
    antecedents_ : Antecedents or None
        None when there was nothing to search.
    nothing_found_ : str or None
        Why there was nothing to search: a single class, no column that gives a condition, or no antecedent within the
        limits of support.
    group_rates_ : DataFrame or None
        Rates of each group of ``sensitive_features`` on the training rows.

    Notes
    -----
    Only two classes are supported. A table whose columns are all of dtype bool is used as it is; any other table is
    binarized. A DataFrame is read by column names when predicting, in any order. Where there is nothing to search, the
    list is only its default, which is optimal then; unless this is for want of a second class, a warning says why.
    """

    def __init__(
        self,
        regularization: float = 0.01,
        max_conditions: int = 2,
        min_support: float = 0.01,
        max_support: float = 0.99,
        thresholds: int | dict[Any, Any] = 10,
        negations: bool = True,
        max_categories: int = 20,
        policy: str = "lower_bound",
        max_length: int | None = None,
        time_limit: float | None = None,
        gap: float = 0.0,
        memory_limit: int | None = None,
        beam_width: int = 500,
        random_state: Any = None,
    ) -> None:
        self.regularization = regularization
        self.max_conditions = max_conditions
        self.min_support = min_support
        self.max_support = max_support
        self.thresholds = thresholds
        self.negations = negations
        self.max_categories = max_categories
        self.policy = policy
        self.max_length = max_length
        self.time_limit = time_limit
        self.gap = gap
        self.memory_limit = memory_limit
        self.beam_width = beam_width
        self.random_state = random_state

    _framed: bool
    _columns: tuple[str, ...]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, sensitive_features: Any = None) -> Self:
        """Find the optimal rule list.

        Parameters
        ----------
        X : DataFrame or array, shape (n_rows, n_columns)
            Numbers, categories, Booleans; missing cells are allowed.
        y : array, shape (n_rows,)
            Two classes, or one; the larger label is the positive one.
        sample_weight : array, shape (n_rows,), optional
            Weights >= 0. Whole numbers count as repeated rows, in every respect.
        sensitive_features : array of labels, shape (n_rows,), or DataFrame, optional
            Only reported on, in ``group_rates_``; the search does not see them.

        Raises
        ------
        ValueError
            When the data or a parameter are unusable.
        """
        y = validate_data(self, y=y)
        table = self._table(X, reset=True)
        seed = self._check_parameters(table)
        check_consistent_length(table, y)
        target = type_of_target(y, input_name="y", raise_unknown=True)
        self.classes_ = np.unique(y)
        if target != "binary":
            raise ValueError(f"Only binary classification is supported. The type of the target is {target}.")
        weight = None
        if sample_weight is not None:
            weight = read_weights(_check_sample_weight(sample_weight, table, ensure_non_negative=True), len(table))
            kept = np.flatnonzero(weight)
            table, labels, weight = table.iloc[kept], y[kept], weight[kept]
        else:
            labels = y
        self._fit(table, labels, weight, seed)
        self.group_rates_ = None
        if sensitive_features is not None:
            check_consistent_length(sensitive_features, y)
            groups = pd.DataFrame(sensitive_features)
            groups = groups if weight is None else groups.iloc[kept]
            positive = self.classes_[-1]
            predicted = self.model_.predicts_positive(table)
            self.group_rates_ = group_rates(labels == positive, predicted, groups, weight)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict labels: array, shape (n_rows,). The columns of a DataFrame are matched by name, in any order."""
        positive = self._model_on(X, "predicts_positive")
        codes = np.searchsorted(self.classes_, self.model_.classes)
        return self.classes_[np.where(positive, codes[-1], codes[0])]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Proportions of the classes among the training rows of the deciding rule: shape (n_rows, n_classes)."""
        known = self._model_on(X, "predict_proba")
        out = np.zeros((len(known), len(self.classes_)))
        out[:, np.searchsorted(self.classes_, self.model_.classes)] = known
        return out

    def explain(self, X: Any) -> pd.DataFrame:
        """Say for each row which rule decides it; see `RuleList.explain`."""
        return self._model_on(X, "explain")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _check_parameters(self, table: pd.DataFrame) -> int | None:
        """Refuse unusable parameters, whether or not they come to be used; returns the seed."""
        self._new_binarizer().check_parameters(table.columns)
        check_limits(self.max_conditions, self.min_support, self.max_support)
        seed: int | None = self.random_state
        if isinstance(seed, np.random.RandomState):
            seed = int(check_random_state(seed).randint(2**31 - 1))
        smallest = Problem.from_counts([[False], [True]], [1, 0], [0, 1])
        self._steps(smallest, seed)  # not run: the search and its steps check their arguments when they are made
        return seed

    def _fit(self, table: pd.DataFrame, y: np.ndarray, weight: np.ndarray | None, seed: int | None) -> None:
        """Search on rows of positive weight; sets the fitted attributes."""
        self.binarizer_: Binarizer | None = None
        self.antecedents_: Antecedents | None = None
        found = np.unique(y)
        if len(found) == 1:
            self._settle(y, weight, "the rows hold a single class")
            return
        try:
            self.antecedents_ = self._mine(table, weight)
        except NothingFound as error:
            warnings.warn(f"the rule list is only its default: {error}", UserWarning, stacklevel=3)
            self._settle(y, weight, str(error))
            return
        self._search(Problem.from_antecedents(self.antecedents_, y, sample_weight=weight), seed)

    def _new_binarizer(self) -> Binarizer:
        return Binarizer(self.thresholds, self.negations, self.max_categories)

    def _mine(self, table: pd.DataFrame, weight: np.ndarray | None) -> Antecedents:
        if not all(dtype == np.bool_ for dtype in table.dtypes):
            binarizer = self._new_binarizer()
            table = binarizer.fit_transform(table, sample_weight=weight)
            self.binarizer_ = binarizer
        return mine_antecedents(table, self.max_conditions, self.min_support, self.max_support, sample_weight=weight)

    def _steps(self, problem: Problem, seed: int | None) -> Iterator[Snapshot]:
        """The states of a new search; its parameters are checked at once."""
        search = RuleListSearch(
            problem,
            regularization=self.regularization,
            policy=self.policy,
            max_length=self.max_length,
            memory_limit=self.memory_limit,
            random_state=seed,
            beam_width=self.beam_width,
        )
        return steps(search, time_limit=self.time_limit, gap=self.gap)

    def _search(self, problem: Problem, seed: int | None) -> None:
        trace: list[dict[str, Any]] = []
        for snapshot in self._steps(problem, seed):
            trace.append(_trace_row(snapshot))
            if len(trace) > _TRACE_ROWS:
                del trace[1::2]
        incumbent = snapshot.incumbent
        assert incumbent is not None
        self.model_ = incumbent.model
        self.objective_ = incumbent.objective
        self.lower_bound_ = snapshot.lower_bound
        self.gap_ = snapshot.gap
        self.status_ = snapshot.status
        self.trace_ = pd.DataFrame(trace)
        self.nothing_found_: str | None = None
        if snapshot.status is Status.LIMIT:
            warnings.warn(
                f"the {snapshot.limit} limit was reached before a proof: the objective {self.objective_:.6g} is proven "
                f"to be within {self.gap_:.6g} of the optimum",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _settle(self, y: np.ndarray, weight: np.ndarray | None, why: str) -> None:
        """Take the list that is optimal because there is no other: its default alone."""
        found = np.unique(y)
        positive = y == found[-1]
        positives, negatives = (
            rows.sum().item() if weight is None else weight[rows].sum().item() for rows in (positive, ~positive)
        )
        self.model_ = model = RuleList.without_rules(found.tolist(), positives, negatives)
        self.nothing_found_ = why
        self.objective_ = self.lower_bound_ = model.objective(self.regularization)
        self.gap_ = 0.0
        self.status_ = Status.OPTIMAL
        row = {"seconds": 0.0, "work": 0, "objective": self.objective_, "lower_bound": self.lower_bound_, "gap": 0.0}
        counts = {"errors": model.errors, "rules": 0, "queued": 0, "created": 0, "expanded": 0}
        self.trace_ = pd.DataFrame([row | counts])

    def _model_on(self, X: Any, method: str) -> Any:
        check_is_fitted(self, "model_")
        return getattr(self.model_, method)(self._table(X, reset=False))

    def _table(self, X: Any, reset: bool) -> pd.DataFrame:
        """The rows as a DataFrame with the training columns in their order, named by texts."""
        framed: bool = isinstance(X, pd.DataFrame)
        if not framed:
            X = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
        elif reset or not self._framed:
            validate_data(self, X, reset=reset, skip_check_array=True)
        table = as_frame(X)
        if reset:
            self._framed, self._columns = framed, tuple(table.columns)
        else:
            table = match_columns(table, self._columns, framed and self._framed, type(self).__name__)
            known = self.antecedents_ if self.binarizer_ is None else None
            attach_conditions(table, known.feature_conditions if known else ())
        return table


def _trace_row(snapshot: Snapshot) -> dict[str, Any]:
    incumbent = snapshot.incumbent
    assert incumbent is not None
    return {
        "seconds": snapshot.seconds,
        "work": snapshot.work,
        "objective": incumbent.objective,
        "lower_bound": snapshot.lower_bound,
        "gap": snapshot.gap,
        "errors": incumbent.errors,
        "rules": incumbent.complexity,
        **{name: snapshot.counts[name] for name in ("queued", "created", "expanded")},
    }
