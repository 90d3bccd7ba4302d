"""Rule lists, falling rule lists and Boolean rule sets as scikit-learn classifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import ParameterError, Text
from ..data.antecedents import Antecedents
from ..data.fairness import Criterion
from ..data.multiclass import MultiClassProblem
from ..data.problem_arguments import ProblemError
from ..models import MultiClassRuleList
from ..multiclass import MultiClassRuleListSearch
from ..parameters import MAX_ANTECEDENTS, MEMORY_LIMIT, TIME_LIMIT
from ..stepping import Search
from .base import CertifiedClassifier

EACH, ONE_LIST = SEVERAL = ("one list each", "one list")
_OF_TWO_CLASSES = ("fairness", "class_weight", "must_use", "first_rule", "max_uses", "monotone")


class RuleListClassifier(CertifiedClassifier):
    """The rule list of least ``errors / n + regularization * rules``, with a proof that none is better.

    Parameters
    ----------
    regularization : float, default 0.01
        Cost of one rule, above 0 and below 1: a rule must correct at least this fraction of the rows.
    max_conditions : {1, 2, 3}, default 2
        Most conditions that a rule joins.
    min_support, max_support : float, default 0.01 and 0.99
        Fractions of the rows that a rule's conditions may hold on.
    by_class : bool, default False
        ``min_support`` counts within a class: of two classes, the conditions must hold on that fraction of the rows of
        one of them.
    policy : str, default "lower_bound"
        Order of the search; see `RuleListSearch`. It does not change the optimum.
    max_length : int, optional
        Most rules, not counting the default.
    class_weight : dict, "balanced" or None
        Cost of an error on a row of each class, multiplied with ``sample_weight``; "balanced" gives all classes the
        same total weight. The objective and all counts are in these weights; support and quantiles are not.
    beam_width : int, default 500
        Width of the beam search for the first list; 0 to start from the default rule.
    labels : {"free", "majority"}
        Of a fair list: "free" lets each rule predict whichever class makes the list best, "majority" the class of most
        of what it captures. A list without a criterion predicts majorities in any case.
    max_antecedents : int, default 1_000
        Most antecedents. Where the conjunctions of ``max_conditions`` are more, or would not leave the search the
        memory it may take, those of fewer conditions are mined, and a UserWarning says so. None: any number.
    must_use : sequence of str, optional
        What some rule must use, named as in ``must_not_use``: the list is the best of those that use all of it. A rule
        that captures no row uses nothing. Not with ``PredictiveParity``, as ``first_rule``, ``max_uses``, ``monotone``
        and ``max_length``.
    first_rule : str, optional
        The antecedent of the first rule, such as ``age <= 23 and sex == Male``.
    max_uses : dict of str to int, optional
        Most conditions on a column in the whole list, such as ``{"age": 1}``.
    monotone : dict of str to {"increasing", "decreasing"}, optional
        Columns of numbers or Booleans of which more can only help a positive prediction, or only hinder it, whatever
        the others hold: ``{"priors": "increasing"}``. No rule that predicts the positive class has a condition that
        points against the direction, and no rule that predicts the negative class one that points along it. The list
        is the best of those that obey this, which all are monotone; see `rulelab.data.directions`.
    several_classes : {"one list each", "one list"}
        With more than two classes: a list of each class against the rest, or one list whose rules each predict one of
        the classes, see `MultiClassRuleListSearch`. Either is certified for what it minimises. "one list" takes whole
        numbers as ``sample_weight``, and no ``fairness``, ``class_weight``, ``must_use``, ``first_rule``, ``max_uses``
        or ``monotone``; ``policy``, ``beam_width`` and ``n_jobs`` do not matter to it.
    n_jobs : int, optional
        Threads of a search; None is one, -1 as many as this process has cores. The optimum does not depend on it; of
        several equally good lists another one can be found. A search for a fair list, or one that has to use or obey
        something, has one thread.
    {parameters}

    Attributes
    ----------
    model_ : RuleList, or MultiClassRuleList
        Predicts on raw tables, too; see `RuleList.save` for saving it.
    antecedents_ : Antecedents or None
        None when there was nothing to search.
    {attributes}

    Notes
    -----
    A table whose columns are all of dtype bool is used as it is; any other table is binarized. A DataFrame is read by
    column names when predicting, in any order. Where there is nothing to search, the list is only its default, which
    is optimal then; unless this is for want of a second class, a warning says why. With more than two classes every
    list is optimal for its class against the rest; a row gets the class whose list gives it the largest proportion.
    """

    _FAMILY = "rule_list"

    def __init__(
        self,
        regularization: float = 0.01,
        max_conditions: int = 2,
        min_support: float = 0.01,
        max_support: float = 0.99,
        by_class: bool = False,
        thresholds: int | dict[Any, Any] = 5,
        negations: bool = True,
        max_categories: int = 20,
        policy: str = "lower_bound",
        max_length: int | None = None,
        class_weight: dict[Any, float] | str | None = None,
        time_limit: float | None = TIME_LIMIT,
        gap: float = 0.0,
        memory_limit: int | None = MEMORY_LIMIT,
        beam_width: int = 500,
        random_state: Any = None,
        max_antecedents: int | None = MAX_ANTECEDENTS,
        fairness: Criterion | None = None,
        min_group_size: int = 30,
        labels: str = "free",
        must_not_use: Sequence[str] | None = None,
        must_use: Sequence[str] | None = None,
        first_rule: str | None = None,
        max_uses: Mapping[str, int] | None = None,
        monotone: Mapping[str, str] | None = None,
        verbose: bool = False,
        several_classes: str = "one list each",
        n_jobs: int | None = None,
    ) -> None:
        self._store(locals())

    def _check_parameters(self, table: pd.DataFrame) -> int | None:
        if self.several_classes not in SEVERAL:
            known = " or ".join(map(repr, SEVERAL))
            raise ParameterError("several_classes", self.several_classes, known)
        return super()._check_parameters(table)

    @property
    def _is_one_list(self) -> bool:
        """Whether each rule of one list predicts one of several classes."""
        return self.several_classes == ONE_LIST and len(self.classes_) > 2

    def _targets(self, y: np.ndarray, weight: np.ndarray | None) -> list[np.ndarray]:
        if not self._is_one_list:
            return super()._targets(y, weight)
        given = [name for name in _OF_TWO_CLASSES if getattr(self, name) is not None]
        if given:
            text = Text(f"one list of several classes cannot have {{{given[0]}}}; give {{several_classes}}={EACH!r}")
            raise ParameterError(given[0], getattr(self, given[0]), "None", text)
        if weight is not None and weight.dtype.kind != "i":
            raise ProblemError("a list of several classes takes whole numbers as sample_weight")
        return [y]

    def _search(self, features: Any, y: np.ndarray, weight: Any, groups: Any, seed: int | None) -> Search:
        if not self._is_one_list:
            return super()._search(features, y, weight, groups, seed)
        mined = isinstance(features, Antecedents)
        make = MultiClassProblem.from_antecedents if mined else MultiClassProblem.from_arrays
        problem = make(features, y, sample_weight=weight)
        return MultiClassRuleListSearch(problem, self.regularization, self.max_length, self.memory_limit)

    def _without_rules(self, y: np.ndarray, weight: np.ndarray | None) -> tuple[Any, float]:
        if not self._is_one_list:
            return super()._without_rules(y, weight)
        labels, codes = np.unique(y, return_inverse=True)
        counts = np.bincount(codes, weights=weight, minlength=len(labels)).astype(np.int64)
        model = MultiClassRuleList.without_rules(labels.tolist(), counts.tolist())
        return model, model.objective(self.regularization)


class FallingRuleListClassifier(CertifiedClassifier):
    """The falling rule list of least weighted loss: risk strata from the largest to the smallest.

    Parameters
    ----------
    regularization : float, default 0.01
        Cost of one rule, 0 or more and below 1.
    positive_weight : float, default 1.0
        Cost w of a missed positive, where a false alarm costs 1. A row is predicted positive where the proportion of
        positives exceeds 1 / (1 + w).
    violation_penalty : float, optional
        Cost of a proportion that rises by 1: the list is softly falling. By default it must fall.
    method : str, default "exact"
        "exact" certifies the list, and is needed for ``fairness``, with which the list must fall; "monte_carlo" is the
        search of the paper, which proves nothing.
    max_conditions, min_support, max_support, max_antecedents
        As of `RuleListClassifier`.
    by_class : bool, default False
        ``min_support`` counts within a class, as in the paper's experiments (section 6): the conditions must hold on
        that fraction of the positives or of the negatives. For two classes.
    iterations : int, default 3000
        Lists that the Monte-Carlo search makes, which also begins the exact search, but for fair lists.
    class_weight : dict, "balanced" or None
        Weight of the rows of each class, multiplied with ``sample_weight``. It changes the proportions, unlike
        ``positive_weight``, which changes their cost.
    {parameters}

    Attributes
    ----------
    model_ : FallingRuleList
        Predicts on raw tables, too; ``model_.strata()`` has the risk groups.
    antecedents_ : Antecedents or None
        None when there was nothing to search.
    {attributes}

    References
    ----------
    Chen and Rudin, "An optimization approach to learning falling rule lists", AISTATS 2018.
    """

    _FAMILY = "falling_rule_list"

    def __init__(
        self,
        regularization: float = 0.01,
        positive_weight: float = 1.0,
        violation_penalty: float | None = None,
        method: str = "exact",
        max_conditions: int = 2,
        min_support: float = 0.01,
        max_support: float = 0.99,
        by_class: bool = False,
        thresholds: int | dict[Any, Any] = 5,
        negations: bool = True,
        max_categories: int = 20,
        iterations: int = 3000,
        class_weight: dict[Any, float] | str | None = None,
        time_limit: float | None = TIME_LIMIT,
        gap: float = 0.0,
        memory_limit: int | None = MEMORY_LIMIT,
        random_state: Any = None,
        max_antecedents: int | None = MAX_ANTECEDENTS,
        must_not_use: Sequence[str] | None = None,
        fairness: Criterion | None = None,
        min_group_size: int = 30,
        verbose: bool = False,
    ) -> None:
        self._store(locals())


class RuleSetClassifier(CertifiedClassifier):
    """The rule set of least loss within a complexity, fair by a criterion of choice.

    Parameters
    ----------
    max_complexity : int, default 20
        Most complexity: the sum over the rules of 1 + their conditions.
    max_conditions : int or None, default 3
        Most conditions of a rule. None: any number. The proof holds for rules of at most so many.
    loss : {"hamming", "zero_one"}
        See `RuleSetSearch`.
    form : {"dnf", "cnf"}
        Positive when any rule holds, or when all clauses hold.
    regularization : float, default 0.0
        Cost of a unit of complexity, in rows (or weight), beside the bound on it.
    column_limit : int, default 20000
        Most rules that the closing step enumerates.
    class_weight : dict, "balanced" or None
        Weight of the rows of each class, multiplied with ``sample_weight``.
    must_use : sequence of str, optional
        Columns and conditions that some rule of the set has to use each; a rule that covers no row uses nothing, and is
        in no set then. The proof is over the sets that obey.
    max_uses : dict of str to int, optional
        Most conditions on a column in the whole set. The proof is over the sets that obey.
    monotone : dict of str to {"increasing", "decreasing"}, optional
        Columns of numbers or Booleans of which more can only help a positive prediction, or only hinder it, whatever
        the others hold: rules have no condition on them that points the other way (``<=`` where it is increasing). A
        missing cell is neither more nor less. The proof is over the sets of such rules. With the 0-1 loss no other
        monotone set has less; with the Hamming loss one whose rules overlap less can. See `rulelab.data.directions`.
    {parameters}

    Attributes
    ----------
    model_ : RuleSet
        Predicts on raw tables, too; see `RuleSet.to_json` for saving it.
    {attributes}

    References
    ----------
    Dash, Günlük and Wei, "Boolean decision rules via column generation", NeurIPS 2018. Lawless, Dash, Günlük and Wei,
    "Interpretable and fair Boolean rule sets via column generation", JMLR 24 (2023).
    """

    _FAMILY = "rule_set"

    def __init__(
        self,
        max_complexity: int = 20,
        max_conditions: int | None = 3,
        loss: str = "hamming",
        form: str = "dnf",
        fairness: Criterion | None = None,
        regularization: float = 0.0,
        column_limit: int = 20_000,
        thresholds: int | dict[Any, Any] = 5,
        negations: bool = True,
        max_categories: int = 20,
        class_weight: dict[Any, float] | str | None = None,
        time_limit: float | None = TIME_LIMIT,
        gap: float = 0.0,
        memory_limit: int | None = MEMORY_LIMIT,
        random_state: Any = None,
        min_group_size: int = 30,
        must_not_use: Sequence[str] | None = None,
        monotone: Mapping[str, str] | None = None,
        must_use: Sequence[str] | None = None,
        max_uses: Mapping[str, int] | None = None,
        verbose: bool = False,
    ) -> None:
        self._store(locals())
