"""Fields that name columns, conditions and antecedents: texts such as ``age, bmi > 30`` and ``age: increasing``."""

from __future__ import annotations

from typing import Any

from ...families.typed import NotReadError, read, written
from ..widgets.esc import plain
from .controls import Number


class Names(Number):
    """Names, or columns with what is said of each; see `rulelab.families.typed`."""

    def _read(self, text: str) -> Any:
        try:
            return read(self._parameter.kind, text)
        except NotReadError as error:
            said = f"{self.label}: “{plain(error.part, 40)}”"
            if not error.wanted:
                raise ValueError(f"{said} is there twice") from None
            raise ValueError(f"{said} is not {error.wanted}; write {self._parameter.example}") from None

    def _shown(self, value: Any) -> str:
        return written(self._parameter.kind, value)
