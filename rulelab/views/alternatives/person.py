"""People before the models: one, by entered values or a row of the data, and groups of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import panel as pn
import param

from ...data.conditions import Condition, as_text, column_name
from ...data.gaps import largest_difference
from ...data.metrics import rates_table
from ...datasets import Dataset
from ...models import Model, ModelError
from ...what_if import Values, decide, flip_in_all
from ...what_if.person import columns_of
from ..cards import html as card_html
from ..live.prepared import Prepared
from ..widgets.esc import plain
from ..widgets.explained import explain_all
from ..widgets.fields import WIDE, LayoutViewer, alert, select
from ..widgets.style import MODEL_CSS, NUMBER_CSS
from . import wording
from .good import Good
from .hand import Hand, edited_of
from .parts import ANY, PersonForm, pane, panel

_MISSING = "(missing)"
_MOST_OPTIONS = 300


class PersonPanel(LayoutViewer):
    """One person before the list: which rule decides, and the nearest change that flips the decision."""

    row = param.Integer(default=1, bounds=(1, None), label="Row of the data")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.good: Good | None = None
        self._hand: Hand | None = None
        self._take_data(None)
        self._alert = alert("Error of the person")
        # without ends, beyond which a browser would leave the number as it was and say nothing
        self._row = pn.widgets.IntInput(
            label=self.param.row.label, value=1, width=150, margin=0, stylesheets=[NUMBER_CSS]
        )
        self._row.param.watch(self._choose_row, "value")
        self.form = PersonForm(self.enter, **WIDE)
        self.said = pane()
        self._layout = panel("One person", "nearest change", self._row, self._alert, self.form, self.said)

    def begin(self, hand: Hand) -> None:
        """Take the rows of other data."""
        data = hand.prepared.data
        if self._data is not data or data is None:
            self._take_data(data)
            self._take_cells()
        rows = 0 if data is None else len(data.X)
        self._row.visible = bool(rows)
        self.param["row"].bounds = (1, rows or None)
        self._row.value = self.row = min(self.row, rows or 1)

    def follow(self, hand: Hand) -> None:
        """Say what the list says."""
        self._hand = hand
        model, good = hand.model, self.good
        tested = columns_of(model)
        fields = [self._field(name, conditions) for name, conditions in tested.items()]
        if not tested:
            said = '<p class="note">There is no rule: the same is said of everybody.</p>'
        else:
            person = {name: self._cell(name, conditions) for name, conditions in tested.items()}
            said = wording.decided(hand, model, person, decide(model, person)) + self._flipped(hand, [model])
        if good is not None and self._data is not None and good.result.problem.conditions is not None:
            said = self._votes(good) + said
            if len(good.asked) > 1 and self._ticked & tested.keys():
                said += self._flipped(hand, [model, *good.asked], good)
        if fields != self.form.fields:
            self.form.fields = fields
        self.said.object = said

    def enter(self, wanted: dict[str, Any]) -> None:
        """Do what the form asks for; what makes no sense is left alone."""
        hand, at = self._hand, wanted.get("at")
        if hand is None:
            return
        self._alert.phase = ""
        columns = list(columns_of(hand.model).items())
        if type(at) is int and 0 <= at < len(columns):
            name, conditions = columns[at]
            try:
                if wanted.get("do") == "set":
                    self._set(name, conditions, wanted.get("value"))
                elif wanted.get("do") == "tick":
                    (self._ticked.add if wanted.get("on") is True else self._ticked.discard)(name)
            except ValueError as error:
                self._alert.phase = plain(error, 200)
        self.follow(hand)

    def _choose_row(self, event: param.parameterized.Event) -> None:
        """Take a row by its number, where there is one."""
        rows = self.param["row"].bounds[1] or 1
        there = event.new is not None and 1 <= event.new <= rows
        self._alert.phase = "" if there else f"there are rows 1 to {rows}"
        if there:
            self.row = event.new

    @param.depends("row", watch=True)
    def _take_row(self) -> None:
        self._row.value = self.row
        if self._hand is not None:
            self._take_cells()
            self.follow(self._hand)

    def _take_data(self, data: Dataset | None) -> None:
        self._data = data
        self._labels = {} if data is None else {column_name(label): label for label in data.X.columns}
        self._cells: dict[str, Any] = {}  # entered or taken from a row, also of columns not tested now; None: missing
        self._ticked: set[str] = set()  # columns that may be changed
        self._known: dict[tuple[str, tuple[Condition, ...]], Values] = {}

    def _take_cells(self) -> None:
        """Take all values of the row of the data."""
        if self._data is not None and self.row <= len(self._data.X):
            cells = self._data.X.iloc[self.row - 1]
            self._cells = {name: None if pd.isna(cells[of]) else cells[of] for name, of in self._labels.items()}

    def _set(self, name: str, conditions: tuple[Condition, ...], text: Any) -> None:
        """Take a value from the form; ValueError when it is no value of this column."""
        values = self._values(name, conditions)
        if not isinstance(text, str):
            return
        if text == "":
            self._cells[name] = None
        elif values.numbers is not None:
            try:
                number = float(text)
            except ValueError:
                number = math.nan
            if not math.isfinite(number):
                raise ValueError(f"{plain(name, 80)}: {plain(text, 40)} is no number")
            self._cells[name] = number
        else:
            by_text = {plain(value, 200): value for value in values.choices}
            self._cells[name] = by_text.get(text, self._cells.get(name))

    def _values(self, name: str, conditions: tuple[Condition, ...]) -> Values:
        """What the cells of a column may be."""
        if (name, conditions) not in self._known:
            column = self._data.X[self._labels[name]] if self._data is not None and name in self._labels else None
            self._known[name, conditions] = Values.of(column, conditions)
        return self._known[name, conditions]

    def _cell(self, name: str, conditions: tuple[Condition, ...]) -> Any:
        """The value of a column, of the kind that its conditions compare; of one that no table has, at first any."""
        values = self._values(name, conditions)
        if name not in self._cells:
            some = values.choices[-1:] if values.numbers is None else values.numbers[:1].tolist()
            self._cells[name] = some[0] if some else None
        cell = self._cells[name]
        if cell is None:
            return None
        if values.numbers is not None:
            return float(cell)
        if values.choices == (True, False):
            return bool(cell)
        return str(as_text(pd.Series([cell], dtype=object)).iloc[0])

    def _field(self, name: str, conditions: tuple[Condition, ...]) -> dict[str, Any]:
        """What the form shows of a column that the rules test."""
        values, cell = self._values(name, conditions), self._cell(name, conditions)
        options = None
        if values.numbers is None:
            known = list(values.choices[:_MOST_OPTIONS])
            known += [] if cell is None or cell in known else [cell]
            options = [["", _MISSING], *([plain(value, 200), wording.shown(value)] for value in known)]
        value = "" if cell is None else plain(f"{cell:.12g}" if isinstance(cell, float) else cell, 200)
        return {"name": plain(name, 120), "value": value, "options": options, "ticked": name in self._ticked}

    def _votes(self, good: Good) -> str:
        """What each of the good models says of the person; HTML."""
        every: tuple[tuple[Condition, ...], ...] = good.result.problem.conditions
        columns: dict[str, dict[Condition, bool]] = {}
        for condition in (each for conditions in every for each in conditions):
            columns.setdefault(condition.column, {})[condition] = False
        for name, held in columns.items():
            cell = pd.Series([self._cell(name, tuple(held))], dtype=object)
            held.update({condition: bool(condition.evaluate(cell)[0]) for condition in held})
        row = np.array([[all(columns[c.column][c] for c in conditions) for conditions in every]])
        return wording.votes(good, sum(bool(model.predicts_positive(row)[0]) for model in good.asked))

    def _flipped(self, hand: Hand, models: list[Any], good: Good | None = None) -> str:
        """What would flip the decision in all of these models, the one in hand and the good ones; HTML."""
        ticked = [name for name in columns_of(models[0]) if name in self._ticked]
        tested = columns_of(*models)
        person = {name: self._cell(name, conditions) for name, conditions in tested.items()}
        try:
            flip = flip_in_all(models, person, ticked, {name: self._values(name, tested[name]) for name in ticked})
        except ModelError as error:
            return f'<p class="note">{wording.esc(error, 300)}</p>'
        return wording.flipped(hand, person, ticked, flip, good)


class GroupsPanel(LayoutViewer):
    """What the list does to groups of people."""

    attribute: param.Selector[str] = param.Selector(default=ANY, objects={"(none)": ANY}, label="Groups by")
    chosen_here = param.Boolean(default=True, doc="Whether the attribute is chosen here, not beside.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        # the largest difference of true positive rates, but for groups of few rows; None without groups
        self.gap: float | None = None
        self._hand: Hand | None = None
        self._choice = select(self.param.attribute, 200)
        self._rates = pane(MODEL_CSS)
        self._layout = panel("Groups", "group rates", self._choice, self._rates, visible=False)

    def begin(self, hand: Hand) -> None:
        """Offer the attributes of other data."""
        self._hand = None
        options = {"(none)": ANY, **{plain(name, 60): name for name in hand.prepared.attributes}}
        self.param["attribute"].objects = options
        self._choice.options = options
        if self.attribute not in options.values():
            self.attribute = ANY
        self._choice.visible = self.chosen_here

    def follow(self, hand: Hand) -> None:
        self._hand = hand
        self._count()

    @param.depends("attribute", watch=True)
    def _count(self) -> None:
        self.gap, text = None, ""
        self._layout.visible = len(self.param["attribute"].objects) > 1 and (self.chosen_here or bool(self.attribute))
        if self._hand is not None and self.attribute:
            rates = rates_table(self._hand.groups(self.attribute))
            largest = largest_difference(rates, "true_positive_rate")
            self.gap = None if largest is None else largest.value
            text = (
                f"{card_html.group_table(self.attribute, rates)}"
                '<p class="note">Training rows, in %, with 95&nbsp;% intervals.</p>'
            )
        self._rates.object = text


def one_person(prepared: Prepared, model: Model) -> Any:
    """The panel for a model of a search that has ended."""
    hand, shown = Hand(prepared, edited_of(prepared.search, model)), PersonPanel()
    shown.begin(hand)
    shown.follow(hand)
    return explain_all(shown.__panel__())
