"""A term: what it means in a sentence, more of it, its formula, and who has proven it; and the files that say it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_PAPER = re.compile(r"^\[([A-Z]+)\]: (.+)$", re.MULTILINE)
_CITED = re.compile(r"\[([A-Z]+)\]")
_HEADED = re.compile(r"^## (.*(?:\n(?!## ).*)*)", re.MULTILINE)
_ENTRY = re.compile(
    r"(?P<name>\S.*)\n"
    r"\n(?P<sentence>(?:[^\s-].*\n)+)"
    r"(?:\n(?P<text>(?:[^\s-].*\n)+))?"
    r"(?:\n    (?P<formula>\S.*)\n)?"
    r"(?:\n(?P<facts>(?:- (?:source|see|also): .*\n(?:  .*\n)*)+))?"
)
_FACT = re.compile(r"^- (\w+): (.*(?:\n  .*)*)", re.MULTILINE)
_SHAPE = (
    "an entry is '## ' and its name, a sentence, and if there are any a text, a formula that is indented by four "
    "spaces, and a list of source, see and also; an empty line parts them"
)


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
    """The entries of one file, each with the line that it begins on; raises ProseError.

    ``file``: its name, for messages. ``text``: Markdown: a title and entries; names in their lists are parted by
    semicolons. ``papers``: what stands for ``[NAME]`` in a source.
    """
    if not re.fullmatch(r"(# .*)?\s*", _HEADED.sub("", text)):
        raise ProseError(file, 1, _SHAPE)
    for part in _HEADED.finditer(text):
        line = text.count("\n", 0, part.start()) + 1
        entry = _ENTRY.fullmatch(f"{part[1].rstrip()}\n")
        facts = [] if entry is None else _FACT.findall(entry["facts"] or "")
        if entry is None or len(dict(facts)) < len(facts):
            raise ProseError(file, line, _SHAPE)
        said = {name: " ".join((words or "").split()) for name, words in (entry.groupdict() | dict(facts)).items()}
        if unknown := set(_CITED.findall(said.get("source", ""))) - papers.keys():
            raise ProseError(file, line, f"papers.md does not know {', '.join(sorted(unknown))}")
        source = _CITED.sub(lambda cited: papers[cited[1]], said.get("source", ""))
        see, also = (tuple(filter(None, said.get(name, "").split("; "))) for name in ("see", "also"))
        yield (
            line,
            Term(said["name"], said["sentence"], said["text"], (entry["formula"] or "").strip(), source, see, also),
        )
