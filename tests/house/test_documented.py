"""Every argument of what is public has a word of its own in the docstring."""

import doctest
import enum
import inspect
import re
from pathlib import Path
from typing import Any

import param
import pytest
from public_names import LISTED, lines

import rulelab as rl
from rulelab.lazy import homes

SECTION = re.compile(r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=\n\n[A-Z][A-Za-z ]+\n-+\n|\Z)", re.DOTALL | re.MULTILINE)
MADE_BY_OTHERS = {"Sweep"}
"""Nobody calls these; `rulelab.sweep` does."""


def told(doc: str) -> set[str]:
    """The names under "Parameters" and "Attributes"."""
    heads = [
        line.split(" : ")[0]
        for section in SECTION.findall(inspect.cleandoc(doc))
        for line in section.splitlines()
        if line and not line.startswith(" ")
    ]
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


def called() -> dict[str, tuple[Any, list[str]]]:
    """By name what is public and called, and its docstrings, inherited ones too: functions, classes, their methods."""
    out = {}
    for name, home in homes(rl.__file__).items():
        value = getattr(rl, name) if home and name not in MADE_BY_OTHERS else None
        if not callable(value) or (isinstance(value, type) and issubclass(value, BaseException | enum.Enum)):
            continue
        parts = value.__mro__[:-1] if isinstance(value, type) else (value,)
        out[name] = value, [part.__doc__ or "" for part in parts]
        for own in dir(value) if isinstance(value, type) else ():
            method = inspect.getattr_static(value, own)
            method = getattr(method, "__func__", method)
            if inspect.isfunction(method) and method.__module__.startswith("rulelab") and own[0] != "_":
                out[method.__qualname__] = method, [inspect.getdoc(getattr(value, own)) or ""]
    return out


CALLED = called()


@pytest.mark.parametrize("name", CALLED)
def test_every_argument_is_told(name: str) -> None:
    value, docs = CALLED[name]
    arguments = {each for each in inspect.signature(value).parameters if each[0] != "_"}
    assert arguments - {"self", "cls"} <= set().union(*map(told, docs))


@pytest.mark.parametrize("name", [name for name in rl.views.__all__ if isinstance(getattr(rl.views, name), type)])
def test_every_parameter_of_a_view_is_told(name: str) -> None:
    """By its own words, or in the documentation of its class."""
    view = getattr(rl.views, name)
    if not issubclass(view, param.Parameterized):
        pytest.skip("it has none")
    classes = [each for each in view.__mro__ if each.__module__.startswith("rulelab")]
    told = "\n".join(inspect.cleandoc(each.__doc__ or "") for each in classes)
    own = {
        key: each.doc
        for key, each in view.param.objects("existing").items()
        if each.owner is not None and each.owner.__module__.startswith("rulelab") and key != "name" and key[0] != "_"
    }
    untold = [key for key, doc in own.items() if not doc and not re.search(rf"^(\w+, )*{key}(, \w+)* : ", told, re.M)]
    assert untold == []


def test_what_is_not_told_is_found() -> None:
    def some(a: int, b: int) -> None:
        """Do some.

        Parameters
        ----------
        a : int
            b : not this one.

        Returns
        -------
        b : int
        """

    assert told(some.__doc__ or "") == {"a"}


# what others rely on --------------------------------------------------------------------------------------------------
def test_public_names_options_parameters_and_fields_are_those_that_were_reviewed() -> None:
    listed, now = LISTED.read_text(encoding="utf-8").splitlines(), lines()
    gone, new = sorted(set(listed) - set(now)), sorted(set(now) - set(listed))
    assert not gone, "gone: rulelab.lazy names another way for each, then python tests/public_names.py"
    assert not new, "new: read them, then python tests/public_names.py"
    assert listed == now


# examples -------------------------------------------------------------------------------------------------------------
NAMES = [name for name, home in homes(rl.__file__).items() if home]


def examples(name: str) -> list[doctest.DocTest]:
    """Those of a name, and of the methods and properties of a class."""
    value: Any = getattr(rl, name)
    finder = doctest.DocTestFinder(exclude_empty=True)
    return [test for test in finder.find(value, f"rl.{name}", globs={"rl": rl}) if test.examples]


EXAMPLES = {test.name: test for name in NAMES for test in examples(name)}


def test_there_are_some() -> None:
    assert {"rl.fit", "rl.near_optimal", "rl.search_for"} <= set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_gives_what_it_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(EXAMPLES[name], out=told.append)
    assert result.attempted
    assert not result.failed, "".join(told)
