"""The fields of a form, made from parameters."""

from __future__ import annotations

from typing import Any

import panel as pn
import param

from ..widgets.explained import term_classes
from ..widgets.html import Html
from ..widgets.style import CARD_CSS, CARD_HEAD_CSS, CARD_TITLE_CSS, NUMBER_CSS, SELECT_CSS

WIDE = {"sizing_mode": "stretch_width", "margin": (5, 12)}
_NUMBERS = (pn.widgets.IntInput, pn.widgets.FloatInput, pn.widgets.TextInput)
_STYLES: dict[Any, list[str]] = {pn.widgets.Select: [SELECT_CSS], **{kind: [NUMBER_CSS] for kind in _NUMBERS}}


def field(owner: param.Parameterized, name: str, widget: Any, **options: Any) -> Any:
    """A widget for one parameter, in the width of its card, with a "?" that explains it."""
    described = {"stylesheets": _STYLES.get(widget, []), "css_classes": term_classes(name)}
    return widget.from_param(owner.param[name], **{**WIDE, **described, **options})


def pair(*widgets: Any) -> pn.Row:
    """Two fields side by side."""
    first, second = widgets
    first.margin, second.margin = (5, 5, 5, 12), (5, 12, 5, 5)
    return pn.Row(first, second, sizing_mode="stretch_width", margin=0)


def note(html: str) -> Html:
    """A line of small text between fields; ``html`` is escaped already."""
    return Html(
        f'<p class="note">{html}</p>', stylesheets=[CARD_CSS], margin=(4, 12, 0, 12), sizing_mode="stretch_width"
    )


def column(*items: Any, **options: Any) -> pn.Column:
    """Fields under each other."""
    return pn.Column(*items, sizing_mode="stretch_width", margin=0, **options)


class _Card(pn.Card):
    """The heading is one of the second level, below that of the page."""

    def _update_header(self, *events: Any) -> None:
        super()._update_header(*events)
        if self._header is not None:
            self._header.param.update(object=f"<h2>{self.title}</h2>", stylesheets=[CARD_TITLE_CSS])


def card(title: str, *items: Any) -> pn.Card:
    """Fields under a heading, to be folded away."""
    return _Card(
        *items,
        title=title,
        collapsible=True,
        sizing_mode="stretch_width",
        margin=(0, 0, 10, 0),
        stylesheets=[CARD_HEAD_CSS],
    )


def worded(names: tuple[str, ...] | list[str]) -> dict[str, str]:
    """Options by their names in words."""
    return {name.replace("_", " "): name for name in names}
