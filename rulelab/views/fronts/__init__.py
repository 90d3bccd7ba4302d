"""Sweeps on the page: their form, their fronts, the model of a chosen point."""
