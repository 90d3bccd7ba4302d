"""The field for monotone directions: a text such as ``age: increasing, bmi: decreasing``."""

from __future__ import annotations

import re
from typing import Any

from ...data.directions import DIRECTIONS
from ..widgets.esc import plain
from .controls import Number

_ONE = re.compile(rf"\s*(?P<column>.*?\S)\s*:\s*(?P<way>{'|'.join(DIRECTIONS)})\s*(?:[,;]|$)", re.IGNORECASE)


class Directions(Number):
    """Columns with their directions; the name of a column may hold commas and colons."""

    def _read(self, text: str) -> dict[str, str] | None:
        found: dict[str, str] = {}
        at, text = 0, text.strip()
        while at < len(text):
            one = _ONE.match(text, at)
            if one is None:
                ways = " or ".join(DIRECTIONS)
                raise ValueError(
                    f"{self.label}: “{plain(text[at:], 40)}” is not a column and {ways}; write "
                    f"{self._parameter.none.removeprefix('such as ')}"
                )
            if one["column"] in found:
                raise ValueError(f"{self.label}: “{plain(one['column'], 40)}” is there twice")
            found[one["column"]] = one["way"].lower()
            at = one.end()
        return found or None

    def _shown(self, value: Any) -> str:
        return ", ".join(f"{column}: {way}" for column, way in (value or {}).items())
