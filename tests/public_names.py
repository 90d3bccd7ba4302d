"""What others rely on, one line each: names, options, parameters of the address, fields of files.

``python tests/public_names.py`` writes them to the file beside it; what changes there is read before it is committed.
"""

import argparse
import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from structure import is_public, public

import rulelab as rl
from rulelab.cli.commands import command_parser
from rulelab.views.forms.address import Address, Part
from rulelab.views.pages.tabs import TABS, Tabs

LISTED = Path(__file__).with_name("public_names.txt")


def lines() -> list[str]:
    """All of it, in order."""
    return [*_names(), *_options(command_parser(), "rulelab"), *_address(), *_files()]


def _names() -> Iterator[str]:
    """The names of the package; the parameters of what is called, and what instances have."""
    modules = {name: getattr(rl, name) for name in rl.__all__ if inspect.ismodule(getattr(rl, name))}
    for name, value in sorted((public() | modules).items()):
        if inspect.ismodule(value) or not callable(value):
            yield f"rl.{name}"
            continue
        yield f"rl.{name}({', '.join(_parameters(value))})"
        if inspect.isclass(value):
            own = (each for each in dir(value) if is_public(each) and not hasattr(_Plain, each))
            yield from (f"rl.{name}.{each}" for each in own if not _of_another(value, each))


class _Plain(Exception):  # noqa: N818 - whatever an exception has
    """What any class may have."""


def _of_another(kind: type, name: str) -> bool:
    """Whether a class has this from outside the package."""
    owner = next((each for each in kind.__mro__ if name in vars(each)), kind)
    return owner.__module__.partition(".")[0] != "rulelab"


def _parameters(value: Any) -> list[str]:
    try:
        given = inspect.signature(value).parameters.values()
    except (ValueError, TypeError):
        return ["..."]
    return [each.name if each.kind is not each.VAR_KEYWORD else f"**{each.name}" for each in given]


def _options(parser: argparse.ArgumentParser, path: str) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action.choices, dict):  # of commands
            for name, each in sorted(action.choices.items()):
                yield from _options(each, f"{path} {name}")
        elif action.help != argparse.SUPPRESS:
            yield f"{path} {', '.join(action.option_strings) or action.metavar or action.dest}"


class _Heard(Address):
    """Remembers which parameters it was to follow."""

    def __init__(self) -> None:
        super().__init__("", lambda *_: None)
        self.heard: set[str] = set()

    def follow(self, *parts: Part) -> list[str]:
        self.heard |= {name for part in parts for name in part.names}
        return super().follow(*parts)


def _address() -> Iterator[str]:
    address = _Heard()
    tabs = Tabs(address)
    for name in TABS:
        tabs.made(name)
    yield from (f"?{name}=" for name in sorted(address.heard | {"theme", "run", "pins"}))


def _files() -> Iterator[str]:
    """The fields of what is saved, down to those of the first of several."""
    A = np.array([[1, 0], [1, 1], [0, 1], [0, 0]] * 4, dtype=bool)
    problem = rl.Problem.from_arrays(A, A[:, 0] & ~A[:, 1], groups=["a"] * 8 + ["b"] * 8)
    searches = {
        "rule list": rl.RuleListSearch(problem, 0.01),
        "falling rule list": rl.FallingRuleListSearch(problem, 0.01),
        "rule set": rl.RuleSetSearch(problem, 4),
        "front by rules": rl.frontier(problem),
        "front by tolerance": rl.frontier(problem, "tolerance"),
        "front by gap": rl.frontier(problem, "gap", accuracies=(0.5,)),
        "near-optimal lists": rl.NearOptimalSearch(problem, 0.01),
    }
    for name, search in searches.items():
        rl.solve(search)
        yield from (f"{name}, result: {field}" for field in _fields(json.loads(search.to_json())))
    for name in list(searches)[:3]:
        search = searches[name]
        model, proof = search.advance(1).incumbent.model, search.certificate()
        yield from (f"{name}, model: {field}" for field in _fields(json.loads(model.to_json())))
        yield f"{name}, proof: {', '.join([*sorted(proof.parameters), *sorted(proof.arrays)])}"


def _fields(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _fields(each, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        yield from _fields(value[0], f"{path}[]")
    else:
        yield path


if __name__ == "__main__":
    LISTED.write_text("\n".join(lines()) + "\n", encoding="utf-8")
