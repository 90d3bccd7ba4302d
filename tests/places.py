"""Where the project and its tests lie, from whatever folder of the tests one asks."""

from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
