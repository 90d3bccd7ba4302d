"""Rule lists under fairness constraints: a relaxation, its exact completions, and prefixes by captured set."""
