"""Where the project and its tests lie, from whatever folder of the tests one asks."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
