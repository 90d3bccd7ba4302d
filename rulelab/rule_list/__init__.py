"""Certifiably optimal rule lists: exact reduction, bounds, kernels and the step-wise searches."""

from .bounds import BOUNDS, FAIR_BOUNDS, FairRuleListBounds, RuleListBounds
from .constrained.search import ConstrainedRuleListSearch
from .corels.bounds import CORELS_BOUNDS, CorelsBounds
from .corels.search import CorelsSearch
from .exact.search import POLICIES, RuleListSearch
from .fair.least_gap import LeastGapSearch
from .fair.predictive import PredictiveParitySearch
from .fair.search import FairRuleListSearch
from .frontier.search import FrontierPoint, FrontierSearch
from .near_count.result import NearOptimalCount
from .near_count.search import NearOptimalCounter, NearOptimalCountProgress
from .near_optimal.search import NearOptimalProgress, NearOptimalSearch
from .near_optimal.summary import NearOptimal
from .robustness.result import Robustness, RobustnessTo
from .robustness.search import RobustnessSearch
