"""What has become of a stored prefix, as a byte per node of a store."""

from __future__ import annotations

EXPANDED = 0
"""Taken off the queue: all rules that could come next were looked at, or are being looked at."""
OPEN = 1
"""In the queue."""
CUT = 2
"""From here on: cut by the bound whose place in the store's ``pruned`` is the fate less ``CUT``."""
