"""What if a list were another one, or a person: lists changed by hand, and what would flip a decision."""

from __future__ import annotations

from .bench import Bench, Change
from .edited import EditedList
from .person import Decision, Flip, decide, nearest_flip
from .values import Values

__all__ = ["Bench", "Change", "Decision", "EditedList", "Flip", "Values", "decide", "nearest_flip"]
