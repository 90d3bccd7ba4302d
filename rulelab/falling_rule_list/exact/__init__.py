"""The exact searches for falling and softly falling rule lists."""
