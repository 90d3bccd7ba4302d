"""What the browser sees of alternatives: the editor, a person, the builder; and good models, of which one is chosen."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import panel as pn
import param
from panel.custom import JSComponent

from ...assets import asset
from ...data.gaps import CRITERIA
from ...shown import percent
from ..fronts.points import criterion_name, criterion_words
from ..live.wording import count, filled, in_signs
from ..notebook import NotebookViewer
from ..search.plots.base import PlotBox
from ..widgets.esc import plain
from ..widgets.explained import WORD_CSS, term_classes, word
from ..widgets.fields import WIDE, button, column, download, row, select
from ..widgets.html import Html
from ..widgets.style import CARD_CSS, PANEL_CSS, STACK_CSS, sheet
from .good import Good
from .hand import Hand
from .offline import packed
from .plots import Dots, Matrix

_MOST, _MOST_LISTED = 15, 100
MOST_FOUND = 40
_CHARACTERS = 200
_AT_END = ("insert", "flip")  # what is done in the place after the last rule, too: that of the default
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


DIVERSE = 4
NO_MODEL = -1
GROUPS, FILTERS = ("attribute", "criterion"), ("uses", "without", "column", "rules")
_SELECTS = {
    "attribute": (150, "sensitive attribute"),
    "criterion": (260, "gap between groups"),
    **{name: (width, "") for name, width in zip(FILTERS, (200, 200, 150, 110), strict=True)},
}
"""Widths, and the terms of the glossary that the labels are."""
_NEAR = ":host { gap: 6px; }"


class Choosing(NotebookViewer):
    """Filters, pictures and tables of what was found; one model is the chosen one."""

    attribute: param.Selector[str] = param.Selector(default=ANY, objects={"(none)": ANY}, label="Groups by")
    criterion: param.Selector[str] = param.Selector(
        default="equal_opportunity",
        objects={criterion_words(name): name for name in CRITERIA},
        label="Gap between groups in",
    )
    uses: param.Selector[str] = param.Selector(default=ANY, objects={"(any)": ANY}, label="With the antecedent")
    without: param.Selector[str] = param.Selector(default=ANY, objects={"(none)": ANY}, label="Without the antecedent")
    column: param.Selector[str] = param.Selector(default=ANY, objects={"(any)": ANY}, label="Using the column")
    rules: param.Selector[int] = param.Selector(default=0, objects={"(any number)": 0}, label="Rules, at most")
    diverse = param.Boolean(default=False, doc="Whether only the models that differ most are shown.")
    model = param.Integer(default=NO_MODEL, bounds=(NO_MODEL, None), doc="Number of the chosen one; -1: none.")
    dark = param.Boolean(default=False, doc="Whether the page around is dark.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.found: Good | None = None  # what is shown
        # the models that pass the filters, best first, as indices into those of the result
        self.kept = np.zeros(0, dtype=np.int64)
        self._filling = False
        self._build_overview()
        self._restyle()

    @property
    def gaps(self) -> np.ndarray | None:
        """The gap between groups for every model, in per cent; None without groups."""
        if self.found is None or not self.attribute:
            return None
        return self.found.gaps(self.attribute, self.criterion)

    def choose(self, k: int) -> None:
        """Let one of the models be the chosen one."""
        if self.found is not None and 0 <= k < self.found.result.count:
            self.model = k

    def choose_diverse(self, *_: Any) -> None:
        """Show the models that differ most in what they predict, or all again."""
        self.diverse = not self.diverse

    def models_csv(self) -> io.StringIO:
        """One row per model that passes the filters."""
        assert self.found is not None
        frame = self.found.frame.iloc[self.kept].copy()
        frame.insert(0, "model", self.kept + 1)
        if self.gaps is not None:
            frame[f"gap in {criterion_name(self.criterion)} by {self.attribute} (%)"] = self.gaps[self.kept]
        frame["antecedents"] = frame["antecedents"].map("; ".join)
        return io.StringIO(frame.to_csv(index=False))

    def antecedents_csv(self) -> io.StringIO:
        assert self.found is not None
        return io.StringIO(self.found.reliance.to_csv(index=False))

    def _take_overview(self, found: Good) -> None:
        """Show what was found, without filters but those that still can be."""
        self.found = found
        names = {plain(row.name, 60): row.name for row in found.reliance.itertuples(index=False)}
        most = int(found.frame["rules"].max()) if len(found.frame) else 0
        columns = {plain(name, 60): name for name in found.columns}
        self._filling = True
        try:
            self._offer("attribute", {"(none)": ANY, **{name: name for name in found.prepared.attributes}})
            self._offer("uses", {"(any)": ANY, **names})
            self._offer("without", {"(none)": ANY, **names})
            self._offer("column", {"(any)": ANY, **columns})
            self._selects["uses"].label = f"With the {found.part}"
            self._selects["without"].label = f"Without the {found.part}"
            self._offer("rules", {"(any number)": 0, **{f"{k}": k for k in range(most + 1) if k}})
            self.param.update(diverse=False, model=NO_MODEL)
        finally:
            self._filling = False
        self._selects["attribute"].visible = bool(found.prepared.attributes)
        self._filters.visible = found.result.count > 1
        self._diverse.visible = found.result.count > DIVERSE
        self._antecedents.object = f"<h2>{found.part.capitalize()}s of the good models</h2>{antecedents(found)}"
        self._parts.label = f"{found.part.capitalize()}s (CSV)"
        self._draw()

    def _offer(self, name: str, options: dict[str, Any]) -> None:
        """What can be chosen; what was chosen stays, where it still can be."""
        value = getattr(self, name)
        self.param[name].objects = self._selects[name].options = options
        if value not in options.values():
            setattr(self, name, next(iter(options.values())))

    @param.depends("attribute", "criterion", "uses", "without", "column", "rules", "diverse", watch=True)
    def _draw(self) -> None:
        """Filter, and show what is left."""
        found = self.found
        if self._filling or found is None:
            return
        with pn.io.hold():
            self.kept = self._filtered(found)
            self._selects["criterion"].visible = bool(self.attribute)
            self._diverse.label = "All models" if self.diverse else "Diverse four"
            self._said.object = f'<p class="note">{count(len(self.kept))} of {count(found.result.count)} models</p>'
            self._list.fill(found, self.kept.tolist(), self.gaps, self.model)
            self._show_chosen_in_pictures()

    def _show_chosen_in_pictures(self) -> None:
        found, chosen = self.found, None if self.model == NO_MODEL else self.model
        if found is None:
            return
        self._list.chosen = self.model
        axis = f"{criterion_name(self.criterion)} by {self.attribute}"
        self._dots.draw(found, self.kept, self.gaps, axis, chosen)
        self._matrix.draw(found, self.kept, chosen)
        for box in self.boxes:
            box.refresh()

    def _filtered(self, found: Good) -> np.ndarray:
        """The models that pass the filters, best first."""
        members = found.members
        keep = np.ones(len(members), dtype=bool)
        for wanted, name in ((True, self.uses), (False, self.without)):
            if name:
                same = {j for j, known in enumerate(found.names) if known == name}
                keep &= np.array([same.isdisjoint(each) != wanted for each in members], dtype=bool)
        if self.column:
            looking = found.columns[self.column]
            keep &= np.array([not looking.isdisjoint(each) for each in members], dtype=bool)
        if self.rules:
            keep &= np.array([len(each) <= self.rules for each in members], dtype=bool)
        if self.diverse:
            keep &= np.isin(np.arange(len(keep)), found.result.diverse(DIVERSE))
        return np.flatnonzero(keep)

    def _asked(self, wanted: dict[str, Any]) -> None:
        if type(wanted.get("at")) is int:
            self.choose(wanted["at"])

    @param.depends("dark", watch=True)
    def _restyle(self) -> None:
        for plot in (self._dots, self._matrix):
            plot.use_dark(self.dark)

    def _build_overview(self) -> None:
        self._dots, self._matrix = Dots(self.choose), Matrix(self.choose)
        self.boxes = [PlotBox(plot, self._file_name) for plot in (self._dots, self._matrix)]
        self._selects = {
            name: select(self.param[name], width, css_classes=term_classes(term) if term else [])
            for name, (width, term) in _SELECTS.items()
        }
        beside: dict[str, Any] = {"height": 38, "align": "end"}  # in a line with lists
        terms = term_classes("diverse four")
        self._diverse = button("Diverse four", self.choose_diverse, 130, css_classes=terms, **beside)
        models = download("Models (CSV)", "good_models.csv", self.models_csv, small=True)
        self._parts = download("Antecedents (CSV)", "good_antecedents.csv", self.antecedents_csv, width=150, small=True)
        self._said = Html("", stylesheets=[CARD_CSS], **WIDE)
        self._list = GoodList(self._asked, **WIDE)
        self._antecedents = Html("", stylesheets=[CARD_CSS, PANEL_CSS, TABLE_CSS], **WIDE)
        dots, matrix = (column(*box.items, sheets=[PANEL_CSS]) for box in self.boxes)
        self._filters = row(*(self._selects[name] for name in FILTERS))
        self._exports = row(models)
        lines = column(self._said, self._list, self._filters, self._exports, sheets=[PANEL_CSS, _NEAR])
        groups = row(*(self._selects[name] for name in GROUPS), self._diverse)
        self._overview = spaced(groups, dots, lines)
        self._made_of = spaced(matrix, self._antecedents, row(self._parts))

    def _file_name(self) -> str:
        return "good_models" if self.found is None else f"{self.found.prepared.name}_good_models"
