"""Rule lists of more than two classes: one certified list whose rules each predict one of them."""

from .certificate import MultiClassCertificate
from .model import ClassRule, MultiClassRuleList
from .problem import MultiClassProblem
from .search import MultiClassRuleListSearch

__all__ = [
    "ClassRule",
    "MultiClassCertificate",
    "MultiClassProblem",
    "MultiClassRuleList",
    "MultiClassRuleListSearch",
]
