"""The prefixes of a search: their tree, and one step in slow motion."""
