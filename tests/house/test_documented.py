"""Every argument of what is public has a word of its own in the docstring."""

import enum
import inspect
import re
from typing import Any

import param
import pytest

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


def public() -> list[Any]:
    values = [getattr(rl, name) for name, home in homes(rl.__file__).items() if home and name not in MADE_BY_OTHERS]
    return [
        value
        for value in values
        if callable(value) and not (isinstance(value, type) and issubclass(value, BaseException | enum.Enum))
    ]


@pytest.mark.parametrize("value", public(), ids=lambda value: value.__name__)
def test_every_argument_is_told(value: Any) -> None:
    parts = value.__mro__ if isinstance(value, type) else (value,)
    known = set().union(*(told(part.__doc__ or "") for part in parts if part is not object))
    kept = {name for name in inspect.signature(value).parameters if not name.startswith("_")}
    assert kept - known - {"self", "cls"} == set()


def methods() -> dict[str, tuple[Any, str]]:
    """By name those with arguments, and their docstring or the one that they inherit."""
    out = {}
    for value in public():
        for name in dir(value) if isinstance(value, type) else ():
            method = inspect.getattr_static(value, name)
            method = getattr(method, "__func__", method)
            if inspect.isfunction(method) and method.__module__.startswith("rulelab") and not name_is_private(name):
                out[method.__qualname__] = method, inspect.getdoc(getattr(value, name)) or ""
    return out


def name_is_private(name: str) -> bool:
    return name.startswith("_")


METHODS = methods()


@pytest.mark.parametrize("name", METHODS)
def test_every_argument_of_a_method_is_told(name: str) -> None:
    method, doc = METHODS[name]
    arguments = {each for each in inspect.signature(method).parameters if not name_is_private(each)}
    assert arguments - told(doc) - {"self", "cls"} == set()


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
