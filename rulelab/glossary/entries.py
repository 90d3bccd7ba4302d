"""A term: what it means in a sentence, more of it, its formula, and who has proven it; and the files that say it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_PAPER = re.compile(r"^\[([A-Z]+)\]: (.+)$", re.MULTILINE)
_CITED = re.compile(r"\[([A-Z]+)\]")
_FACTS = {"source": "source", "see": "see", "also": "aliases"}
"""What stands in the list that ends an entry, and what it is of a `Term`."""


class ProseError(ValueError):
    """Prose that is not written as it is read; the message names file and line."""

    def __init__(self, file: str, line: int, what: str) -> None:
        super().__init__(f"{file}, line {line}: {what}")


@dataclass(frozen=True)
class Term:
    """An entry of the glossary.

    Attributes
    ----------
    name : str
        In lower case; of several meanings the rarer ones have the family behind them, such as "dominance (falling rule
        list)".
    sentence : str
        What it is.
    text : str
        More of it; may be empty.
    formula : str
        In plain text with Unicode signs; may be empty.
    source : str
        Theorem and paper; empty for what needs none.
    see : tuple of str
        Other terms.
    aliases : tuple of str
        Other names, such as those of parameters.
    """

    name: str
    sentence: str
    text: str = ""
    formula: str = ""
    source: str = ""
    see: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [f"{self.name}: {self.sentence}"]
        parts += [self.text] if self.text else []
        parts += [f"    {self.formula}"] if self.formula else []
        parts += [f"Source: {self.source}."] if self.source else []
        parts += [f"See also: {', '.join(self.see)}."] if self.see else []
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        first, *more = str(self).split("\n")
        name, said = html.escape(first).split(":", 1)
        return f"<p><b>{name}</b>:{said}</p>" + "".join(f"<p>{html.escape(line)}</p>" for line in more)


def read_files(folder: Path, files: tuple[str, ...]) -> dict[str, Term]:
    """The entries of Markdown files by name, in order; ``papers.md`` says what their sources stand for."""
    papers = dict(_PAPER.findall((folder / "papers.md").read_text(encoding="utf-8")))
    found: dict[str, Term] = {}
    for file in files:
        for line, term in read(file, (folder / file).read_text(encoding="utf-8"), papers):
            if term.name in found:
                raise ProseError(file, line, f"there is an entry {term.name!r} already")
            found[term.name] = term
    return found


def read(file: str, text: str, papers: Mapping[str, str]) -> Iterator[tuple[int, Term]]:
    """The entries of one file, each with the line that it begins on.

    Raises ProseError.

    ``file``: its name, for messages. ``text``: Markdown: a title, and for each entry a heading, a sentence, and if
    there are any a paragraph, a formula that is indented by four spaces, and a list of ``source``, ``see`` and
    ``also``, whose names are parted by semicolons. ``papers``: what stands for ``[NAME]`` in a source.
    """
    entry: dict[str, str] = {}
    start = 0
    for line, block in blocks(text):
        if block.startswith("## "):
            if entry:
                yield start, _term(file, start, entry)
            entry, start = {"name": block[3:]}, line
            continue
        if line == 1 and block.startswith("# "):
            continue
        if not entry:
            raise ProseError(file, line, "an entry begins with '## ' and its name")
        for at, field, value in _parts(file, line, block, entry):
            if field in entry:
                raise ProseError(file, at, f"{entry['name']!r} has two parts that are its {field}")
            entry[field] = _cited(file, at, value, papers) if field == "source" else value
    if entry:
        yield start, _term(file, start, entry)


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """What stands between empty lines, and on which line each begins."""
    for block in re.finditer(r"(?:^(?!\s*$).*\n?)+", text, re.MULTILINE):
        yield text.count("\n", 0, block.start()) + 1, block[0].rstrip()


def _parts(file: str, line: int, block: str, entry: Mapping[str, str]) -> Iterator[tuple[int, str, str]]:
    """The lines, fields and values of a block of an entry."""
    if block.startswith("    "):
        if "\n" in block:
            raise ProseError(file, line + 1, "a formula stands on one line")
        yield line, "formula", block.strip()
    elif block.startswith("- "):
        for item in re.finditer(r"^(?!  ).*(?:\n  .*)*", block, re.MULTILINE):
            at = line + block.count("\n", 0, item.start())
            key, _, value = " ".join(item[0].removeprefix("- ").split()).partition(": ")
            if not item[0].startswith("- ") or key not in _FACTS or not value:
                raise ProseError(file, at, f"expected one of {', '.join(_FACTS)}, and a colon: {item[0]!r}")
            yield at, _FACTS[key], value
    elif {"formula", *_FACTS.values()} & set(entry):
        raise ProseError(file, line, f"text of {entry['name']!r} stands before its formula and its list")
    else:
        yield line, "text" if "sentence" in entry else "sentence", " ".join(block.split())


def _cited(file: str, line: int, source: str, papers: Mapping[str, str]) -> str:
    """A source with its papers in full."""
    for name in _CITED.findall(source):
        if name not in papers:
            raise ProseError(file, line, f"papers.md does not know [{name}]")
        source = source.replace(f"[{name}]", papers[name])
    return source


def _term(file: str, line: int, entry: Mapping[str, str]) -> Term:
    if "\n" in entry["name"] or not entry["name"].strip() or "sentence" not in entry:
        raise ProseError(file, line, "an entry has a name, an empty line, and a sentence")
    names = {field: tuple(entry[field].split("; ")) for field in ("see", "aliases") if field in entry}
    return Term(**{**entry, **names})  # type: ignore[arg-type]
