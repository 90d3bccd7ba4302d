"""Runs side by side: what is kept of each, their pale curves, the table of them, and ablation."""
