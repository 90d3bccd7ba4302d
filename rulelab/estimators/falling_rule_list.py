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
        "exact" certifies the list, and is needed for ``fairness``, with which the list must fall; "monte_carlo" is the
        search of the paper, which proves nothing.
    max_conditions : {1, 2, 3}, default 2
        Most conditions that a rule joins.
    min_support, max_support : float, default 0.01 and 0.99
        Fractions of the rows that a rule's conditions may hold on.
    by_class : bool, default False
        ``min_support`` counts within a class, as in the paper's experiments (section 6): the conditions must hold on
        that fraction of the positives or of the negatives. For two classes.
    iterations : int, default 3000
        Lists that the Monte-Carlo search makes, which also begins the exact search, but for fair lists.
    class_weight : dict, "balanced" or None
        Weight of the rows of each class, multiplied with ``sample_weight``. It changes the proportions, unlike
        ``positive_weight``, which changes their cost.
    max_antecedents : int, default 1_000
        Most antecedents. Where the conjunctions of ``max_conditions`` are more, or would not leave the search the
        memory it may take, those of fewer conditions are mined, and a UserWarning says so. None: any number.
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
