"""What a term means, where it stands: labels, headings and words that can be pressed, and one box for the entry."""

from __future__ import annotations

import re
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ...assets import asset
from ...glossary import TERMS, Term, find
from .esc import esc
from .style import sheet

MARK = "rl-term--"
_PRESSED = (pn.widgets.Button, pn.widgets.FileDownload)  # they say what they do; `controls` explains those of a search

WORD_CSS = sheet("word.css")  # of a word with an entry, in whatever part of the page it stands


class Explained(JSComponent):
    """Nothing to see before a word is pressed; one on the page serves all that are on it.

    Of parts of the page whose CSS classes name a term (`term_classes`) the label is such a word. The entries stay on
    the server: a word costs the page a class, and an entry is sent when it is asked for.
    """

    word_css = param.String(default=WORD_CSS, doc="Style of the words.")

    _esm = asset("early_controls.js", "explained.js")
    _stylesheets = [sheet("explained.css")]

    def _handle_msg(self, data: Any) -> None:
        asked = data.get("term") if isinstance(data, dict) else None
        term = by_slug(asked) if isinstance(asked, str) else None
        if term is not None:
            see = [[_slug(name), name] for name in term.see]
            said = {name: getattr(term, name) for name in ("name", "sentence", "text", "formula", "source")}
            self._send_msg({**said, "see": see, "asked": asked})


def term_slug(name: str, family: str = "") -> str:
    """What a part of the page asks for when it names a term itself; empty where there is no entry."""
    term = find(name, family)
    return "" if term is None else _slug(term.name)


def term_classes(name: str) -> list[str]:
    """The CSS classes that let the label of a part of the page ask for this term; none where there is no entry."""
    slug = term_slug(name)
    return [MARK + slug] if slug else []


def explain_all(layout: Any) -> Any:
    """Let every label of a control that is a term ask for it, where none does yet; the layout."""
    for widget in layout.select(pn.widgets.Widget):
        if not any(name.startswith(MARK) for name in widget.css_classes) and not isinstance(widget, _PRESSED):
            widget.css_classes = [*widget.css_classes, *term_classes(widget.label)]
    return layout


def word(text: str, name: str = "", family: str = "") -> str:
    """HTML of a text that asks for a term, by default that of its own name, in `WORD_CSS`; plain without an entry."""
    slug = term_slug(name or text, family)
    said = esc(text)
    return f'<button type="button" class="rl-word" data-term="{slug}">{said}</button>' if slug else said


def by_slug(slug: str) -> Term | None:
    """The entry of what a word asks for: a slug of its name or of any other."""
    return _SLUGS.get(slug) or find(slug)


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


_SLUGS: dict[str, Term] = {_slug(term.name): term for term in TERMS.values()}
