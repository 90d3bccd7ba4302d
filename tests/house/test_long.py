"""The short run leaves out what is long, the long run makes it up, CI does both and takes no skipped tests."""

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


SKIPPING = """
import pytest

def test_skipped():
    pytest.skip("no reason at all")

@pytest.mark.xfail(reason="known")
def test_expected_to_fail():
    assert False

def test_with_shared(shared):
    pass
"""


def tried(suite: str, folder: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    """The status of a run of these tests as if they were this project's, and what it prints."""
    tests = folder / "project" / "tests"
    tests.mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "conftest.py", tests)
    shutil.copy(ROOT / "pyproject.toml", tests)
    (tests / "test_suite.py").write_text(suite)
    command = [sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", f"--rootdir={tests}", *arguments, tests]
    done = subprocess.run(
        command, cwd=tests, env=os.environ | environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    return done.returncode, done.stdout


def counted(folder: Path, *arguments: str, **environment: str) -> list[int]:
    """How many short and long tests were run, and how many examples there were."""
    status, printed = tried(SUITE, folder, *arguments, **environment)
    assert status == 0, printed
    (found,) = re.findall(r"<(\d+) (\d+) (\d+)>", printed)
    return list(map(int, found))


@pytest.mark.parametrize("ci", ["", "true"])  # hypothesis has other defaults where CI is set
def test_the_short_run_has_few_examples_and_no_long_test(tmp_path: Path, ci: str) -> None:
    short, long, examples = counted(tmp_path, CI=ci)
    assert (short, long) == (4, 0)
    assert 5 <= examples <= 24


@pytest.mark.long
@pytest.mark.parametrize(("marked", "runs"), [("long", [0, 3]), ("", [4, 3])])
def test_the_long_run_has_the_long_tests_and_all_examples(tmp_path: Path, marked: str, runs: list[int]) -> None:
    *done, examples = counted(tmp_path, "-m", marked)
    assert done == runs
    assert examples > EXAMPLES


@pytest.mark.long
@pytest.mark.parametrize(("no_skip", "outcomes"), [("1", "1 failed, 1 skipped"), ("0", "2 skipped")])
def test_a_skip_fails_where_everything_is_there(tmp_path: Path, no_skip: str, outcomes: str) -> None:
    status, printed = tried(SKIPPING, tmp_path, RULELAB_NO_SKIP=no_skip)
    assert f"{outcomes}, 1 xfailed" in printed
    assert status == int(no_skip)
    assert ("but this one was: " in printed and "no reason at all" in printed) == (no_skip == "1")


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
