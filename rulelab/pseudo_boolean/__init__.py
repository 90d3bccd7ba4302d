"""Proofs of rule sets as pseudo-Boolean optimization: a formula in OPB, and a proof that checkers of VeriPB read."""

from .export import PseudoBooleanProof, export_proof

__all__ = ["PseudoBooleanProof", "export_proof"]
