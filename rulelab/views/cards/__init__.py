"""Model cards: what they say, how they look, and the check of their proofs."""
