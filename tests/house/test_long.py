"""The short run leaves out what is long, the long run makes it up, and CI does both."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from patience import PATIENCE
from places import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
OPTIONS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
EXAMPLES = 60

SUITE = f"""
import pytest
from hypothesis import given, settings, strategies as st

seen = []

@settings(max_examples={EXAMPLES})
@given(st.integers())
@pytest.mark.parametrize("twice", [0, 1])
def test_property(twice, number):
    seen.append(number)

@pytest.mark.long
@settings(max_examples={EXAMPLES})
@given(st.integers())
def test_long_property(number):
    seen.append(number)

@pytest.mark.long
def test_long():
    seen.append("long")

def test_short():
    seen.append("short")

@pytest.mark.few(2)
@pytest.mark.parametrize("case", range(5))
def test_cases(case):
    seen.append("long" if case % 2 else "short")

@pytest.fixture(scope="module", autouse=True)
def told():
    yield
    print(f"<{{seen.count('short')}} {{seen.count('long')}} {{len(set(seen) - {{'short', 'long'}})}}>")
"""


def outcome(folder: Path, *arguments: str, **environment: str) -> tuple[int, int, int]:
    """How many short and long tests were run, and how many examples there were."""
    shutil.copy(ROOT / "tests" / "conftest.py", folder)
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "test_suite.py").write_text(SUITE)
    command = [sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", f"--rootdir={folder}", *arguments]
    done = subprocess.run(
        [*command, str(folder)],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    found = re.search(r"<(\d+) (\d+) (\d+)>", done.stdout)
    assert found is not None, done.stdout
    return int(found[1]), int(found[2]), int(found[3])


@pytest.mark.parametrize("ci", ["", "true"])  # hypothesis has other defaults where CI is set
def test_the_short_run_has_few_examples_and_no_long_test(tmp_path: Path, ci: str) -> None:
    short, long, examples = outcome(tmp_path, CI=ci)
    assert (short, long) == (4, 0)
    assert 5 <= examples <= 24


@pytest.mark.long
@pytest.mark.parametrize(("marked", "runs"), [("long", (0, 3)), ("", (4, 3))])
def test_the_long_run_has_the_long_tests_and_all_examples(tmp_path: Path, marked: str, runs: tuple[int, int]) -> None:
    *done, examples = outcome(tmp_path, "-m", marked)
    assert tuple(done) == runs
    assert examples > EXAMPLES


def test_ci_runs_both_lines_of_readme() -> None:
    short = [line for line in README.splitlines() if re.fullmatch(r"python3 -m venv .*pytest -n auto", line)]
    assert len(short) == 1
    assert shlex.split(OPTIONS["addopts"])[-2:] == ["-m", "not long"]
    long = re.findall(r"`(\.venv/bin/pytest -n auto -m long)`", README)
    assert len(long) == 1
    (pattern,) = re.findall(r"^short=\$\(grep -m 1 -E '(.*)' README\.md\)$", CI, flags=re.MULTILINE)
    assert [line for line in README.splitlines() if re.search(pattern, line)] == short
    (pattern,) = re.findall(r"^long=\$\(grep -m 1 -o -E '(.*)' README\.md\)$", CI, flags=re.MULTILINE)
    assert re.findall(pattern, README) == long
    assert re.findall(r'^run "\$(\w+)"$', CI, flags=re.MULTILINE) == ["short", "long"]
    assert re.search(r"^export RULELAB_NO_SKIP=1\b", CI, flags=re.MULTILINE)
