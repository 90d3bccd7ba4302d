"""The speeds at which one watches a search."""

from __future__ import annotations

from ..live.pacing import FULL_SPEED, Pace

SPEEDS = {
    "1 step per tick": Pace(1),
    "10 per tick": Pace(10),
    "100 per tick": Pace(100),
    "1000 per tick": Pace(1000),
    "speeding up": Pace(16, growth=5),
    "full speed": FULL_SPEED,
}
