"""The examples in the docstrings of what is public run, and give what they say."""

import doctest
from pathlib import Path
from typing import Any

import pytest

import rulelab as rl
from rulelab.lazy import homes

NAMES = [name for name, home in homes(rl.__file__).items() if home]


def examples(name: str) -> list[doctest.DocTest]:
    """Those of a name, and of the methods and properties of a class."""
    value: Any = getattr(rl, name)
    finder = doctest.DocTestFinder(exclude_empty=True)
    return [test for test in finder.find(value, f"rl.{name}", globs={"rl": rl}) if test.examples]


TESTS = {test.name: test for name in NAMES for test in examples(name)}


def test_there_are_some() -> None:
    assert {"rl.fit", "rl.near_optimal", "rl.search_for"} <= set(TESTS)


@pytest.mark.parametrize("name", TESTS)
def test_an_example_gives_what_it_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(TESTS[name], out=told.append)
    assert result.attempted
    assert not result.failed, "".join(told)
