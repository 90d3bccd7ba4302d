"""The sweep that others are compared with."""

import pytest
from test_sweep import run

import rulelab as rl


@pytest.fixture(scope="session")
def done() -> rl.Sweep:
    return run()
