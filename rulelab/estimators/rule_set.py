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
    fairness : Criterion, optional
        Such as ``EqualOpportunity(0.05)``, over the groups of ``sensitive_features``, which `fit` needs then.
    min_group_size : int, default 30
        Groups with fewer training rows, of the class that a rate is measured on (positives for equal opportunity), are
        left out of ``fairness``, and a UserWarning says which: of few rows a rate says little, and would rule the rest.
        Rows count here whatever their weights are. 0 for all groups.
    regularization : float, default 0.0
        Cost of a unit of complexity, in rows (or weight), beside the bound on it.
    column_limit : int, default 20000
        Most rules that the closing step enumerates.
    thresholds : int or dict, default 5
        Quantile groups of a numeric column, or cuts by column; see `Binarizer`.
    negations : bool, default True
        Also use ``!=`` and ``not``; see `Binarizer`.
    max_categories : int, default 20
        Categories of a column that get conditions; see `Binarizer`.
    class_weight : dict, "balanced" or None
        Weight of the rows of each class, multiplied with ``sample_weight``.
    time_limit : float, default 40.0
        Seconds of search, shared by the searches of several classes; kernels are compiled, conditions and antecedents
        made before. At a limit the best set so far is kept, and a ConvergenceWarning tells the proven gap. None: no
        limit.
    gap : float, default 0.0
        Stop when the objective is proven to be within this of the optimum, in rows (or weight).
    memory_limit : int, default 1_000_000_000
        Bytes that the search may take. None: no limit.
    random_state : int, RandomState or None
        Seed of the set search.
    must_not_use : sequence of str, optional
        What no rule may use: columns, conditions such as ``age <= 23`` (no rule has them), or antecedents (no rule has
        all their conditions). The proof is over what is left.
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
    verbose : bool, default False
        Show the progress of mining and of the search as tqdm does.

    Attributes
    ----------
    model_ : RuleSet
        Predicts on raw tables, too; see `RuleSet.to_json` for saving it.
    models_ : tuple of RuleSet
        ``model_`` alone, or with more than two classes one set per class against the rest, with the labels False
        and True.
    objective_, lower_bound_, gap_ : float, or array of shape (n_classes,) with more than two classes
        In rows (or weight); ``gap_`` is 0 for a certified optimum.
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
    nothing_found_ : str or None
        Why there was nothing to search.
    doubts_ : tuple
        What speaks against trusting the model, in words and with what to do; see `rulelab.doubts`.
    group_rates_ : DataFrame or None
        Rates of each group of ``sensitive_features`` on the training rows.

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
