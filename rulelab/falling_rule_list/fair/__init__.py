"""Falling rule lists under fairness constraints."""
