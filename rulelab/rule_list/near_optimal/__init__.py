"""All rule lists within a gap of the optimum."""
