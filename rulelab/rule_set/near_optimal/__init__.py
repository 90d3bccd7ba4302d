"""Rule sets near the optimum: every rule that one of them can hold, then all sets of these rules."""
