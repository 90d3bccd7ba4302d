"""What fairness costs: the best rule sets over a grid of criteria, tolerances and complexities."""
