"""Searches over prefixes to look into: their tree, and the step that was just taken."""
