"""All rule lists within a gap of the optimum, counted over sets of patterns."""
