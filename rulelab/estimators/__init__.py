"""The scikit-learn face of the engines."""

from __future__ import annotations

from .base import CertifiedClassifier
from .falling_rule_list import FallingRuleListClassifier
from .rule_list import RuleListClassifier
from .rule_set import RuleSetClassifier
from .stability import Stability, stability
