"""Proofs that go through tables of prefixes: of lists that have to be fair, to use something, or to obey."""
