"""Proofs that a rule list is optimal: how one is made, and how it is checked."""
