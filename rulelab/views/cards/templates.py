"""HTML of templates, in which all text is escaped."""

from __future__ import annotations

from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup

from ...assets import FOLDER
from ...shown import percent
from ..live.wording import NONE, count
from ..widgets.esc import esc, plain

_LONGEST = 600


def filled(template: str, **values: Any) -> str:
    """The HTML of a template among the assets with these values; what is HTML already is given as `Markup`."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> jinja2.Environment:
    def shown(value: Any) -> Any:
        return value if isinstance(value, Markup) else plain(value, _LONGEST)

    made = jinja2.Environment(
        autoescape=True,
        loader=jinja2.FileSystemLoader(FOLDER),
        finalize=shown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"cut": lambda text, limit: Markup(esc(text, limit)), "percent": percent, "count": count}
    made.globals["NONE"] = NONE
    return made
