"""Boxes, and the parts of the page that are made in the browser and ask for something; what the editor asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import panel as pn
import param
from panel.custom import JSComponent

from ...assets import asset
from ...shown import percent
from ..cards.templates import filled
from ..live.wording import count, in_signs
from ..widgets.esc import plain
from ..widgets.explained import WORD_CSS, word
from ..widgets.fields import WIDE, column
from ..widgets.html import Html
from ..widgets.style import CARD_CSS, PANEL_CSS, STACK_CSS, sheet
from .good import Good
from .hand import Hand
from .offline import packed

_MOST, _MOST_LISTED = 15, 100
MOST_FOUND = 40
_CHARACTERS = 200
_AT_END = ("insert", "flip")
"""What is done in the place after the last rule, too: that of the default."""
JOINED = {"dnf": "any of", "cnf": "all of"}
TABLE_CSS = sheet("models.css")
ANY = ""


def spaced(*items: Any, **more: Any) -> pn.Column:
    """Boxes below each other."""
    return column(*items, sheets=[STACK_CSS, ":host { gap: 10px; align-content: start; }"], **more)


def pane(*sheets: str, **more: Any) -> Html:
    return Html("", stylesheets=[*(sheets or (CARD_CSS,)), sheet("what_if_words.css"), WORD_CSS], **{**WIDE, **more})


def panel(heading: str, term: str, *items: Any, **more: Any) -> pn.Column:
    """A box with a heading that can be asked about."""
    head = Html(f"<h2>{word(heading, term)}</h2>", stylesheets=[CARD_CSS, WORD_CSS], **WIDE)
    return column(head, *items, sheets=[PANEL_CSS], **more)


class Asking(JSComponent):
    """Hands what the browser asks for to the view; `act` takes what is wanted: a mapping with the entry ``do``."""

    __abstract = True

    def __init__(self, act: Callable[[dict[str, Any]], None], **params: Any) -> None:
        super().__init__(**params)
        self._act = act

    def _handle_msg(self, data: Any) -> None:
        if isinstance(data, dict):
            self._act(data)


class Editor(Asking):
    """Rules in order with what each captures, to drag, move, flip and delete, and antecedents to put in."""

    rules = param.List(default=[], doc="Of each rule, and at last of the default, what is shown.")
    family = param.String(default="rule_list", doc="Of the model.")
    target = param.String(default="", doc="What is predicted.")
    found = param.Dict(default={}, doc="Antecedents that were searched for: text, items, note.")
    said = param.String(default="", doc="For screen readers: what has changed.")

    _esm = asset("editor.js")
    _stylesheets = [sheet("editor.css")]


class PersonForm(Asking):
    """A row per column that the rules test: its value, and whether it may be changed."""

    fields = param.List(default=[], doc="Of each column its name, value, options (None: a number), and ticked.")

    _esm = asset("person_form.js")
    _stylesheets = [sheet("person_form.css")]


class GoodList(Asking):
    """A line per model, the best first: what it is worth, and its rules."""

    heads = param.List(default=[], doc="Over the columns.")
    rows = param.List(default=[], doc="Of each model its number and its cells.")
    chosen = param.Integer(default=-1, doc="The number of the one that is chosen.")

    _esm = asset("dom.js", "good_list.js")
    _stylesheets = [sheet("models.css", "good_list.css")]

    def fill(self, found: Good, listed: Sequence[int], gaps: np.ndarray | None, chosen: int) -> None:
        """Show the first of some models."""
        frame, rows = found.frame, []
        for k in listed[:_MOST_LISTED]:
            row = frame.iloc[k]
            gap = [] if gaps is None else ["–" if np.isnan(gaps[k]) else percent(gaps[k] / 100)]
            rules = plain("; ".join(row["antecedents"]) or "no rule", 300)
            cells = [f"{row['accuracy']:.2f}", f"{row['rules']}", *gap, f"{row['above']:.3f}", count(int(row["lists"]))]
            rows.append([int(k), *cells, rules])
        gap = [] if gaps is None else ["gap, %"]
        joined = "if … else if …" if found.graph is not None else JOINED[found.result.form]
        heads = ["model", "accuracy, %", "rules", *gap, "above, %", found.ways, joined]
        self.param.update(heads=heads, rows=rows, chosen=chosen)


class Builder(JSComponent):
    """What can come next at every place, with what remains; all of it is counted in the browser."""

    ready = param.Boolean(default=False, doc="Whether the browser shows what was found.")
    said = param.Dict(default={}, doc="See `packed`; empty: nothing is found yet.")

    _esm = asset("dom.js", "prefix_graph.js", "builder.js", "builder_on_the_page.js")
    _stylesheets = [sheet("builder.css")]

    def __init__(self, on_end: Callable[[tuple[int, ...]], None], **params: Any) -> None:
        super().__init__(**params)
        self._on_end = on_end  # takes the antecedents of a list that has been ended
        self._found: Good | None = None

    def begin(self, found: Good) -> None:
        """Show the lists that were found, from the empty one on."""
        assert found.graph is not None
        self._found, self.ready = found, False
        self.said = packed(found.result, found.graph, found.labels)

    def take(self, rules: Any) -> None:
        """Hear from the browser that a list has been ended."""
        graph = None if self._found is None else self._found.graph
        if graph is None or not isinstance(rules, list):
            return
        node = graph.node(rules) if all(type(rule) is int for rule in rules) else -1
        if node >= 0 and graph.model[node] >= 0:
            self._on_end(tuple(rules))

    def _handle_msg(self, data: Any) -> None:
        if isinstance(data, dict) and data.get("ready") is True:
            self.ready = True
        elif isinstance(data, dict):
            self.take(data.get("rules"))


def antecedents(found: Good) -> str:
    """What each antecedent means to all good models: in how many it is, and how much it decides; HTML."""
    return filled(
        "parts.html",
        rows=list(found.reliance.itertuples()),
        part=found.part,
        ways=found.ways,
        verb="decides" if found.ways == "lists" else "covers",
        n=found.result.count,
        MOST=_MOST,
    )


def matching(hand: Hand, text: Any) -> dict[str, Any]:
    """The antecedents that have all of some words, as the page or code writes them: ``text``, ``items``, ``note``."""
    text = str(text)[:_CHARACTERS]
    words, names = text.lower().split(), [plain(in_signs(name), _CHARACTERS) for name in hand.problem.names]
    both = (f"{name} {shown}".lower() for name, shown in zip(hand.problem.names, names, strict=True))
    found = [j for j, each in enumerate(both) if all(word in each for word in words)]
    more = len(found) - MOST_FOUND
    note = "no antecedent has these words" if not found else f"and {more} more: type more of it" if more > 0 else ""
    return {"text": text, "items": [[j, names[j]] for j in found[:MOST_FOUND]], "note": note}


def perform(hand: Hand, wanted: dict[str, Any]) -> str:
    """Do what is asked for, where it makes sense; what was done, in words. ValueError when the model cannot be so."""
    doing, at, to, antecedent = (wanted.get(name) for name in ("do", "at", "to", "antecedent"))
    edited, n = hand.edited, len(hand.edited)
    if not isinstance(doing, str) or type(at) is not int or not 0 <= at <= n or (at == n and doing not in _AT_END):
        return ""
    if doing == "insert":
        if type(antecedent) is not int or not 0 <= antecedent < hand.problem.n_antecedents:
            return ""
        hand.take(hand.bench.insert(edited, at, antecedent))
        return f"rule {at + 1} is put in" if len(hand.edited) > n else f"rule {at + 1} has it now"
    if doing == "move" and (type(to) is not int or not 0 <= to < n):
        return ""
    said = {
        "move": f"rule {at + 1} is now rule {to + 1}" if type(to) is int else "",
        "delete": f"rule {at + 1} is deleted",
        "flip": "the label is flipped",
        "remove": f"a condition of rule {at + 1} is taken out",
    }
    other: Any = antecedent if doing == "remove" else to
    try:
        hand.take(hand.bench.edit(edited, doing, at, other))
    except LookupError:
        return ""
    return said[doing]
