"""Tests use what is public in its module, so that what is inside may change; where one cannot, it is said here why."""

import ast
import csv
from collections.abc import Iterator
from pathlib import Path

from places import TESTS

DOCUMENTED = {"_", "_asdict", "_exit", "_fields", "_getframe", "_meta", "_replace", "_repr_html_", "_repr_mimebundle_"}
"""Public all the same: Python, Dask and IPython document them."""
NO_NAMES = {"_buffers", "_peer", "_static", "_xsrf"}
"""A field of a message, a script, a folder, a cookie."""
ENDS = {"endswith", "startswith"}
"""What is called with a part of a name."""

with Path(__file__).with_name("reaches.csv").open(encoding="utf-8", newline="") as _file:
    ALLOWED = {row["file"]: int(row["times"]) for row in csv.DictReader(_file)}
"""How often a file reaches for what is private, and what for."""


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in DOCUMENTED


def named(text: str) -> list[str]:
    """The private names in a text that is a name, which may be dotted."""
    parts = text.split(".")
    return [each for each in parts if is_private(each)] if all(map(str.isidentifier, parts)) else []


def no_names(tree: ast.AST) -> set[ast.AST]:
    """Texts that are parts of names."""
    calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "attr", "") in ENDS)
    parts = (n for n in ast.walk(tree) if isinstance(n, ast.JoinedStr))
    return {each for node in (*calls, *parts) for each in ast.walk(node)}


def reaches(source: str) -> Iterator[tuple[int, str]]:
    """Lines that use a private name of another object or module, as code or as a text, each with the name."""
    tree = ast.parse(source)
    left_out = no_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
                yield node.lineno, node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, each.name) for each in node.names if is_private(each.name))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in left_out:
            yield from ((node.lineno, each) for each in named(node.value) if each not in NO_NAMES)


def test_tests_use_what_is_public() -> None:
    found = {}
    for path in sorted(TESTS.rglob("*.py")):
        if used := sorted(reaches(path.read_text(encoding="utf-8"))):
            found[path.relative_to(TESTS).as_posix()] = used
    assert {name: used for name, used in found.items() if len(used) > ALLOWED.get(name, 0)} == {}
    assert {name: len(used) for name, used in found.items()} == ALLOWED, "fewer than are allowed"
    assert sum(ALLOWED.values()) <= 30


def test_what_a_reach_is() -> None:
    once = ("a._b", "from rulelab.x import _y", "getattr(a, '_b', None)", "patch.setattr(a, '_MOST', 1)")
    once = (*once, "patch.setattr('rulelab.a._B', 1)", "for name in ('_a', 'b'): put(x, name)", "of['_a']")
    never = ("self._b", "a._replace(c=1)", "a.__dict__", "name.endswith(('_low', '_high'))", "f'{name}_low'", "'_a b'")
    assert [len(list(reaches(line))) for line in (*once, *never, "a._b._c")] == [1] * 7 + [0] * 6 + [2]
