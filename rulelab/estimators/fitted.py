"""What a fitted classifier says: of rows, their labels, probabilities and what decides; and of its proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted, validate_data

from ..certificate import Certificate, Verification, verify
from ..data.binarize import Binarizer
from ..data.columns import as_frame, match_columns, typed_rows
from ..data.conditions import Condition, attach_conditions, in_pandas
from ..dates import Parts, found_parts, with_parts
from ..models import Model, MultiClassRuleList
from ..multiclass import MultiClassRuleListSearch
from ..proving import prove
from ..questions import near_optimal
from ..snapshot import Status
from ..stepping import Search


class FittedClassifier:
    """A classifier with a model of two classes, or one for each of several, which reads tables as they were fitted.

    It keeps its searches; pickles do without them, as they are large.

    Attributes
    ----------
    _searches : tuple of Search or None
        One for each model; None where there was nothing to search for.
    """

    models_: tuple[Any, ...]
    classes_: np.ndarray
    binarizer_: Binarizer | None
    status_: Status
    _searches: tuple[Search | None, ...]
    _given_conditions: tuple[Condition, ...]
    _framed: bool
    _columns: tuple[str, ...]
    _made: Callable[..., Search]  # the search that `fit` makes of rows, not begun
    _parts: Mapping[str, Parts]  # what stands for columns of dates, times and orders

    def __dir__(self) -> list[str]:
        """The names of what there is, as scikit-learn has it; but no proof is made to see whether there is one."""
        return [name for name in object.__dir__(self) if hasattr(self, "search_" if name == "certificate_" else name)]

    @property
    def model_(self) -> Model:
        """The model, of two classes; see ``models_`` for more."""
        check_is_fitted(self, "models_")
        if len(self.models_) > 1:
            raise AttributeError(f"there are {len(self.models_)} classes, each with a model of its own in models_")
        return self.models_[0]

    def predict(self, X: Any) -> np.ndarray:
        """Predict labels: array, shape (n_rows,).

        Parameters
        ----------
        X : DataFrame or array, shape (n_rows, n_columns)
            The columns of a DataFrame are matched by name, in any order; those that no rule uses may be missing.
        """
        table = self._fitted_table(X)
        if len(self.models_) > 1:
            return self.classes_[self._scores(table).argmax(axis=1)]
        if isinstance(self.models_[0], MultiClassRuleList):
            return self.classes_[np.searchsorted(self.classes_, self.models_[0].predict(table))]
        positive, codes = self.model_.predicts_positive(table), self._codes()
        return self.classes_[np.where(positive, codes[-1], codes[0])]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Proportions of the classes among the training rows of the deciding rule: shape (n_rows, n_classes).

        With more than two classes these are the models' proportions, scaled to a sum of 1.

        Parameters
        ----------
        X : DataFrame or array, shape (n_rows, n_columns)
        """
        table = self._fitted_table(X)
        if len(self.models_) > 1:
            scores = self._scores(table)
            total = scores.sum(axis=1, keepdims=True)
            even = np.full_like(scores, 1 / scores.shape[1])
            return np.divide(scores, total, out=even, where=total > 0)
        known = self.model_.predict_proba(table)
        out = np.zeros((len(known), len(self.classes_)))
        out[:, self._codes()] = known
        return out

    def explain(self, X: Any) -> pd.DataFrame:
        """Say for each row what decides it; see the model's ``explain``.

        With more than two classes the rules are those of the model of the predicted class, named in ``class``.

        Parameters
        ----------
        X : DataFrame or array, shape (n_rows, n_columns)
        """
        table = self._fitted_table(X)
        if len(self.models_) == 1:
            return self.model_.explain(table)
        winner = self._scores(table).argmax(axis=1)
        parts = []
        for k in np.unique(winner):
            rows = np.flatnonzero(winner == k)
            part = self.models_[k].explain(table.iloc[rows])
            parts.append(part.assign(**{"class": self.classes_[k]}).set_index(rows))
        return pd.concat(parts).sort_index().set_index(table.index)

    @property
    def search_(self) -> Search:
        """The search that has found the model of two classes; its ``problem`` holds the rows as they were counted."""
        check_is_fitted(self, "models_")
        searches = getattr(self, "_searches", ())
        if not searches:
            raise AttributeError("the search is not kept in a pickle: fit again to have it")
        if len(searches) > 1:
            raise AttributeError(f"there are {len(searches)} classes, each with a search of its own")
        if searches[0] is None:
            raise AttributeError("there was nothing to search for: the model has no rules")
        return searches[0]

    @property
    def certificate_(self) -> Certificate:
        """The proof that the model is optimal, or of its bound; it is made when it is first asked for.

        Raises
        ------
        CertificateError
            When there is none.
        """
        search = self.search_
        bound_only = self.status_ is not Status.OPTIMAL and not isinstance(search, MultiClassRuleListSearch)
        proof: Certificate = prove(search, bound_only=bound_only)
        return proof

    def verify(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        sensitive_features: Any = None,
        *,
        time_limit: float | None = None,
    ) -> Verification:
        """Check the proof on the training rows, without the search.

        Parameters
        ----------
        X, y, sample_weight, sensitive_features : optional
            The rows as they were given to `fit`: the problem is made of them anew. Else it is the one that was kept.
        time_limit : float, optional
            Wall-clock seconds.

        Raises
        ------
        CertificateError
            When there is no proof.
        TimeoutError
            At the time limit.
        """
        search = self.search_ if X is None else self._made(X, y, sample_weight, sensitive_features)
        return verify(search.problem, self.models_[0], self.certificate_, time_limit=time_limit)

    def near(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        sensitive_features: Any = None,
        *,
        within: float = 0.01,
        time_limit: float | None = 40.0,
        **parameters: Any,
    ) -> Any:
        """All models whose objective is at most so much above the optimum.

        Parameters
        ----------
        X, y, sample_weight, sensitive_features : optional
            Rows as `fit` takes them, whose optimum is searched for anew: a classifier from a pickle needs them.
        within : float
            In units of the objective.
        time_limit : float, optional
            Wall-clock seconds.
        **parameters
            Of `rulelab.near_optimal`, such as ``limit`` or ``count``.

        Returns
        -------
        NearOptimal, NearOptimalRuleSets or NearOptimalCount
            What was found, and whether that is all of it.

        Raises
        ------
        ValueError
            For models of which near-optimal ones are not searched for, and when an argument is out of range.
        """
        of = self if X is None else self._made(X, y, sample_weight, sensitive_features)
        return near_optimal(of, within, time_limit=time_limit, **parameters)

    def _codes(self) -> np.ndarray:
        """Positions of the model's labels among the classes; it has one label only where the rows had."""
        return np.searchsorted(self.classes_, self.model_.classes)

    def _scores(self, table: pd.DataFrame) -> np.ndarray:
        """Proportion of each class where its model is asked: shape (n_rows, n_classes)."""
        scores = np.zeros((len(table), len(self.models_)))
        for k, model in enumerate(self.models_):
            if True in model.classes:
                scores[:, k] = model.predict_proba(table)[:, -1]
        return scores

    def _fitted_table(self, X: Any) -> pd.DataFrame:
        check_is_fitted(self, "models_")
        return self._table(X, reset=False)

    def _table(self, X: Any, reset: bool) -> pd.DataFrame:
        """The rows as a DataFrame with the training columns in their order, named by texts."""
        X = in_pandas(X)
        framed: bool = isinstance(X, pd.DataFrame)
        if not framed:
            least = int(reset)  # no rows have no predictions
            X = validate_data(
                self, typed_rows(X), reset=reset, dtype=None, ensure_all_finite="allow-nan", ensure_min_samples=least
            )
        elif reset or not self._framed:
            validate_data(self, X, reset=reset, skip_check_array=True)
        table = as_frame(X, fitting=reset)
        if reset:
            found = {name: found_parts(name, values) for name, values in table.items()}
            self._parts = {name: parts for name, parts in found.items() if parts is not None}
        table = with_parts(table, self._parts)
        if reset:
            self._framed, self._columns = framed, tuple(table.columns)
        else:
            named = framed and self._framed
            asked = tuple(
                name for name in self._columns if not named or name in table
            )  # rules name those that they lack
            table = match_columns(table, asked, named, type(self).__name__)
            if self.binarizer_ is None:
                attach_conditions(table, self._given_conditions)
        return table
