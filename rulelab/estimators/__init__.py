"""The scikit-learn face of the engines."""

from __future__ import annotations

from .base import CertifiedClassifier
from .rule_list import RuleListClassifier

__all__ = ["CertifiedClassifier", "RuleListClassifier"]
