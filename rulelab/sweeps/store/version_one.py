"""Results files of version 1, which rulelab 0.1.0 wrote: their keys name only what was no default, nor any version."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..keys import PACKAGE, join

VERSIONS = {PACKAGE: "0.1.0"}

_BINARIZING = {"thresholds": 10, "negations": True, "max_categories": 20}
_MINED = {
    "max_conditions": 2,
    "min_support": 0.01,
    "max_support": 0.99,
    "by_class": False,
    "max_antecedents": None,
    "regularization": 0.01,
}
_DEMANDS = dict.fromkeys(("must_not_use", "must_use", "first_rule", "max_uses"))

DEFAULTS: dict[str, dict[str, Any]] = {
    "rule_list": {
        **_BINARIZING,
        **_MINED,
        "beam_width": 500,
        "bounds": None,
        "max_length": None,
        "memory_limit": None,
        "policy": "lower_bound",
        "fairness": None,  # from here on what there was not then, with what there was instead
        "labels": "free",
        "min_group_size": 30,
        **_DEMANDS,
        "monotone": None,
    },
    "falling_rule_list": {
        **_BINARIZING,
        **_MINED,
        "positive_weight": 1.0,
        "violation_penalty": None,
        "method": "exact",
        "must_not_use": None,
        "fairness": None,
        "min_group_size": 30,
    },
    "rule_set": {
        **_BINARIZING,
        "max_complexity": 20,
        "max_conditions": None,
        "loss": "hamming",
        "form": "dnf",
        "fairness": None,
        "regularization": 0.0,
        "column_limit": 20000,
        "memory_limit": None,
        "must_not_use": None,
        "monotone": None,
        "must_use": None,
        "max_uses": None,
    },
    "cart": {**_BINARIZING, "max_leaf_nodes": None, "min_samples_leaf": 1, "max_depth": None, "ccp_alpha": 0.0},
    "random_forest": {**_BINARIZING, "n_estimators": 100, "min_samples_leaf": 1, "max_depth": None},
    "logistic_regression": {**_BINARIZING, "C": 1.0},
    "adaboost": {**_BINARIZING, "n_estimators": 50, "learning_rate": 1.0},
    "exponentiated_gradient": {
        **_BINARIZING,
        "criterion": "equal_opportunity",
        "eps": 0.02,
        "max_leaf_nodes": 16,
    },
    "threshold_optimizer": {**_BINARIZING, "criterion": "equal_opportunity", "C": 1.0},
    "compas_score": {},
}
"""The settings of 0.1.0 by method; they stay as they are when defaults change."""


def converted(data: Mapping[str, Any]) -> dict[str, Any]:
    """A result with the key of today.

    Raises
    ------
    ValueError, KeyError
        When the key is none of version 1.
    """
    method, _, rest = str(data["key"]).partition(" ")
    settings = {**DEFAULTS[method], **json.loads(rest)}
    if method == "falling_rule_list":
        settings = _of_its_search(settings) | settings
    return {**data, "key": join(method, settings, VERSIONS)}


def _of_its_search(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What the searches of falling rule lists had besides."""
    if settings["method"] == "monte_carlo":
        return {"iterations": 3000, "curiosity": 0.8, "termination": 0.01}
    if settings["violation_penalty"] is not None:
        return {}
    return {"bounds": None, "iterations": 3000, "max_length": None, "memory_limit": None}
