"""HTML of templates, in which all text is escaped."""

from __future__ import annotations

import datetime
import math
from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup

from ... import shown
from ...assets import FOLDER
from ...shown import share
from ..live.wording import NONE, count
from ..widgets.esc import esc, plain

_LONGEST = 600


def filled(template: str, **values: Any) -> str:
    """The HTML of a template among the assets with these values; what is HTML already is given as `Markup`."""
    return _environment().get_template(template).render(values)


def today() -> str:
    """The date, ISO 8601."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def percent(value: float) -> str:
    """A share in percent, without the sign."""
    return NONE if math.isnan(value) else shown.percent(value)


def signed(points: float) -> str:
    """A difference of shares in points, with its sign."""
    return f"{'+' if points > 0 else ''}{percent(points)}".replace("-", "\u2212")


@cache
def _environment() -> jinja2.Environment:
    def plainly(value: Any) -> Any:
        return value if isinstance(value, Markup) else plain(value, _LONGEST)

    made = jinja2.Environment(
        autoescape=True,
        loader=jinja2.FileSystemLoader(FOLDER),
        finalize=plainly,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"percent": percent, "signed": signed, "count": count, "share": share}
    made.filters["cut"] = lambda text, limit: Markup(esc(text, limit))
    made.globals["NONE"] = NONE
    return made
