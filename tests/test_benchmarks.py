"""Every benchmark can be started: it is imported, and says what it measures and which options it has."""

from __future__ import annotations

import pytest

from rulelab.cli.commands import BENCHMARKS, main

NAMES = sorted(path.stem.replace("_", "-") for path in BENCHMARKS.glob("[!_]*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_it_tells_its_options(name: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as left:
        main(["bench", name, "--help"])
    assert left.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: rulelab bench {name}")
