"""One person before the models: entered values, or a row of the data, and what is said of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import panel as pn
import param

from ...data.conditions import Condition, as_text, column_name
from ...datasets import Dataset
from ...models import DecisionList, Model, ModelError, RuleSet
from ...what_if import Values, decide, flip_in_all
from ...what_if.person import columns_of
from ..live.prepared import Prepared
from ..widgets.esc import plain
from ..widgets.explained import explain_all
from ..widgets.fields import WIDE, LayoutViewer, alert
from ..widgets.style import NUMBER_CSS
from . import wording
from .good import Good
from .hand import Hand, edited_of
from .panels import pane, panel
from .parts import PersonForm

_MISSING = "(missing)"
_MOST_OPTIONS = 300


class Person:
    """Values by column, which stay when the list comes to test others."""

    def __init__(self, data: Dataset | None = None) -> None:
        self.cells: dict[str, Any] = {}  # what was entered or taken from a row; None where it is missing
        self.ticked: set[str] = set()  # columns that may be changed
        self.data = data
        self._values: dict[tuple[str, tuple[Condition, ...]], Values] = {}
        self._columns = {} if data is None else {column_name(label): label for label in data.X.columns}

    @property
    def n_rows(self) -> int:
        """How many rows there are to choose from."""
        return 0 if self.data is None else len(self.data.X)

    def take_row(self, row: int) -> None:
        """Take all values of a row of the data, counted from 1."""
        if self.data is not None and 1 <= row <= self.n_rows:
            cells = self.data.X.iloc[row - 1]
            self.cells = {
                name: None if pd.isna(cells[label]) else cells[label] for name, label in self._columns.items()
            }

    def fields(self, model: DecisionList | RuleSet) -> list[dict[str, Any]]:
        """What the form shows: the columns that the rules test."""
        out = []
        for name, conditions in columns_of(model).items():
            values, cell = self.values(name, conditions), self.cell(name, conditions)
            options = None
            if values.numbers is None:
                known = [(shown, wording.shown(shown)) for shown in values.choices[:_MOST_OPTIONS]]
                if cell is not None and cell not in values.choices[:_MOST_OPTIONS]:
                    known.append((cell, wording.shown(cell)))
                options = [["", _MISSING], *([plain(value, 200), text] for value, text in known)]
            value = "" if cell is None else plain(f"{cell:.12g}" if isinstance(cell, float) else cell, 200)
            out.append({"name": plain(name, 120), "value": value, "options": options, "ticked": name in self.ticked})
        return out

    def values(self, name: str, conditions: tuple[Condition, ...]) -> Values:
        """What the cells of a column may be."""
        if (name, conditions) not in self._values:
            column = self.data.X[self._columns[name]] if self.data is not None and name in self._columns else None
            self._values[name, conditions] = Values.of(column, conditions)
        return self._values[name, conditions]

    def cell(self, name: str, conditions: tuple[Condition, ...]) -> Any:
        """The value of a column, of the kind that its conditions compare; at first that of row 1, or the first one."""
        values = self.values(name, conditions)
        if name not in self.cells:
            if self.data is not None and name in self._columns:
                first = self.data.X[self._columns[name]].iloc[0]
                self.cells[name] = None if pd.isna(first) else first
            else:
                some = values.choices[-1:] if values.numbers is None else values.numbers[:1].tolist()
                self.cells[name] = some[0] if some else None
        cell = self.cells[name]
        if cell is None:
            return None
        if values.numbers is not None:
            return float(cell)
        if values.choices == (True, False):
            return bool(cell)
        return str(as_text(pd.Series([cell], dtype=object)).iloc[0])

    def enter(self, model: DecisionList | RuleSet, at: Any, text: Any) -> None:
        """Take a value from the form; ValueError when it is no value of this column."""
        columns = columns_of(model)
        if type(at) is not int or not 0 <= at < len(columns) or not isinstance(text, str):
            return
        name = list(columns)[at]
        values = self.values(name, columns[name])
        if text == "":
            self.cells[name] = None
        elif values.numbers is not None:
            try:
                number = float(text)
            except ValueError:
                number = math.nan
            if not math.isfinite(number):
                raise ValueError(f"{plain(name, 80)}: {plain(text, 40)} is no number")
            self.cells[name] = number
        else:
            by_text = {plain(value, 200): value for value in values.choices}
            self.cells[name] = by_text.get(text, self.cells.get(name))

    def tick(self, model: DecisionList | RuleSet, at: Any, on: Any) -> None:
        """Say whether a column may be changed."""
        columns = list(columns_of(model))
        if type(at) is int and 0 <= at < len(columns):
            (self.ticked.add if on is True else self.ticked.discard)(columns[at])

    def votes(self, good: Good) -> str:
        """What each of the good models says of the person; HTML, empty where their columns are not known."""
        problem = good.result.problem
        if self.data is None or problem.conditions is None:
            return ""
        columns: dict[str, dict[Condition, bool]] = {}
        for condition in (each for conditions in problem.conditions for each in conditions):
            columns.setdefault(condition.column, {})[condition] = False
        for name, held in columns.items():
            cell = pd.Series([self.cell(name, tuple(held))], dtype=object)
            held.update({condition: bool(condition.evaluate(cell)[0]) for condition in held})
        row = np.array([[all(columns[c.column][c] for c in conditions) for conditions in problem.conditions]])
        return wording.votes(good, sum(bool(model.predicts_positive(row)[0]) for model in good.asked))

    def flip_in_all(self, good: Good, hand: Hand, model: DecisionList | RuleSet) -> str:
        """What would flip the decision in every good model; HTML, empty where no column may be changed."""
        ticked = [name for name in columns_of(model) if name in self.ticked]
        if not ticked or self.data is None or good.result.problem.conditions is None or len(good.asked) < 2:
            return ""
        models = [model, *good.asked]
        tested = columns_of(*models)
        person = {name: self.cell(name, conditions) for name, conditions in tested.items()}
        values = {name: self.values(name, tested[name]) for name in ticked}
        try:
            return wording.flipped_in_all(good, hand, person, ticked, flip_in_all(models, person, ticked, values))
        except ModelError as error:
            return f'<p class="note">{wording.esc(error, 300)}</p>'

    def said(self, hand: Hand, model: DecisionList | RuleSet) -> str:
        """Which rule decides, and what would flip the decision; HTML."""
        tested = columns_of(model)
        if not tested:
            return '<p class="note">There is no rule: the same is said of everybody.</p>'
        person = {name: self.cell(name, conditions) for name, conditions in tested.items()}
        ticked = [name for name in tested if name in self.ticked]
        values = {name: self.values(name, tested[name]) for name in ticked}
        html = wording.decided(hand, model, person, decide(model, person))
        try:
            flip = flip_in_all([model], person, ticked, values)
        except ModelError as error:
            return f'{html}<p class="note">{wording.esc(error, 300)}</p>'
        return html + wording.flipped(hand, model, person, ticked, flip)


class PersonPanel(LayoutViewer):
    """One person before the list: which rule decides, and the nearest change that flips the decision."""

    row = param.Integer(default=1, bounds=(1, None), label="Row of the data")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.good: Good | None = None
        self._hand: Hand | None = None
        self._person = Person()
        self._alert = alert("Error of the person")
        self._row = pn.widgets.IntInput.from_param(
            self.param.row, start=1, width=150, margin=0, stylesheets=[NUMBER_CSS]
        )
        self.form = PersonForm(self.enter, **WIDE)
        self.said = pane()
        self._layout = panel("One person", "nearest change", self._alert, self._row, self.form, self.said)

    def begin(self, hand: Hand) -> None:
        """Take the rows of other data."""
        if self._person.data is not hand.prepared.data or self._person.data is None:
            self._person = Person(hand.prepared.data)
            self._person.take_row(self.row)
        rows = self._person.n_rows
        self._row.visible = bool(rows)
        self.param["row"].bounds = (1, rows or None)
        self._row.end = rows or None
        self.row = min(self.row, rows or 1)

    def follow(self, hand: Hand) -> None:
        """Say what the list says."""
        self._hand = hand
        model = hand.model
        fields, said = self._person.fields(model), self._person.said(hand, model)
        if self.good is not None:
            said = self._person.votes(self.good) + said + self._person.flip_in_all(self.good, hand, model)
        if fields != self.form.fields:
            self.form.fields = fields
        self.said.object = said

    def enter(self, wanted: dict[str, Any]) -> None:
        """Do what the form asks for; what makes no sense is left alone."""
        hand = self._hand
        if hand is None:
            return
        self._alert.phase = ""
        try:
            if wanted.get("do") == "set":
                self._person.enter(hand.model, wanted.get("at"), wanted.get("value"))
            elif wanted.get("do") == "tick":
                self._person.tick(hand.model, wanted.get("at"), wanted.get("on"))
        except ValueError as error:
            self._alert.phase = plain(error, 200)
        self.follow(hand)

    @param.depends("row", watch=True)
    def _take_row(self) -> None:
        if self._hand is not None:
            self._person.take_row(self.row)
            self.follow(self._hand)


def one_person(prepared: Prepared, model: Model) -> Any:
    """The panel for a model of a search that has ended."""
    hand, shown = Hand(prepared, edited_of(prepared.search, model)), PersonPanel()
    shown.begin(hand)
    shown.follow(hand)
    return explain_all(shown.__panel__())
