"""Pinned cards side by side, and other methods beside them."""
