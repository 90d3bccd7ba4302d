"""Where each public name is defined: what editors and type checkers read, and what the package imports on first use."""

from . import datasets as datasets
from . import glossary as glossary
from . import plots as plots
from . import store as store
from . import tables as tables
from . import views as views
from .ablation import Ablation as Ablation
from .arguments import ParameterError as ParameterError
from .certificate import (
    Certificate as Certificate,
)
from .certificate import (
    CertificateError as CertificateError,
)
from .certificate import (
    Exclusion as Exclusion,
)
from .certificate import (
    Verification as Verification,
)
from .certificate import (
    explain_proof as explain_proof,
)
from .certificate import (
    verify as verify,
)
from .data.antecedents import Antecedents as Antecedents
from .data.binarize import Binarizer as Binarizer
from .data.conditions import (
    Condition as Condition,
)
from .data.conditions import (
    NothingFound as NothingFound,
)
from .data.mining import mine_antecedents as mine_antecedents
from .data.multiclass import MultiClassProblem as MultiClassProblem
from .data.problem import Problem as Problem
from .data.problem_arguments import ProblemError as ProblemError
from .estimators import (
    FallingRuleListClassifier as FallingRuleListClassifier,
)
from .estimators import (
    RuleListClassifier as RuleListClassifier,
)
from .estimators import (
    RuleSetClassifier as RuleSetClassifier,
)
from .estimators import (
    stability as stability,
)
from .falling_rule_list import (
    FairFallingBounds as FairFallingBounds,
)
from .falling_rule_list import (
    FallingBounds as FallingBounds,
)
from .falling_rule_list import (
    FallingRuleListSearch as FallingRuleListSearch,
)
from .fitting import fit as fit
from .frontiers import (
    FrontPoint as FrontPoint,
)
from .frontiers import (
    frontier as frontier,
)
from .glossary import explain as explain
from .models import (
    Clause as Clause,
)
from .models import (
    Evaluation as Evaluation,
)
from .models import (
    FallingRuleList as FallingRuleList,
)
from .models import (
    ModelError as ModelError,
)
from .models import (
    MultiClassRuleList as MultiClassRuleList,
)
from .models import (
    Rule as Rule,
)
from .models import (
    RuleList as RuleList,
)
from .models import (
    RuleSet as RuleSet,
)
from .models import (
    load_model as load_model,
)
from .multiclass import (
    MultiClassCertificate as MultiClassCertificate,
)
from .multiclass import (
    MultiClassRuleListSearch as MultiClassRuleListSearch,
)
from .near import near_optimal as near_optimal
from .proving import prove as prove
from .questions import search_for as search_for
from .recording import (
    Recording as Recording,
)
from .recording import (
    RecordingError as RecordingError,
)
from .report import doubts as doubts
from .rule_list import (
    ConstrainedRuleListSearch as ConstrainedRuleListSearch,
)
from .rule_list import (
    CorelsBounds as CorelsBounds,
)
from .rule_list import (
    CorelsSearch as CorelsSearch,
)
from .rule_list import (
    FairRuleListBounds as FairRuleListBounds,
)
from .rule_list import (
    FairRuleListSearch as FairRuleListSearch,
)
from .rule_list import (
    FrontierPoint as FrontierPoint,
)
from .rule_list import (
    FrontierSearch as FrontierSearch,
)
from .rule_list import (
    LeastGapSearch as LeastGapSearch,
)
from .rule_list import (
    NearOptimal as NearOptimal,
)
from .rule_list import (
    NearOptimalCount as NearOptimalCount,
)
from .rule_list import (
    NearOptimalCounter as NearOptimalCounter,
)
from .rule_list import (
    NearOptimalCountProgress as NearOptimalCountProgress,
)
from .rule_list import (
    NearOptimalProgress as NearOptimalProgress,
)
from .rule_list import (
    NearOptimalSearch as NearOptimalSearch,
)
from .rule_list import (
    PredictiveParitySearch as PredictiveParitySearch,
)
from .rule_list import (
    Robustness as Robustness,
)
from .rule_list import (
    RobustnessSearch as RobustnessSearch,
)
from .rule_list import (
    RuleListBounds as RuleListBounds,
)
from .rule_list import (
    RuleListSearch as RuleListSearch,
)
from .rule_set import (
    AccuracyParity as AccuracyParity,
)
from .rule_set import (
    Criterion as Criterion,
)
from .rule_set import (
    DemographicParity as DemographicParity,
)
from .rule_set import (
    EqualizedOdds as EqualizedOdds,
)
from .rule_set import (
    EqualOpportunity as EqualOpportunity,
)
from .rule_set import (
    FalsePositiveRateParity as FalsePositiveRateParity,
)
from .rule_set import (
    LeastGapRuleSetSearch as LeastGapRuleSetSearch,
)
from .rule_set import (
    NearOptimalRuleSetProgress as NearOptimalRuleSetProgress,
)
from .rule_set import (
    NearOptimalRuleSets as NearOptimalRuleSets,
)
from .rule_set import (
    NearOptimalRuleSetSearch as NearOptimalRuleSetSearch,
)
from .rule_set import (
    PredictiveParity as PredictiveParity,
)
from .rule_set import (
    RuleSetSearch as RuleSetSearch,
)
from .search import (
    Search as Search,
)
from .search import (
    solve as solve,
)
from .search import (
    steps as steps,
)
from .snapshot import (
    Incumbent as Incumbent,
)
from .snapshot import (
    Snapshot as Snapshot,
)
from .snapshot import (
    Status as Status,
)
from .sweeps import (
    Sweep as Sweep,
)
from .sweeps import (
    SweepError as SweepError,
)
from .sweeps import (
    sweep as sweep,
)
from .views.watch import watch as watch

__version__: str
__all__: list[str]
