"""Models: immutable answers that predict, explain themselves and are saved as JSON."""

from ..arguments import ModelError
from .base import Model
from .decision_list import DecisionList, RuleList, rule_list_objective
from .evaluation import Evaluation
from .falling_rule_list import FallingRuleList
from .loading import json_schema, load_model, parse_any_model, parse_model
from .multiclass import ClassRule, MultiClassRuleList
from .rule import Clause, Rule
from .rule_set import RuleSet
from .serialisation import Provenance
