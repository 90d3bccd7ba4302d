"""Tests use what is public in its module, so that what is inside may change; where one cannot, it is said here why."""

import ast
import csv
from collections.abc import Iterator
from pathlib import Path

from places import TESTS

DOCUMENTED = {"_asdict", "_exit", "_fields", "_getframe", "_meta", "_repr_html_", "_repr_mimebundle_", "_replace"}
"""Public all the same: Python, Dask and IPython document them."""
BY_NAME = {"delattr", "getattr", "hasattr", "object", "setattr"}
"""What is called with the name of an attribute; a threshold in capitals may be set, for small problems to meet it."""

with Path(__file__).with_name("reaches.csv").open(encoding="utf-8", newline="") as _file:
    ALLOWED = {row["file"]: int(row["times"]) for row in csv.DictReader(_file)}
"""How often a file reaches for what is private, and what for."""


def is_private(name: object) -> bool:
    return isinstance(name, str) and name.startswith("_") and not name.startswith("__") and name not in DOCUMENTED


def reaches(source: str) -> Iterator[tuple[int, str]]:
    """Lines that use a private name of another object or of the package, each with the name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
                yield node.lineno, node.attr
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rulelab"):
            yield from ((node.lineno, each.name) for each in node.names if is_private(each.name))
        elif isinstance(node, ast.Call) and len(node.args) > 1 and isinstance(named := node.args[1], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in BY_NAME and is_private(named.value) and str(named.value) != str(named.value).upper():
                yield node.lineno, str(named.value)


def test_tests_use_what_is_public() -> None:
    found = {}
    for path in sorted(TESTS.rglob("*.py")):
        if used := sorted(reaches(path.read_text(encoding="utf-8"))):
            found[path.relative_to(TESTS).as_posix()] = used
    assert {name: used for name, used in found.items() if len(used) > ALLOWED.get(name, 0)} == {}
    assert {name: len(used) for name, used in found.items()} == ALLOWED, "fewer than are allowed"
    assert sum(ALLOWED.values()) <= 35
    assert not [name for name in ALLOWED if name.startswith(("views/", "ui/"))], "the page has parts by their names"


def test_what_a_reach_is() -> None:
    once = ("a._b", "from rulelab.x import _y", "getattr(a, '_b', None)", "patch.setattr(a, '_b', 1)")
    never = ("self._b", "a._replace(c=1)", "patch.setattr(a, '_MOST', 1)", "a.__dict__")
    assert [len(list(reaches(line))) for line in (*once, *never, "a._b._c")] == [1] * 4 + [0] * 4 + [2]
