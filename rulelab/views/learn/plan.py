"""What a walk is made of: steps with two sentences, something to look at, something to do, and a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...data.problem import Problem
from ...files import load_tables
from ...glossary.entries import ProseError
from ...snapshot import Incumbent, Snapshot
from ..live.state import State
from ..widgets.esc import esc
from ..widgets.explained import term_slug

_HEADED = re.compile(r"^#+ (.*)((?:\n(?!#).*)*)", re.MULTILINE)
_MARKED = re.compile(r"\[\[([^\]|]+)(?:\|([^\]]+))?\]\]")
_SEARCHES = Path(__file__).parent / "plans" / "searches.toml"
Figures = Mapping[str, str]


@dataclass(frozen=True)
class Section:
    """What stands under a heading."""

    file: str
    line: int  # that of the heading
    heading: str
    paragraphs: tuple[str, ...]  # each on one line

    def of(self, *names: str) -> tuple[str, ...]:
        """The paragraphs, one for each name; one that begins with ``**Name:**`` comes without it. ProseError."""
        begins = [f"**{name}:** " if name[0].isupper() else "" for name in names]
        if len(begins) != len(self.paragraphs) or not all(map(str.startswith, self.paragraphs, begins)):
            raise ProseError(self.file, self.line, f"{self.heading!r} needs the paragraphs {', '.join(names)}")
        return tuple(map(str.removeprefix, self.paragraphs, begins))


def sections(path: Path) -> Iterator[Section]:
    """The sections of a Markdown file, that of its title first."""
    text = path.read_text(encoding="utf-8")
    if not text.startswith("# "):
        raise ProseError(path.name, 1, "a file begins with '# ' and its title")
    for part in _HEADED.finditer(text):
        paragraphs = [" ".join(each.split()) for each in part[2].split("\n\n")]
        line = text.count("\n", 0, part.start()) + 1
        yield Section(path.name, line, part[1], tuple(filter(None, paragraphs)))


def as_html(text: str, family: str = "") -> str:
    """A text with a button for each word that is to be explained."""

    def button(match: re.Match[str]) -> str:
        words, term = match.group(1), match.group(2) or match.group(1)
        return f'<button type="button" class="word" data-term="{term_slug(term, family)}">{words}</button>'

    return _MARKED.sub(button, esc(text, 2000))


@dataclass(frozen=True)
class Run:
    """A search of a walk that has ended."""

    choice: str  # what was chosen before it, in words; empty where there was nothing to choose
    snapshot: Any  # Snapshot: its last state
    problem: Problem

    @property
    def best(self) -> Incumbent:
        best: Incumbent = self.snapshot.incumbent  # every search of a walk has a model from the start
        return best


@dataclass(frozen=True)
class Seen:
    """What has happened in a walk, for its steps to know whether something was done."""

    status: State = State.IDLE  # of the present run
    snapshot: Any = None  # Snapshot: the state of the present run; None before it begins, as is the problem
    before: int = 0  # work that had been done when the step began
    anew: bool = False  # whether the present run was begun since then
    ends: int = 0  # how many runs have ended since then
    moments: Sequence[Snapshot] = ()  # of the present run, while one of them is looked at
    at: int | None = None  # which of them; None: the run is looked at as it is
    problem: Any = None  # Problem
    runs: tuple[Run, ...] = ()  # all that have ended, the last of each choice

    @property
    def over(self) -> bool:
        """Whether the present run has ended."""
        return self.status.over

    @property
    def work(self) -> int:
        """Work done since the step began."""
        return self.snapshot.work - self.before if self.snapshot is not None else 0


Task = Callable[[Seen], bool]


@dataclass(frozen=True)
class Choice:
    """A parameter that a step lets one choose."""

    name: str  # of the family's parameter
    label: str
    values: Mapping[str, Any]  # by what they are called


@dataclass(frozen=True)
class Step:
    """One thing to see."""

    done: Task  # whether what is to do was done
    figures: Callable[[Seen], Figures] | None = None  # in the answer, of what has been seen once that was done
    chooses: bool = False  # whether the choice of the walk is offered
    text: str = ""  # two sentences. ``[[term]]`` and ``[[words|term]]`` are explained by the glossary
    look_at: str = ""  # the part of the view that is outlined, see `rulelab.views.search.view.SearchView.part`
    do: str = ""  # one thing to do
    question: str = ""
    answer: str = ""
    choices: tuple[str, ...] = ()  # answers to choose from, the right one first

    @property
    def offered(self) -> tuple[str, ...]:
        """The answers in an order that does not tell which one is right."""
        turn = len(self.question) % len(self.choices)
        return (*self.choices[turn:], *self.choices[:turn])


@dataclass(frozen=True)
class Plan:
    """A walk."""

    name: str  # such as "branch and bound"
    about: str  # a sentence
    family: str  # what is searched, and on which data set
    data: str
    parameters: Mapping[str, Any]  # of the family, where they are not the defaults
    speed: str  # one of `rulelab.views.search.view.SPEEDS`
    steps: tuple[Step, ...]
    choice: Choice | None = None  # a parameter that is tried with several values
    sensitive: str | None = None  # column of the groups of people, where they are compared
    # columns of the table of runs, beside those that all have
    figures: Mapping[str, Callable[[Run], str]] = field(default_factory=dict)


def plan(file: str, parts: Sequence[Step], **settings: Any) -> Plan:
    """The walk whose name, sentence and texts of steps are in a file of the folder ``plans``.

    `file`: its first heading is the name; that of a step is its number and what is outlined. The step itself is a text
    and paragraphs that begin with ``**Do:**``, ``**Question:**``, ``**Choices:**`` and ``**Answer:**``. `parts`: the
    steps without their texts. `**settings`: of `Plan`, beside those of `searches.toml`. May raise ProseError.
    """
    path = Path(__file__).parent / "plans" / file
    head, *told = sections(path)
    (about,) = head.of("sentence")
    steps = []
    for section, part in zip(told, parts, strict=True):
        text, do, question, choices, answer = section.of("text", "Do", "Question", "Choices", "Answer")
        at, offered = section.heading.partition(". ")[2], tuple(choices.split(" / "))
        steps.append(replace(part, text=text, look_at=at, do=do, question=question, answer=answer, choices=offered))
    read = dict(load_tables(_SEARCHES).get(head.heading, {}))
    if "choice" in read:
        read["choice"] = Choice(**read["choice"])
    return Plan(head.heading, about, steps=tuple(steps), **{**read, **settings})
