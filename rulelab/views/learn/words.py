"""Texts of walks as HTML: what stands in double brackets is a word that the glossary explains."""

from __future__ import annotations

import re

from ..widgets.esc import esc
from ..widgets.explained import term_slug

_MARKED = re.compile(r"\[\[([^\]|]+)(?:\|([^\]]+))?\]\]")


def marked(text: str) -> list[tuple[str, str]]:
    """The words of a text that are to be explained, each with the term that it stands for."""
    return [(words, term or words) for words, term in _MARKED.findall(text)]


def as_html(text: str, family: str = "") -> str:
    """A text with a button for each word that is to be explained."""

    def button(match: re.Match[str]) -> str:
        words, term = match.group(1), match.group(2) or match.group(1)
        return f'<button type="button" class="word" data-term="{term_slug(term, family)}">{words}</button>'

    return _MARKED.sub(button, esc(text, 2000))
