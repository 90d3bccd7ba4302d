"""Fixtures for all tests."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

settings.register_profile("rulelab", deadline=None)
settings.load_profile("rulelab")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder beside the project with real data, benchmark instances and oracles."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the folder ../shared with data, instances and oracles is not there")
    return SHARED


@pytest.fixture(scope="session")
def instances(shared: Path) -> ModuleType:
    """The module that builds the benchmark instances with certified optima."""
    spec = importlib.util.spec_from_file_location("instances", shared / "benchmarks" / "instances.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["instances"] = module
    spec.loader.exec_module(module)
    return module
