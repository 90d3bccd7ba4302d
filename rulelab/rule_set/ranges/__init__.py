"""What all rule sets near the optimum have in common."""
