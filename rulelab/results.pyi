"""What searches, checks and models give, which nobody makes: imported when it is first used."""

from .certificate import Exclusion as Exclusion
from .certificate import Verification as Verification
from .data.antecedents import Antecedents as Antecedents
from .frontiers import FrontPoint as FrontPoint
from .models import Evaluation as Evaluation
from .models import MultiClassRuleList as MultiClassRuleList
from .multiclass import MultiClassCertificate as MultiClassCertificate
from .rule_list import FrontierPoint as FrontierPoint
from .rule_list import NearOptimal as NearOptimal
from .rule_list import NearOptimalCount as NearOptimalCount
from .rule_list import NearOptimalCountProgress as NearOptimalCountProgress
from .rule_list import NearOptimalProgress as NearOptimalProgress
from .rule_list import Robustness as Robustness
from .rule_set import NearOptimalRuleSetProgress as NearOptimalRuleSetProgress
from .rule_set import NearOptimalRuleSets as NearOptimalRuleSets
from .snapshot import Incumbent as Incumbent
from .snapshot import Snapshot as Snapshot

__all__: list[str]
