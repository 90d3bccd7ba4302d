"""The one boundary between text from data and HTML."""

from __future__ import annotations

import html
from typing import Any

_CONTROL = dict.fromkeys(
    (*range(0x20), *range(0x7F, 0xA0), 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), " "
)
_SHOWN = 200


def esc(text: Any, limit: int = _SHOWN) -> str:
    """Text that HTML shows as it is: escaped, without control and direction marks, cut after ``limit`` characters."""
    return html.escape(plain(text, limit), quote=True)


def plain(text: Any, limit: int = _SHOWN) -> str:
    """Text for places that show no HTML, such as an option of a list: one line of at most ``limit`` characters."""
    line = str(text).translate(_CONTROL)
    return line if len(line) <= limit else line[: limit - 1] + "…"
