"""Tests use what is public in its module, so that what is inside may change; where one cannot, it is said here why."""

import ast
import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from patience import PATIENCE
from places import ROOT, TESTS

PRIVATE = re.compile(
    r"""\._[a-zA-Z]\w*                                         # of whatever, in code or in a text
    | (?<=["'])_[a-zA-Z]\w*(?=["'])                            # as a text of its own
    | \brulelab\S*\ import\ (\([^)]*?|[^\n(]*?)\b_[a-zA-Z]\w*  # imported""",
    re.VERBOSE,
)
"""A name with one underscore before it."""


def reaches(source: str) -> list[str]:
    return [found.group() for found in PRIVATE.finditer(source)]


with Path(__file__).with_name("reaches.csv").open(encoding="utf-8", newline="") as _file:
    ALLOWED = {row["file"]: int(row["times"]) for row in csv.DictReader(_file)}
"""How often a file reaches for what is private, and what for."""


def test_tests_use_what_is_public() -> None:
    texts = {path.relative_to(TESTS).as_posix(): path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py")}
    found = {name: used for name, text in texts.items() if (used := reaches(text))}
    assert {name: used for name, used in found.items() if len(used) > ALLOWED.get(name, 0)} == {}
    assert {name: len(used) for name, used in found.items()} == ALLOWED, "fewer than are allowed"
    assert sum(ALLOWED.values()) <= 50


def test_what_a_reach_is() -> None:
    """A tilde stands for the underscore, which would count here, too."""
    once = ("a.~b + 1", "self.~b", "a.~replace(c=1)", "from rulelab.x import y, ~z", "getattr(a, '~b', None)")
    once = (*once, "of['~a']", 'put(a, "~MOST", 1)', "put('rulelab.a.~B', 1)", "for name in ('~a', 'b'): put(x, name)")
    never = ("a.~~dict~~", "f'{n}~low'", "'a ~b'", "name.replace('~', ' ')", "if __name__ == '~~main~~'", "~own = 1")
    lines = [line.replace("~", "_") for line in (*once, *never, "a.~b.~c + 1")]
    assert [len(reaches(line)) for line in lines] == [1] * 9 + [0] * 6 + [2]


# no test of this folder can fail because the machine is busy: all wait for as long as `patience` says -----------------
FILES = sorted({*TESTS.rglob("*.py")} - {*TESTS.glob("benchmarks/*")} - {TESTS / "ui" / "animation.py"})
CLOCKS = {"monotonic", "perf_counter", "process_time", "thread_time", "times", "user_seconds"}
TIMES = {"seconds", "elapsed", "user", "wall"}
WAITS = {"wait", "join", "wait_for", "set_default_timeout", "settimeout", "alarm", "wait_until", "until"}
SHORT = {("test_datasets.py", "table"): "of a server that never answers, which has to be given up soon"}
"""Where a short timeout is what is tested."""


def called(node: ast.AST) -> str:
    """The last part of the name of what is called; "" for what is no call."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def number(node: ast.AST) -> float:
    """The number that is written here, of a tuple the largest; 0 where there is none."""
    if isinstance(node, ast.Tuple):
        return max(map(number, node.elts), default=0.0)
    value = node.value if isinstance(node, ast.Constant) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def timed(node: ast.AST) -> bool:
    """Whether a clock is read here, or a duration."""
    parts = list(ast.walk(node))
    return any(called(p) in CLOCKS or (isinstance(p, ast.Attribute) and p.attr in TIMES) for p in parts)


def hurried(source: str, name: str = "") -> Iterator[tuple[int, str]]:
    """The lines of a test that a busy machine may break, each with what is wrong there."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            limits = [k.value for k in node.keywords if k.arg == "timeout"]
            if (name, called(node)) not in SHORT and any(number(limit) > 0 for limit in limits):
                yield node.lineno, "a timeout in numbers"
            if called(node) in WAITS and isinstance(node.func, ast.Attribute) and any(number(a) > 1 for a in node.args):
                yield node.lineno, "a wait in numbers"
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Add)
            and called(node.left) in CLOCKS
            and number(node.right)
        ):
            yield node.lineno, "a deadline in numbers"
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for left, op, right in zip(sides, node.ops, sides[1:], strict=False):
                late = (isinstance(op, ast.Lt | ast.LtE) and timed(left) and number(right)) or (
                    isinstance(op, ast.Gt | ast.GtE) and timed(right) and number(left)
                )
                if late:
                    yield node.lineno, "a duration that is held against a number"


def test_a_busy_machine_breaks_no_test() -> None:
    found = {path.name: list(hurried(path.read_text(encoding="utf-8"), path.name)) for path in FILES}
    assert {name: faults for name, faults in found.items() if faults} == {}


FAULTS = (
    "sweep.wait(60)", "thread.join(5)", "run(command, timeout=300)", "fetch(url, timeout=(0.2, 0.2))",
    "end = time.monotonic() + 60", "assert time.perf_counter() - start < 0.5",
    "assert 5 >= time.perf_counter() - start", "assert answer.seconds < 30",
)  # fmt: skip
FINE = (
    "sweep.wait(PATIENCE)", "assert not sweep.wait(1)", "', '.join(parts)", "run(command, timeout=PATIENCE)",
    "assert time.perf_counter() - start >= 0.3", "assert found.seconds <= time.perf_counter() - start - 0.3",
)  # fmt: skip


def test_what_a_busy_machine_may_break() -> None:
    assert [line for line in (*FAULTS, *FINE) if len(list(hurried(line))) == 1] == list(FAULTS)


def test_a_wait_ends_before_the_test_is_ended() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["pytest"]["ini_options"]["timeout"] > PATIENCE


# the short run leaves out what is long, the long run makes it up, CI does both and takes no skipped tests -------------
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


def run_of(suite: str, folder: Path, *arguments: str, **environment: str) -> tuple[int, str]:
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
    status, printed = run_of(SUITE, folder, *arguments, **environment)
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
    status, printed = run_of(SKIPPING, tmp_path, RULELAB_NO_SKIP=no_skip)
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
