"""HTML of templates, in which all text is escaped."""

from __future__ import annotations

from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup

from ...assets import FOLDER
from .esc import plain

_LONGEST = 600


def filled(template: str, **values: Any) -> str:
    """The HTML of a template among the assets with these values."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> jinja2.Environment:
    def shown(value: Any) -> Any:
        return value if isinstance(value, Markup) else plain(value, _LONGEST)

    loader = jinja2.FileSystemLoader(FOLDER)
    return jinja2.Environment(autoescape=True, loader=loader, finalize=shown, undefined=jinja2.StrictUndefined)
