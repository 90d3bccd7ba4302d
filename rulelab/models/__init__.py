"""Models: immutable answers that predict, explain themselves and are saved as JSON."""

from __future__ import annotations

from .base import Model
from .decision_list import DecisionList
from .errors import ModelError
from .evaluation import Evaluation
from .loading import load_model, parse_model
from .rule import Rule
from .rule_list import RuleList, rule_list_objective

__all__ = [
    "DecisionList",
    "Evaluation",
    "Model",
    "ModelError",
    "Rule",
    "RuleList",
    "load_model",
    "parse_model",
    "rule_list_objective",
]
