"""Certificates: proofs of optimality that are saved, and checked without the search that found the model."""

from __future__ import annotations

from .certificate import Certificate, CertificateError
from .falling_rule_list.fair import prove_fair_falling_rule_list
from .falling_rule_list.proof import Capture, Captures, prove_falling_rule_list
from .falling_rule_list.soft import prove_soft_falling_rule_list
from .multiclass import MultiClassCertificate
from .origin import Origin, OriginError, other_origin
from .outcome import Verification
from .rule_list.constrained.checker import prove_constrained_rule_list
from .rule_list.constrained.least_gap import prove_least_gap
from .rule_list.constrained.predictive import ProvenRange, prove_predictive_parity
from .rule_list.exclusion import Exclusion
from .rule_list.hints import KnownSets
from .rule_list.proof import prove_rule_list
from .rule_set.least_gap import prove_least_gap_rule_set
from .rule_set.proof import prove_rule_set, require_checkable
from .verification import explain_proof, of_all, verify
