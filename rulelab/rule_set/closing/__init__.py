"""Closing the gap: every rule that a better set could hold, and the integer program over them."""
