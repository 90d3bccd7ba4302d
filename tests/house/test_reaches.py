"""Tests use what is public in its module, so that what is inside may change; where one cannot, it is said here why."""

import ast
from collections import Counter
from collections.abc import Iterator

from places import TESTS

PAGE, MOST_OF_PAGE = ("views", "ui"), 138
"""The tests of the page, and how often they reach for what is private, all together; it may only become less."""
DOCUMENTED = {"_asdict", "_exit", "_fields", "_getframe", "_meta", "_repr_html_", "_repr_mimebundle_", "_replace"}
"""Public all the same: Python, Dask and IPython document them."""
BY_NAME = {"delattr", "getattr", "hasattr", "object", "setattr"}
"""What is called with the name of an attribute; a threshold in capitals may be set, for small problems to meet it."""

ALLOWED = {
    "certificate/test_certificate_parts.py": (2, "hashes that agree, Ctrl-C half-way through a file"),
    "certificate/test_fair_list_certificates.py": (1, "which problems are rounded, to try those alone"),
    "certificate/test_joint_capture_certificate.py": (1, "the moment when the first antecedent is dropped"),
    "data/test_antecedents.py": (2, "of the instances beside the project, which keep no single columns"),
    "falling_rule_list/test_falling_monte_carlo.py": (1, "what kernels are handed, to ask for the bound of a prefix"),
    "frontiers/test_gap_frontier.py": (1, "slices that end within a point of small problems"),
    "kernels/test_by_address.py": (1, "what a server compiles beforehand has to be what learns"),
    "kernels/test_jit.py": (3, "numba says nowhere else when it takes a cache for stale"),
    "laws/test_interrupts.py": (2, "Ctrl-C in the middle of a slice"),
    "laws/test_units.py": (2, "the counts of the search within a search"),
    "laws/test_warming.py": (1, "how often a class rehearses"),
    "live.py": (1, "what a browser says to a part of the page: Panel hands it on by a private method"),
    "public_names.py": (2, "argparse has no other list of options"),
    "reference/inside.py": (11, "the parts of a search, for all tests of kernels and of what is learnt"),
    "rule_list/test_least_gap.py": (3, "kernels do not look where they write: each pass is seen to have room"),
    "rule_list/test_monotone_lists.py": (1, "a problem of some antecedents"),
    "rule_list/test_near_count.py": (1, "that cores were learnt"),
    "rule_list/test_parallel.py": (1, "which arrays a worker has for itself"),
    "rule_set/test_rule_set_constrained_master.py": (
        4,
        "slopes of what is not seen from outside; a method that finds nothing",
    ),
    "rule_set/test_rule_set_deepening.py": (2, "how pricing goes from short rules to long ones"),
    "rule_set/test_rule_set_set_search.py": (1, "the cost that a walk claims for its best set"),
    "sweeps/test_sweep.py": (1, "the fits of a sweep, to hand one to a worker"),
    "sweeps/test_sweep_failures.py": (3, "the process that has a fit, to kill it"),
}
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
    found, of_page = {}, 0
    for path in sorted(TESTS.rglob("*.py")):
        name, used = path.relative_to(TESTS), sorted(reaches(path.read_text(encoding="utf-8")))
        if name.parts[0] in PAGE:
            of_page += len(used)
        elif used:
            found[name.as_posix()] = used
    assert of_page <= MOST_OF_PAGE
    assert {name: used for name, used in found.items() if len(used) > ALLOWED.get(name, (0,))[0]} == {}
    allowed = {name: number for name, (number, _) in ALLOWED.items()}
    assert {name: len(used) for name, used in found.items()} == allowed, "fewer than are allowed"
    assert sum(allowed.values()) <= 50


def test_what_a_reach_is() -> None:
    lines = (
        "a._b",
        "self._b",
        "a._replace(c=1)",
        "from rulelab.x import _y",
        "getattr(a, '_b', None)",
        "patch.setattr(a, '_b', 1)",
        "patch.setattr(a, '_MOST', 1)",
        "a.__dict__",
        "a._b._c",
    )
    assert Counter(line for line in lines for _ in reaches(line)) == Counter(
        {lines[0]: 1, lines[3]: 1, lines[4]: 1, lines[5]: 1, lines[8]: 2}
    )
