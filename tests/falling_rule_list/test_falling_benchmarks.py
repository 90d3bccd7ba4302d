"""The benchmark of falling rule lists runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulelab.cli import commands as cli


@pytest.mark.long
def test_monte_carlo(shared: Path, capsys: pytest.CaptureFixture[str]):
    options = ["--weights", "1", "--iterations", "60", "--repeats", "1"]
    assert cli.main(["bench", "falling-monte-carlo", *options]) == 0
    assert "0.1069681   0.1069681" in capsys.readouterr().out
