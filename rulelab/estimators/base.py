"""What the classifiers share: `fit` binarizes, makes a problem and drains the same steps as every view."""

from __future__ import annotations

import abc
import html
import inspect
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_consistent_length, check_random_state, compute_sample_weight, estimator_html_repr
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from .. import progress
from ..arguments import ParameterError, Text
from ..data.antecedents import Antecedents
from ..data.binarize import Binarizer
from ..data.columns import listed, read_weights
from ..data.conditions import Condition, NothingFound, conditions_of, in_pandas
from ..data.exact_weights import Weights
from ..data.metrics import group_labels, group_rates
from ..families import FAMILIES
from ..families.wording import adding_up
from ..models import Model
from ..progress import noted
from ..recipe import Recipe
from ..report import Doubt, Known, doubted
from ..report.known import compared
from ..report.report import distance
from ..snapshot import Snapshot, Status
from ..stepping import Search, steps
from .draining import DEEPER, CallbackSupportMixin, Fit, Told, check_found, drained, warn_of_open, with_callbacks
from .fitted import FittedClassifier


class Rows(NamedTuple):
    """Training rows of positive weight."""

    table: pd.DataFrame
    y: np.ndarray  # their labels, shape (n_rows,)
    weight: np.ndarray | None  # shape (n_rows,); None: all count alike
    groups: pd.DataFrame | None
    seed: int | None


ONE_CLASS = "the rows hold a single class"


class CertifiedClassifier(FittedClassifier, CallbackSupportMixin, ClassifierMixin, BaseEstimator, abc.ABC):
    """A model that is proven optimal, or within a proven gap of the optimum where a limit or Ctrl-C ended the search.

    With more than two classes one model of each class against the rest, unless one of all is asked for. What follows is
    of every family, and stands in the documentation of each.

    Parameters
    ----------
    thresholds : int or dict, default 5
        Quantile groups of a numeric column, or cuts by column; see `Binarizer`.
    negations : bool, default True
        Also use ``!=`` and ``not``; see `Binarizer`.
    max_categories : int, default 20
        Categories of a column that get conditions; see `Binarizer`.
    time_limit : float, default 40.0
        Seconds of search, shared by the searches of several classes; kernels are compiled, conditions and antecedents
        made before. At a limit the best model so far is kept, and a ConvergenceWarning tells the proven gap. None: no
        limit.
    gap : float, default 0.0
        Stop when the objective is proven to be within this of the optimum; for sets in rows (or weight).
    memory_limit : int, default 1_000_000_000
        Bytes that the exact search may take. None: no limit.
    random_state : int, RandomState or None
        Seed of what is random: the policy "random" of rule lists, the Monte-Carlo search of falling ones, the search
        of sets.
    must_not_use : sequence of str, optional
        What no rule may use: columns, conditions such as ``age <= 23`` (no rule has them), or antecedents (no rule has
        all their conditions). The proof is over what is left.
    fairness : Criterion, optional
        Such as ``EqualOpportunity(0.05)``, over the groups of ``sensitive_features``, which `fit` needs then: the model
        is the best of those whose predictions meet it.
    min_group_size : int, default 30
        Groups with fewer training rows, of the class that a rate is measured on (positives for equal opportunity), are
        left out of ``fairness``, and a UserWarning says which: of few rows a rate says little, and would rule the rest.
        Rows count here whatever their weights are. 0 for all groups.
    verbose : bool, default False
        Show the progress of mining and of the search as tqdm does.

    Attributes
    ----------
    models_ : tuple of Model
        ``model_`` alone, or with more than two classes one model per class against the rest, in the order of
        ``classes_``, with the labels False and True.
    objective_, lower_bound_, gap_ : float, or array of shape (n_classes,) with more than two classes
        ``gap_`` is 0 for a certified optimum; for sets in rows (or weight).
    status_ : Status
        OPTIMAL, or LIMIT when the search, or one of the searches, stopped before its proof, or when weights or
        penalties that cannot be represented leave the proof a gap.
    trace_ : DataFrame
        The states of the search: seconds, work, objective, lower_bound, gap, errors, complexity, log10_remaining and
        counts, such as queued, created and expanded; with more than two classes also class.
    classes_ : array
    n_features_in_ : int
    feature_names_in_ : array of str
        When fitted on a DataFrame with named columns.
    binarizer_ : Binarizer or None
        None when the columns were Boolean already.
    nothing_found_ : str or None
        Why there was nothing to search: a single class, no column that gives a condition, or no antecedent within the
        limits of support.
    doubts_ : tuple
        What speaks against trusting the model, in words and with what to do; see `rulelab.doubts`.
    group_rates_ : DataFrame or None
        Rates of each group of ``sensitive_features`` on the training rows. Without ``fairness`` the search does not see
        the groups.
    """

    _FAMILY: ClassVar[str]  # name of its record in `rulelab.families.FAMILIES`, whose parameters it has

    class_weight: Any
    time_limit: float | None
    gap: float
    random_state: Any
    verbose: bool

    def __init_subclass__(cls, **options: Any) -> None:
        """Put what this class says of parameters and attributes where the documentation of a family has a place."""
        super().__init_subclass__(**options)
        if cls.__doc__ is not None and CertifiedClassifier.__doc__ is not None:
            shared = re.split(r"\n\w+\n-+\n", inspect.cleandoc(CertifiedClassifier.__doc__))[1:]
            said = inspect.cleandoc(cls.__doc__)
            for place, section in zip(("{parameters}", "{attributes}"), shared, strict=True):
                said = said.replace(place, section.strip())
            cls.__doc__ = said

    def _store(self, given: Mapping[str, Any]) -> None:
        """Keep the arguments of a constructor as they are: scikit-learn clones by them, and `fit` checks them."""
        for name, value in given.items():
            if name != "self":
                setattr(self, name, value)

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None, sensitive_features: Any = None) -> Self:
        """Find the optimal model.

        Ctrl-C ends the search as a limit does: the best model so far is kept, and a ConvergenceWarning tells the
        proven gap. Pressed again, it interrupts `fit`. So does a callback that answers True (scikit-learn 1.9,
        ``set_callbacks``): each state of the search is a task.

        Parameters
        ----------
        X : DataFrame or array, shape (n_rows, n_columns)
            Numbers, categories, Booleans; missing cells are allowed. Dates are used by year, month, weekday and hour,
            categories in an order (of a DataFrame) by the levels that a cell is at most.
        y : array, shape (n_rows,)
            Of two classes the larger label is the positive one.
        sample_weight : array, shape (n_rows,), optional
            Weights >= 0. Whole numbers count as repeated rows, in every respect.
        sensitive_features : array of labels, shape (n_rows,), DataFrame, or name of a column, optional
            Groups of people, reported on in ``group_rates_``. A column of ``X`` that is named, or a list of such names,
            is no feature then.

        Raises
        ------
        ValueError
            When the data or a parameter are unusable, and when no model meets a fairness constraint, or none was found
            before a limit.
        """
        told = Told(self, X, y, sample_weight)
        rows = self._read(X, y, sample_weight, sensitive_features)
        self._fit(rows, told)
        self.group_rates_ = None if rows.groups is None else self._rates(rows)
        self.doubts_ = self._doubts(rows.y, rows.weight)
        told.end()
        return self

    def _made(self, X: Any, y: Any, sample_weight: Any, sensitive_features: Any) -> Search:
        """The search that `fit` makes of these rows, not begun; of one model."""
        other = clone(self)
        rows = other._read(X, y, sample_weight, sensitive_features)
        target, *more = other._targets(rows.y, rows.weight)
        if more:
            raise AttributeError(f"there are {1 + len(more)} classes, each with a search of its own")
        features = other._features(rows.table, rows.y, rows.weight)
        made: Search = other._search(features, target, other._exactly(rows)[0], rows.groups, rows.seed)
        return made

    def _read(self, X: Any, y: Any, sample_weight: Any, sensitive_features: Any) -> Rows:
        """The arguments of `fit`, checked with the parameters; sets what is said of columns and classes."""
        y = validate_data(self, y=y)
        X, sensitive_features = _named_groups(in_pandas(X), sensitive_features)
        table = self._table(X, reset=True)
        seed = self._check_parameters(table)
        check_consistent_length(table, y)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        weight = None
        if sample_weight is not None:
            weight = read_weights(_check_sample_weight(sample_weight, table, ensure_non_negative=True), len(table))
            kept = np.flatnonzero(weight)
            table, y, weight = table.iloc[kept], y[kept], weight[kept]
        groups = None
        if sensitive_features is not None:
            check_consistent_length(sensitive_features, X)
            groups = pd.DataFrame(in_pandas(sensitive_features))
            groups = groups if weight is None else groups.iloc[kept]
        return Rows(table, y, weight, groups, seed)

    def _exactly(self, rows: Rows) -> tuple[Any, np.ndarray | None]:
        """Weights of rows with those of their classes: exact, and as numbers; None: all count alike."""
        if self.class_weight is None:
            return rows.weight, rows.weight
        exact = _with_class_weights(self.class_weight, rows.y, rows.weight)
        return exact, read_weights(exact.floats(), len(rows.y), "class_weight", some=True)

    def __str__(self) -> str:
        return "\n\n".join([repr(self), *(f"{said}\n{model}" for said, model in self._answers())])

    def _repr_html_inner(self) -> str:
        shown = [f"<p>{html.escape(said)}</p>{model._repr_html_()}" for said, model in self._answers()]
        return "\n".join([estimator_html_repr(self), *shown])

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        shown: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        return shown | {"text/html": self._repr_html_inner()} if "text/html" in shown else shown

    def _answers(self) -> Iterator[tuple[str, Model]]:
        """What is to be said of each fitted model, and the model."""
        models = getattr(self, "models_", ())
        figures = (np.atleast_1d(getattr(self, f"{name}_")) for name in ("objective", "lower_bound")) if models else ()
        for k, (model, objective, bound) in enumerate(zip(models, *figures, strict=True)):
            gap = adding_up(objective, bound, self._FAMILY)[2]
            proven = "certified optimal" if self._proven[k] else distance(gap)
            of = f"{self.classes_[k]} against the rest: " if len(models) > 1 else ""
            yield f"{of}{proven}, objective {objective:.7g}", model

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_searches"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    @property
    def _threads(self) -> dict[str, Any]:
        """``n_jobs``, where the search can have several threads."""
        return {"n_jobs": getattr(self, "n_jobs", None)} if FAMILIES[self._FAMILY].threads else {}

    @property
    def _recipe(self) -> Recipe:
        family = FAMILIES[self._FAMILY]
        return Recipe(family, {each.name: getattr(self, each.name) for each in family.parameters})

    def _check_parameters(self, table: pd.DataFrame) -> int | None:
        """Refuse unusable parameters, whether or not they come to be used; returns the seed."""
        self._recipe.check(table.columns)
        seed: int | None = self.random_state
        if isinstance(seed, np.random.RandomState):
            seed = int(check_random_state(seed).randint(2**31 - 1))
        progress.check(self.verbose)
        search = self._recipe.smallest(random_state=seed, **self._threads)
        steps(search, time_limit=self.time_limit, gap=self.gap)  # not run: only checked
        return seed

    def _fit(self, rows: Rows, told: Told) -> None:
        """Search on rows of positive weight; sets the fitted attributes."""
        table, y, weight, groups, seed = rows
        self._clear()
        if getattr(self, "fairness", None) is not None:
            if groups is None:
                text = Text("{fairness} needs {sensitive_features}: give fit the groups of the rows")
                raise ParameterError("sensitive_features", groups, "the groups of the rows", text)
            if len(names := set(group_labels(groups, len(table)).tolist())) < 2:
                text = Text(
                    "{fairness} compares groups, but {sensitive_features} holds a single one: {}", listed(names)
                )
                raise ParameterError("sensitive_features", groups, "two groups or more", text)
        features, why = None, ONE_CLASS
        if len(np.unique(y)) > 1:
            try:
                features = self._features(table, y, weight)
            except NothingFound as error:
                why = str(error)
                warnings.warn(f"{self._noun} is only its default: {error}", UserWarning, stacklevel=3 + DEEPER)
        targets = self._targets(y, weight)
        exactly, weight = self._exactly(rows)
        fits: list[Fit] = []
        left = self.time_limit
        with noted() as interrupted:
            for k, target in enumerate(targets):
                counted = target if weight is None else target[weight > 0]
                if features is None or len(np.unique(counted)) == 1:
                    if demands := self._recipe.demands:
                        raise ValueError(f"{self._noun} cannot {demands}: {why if features is None else ONE_CLASS}")
                    fits.append(Fit.settled(*self._without_rules(target, weight), why))
                    continue
                share = None if left is None else left / (len(targets) - k)
                search = self._search(features, target, exactly, groups, seed)
                with told.search(str(self.classes_[k])) if len(targets) > 1 else nullcontext():
                    fits.append(self._searched(search, share, told.ending(interrupted)))
                left = None if left is None else max(0.0, left - fits[-1].trace["seconds"].iloc[-1])
        self._keep(fits)

    def _targets(self, y: np.ndarray, weight: np.ndarray | None) -> list[np.ndarray]:
        """What a model is searched for each: the labels, or of several classes whether they are each of these."""
        return [y == label for label in self.classes_] if len(self.classes_) > 2 else [y]

    def _search(self, features: Any, y: np.ndarray, weight: Any, groups: Any, seed: int | None) -> Search:
        """The search for the model of one target."""
        problem = self._recipe.problem(features, y, weight, groups)
        return self._recipe.search(problem, random_state=seed, **self._threads)

    def _without_rules(self, y: np.ndarray, weight: np.ndarray | None) -> tuple[Any, float]:
        """The model of one target that is optimal because there is no other, and its objective."""
        labels = np.unique(y if weight is None else y[weight > 0])
        positive = y == labels[-1]
        positives, negatives = (
            rows.sum().item() if weight is None else weight[rows].sum().item() for rows in (positive, ~positive)
        )
        recipe = self._recipe
        return recipe.family.without_rules(labels.tolist(), positives, negatives, recipe.parameters)

    def _clear(self) -> None:
        """Forget an earlier fit."""
        self.binarizer_: Binarizer | None = None
        self._given_conditions: tuple[Condition, ...] = ()
        self._fewer = ""
        if FAMILIES[self._FAMILY].mined:
            self.antecedents_: Antecedents | None = None

    @property
    def _noun(self) -> str:
        return f"the {FAMILIES[self._FAMILY].noun}"

    def _keep(self, fits: list[Fit]) -> None:
        """Set the fitted attributes; those that are numbers become arrays where there are several models."""
        self.models_ = tuple(fit.model for fit in fits)
        self._searches = tuple(fit.search for fit in fits)
        first, one = fits[0], len(fits) == 1
        for name in ("objective", "lower_bound", "gap"):
            values = [getattr(fit, name) for fit in fits]
            setattr(self, f"{name}_", values[0] if one else np.array(values))
        self._proven = [fit.status is Status.OPTIMAL for fit in fits]
        open_fits = [fit for fit in fits if fit.status is not Status.OPTIMAL]
        self.status_ = open_fits[0].status if open_fits else Status.OPTIMAL
        self.nothing_found_ = first.nothing_found
        self.trace_ = first.trace
        if not one:
            traces = {label: fit.trace for label, fit in zip(self.classes_.tolist(), fits, strict=True)}
            self.trace_ = pd.concat(traces, names=["class", "step"]).reset_index("class").reset_index(drop=True)

    def _searched(self, search: Search, time_limit: float | None, ends: Callable[[Snapshot], bool]) -> Fit:
        if said := getattr(search, "left_out", ""):
            warnings.warn(said, UserWarning, stacklevel=4 + DEEPER)
        snapshot, trace = drained(search, time_limit, self.gap, ends, bool(self.verbose))
        asked = getattr(self, "fairness", None)
        demands = self._recipe.demands
        check_found(snapshot, self._noun, (asked, demands) if asked and demands else asked or demands, time_limit)
        warn_of_open(snapshot, stacklevel=4 + DEEPER)
        return Fit.found(snapshot, trace, search)

    def _doubts(self, y: np.ndarray, weight: np.ndarray | None) -> tuple[Doubt, ...]:
        """What is to be doubted of each model, with its class where there are several."""
        shared: dict[str, Any] = {
            "effective": None if weight is None else float(weight.sum()) ** 2 / float((weight**2).sum()),
            "compared": compared(getattr(self, "fairness", None)),
            "fewer": self._fewer,
        }
        several, found = len(self.models_) > 1, []
        for label, model in zip(self.classes_ if several else [None], self.models_, strict=True):
            rows = [int((y == each).sum()) for each in model.classes]
            if several:
                rows = [int((y != label).sum()), int((y == label).sum())]
            rates = self.group_rates_.loc[label] if several and self.group_rates_ is not None else self.group_rates_
            groups = {} if rates is None else {"group": rates}
            of = f"{label}: " if several else ""
            said = doubted(Known(model, rows, groups=groups, **shared))
            found += [each._replace(words=f"{of}{each.words}") for each in said]
        return tuple(found)

    def _rates(self, rows: Rows) -> Any:
        """Rates of each group on the training rows, of each class against the rest where there are several."""
        table, y, weight, groups, _ = rows
        predicted = self.predict(table)
        labels = self.classes_[-1:] if len(self.classes_) < 3 else self.classes_
        rates = {label: group_rates(y == label, predicted == label, groups, weight) for label in labels}
        return rates[labels[0]] if len(labels) == 1 else pd.concat(rates, names=["class", "group"])

    def _features(self, table: pd.DataFrame, y: np.ndarray, weight: np.ndarray | None) -> Antecedents | pd.DataFrame:
        """What rules are made of, from the table of training rows of two classes or more; raises NothingFound."""
        recipe = self._recipe
        if recipe.parameters.get("by_class") and len(self.classes_) > 2:
            text = Text(
                "{by_class}=True counts supports within one of two classes, but y has {}; leave it out, or fit each "
                "class against the rest",
                len(self.classes_),
            )
            raise ParameterError("by_class", True, "False where there are more than two classes", text)
        conditions, self.binarizer_ = recipe.conditions(table, weight)
        if self.binarizer_ is None:
            self._given_conditions = conditions_of(table)
        features, self._fewer = recipe.features(conditions, y, weight, table.columns, bool(self.verbose))
        if self._fewer:
            warnings.warn(self._fewer, UserWarning, stacklevel=4 + DEEPER)
        if isinstance(features, Antecedents):
            self.antecedents_ = features
        return features


def _named_groups(X: Any, groups: Any) -> tuple[Any, Any]:
    """The table without the columns that are named as groups, and these; a list as long as the table has labels."""
    columns = set(X.columns) if isinstance(X, pd.DataFrame) else set()
    if isinstance(groups, str):
        if groups not in columns:
            has = f"has the columns {listed(map(str, X.columns))}" if columns else "has no named columns"
            text = Text("{sensitive_features} is {!r}, but X {}; give one of these, or a label per row", groups, has)
            raise ParameterError("sensitive_features", groups, "a column of X, or a label per row", text)
        groups = [groups]
    elif not isinstance(groups, list) or len(groups) in (0, len(X)) or not columns.issuperset(map(str, groups)):
        return X, groups
    return X.drop(columns=groups), X[groups]


def _with_class_weights(class_weight: Any, y: np.ndarray, weight: np.ndarray | None) -> Weights:
    """Weights of rows with those of their classes, which are decimal numbers or, balanced, proportions: all exact."""
    values = read_weights(compute_sample_weight(class_weight, y), len(y), "class_weight", some=True)
    labels, first, codes, counts = np.unique(y, return_index=True, return_inverse=True, return_counts=True)
    if isinstance(class_weight, str):
        of_class = [Fraction(len(y), len(labels) * int(count)) for count in counts]
    else:
        of_class = [Fraction(repr(float(value))) for value in values[first]]
    return Weights.of_classes(of_class, codes.ravel(), weight)
