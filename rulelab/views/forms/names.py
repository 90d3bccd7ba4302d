"""Fields that name columns, conditions and antecedents: texts such as ``age, bmi > 30`` and ``age: increasing``."""

from __future__ import annotations

from typing import Any

from ...families import Parameter
from ...families.typed import NotReadError, read, written
from ..widgets.esc import plain
from .controls import Number


def value_of(parameter: Parameter, text: str) -> Any:
    """The value that a text stands for; raises ValueError in the words of the page."""
    try:
        return read(parameter.kind, text)
    except NotReadError as error:
        said = f"{parameter.title}: “{plain(error.part, 40)}”"
        if not error.wanted:
            raise ValueError(f"{said} is there twice") from None
        raise ValueError(f"{said} is not {error.wanted}; write {parameter.example}") from None


class Names(Number):
    """Names, or columns with what is said of each; see `rulelab.families.typed`."""

    def _read(self, text: str) -> Any:
        return value_of(self._parameter, text)

    def _shown(self, value: Any) -> str:
        return written(self._parameter.kind, value)
