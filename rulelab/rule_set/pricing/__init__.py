"""Pricing: the conjunctions of least reduced cost, exactly on bit sets or on histograms, or by a beam."""
