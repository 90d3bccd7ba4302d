"""Rule lists of more than two classes: one certified list whose rules each predict one of them."""

from ..certificate import MultiClassCertificate
from .search import MultiClassRuleListSearch

__all__ = ["MultiClassCertificate", "MultiClassRuleListSearch"]
