"""No test of this folder can fail because the machine is busy: all wait for as long as `patience` says."""

import ast
import tomllib
from collections.abc import Iterator

from patience import PATIENCE
from places import ROOT, TESTS

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
