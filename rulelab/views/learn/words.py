"""Texts of Learn: sections of Markdown files, and as HTML, where words in double brackets are those of the glossary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...glossary.entries import ProseError, blocks
from ..widgets.esc import esc
from ..widgets.explained import term_slug

_MARKED = re.compile(r"\[\[([^\]|]+)(?:\|([^\]]+))?\]\]")


@dataclass(frozen=True)
class Section:
    """What stands under a heading."""

    file: str
    line: int  # that of the heading
    heading: str
    paragraphs: tuple[str, ...]  # each on one line

    def of(self, *names: str) -> tuple[str, ...]:
        """The paragraphs, which must be as many as ``names``; one that begins with ``**Name:**`` comes without it.

        May raise ProseError.
        """
        if len(self.paragraphs) != len(names):
            what = f"{self.heading!r} has {len(self.paragraphs)} paragraphs, not one for each of {', '.join(names)}"
            raise ProseError(self.file, self.line, what)
        begins = [f"**{name}:** " if name[0].isupper() else "" for name in names]
        for begin, text in zip(begins, self.paragraphs, strict=True):
            if not text.startswith(begin):
                raise ProseError(self.file, self.line, f"{self.heading!r} has no paragraph that begins with {begin}")
        return tuple(text.removeprefix(begin) for begin, text in zip(begins, self.paragraphs, strict=True))


def sections(path: Path) -> Iterator[Section]:
    """The sections of a Markdown file, that of its title first."""
    heading, line, found = "", 0, list[str]()
    for at, block in (*blocks(path.read_text(encoding="utf-8")), (0, "# ")):
        if not block.startswith("#"):
            found.append(" ".join(block.split()))
            continue
        if heading:
            yield Section(path.name, line, heading, tuple(found))
        elif found:
            raise ProseError(path.name, 1, "a file begins with '# ' and its title")
        heading, line, found = block.lstrip("#").strip(), at, []


def marked(text: str) -> list[tuple[str, str]]:
    """The words of a text that are to be explained, each with the term that it stands for."""
    return [(words, term or words) for words, term in _MARKED.findall(text)]


def as_html(text: str, family: str = "") -> str:
    """A text with a button for each word that is to be explained."""

    def button(match: re.Match[str]) -> str:
        words, term = match.group(1), match.group(2) or match.group(1)
        return f'<button type="button" class="word" data-term="{term_slug(term, family)}">{words}</button>'

    return _MARKED.sub(button, esc(text, 2000))
