"""Boolean rule sets as scikit-learn classifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..parameters import MEMORY_LIMIT, TIME_LIMIT
from ..rule_set import Criterion
from .base import CertifiedClassifier


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
