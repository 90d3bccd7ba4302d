"""A file or a frame, and the name of what is predicted: a fitted classifier."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import pandas as pd

from .arguments import ParameterError, check_choice, require, short
from .datasets import Dataset, from_frame, load, names, read
from .estimators import CertifiedClassifier, FallingRuleListClassifier, RuleListClassifier, RuleSetClassifier

CLASSIFIERS: dict[str, type[CertifiedClassifier]] = {
    "rule_list": RuleListClassifier,
    "falling_rule_list": FallingRuleListClassifier,
    "rule_set": RuleSetClassifier,
}
"""By family of models."""


def fit(
    data: Any,
    target: str | None = None,
    model: str = "rule_list",
    *,
    positive: Any = None,
    sensitive: str | None = None,
    weight: str | None = None,
    **parameters: Any,
) -> CertifiedClassifier:
    """Find the optimal model of a table.

    Parameters
    ----------
    data : path, DataFrame, Dataset or str
        A file, a table, or the name of a known data set; see `rulelab.datasets`.
    target : str, optional
        The column to predict, of a file or a table.
    model : {"rule_list", "falling_rule_list", "rule_set"}
    positive : label, optional
        Which value of the target is the positive class; else it is found as `rulelab.datasets.read` does, and said.
    sensitive : str, optional
        The column of groups of people.
    weight : str, optional
        The column that says how much rows count.
    **parameters
        Of the classifier, such as ``regularization``.

    Returns
    -------
    RuleListClassifier, FallingRuleListClassifier or RuleSetClassifier
        Fitted; its labels are 1, for the positive class, and 0.

    Raises
    ------
    ValueError
        When the data, or an argument, are unusable.

    Examples
    --------
    >>> import rulelab as rl
    >>> lists = rl.fit("tic_tac_toe", regularization=0.05, max_conditions=1)
    >>> str(lists.status_), bool(lists.verify())
    ('optimal', True)
    """
    classifier, table = chosen(data, target, model, positive, sensitive, weight, parameters)
    return classifier.fit(table.X, table.y, sample_weight=table.weight, sensitive_features=table.sensitive)


def chosen(
    data: Any, target: str | None, model: str, positive: Any, sensitive: Any, weight: Any, parameters: Mapping[str, Any]
) -> tuple[CertifiedClassifier, Dataset]:
    """The classifier, not fitted, and the data, of the arguments of `fit`."""
    check_choice("model", model, CLASSIFIERS)
    known = isinstance(data, str | os.PathLike | bytes | pd.DataFrame | Dataset)
    require(("data", data, known, "a DataFrame, a file, a Dataset or the name of one"))
    given = {"positive": positive, "sensitive": sensitive, "weight": weight}
    if isinstance(data, Dataset) or (isinstance(data, str) and data in names()):
        said = [name for name, value in {"target": target, **given}.items() if value is not None]
        if said:
            raise ValueError(f"{short(data)} is a known data set: leave {', '.join(said)} out")
        table = load(data) if isinstance(data, str) else data
    elif target is None:
        raise ParameterError(
            "target", target, "the name of the column to predict", "target must name the column to predict"
        )
    elif isinstance(data, pd.DataFrame):
        table = from_frame(data, target, **given)
    else:
        table = read(os.fspath(data), target, **given)
    return CLASSIFIERS[model](**parameters), table
