"""Where the project and its tests lie, from whatever folder one asks, and the cases that are written beside a test."""

from pathlib import Path
from typing import Any

import yaml

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent


def cases_beside(module: str) -> Any:
    """The cases of a module of tests: a file of YAML beside it, of the same name."""
    return yaml.safe_load(Path(module).with_suffix(".yaml").read_text(encoding="utf-8"))
