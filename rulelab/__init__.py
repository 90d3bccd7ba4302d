"""Certifiably optimal rule lists and rule sets: exact searches to watch, compare and check.

Names are imported when first used, so that ``import rulelab`` compiles nothing and loads no user interface.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.2.0"

_HOMES = {
    "Ablation": "ablation",
    "AccuracyParity": "rule_set",
    "Antecedents": "data.antecedents",
    "Binarizer": "data.binarize",
    "Certificate": "certificate",
    "CertificateError": "certificate",
    "Clause": "models",
    "Condition": "data.conditions",
    "CorelsBounds": "rule_list",
    "CorelsSearch": "rule_list",
    "Criterion": "rule_set",
    "DemographicParity": "rule_set",
    "EqualOpportunity": "rule_set",
    "EqualizedOdds": "rule_set",
    "Evaluation": "models",
    "Exclusion": "certificate",
    "FairFallingBounds": "falling_rule_list",
    "FairRuleListBounds": "rule_list",
    "ConstrainedRuleListSearch": "rule_list",
    "FairRuleListSearch": "rule_list",
    "FallingBounds": "falling_rule_list",
    "FallingRuleList": "models",
    "FallingRuleListClassifier": "estimators",
    "FallingRuleListSearch": "falling_rule_list",
    "FalsePositiveRateParity": "rule_set",
    "FrontPoint": "frontiers",
    "FrontierPoint": "rule_list",
    "FrontierSearch": "rule_list",
    "Incumbent": "snapshot",
    "LeastGapRuleSetSearch": "rule_set",
    "LeastGapSearch": "rule_list",
    "ModelError": "models",
    "MultiClassCertificate": "multiclass",
    "MultiClassProblem": "data.multiclass",
    "MultiClassRuleList": "models",
    "MultiClassRuleListSearch": "multiclass",
    "NearOptimal": "rule_list",
    "NearOptimalCount": "rule_list",
    "NearOptimalCountProgress": "rule_list",
    "NearOptimalCounter": "rule_list",
    "NearOptimalProgress": "rule_list",
    "NearOptimalRuleSetProgress": "rule_set",
    "NearOptimalRuleSetSearch": "rule_set",
    "NearOptimalRuleSets": "rule_set",
    "NearOptimalSearch": "rule_list",
    "NothingFound": "data.conditions",
    "ParameterError": "arguments",
    "PredictiveParity": "rule_set",
    "PredictiveParitySearch": "rule_list",
    "Problem": "data.problem",
    "ProblemError": "data.problem_arguments",
    "Recording": "recording",
    "RecordingError": "recording",
    "Robustness": "rule_list",
    "RobustnessSearch": "rule_list",
    "Rule": "models",
    "RuleList": "models",
    "RuleListBounds": "rule_list",
    "RuleListClassifier": "estimators",
    "RuleListSearch": "rule_list",
    "RuleSet": "models",
    "RuleSetClassifier": "estimators",
    "RuleSetSearch": "rule_set",
    "Search": "search",
    "Snapshot": "snapshot",
    "Status": "snapshot",
    "Sweep": "sweeps",
    "SweepError": "sweeps",
    "Verification": "certificate",
    "explain": "glossary",
    "explain_proof": "certificate",
    "fit": "fitting",
    "frontier": "frontiers",
    "load_model": "models",
    "mine_antecedents": "data.mining",
    "near_optimal": "rule_list",
    "near_optimal_rule_sets": "rule_set",
    "prove": "proving",
    "robustness": "rule_list",
    "solve": "search",
    "stability": "estimators",
    "steps": "search",
    "sweep": "sweeps",
    "verify": "certificate",
}
_MODULES = ("datasets", "glossary", "plots", "store", "tables", "views")

__all__ = ["__version__", *_HOMES, *_MODULES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES and name not in _MODULES:
        instead = importlib.import_module(".gone", __name__).GONE.get(f"rl.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{f': {instead}' if instead else ''}")
    try:
        module = importlib.import_module(f".{_HOMES.get(name, name)}", __name__)
        value = getattr(module, name) if name in _HOMES else module
    except ModuleNotFoundError as error:
        raise importlib.import_module(".extras", __name__).missing(error, f"rl.{name}") from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
