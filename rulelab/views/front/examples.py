"""The searches that the front begins."""

from __future__ import annotations

from typing import Any

EXAMPLES: dict[str, dict[str, Any]] = {
    "proof": {  # few enough prefixes to see each: five better lists and the proof in 20 seconds
        "data": "diabetes",
        "speed": "1 step per tick",
        "regularization": 0.003,
        "thresholds": 2,
        "max_conditions": 1,
        "beam_width": 0,
    },
    "compas": {"data": "compas", "speed": "speeding up", "regularization": 0.01},
}
"""Data that are at hand, speed and settings of the form, by the names of their cards."""
