"""The scikit-learn face of the engines."""

from .base import CertifiedClassifier
from .classifiers import FallingRuleListClassifier, RuleListClassifier, RuleSetClassifier
from .stability import Stability, stability
