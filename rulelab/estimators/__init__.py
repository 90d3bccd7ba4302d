"""The scikit-learn face of the engines."""

from __future__ import annotations

from .base import CertifiedClassifier
from .classifiers import FallingRuleListClassifier, RuleListClassifier, RuleSetClassifier
from .stability import Stability, stability
