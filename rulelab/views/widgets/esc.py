"""The one boundary between text from data and HTML."""

from __future__ import annotations

import html
from typing import Any

from ...shown import SHORT, plain


def esc(text: Any, limit: int = SHORT) -> str:
    """Text that HTML shows as it is: escaped, without control and direction marks, cut after ``limit`` characters."""
    return html.escape(plain(text, limit), quote=True)
