"""The first walk: twelve people, four facts, and all lists there are; questions are answered, and marked at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import param
from panel.custom import JSComponent

from ...assets import asset, texts
from ...certificate import verify
from ...data.problem import Problem
from ...rule_list import RuleListSearch
from ...stepping import solve
from ..live.ticker import Work, Working
from ..widgets.style import sheet
from .plan import as_html, sections

NAME = "twelve people"
_TWELVE = texts("twelve people")
FACTS = tuple(_TWELVE["facts"])
PEOPLE = tuple(map(tuple, _TWELVE["people"]))  # which facts hold of each, and what each has done
PRICE = 0.5  # of a rule, in errors
_ASKED = ("cost", "bound", "cost", "bound", "lists", "first", "better")
"""What is asked in each step: a figure of its prefix, the first rule that is worth following, or a better list."""

_HEAD, *_SECTIONS = sections(Path(__file__).parent / "plans" / "twelve_people.md")

_HOLD = np.array([[each == "1" for each in row] for row, _ in PEOPLE])  # shape (n_people, n_facts)
_DEFAULTS = np.array([end == "defaults" for _, end in PEOPLE])


def problem() -> Problem:
    """The twelve as a problem; those who default are the positive ones."""
    return Problem.from_arrays(pd.DataFrame(_HOLD, columns=list(FACTS)), _DEFAULTS)


def prefixes() -> dict[str, dict[str, Any]]:
    """All beginnings of lists, each by its facts between commas, and what is known of it, in errors.

    "caught" holds the places of those whom its rules catch; "wrong" counts the errors of its rules, "price" is that of
    the rules, "alike" the errors among those left who look alike and end differently, and "bound" their sum. "cost" is
    that of the list which ends here, and "lists" counts those that begin so. "rules" and "default" say what is
    predicted.
    """
    ends, looks = _DEFAULTS, np.array([row for row, _ in PEOPLE])
    found = {}
    for chosen in (each for length in range(len(FACTS) + 1) for each in permutations(range(len(FACTS)), length)):
        left, wrong, rules = np.ones(len(PEOPLE), dtype=bool), 0, []
        for fact in chosen:
            hit = left & _HOLD[:, fact]
            rules.append(_most(ends[hit]))
            wrong += _fewer(ends[hit])
            left &= ~hit
        alike = sum(_fewer(ends[left & (looks == look)]) for look in np.unique(looks))
        price, free = PRICE * len(chosen), len(FACTS) - len(chosen)
        found[",".join(FACTS[fact] for fact in chosen)] = {
            "caught": np.flatnonzero(~left).tolist(),
            "rules": rules,
            "default": _most(ends[left]),
            "wrong": wrong,
            "price": price,
            "alike": alike,
            "bound": wrong + price + alike,
            "cost": wrong + price + _fewer(ends[left]),
            "lists": sum(1 for length in range(free + 1) for _ in permutations(range(free), length)),
        }
    return found


def _most(ends: np.ndarray) -> str:
    """What most do; that they pay where it is a tie."""
    return "defaults" if 2 * int(ends.sum()) > len(ends) else "pays"


def _fewer(ends: np.ndarray) -> int:
    """How many do what fewer do."""
    return min(int(ends.sum()), int((~ends).sum()))


def checked() -> str:
    """Search for the best list, prove it and check the proof: what the checker says, in errors."""
    twelve = problem()
    search = RuleListSearch(twelve, regularization=PRICE / len(PEOPLE))
    done = solve(search)
    assert done.incumbent is not None
    found = verify(twelve, done.incumbent.model, search.certificate())
    assert found.valid
    return f"{found.state}: no list of these facts costs less than {len(PEOPLE) * done.incumbent.objective:g}"


def _steps() -> Iterator[dict[str, Any]]:
    for section, asked in zip(_SECTIONS, _ASKED, strict=True):
        text, question, answer = section.of("text", "Question", "Answer")
        prefix = section.heading.partition(". ")[2].replace(", ", ",")
        yield {
            "prefix": prefix if asked in ("cost", "bound", "lists") and prefix != "nothing" else "",
            "asked": asked,
            "text": as_html(text, "rule_list"),
            "question": question,
            "answer": as_html(answer, "rule_list"),
        }


(ABOUT,) = _HEAD.of("sentence")
STEPS = tuple(_steps())


class TwelvePeople(Working, JSComponent):
    """The walk: who they are, what is asked, and the tree of prefixes as far as it is known."""

    facts = param.List(default=list(FACTS))
    people = param.List(default=[list(each) for each in PEOPLE])
    prefixes = param.Dict(default={})
    steps = param.List(default=[])
    step = param.Integer(default=1, bounds=(1, len(STEPS)))  # the step that is shown, from 1
    done: param.List[list[int]] = param.List(default=[], item_type=int)  # the steps that have been answered rightly
    first: param.List[list[int]] = param.List(default=[], item_type=int)  # those that were answered rightly at once
    verdict = param.String(default="")  # what the checker says, once it was asked
    left = param.Integer(default=0)  # how often one has gone on after the last step

    _esm = asset("dom.js", "twelve.js")
    _stylesheets = [sheet("walk_text.css", "twelve.css")]

    def __init__(self, **params: Any) -> None:
        super().__init__(prefixes=prefixes(), steps=list(STEPS), **params)
        self._work = Work(lambda doing: self.param.update(verdict=doing))

    def _handle_msg(self, data: Any) -> None:
        """The proof is to be checked: that is all that a browser asks for."""
        if not self._work.busy:
            self._work.begin(lambda _: checked(), lambda job: self.param.update(verdict=str(job.result or job.error)))
