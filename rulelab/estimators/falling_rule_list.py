"""Falling rule lists as scikit-learn classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..data.fairness import Criterion
from ..parameters import MAX_ANTECEDENTS, MEMORY_LIMIT, TIME_LIMIT
from .base import CertifiedClassifier


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
        "exact" certifies the list; "monte_carlo" is the search of the paper, which proves nothing.
    max_conditions : {1, 2, 3}, default 2
        Most conditions that a rule joins.
    min_support, max_support : float, default 0.01 and 0.99
        Fractions of the rows that a rule's conditions may hold on.
    by_class : bool, default False
        ``min_support`` counts within a class, as in the paper's experiments (section 6): the conditions must hold on
        that fraction of the positives or of the negatives. For two classes.
    thresholds : int or dict, default 5
        Quantile groups of a numeric column, or cuts by column; see `Binarizer`.
    negations : bool, default True
        Also use ``!=`` and ``not``; see `Binarizer`.
    max_categories : int, default 20
        Categories of a column that get conditions; see `Binarizer`.
    iterations : int, default 3000
        Lists that the Monte-Carlo search makes, which also begins the exact search, but for fair lists.
    class_weight : dict, "balanced" or None
        Weight of the rows of each class, multiplied with ``sample_weight``. It changes the proportions, unlike
        ``positive_weight``, which changes their cost.
    time_limit : float, default 40.0
        Seconds of search, shared by the searches of several classes; kernels are compiled, conditions and antecedents
        made before. At a limit the best list so far is kept, and a ConvergenceWarning tells the proven gap. None: no
        limit.
    gap : float, default 0.0
        Stop when the objective is proven to be within this of the optimum.
    memory_limit : int, default 1_000_000_000
        Bytes that the exact search may take. None: no limit.
    random_state : int, RandomState or None
        Seed of the Monte-Carlo search.
    max_antecedents : int, default 1_000
        Most antecedents. Where the conjunctions of ``max_conditions`` are more, or would not leave the search the
        memory it may take, those of fewer conditions are mined, and a UserWarning says so. None: any number.
    must_not_use : sequence of str, optional
        What no rule may use: columns, conditions such as ``age <= 23`` (no rule has them), or antecedents (no rule has
        all their conditions). The proof is over what is left.
    fairness : Criterion, optional
        Such as ``EqualOpportunity(0.05)``, over the groups of ``sensitive_features``, which `fit` needs then: the list
        is the best of those whose predictions meet it. By the exact method, for lists that must fall.
    min_group_size : int, default 30
        Groups with fewer training rows, of the class that a rate is measured on (positives for equal opportunity), are
        left out of ``fairness``, and a UserWarning says which. Rows count here whatever their weights are. 0 for all
        groups.
    verbose : bool, default False
        Show the progress of mining and of the search as tqdm does.

    Attributes
    ----------
    model_ : FallingRuleList
        Predicts on raw tables, too; ``model_.strata()`` has the risk groups.
    models_ : tuple of FallingRuleList
        ``model_`` alone, or with more than two classes one list per class against the rest, with the labels False
        and True.
    objective_, lower_bound_, gap_ : float, or array of shape (n_classes,) with more than two classes
        ``gap_`` is 0 for a certified optimum.
    status_ : Status
        OPTIMAL, or LIMIT when the search, or one of the searches, stopped before its proof, or when weights or
        penalties that cannot be represented leave the proof a gap.
    trace_ : DataFrame
        The states of the search: seconds, work, objective, lower_bound, gap, errors, complexity and counts.
    classes_ : array
    n_features_in_ : int
    feature_names_in_ : array of str
        When fitted on a DataFrame with named columns.
    binarizer_ : Binarizer or None
        None when the columns were Boolean already.
    antecedents_ : Antecedents or None
        None when there was nothing to search.
    nothing_found_ : str or None
        Why there was nothing to search.
    doubts_ : tuple
        What speaks against trusting the model, in words and with what to do; see `rulelab.doubts`.
    group_rates_ : DataFrame or None
        Rates of each group of ``sensitive_features`` on the training rows. Without ``fairness`` the search does not see
        the groups.

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
