"""What arguments are, the same for every search, and the errors of arguments, models, tables, stores and sweeps."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from string import Formatter
from typing import Any, TypeGuard, TypeVar

import numpy as np

_T = TypeVar("_T")
_LINE = 100
_OF_OTHERS = (
    *("fairness", "labels", "min_group_size", "must_use", "first_rule", "max_uses", "monotone", "violation_penalty"),
    "criterion",
)
"""What decides, for some models, which search is made; see `rulelab.questions`."""


def is_whole(value: Any, least: int) -> TypeGuard[int]:
    """Whether this is an integer of at least ``least`` and no Boolean."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= least)


def is_number(value: Any) -> TypeGuard[float]:
    """Whether this is a finite number and no Boolean."""
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    try:
        return real and math.isfinite(value)
    except OverflowError:  # an integer beyond all floating point numbers
        return False


def is_least(value: Any, least: float) -> TypeGuard[float]:
    """Whether this is a number of at least ``least``, maybe infinite, and no Boolean."""
    return (is_number(value) and value >= least) or (isinstance(value, float | np.floating) and value == math.inf)


def short(value: Any) -> str:
    """How a value is written where it is refused: its kind, where it takes more than a line."""
    text = repr(value)
    name = type(value).__name__
    return text if len(text) <= _LINE and "\n" not in text else f"a{'n' * (name[0] in 'AEIOUaeiou')} {name}"


class Text(str):
    """A text that names arguments, which a form calls otherwise.

    ``template``: as of `str.format`, where ``{regularization}`` stands for the argument of this name and ``{}`` for the
    next of the values.
    """

    template: str
    values: tuple[Any, ...]

    def __new__(cls, template: str, *values: Any) -> Text:
        self = super().__new__(cls, _Titles(str).vformat(template, values, {}))
        self.template, self.values = template, values
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Text, (self.template, *self.values)

    def titled(self, title: Callable[[str], str]) -> str:
        """The same text, in which arguments are called what ``title`` gives for their names."""
        return _Titles(title).vformat(self.template, self.values, {})


class _Titles(Formatter):
    def __init__(self, title: Callable[[str], str]) -> None:
        self._title = title

    def get_value(self, key: int | str, args: Any, kwargs: Any) -> Any:
        if isinstance(key, str):
            return self._title(key)
        return args[key].titled(self._title) if isinstance(args[key], Text) else args[key]


def text_of(error: Exception) -> str:
    """What an error says: the `Text` that it was made with, where there is one."""
    return error.args[0] if len(error.args) == 1 and isinstance(error.args[0], str) else str(error)


class ParameterError(ValueError):
    """An argument has a value that it cannot have.

    Parameters
    ----------
    name : str
        Of the argument.
    value : object
    requirement : str
        What the value has to be, such as "a number above 0".
    text : str, optional
        What to say, where that is not "``name`` must be ``requirement``, not ``value``".

    Attributes
    ----------
    name, value, requirement
    """

    def __init__(self, name: str, value: Any, requirement: str, text: str = "") -> None:
        super().__init__(text or Text(f"{{{name}}} must be {{}}, not {{}}", requirement, short(value)))
        self.name, self.value, self.requirement = name, value, requirement

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.value, self.requirement, self.args[0])


class ModelError(ValueError):
    """A model cannot be made, read or used as asked; the message says what was found and what to do."""


class TableError(ValueError):
    """The table cannot be opened, read or counted; the message says what was found, where, and what to do."""


class StoreError(ValueError):
    """The store, or something in it, cannot be used; the message says why."""


class SweepError(ValueError):
    """The sweep cannot be run as asked; the message says what was found, where, and what to do."""


class SweepParameterError(SweepError, ParameterError):
    """An argument of the sweep, or a parameter of a fit, has a value that it cannot have."""


class SweepWarning(UserWarning):
    """The sweep goes on, but something of its results file is lost or of no use; the message says what."""


def refuse_others(made: type, others: Mapping[str, Any]) -> None:
    """Refuse what a search does not take, with the call that makes the one that may: ParameterError, or TypeError."""
    for name, value in others.items():
        if name not in _OF_OTHERS:
            raise TypeError(f"{made.__name__} has no option {name!r}")
        if value is not None:
            by, kind = f"rulelab.search(.., {name}=..)", made.__name__
            text = Text(
                f"{{{name}}} must be None for a {kind}, not {{}}; {{}} makes the search for it", short(value), by
            )
            raise ParameterError(name, value, f"None for a {kind}; {by} makes the search for it", text)


def require(*checks: tuple[str, Any, bool, str]) -> None:
    """Raise ParameterError for the first argument, of name, value, whether it is accepted and what is, that is not."""
    for name, value, accepted, allowed in checks:
        if not accepted:
            raise ParameterError(name, value, allowed)


def check_choice(name: str, value: Any, known: Collection[str]) -> None:
    """Refuse what is none of the texts that an argument may be. Raises ParameterError."""
    require((name, value, isinstance(value, str) and value in known, f"one of {', '.join(known)}"))


def bounds_of(made: type[_T], bounds: _T | None) -> _T:
    """Which bounds a search uses: all where none are given. Raises ParameterError."""
    require(("bounds", bounds, bounds is None or isinstance(bounds, made), f"a {made.__name__} or None"))
    return made() if bounds is None else bounds


@cache
def arguments_of(made: type) -> Sequence[str]:
    """The names of what a search is made with, besides the problem."""
    every = inspect.signature(made).parameters.values()
    return [each.name for each in every if each.kind is not each.VAR_KEYWORD and each.name not in ("problem", "search")]
