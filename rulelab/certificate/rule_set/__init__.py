"""Proofs that a rule set has the least loss: how one is made, and how it is checked."""
