"""Lists edited by hand, against the optimizer and against others."""
