"""The settings of a sweep on the page: data, families with their grids, folds, methods to compare with."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Collection
from itertools import combinations
from typing import Any, cast

import panel as pn
import panel_material_ui as pmui
import param

from ... import datasets
from ...datasets.registry import RECORDS
from ...families import CRITERIA, PREDICTIVE_PARITY, criteria_of
from ...sweeps import BASELINES, FAMILIES, SweepError
from ..forms.criteria import NO_CRITERION, WORDS, criterion_of
from ..forms.data import UPLOADED, Labelled
from ..forms.fields import card, column, field, note
from ..forms.tables import Counted, offered
from ..live.wording import counted
from ..widgets.esc import esc, plain
from ..widgets.explained import term_classes
from ..widgets.style import MUI_FOCUS_CSS, SELECT_CSS
from .asked import ABOUT, ASKED, values_of
from .counting import Counting
from .order import Order, available, numbers
from .points import LABELS
from .run import Run

SHARED = (
    *("sweep_data", "sweep_sensitive", "sweep_families", "sweep_baselines", "sweep_folds", "sweep_time_limit"),
    *("list_grid", "falling_grid", "set_grid", "set_fairness", "set_tolerances", "set_group_size"),
    *("sweep_quantiles", "sweep_conditions", "set_conditions", "sweep_test_share", "sweep_key"),
    *("gap_grid", "gap_criterion"),
    *ASKED,
)
"""The parameters that the address of the page holds."""
_NO_GROUPS = "(none)"
_AND = " and "
_AT_RANDOM = "(drawn at random)"
_MISSED = FAMILIES["falling_rule_list"].defaults["positive_weight"]
_OF_GAP = [name for name, method in FAMILIES.items() if method.family.needs_groups]
_LEAST = FAMILIES[_OF_GAP[0]].defaults
_USUAL = ["cart", "random_forest", "logistic_regression"]
_HOW_TO_UPLOAD = "To sweep a table of your own, upload it in the tab Search; it is offered here then."
_ABOUT_TEST = (
    "Counted rows are dealt once, instead of to folds. By a hash of a column, rows that share its value stay together."
)
_ABOUT_GAP = (
    f"Of lists of at most {_LEAST['max_length']} rules, and of sets of the largest complexity above, those of least "
    "gap that are so accurate on their training rows."
)
_LISTS_ONLY = "Only rule lists can be asked for predictive parity: the others are fitted without a constraint."
_NO_ROLES = "Choose this table in the tab Search first, where its columns are given their roles."


class SweepSetup(param.Parameterized):
    """Everything that is chosen before a sweep, and the form to choose it with.

    Attributes
    ----------
    data_card, more : viewable
        The two parts of the form.
    """

    sweep_data: param.Selector[str] = param.Selector(
        default="diabetes", objects=["diabetes"], label="Data set to sweep"
    )
    sweep_sensitive: param.Selector[str] = param.Selector(
        default=_NO_GROUPS, objects=[_NO_GROUPS], label="Sensitive attribute"
    )
    sweep_families = param.ListSelector(
        default=[name for name in FAMILIES if name not in _OF_GAP], objects=list(FAMILIES), label="Families"
    )
    list_grid = param.String(default="0.05, 0.02, 0.01, 0.005", label="Rule list: regularizations")
    falling_grid = param.String(default="0.05, 0.02, 0.01, 0.005", label="Falling rule list: regularizations")
    set_grid = param.String(default="3, 5, 8, 12", label="Rule set: complexities, at most")
    gap_grid = param.String(default="0.55, 0.6, 0.65, 0.7, 0.75", label="Accuracies, at least")
    gap_criterion: param.Selector[str] = param.Selector(
        default=_LEAST["criterion"], objects=list(CRITERIA), label="Gap measured in"
    )
    set_fairness: param.Selector[str] = param.Selector(
        default=NO_CRITERION,
        objects=list(WORDS),
        label="Fairness constraint",
    )
    set_tolerances = param.String(default="0.02, 0.05, 0.1", label="Largest differences (ε), beside none")
    set_group_size = param.Integer(
        default=FAMILIES["rule_set"].defaults["min_group_size"], bounds=(0, None), label="Least rows of a group"
    )
    set_conditions = param.Integer(default=3, bounds=(1, 1000), label="Rule set: conditions per rule")
    sweep_conditions = param.Integer(default=1, bounds=(1, 3), label="Lists: conditions per rule")
    sweep_quantiles = param.Integer(default=5, bounds=(2, 1000), label="Quantile groups per number")
    sweep_folds = param.Integer(default=5, bounds=(2, 50), label="Folds")
    sweep_test_share = param.Number(default=0.3, bounds=(0.05, 0.9), label="Test share")
    sweep_key: param.Selector[str] = param.Selector(default=_AT_RANDOM, objects=[_AT_RANDOM], label="Test rows")
    sweep_time_limit = param.Number(default=10.0, bounds=(0, None), label="Seconds per fit")
    sweep_baselines = param.ListSelector(default=_USUAL, objects=list(BASELINES), label="Compare with")
    sweep_must_use = param.String(default="", label=ASKED["sweep_must_use"].title)
    sweep_must_not_use = param.String(default="", label=ASKED["sweep_must_not_use"].title)
    sweep_first_rule = param.String(default="", label=ASKED["sweep_first_rule"].title)
    sweep_max_uses = param.String(default="", label=ASKED["sweep_max_uses"].title)
    sweep_monotone = param.String(default="", label=ASKED["sweep_monotone"].title)
    uploaded = param.ClassSelector(class_=Labelled, default=None, doc="The user's own table, which can be swept too.")
    tables = param.Dict(default={}, doc="The tables of this server whose columns have roles, by their names.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        known = {
            name: f"{name} (to be downloaded)" if how == "download" else name for name, how in datasets.names().items()
        }
        self._options = {plain(said): name for name, said in known.items()}
        self._options |= {plain(f"{name} (table of this server)"): name for name in offered()}
        self.param.sweep_data.objects = list(self._options.values())
        self._named: dict[str, Counted] = {}
        self._attributes: dict[str, tuple[str, ...]] = {}
        self._offer()
        self._build()
        self._offer_upload()

    def order(self) -> Order:
        """The present settings, frozen; raises ValueError with a message for the user."""
        grids = {name: self._grid(name) for name in FAMILIES if name in self.sweep_families}
        if not grids:
            raise SweepError("choose at least one family to sweep")
        asked = values_of({name: getattr(self, name) for name in ASKED}, grids)
        allowed = self._allowed()
        sensitive, own = self._attributes[self.sweep_sensitive], self._own
        counting = self._counting()
        if counting is not None:
            own = None
        return Order(
            data=self.sweep_data if own is None else own.name,
            grids=grids,
            baselines=tuple(name for name in allowed if name in self.sweep_baselines),
            folds=self.sweep_folds,
            sensitive=sensitive,
            time_limit=self.sweep_time_limit,
            source=None if own is None else own.dataset,
            source_code="" if own is None else own.code(),
            counting=counting,
            asked=asked,
        )

    def new_run(self) -> Run:
        """Start a sweep with the present settings; raises ValueError with a message for the user."""
        return Run(self.order())

    def _grid(self, family: str) -> dict[str, list[Any]]:
        common = {} if self.counts else {"thresholds": [self.sweep_quantiles]}
        grid: dict[str, list[Any]]
        if family in _OF_GAP:
            if self.sweep_sensitive == _NO_GROUPS:
                raise SweepError("the least gap is one between groups of people; choose a sensitive attribute")
            values = numbers(self.gap_grid, self.param.gap_grid.label)
            longest = self.sweep_conditions if FAMILIES[family].family.mined else self.set_conditions
            own: dict[str, list[Any]] = {"criterion": [self.gap_criterion], "min_group_size": [self.set_group_size]}
            if not FAMILIES[family].family.mined:
                own["max_complexity"] = [max(numbers(self.set_grid, self.param.set_grid.label, whole=True))]
            return {"min_accuracy": values, "max_conditions": [longest], **own, **common}
        if family == "rule_set":
            values = numbers(self.set_grid, self.param.set_grid.label, whole=True)
            grid = {"max_complexity": values, "max_conditions": [self.set_conditions], **common}
        else:
            name = "list_grid" if family == "rule_list" else "falling_grid"
            values = numbers(getattr(self, name), str(self.param[name].label))
            grid = {"regularization": values, "max_conditions": [self.sweep_conditions], **common}
        if self.set_fairness == NO_CRITERION or self.set_fairness not in self._possible(family):
            return grid
        return {**grid, "fairness": self._criteria(), "min_group_size": [self.set_group_size]}

    def _possible(self, family: str) -> Collection[str]:
        """The constraints that models of a family can be asked to meet."""
        return criteria_of(family) if "fairness" in FAMILIES[family].defaults else ()

    def _criteria(self) -> list[Any]:
        """No constraint, and the chosen one with each tolerance."""
        if self.sweep_sensitive == _NO_GROUPS:
            raise SweepError(
                "a fairness constraint needs groups of people; choose a sensitive attribute, or no constraint"
            )
        tolerances = numbers(self.set_tolerances, self.param.set_tolerances.label)
        return [None, *(criterion_of(self.set_fairness, value, value) for value in tolerances)]

    def _allowed(self) -> list[str]:
        scored = self.sweep_data in RECORDS and "score_text" in RECORDS[self.sweep_data].excluded
        installed = importlib.util.find_spec("fairlearn") is not None
        return available(scored, self.sweep_sensitive != _NO_GROUPS, installed, self.counts)

    @property
    def counts(self) -> bool:
        """Whether the rows are counted where they lie."""
        return self.sweep_data in offered()

    @property
    def _own(self) -> Labelled | None:
        """The user's table, or that of the server, where it is to be swept; None where columns have no roles."""
        if self.counts:
            return self.tables.get(self.sweep_data) or self._with_target(self.sweep_data)
        return self.uploaded if self.sweep_data == UPLOADED else None

    def _with_target(self, name: str) -> Counted | None:
        """A table of the server by the target that was named when the server was started."""
        served = offered()[name]
        if served.target is not None and name not in self._named:
            with contextlib.suppress(ValueError):  # the tab Search says what is wrong with it
                self._named[name] = cast(Counted, served.draft().accepted())
        return self._named.get(name)

    def _counting(self) -> Counting | None:
        """How the rows of a table of the server are counted; raises ValueError where its columns have no roles."""
        own = self._own
        if not self.counts:
            return None
        if own is None:
            raise SweepError(_NO_ROLES)
        key = None if self.sweep_key == _AT_RANDOM else self.sweep_key
        if key is None and own.weight is not None:
            raise SweepError("rows that are weighted are not drawn at random; choose a column as key of the test rows")
        return Counting(cast(Counted, own), self.sweep_quantiles, self.sweep_test_share, key)

    @param.depends("sweep_data", "tables", watch=True)
    def _offer_keys(self) -> None:
        """What may say which rows are for the test."""
        own = self._own
        keys = [_AT_RANDOM, *(own.keys if isinstance(own, Counted) else ())]
        kept = self.sweep_key if self.sweep_key in keys else _AT_RANDOM
        self.param.sweep_key.objects = keys
        self._key.options = {plain(name if name == _AT_RANDOM else f"by a hash of {name}"): name for name in keys}
        self.sweep_key = kept
        for part, visible in ((self._folds, not self.counts), (self._test, self.counts)):
            part.visible = visible

    @param.depends("sweep_data", "tables", watch=True)
    def _offer(self) -> None:
        """The attributes of the data set, alone and two together; of the user's table all columns of few values."""
        own = self._own
        none: dict[str, tuple[str, ...]] = {_NO_GROUPS: ()}
        if own is None and self.counts:
            self._attributes = none
        elif own is None:
            names = list(RECORDS[self.sweep_data].sensitive)
            both = {_AND.join(pair): pair for pair in combinations(names, 2)}
            self._attributes = {name: (name,) for name in names} | both | none
        else:
            self._attributes = none | {name: (name,) for name in own.grouping if name != _NO_GROUPS}
        chosen, attributes = self.param.sweep_sensitive, list(self._attributes)
        before = self.sweep_sensitive
        chosen.objects = attributes
        chosen.default = attributes[0]
        self.sweep_sensitive = before if own is not None and before in attributes else attributes[0]

    @param.depends("uploaded", watch=True)
    def _offer_upload(self) -> None:
        """The user's table among the data sets, and what is predicted in it."""
        own = self.uploaded
        if own is not None:
            self.param.sweep_data.objects = [*self._options.values(), UPLOADED]
            self._data.options = {**self._options, plain(f"{own.name} (your file)"): UPLOADED}
            if self.sweep_data == UPLOADED:
                self._offer()
        self._say_target()

    @param.depends("sweep_data", "tables", watch=True)
    def _say_target(self) -> None:
        own = self._own
        text = _HOW_TO_UPLOAD
        if own is not None:
            what = f"{esc(own.target, 60)} = {esc(own.positive, 60)}" if own.positive is not None else esc(own.target)
            text = f"It predicts {what}, as chosen in the tab Search."
            if self.counts:
                text = f"A table of this server, whose rows are counted where they lie. It predicts {what}."
        elif self.counts:
            text = _NO_ROLES
        elif self.uploaded is not None:
            text = "Your file is in the list."
        self._about_data.object = f'<p class="note">{text}</p>'

    @param.depends("sweep_data", "sweep_sensitive", watch=True)
    def _offer_baselines(self) -> None:
        allowed = self._allowed()
        for name, box in self._baselines.items():
            box.visible = name in allowed

    def _box(self, parameter: str, name: str) -> pmui.Checkbox:
        """One entry of a list that is chosen from."""
        box = pmui.Checkbox(
            label=LABELS[name], value=name in getattr(self, parameter), stylesheets=[MUI_FOCUS_CSS], margin=(0, 12)
        )

        def take(event: Any) -> None:
            others = [one for one in getattr(self, parameter) if one != name]
            self.param.update(**{parameter: sorted([*others, name] if event.new else others, key=list(LABELS).index)})

        box.param.watch(take, "value")
        self.param.watch(lambda event: box.param.update(value=name in event.new), parameter)
        return box

    def _demand(self, name: str) -> Any:
        """The field of what all models have to obey."""
        each = ASKED[name]
        placeholder = f"such as {each.example}"
        return field(
            self, name, pn.widgets.TextInput, placeholder=placeholder, css_classes=term_classes(each.name, "rule_list")
        )

    def _build(self) -> None:
        self._data = pn.widgets.Select(
            label="Data set to sweep", options=self._options, value=self.sweep_data, stylesheets=[SELECT_CSS],
            sizing_mode="stretch_width", margin=(5, 12),
        )  # fmt: skip
        self._data.link(self, value="sweep_data", bidirectional=True)
        self._about_data = note("")
        families = {name: self._box("sweep_families", name) for name in FAMILIES}
        self._baselines = {name: self._box("sweep_baselines", name) for name in BASELINES}
        text = pn.widgets.TextInput
        self.data_card = card(
            "Data and families",
            self._data,
            self._about_data,
            field(self, "sweep_sensitive", pn.widgets.Select),
            families["rule_list"],
            field(self, "list_grid", text),
            families["falling_rule_list"],
            field(self, "falling_grid", text),
            note(f"A missed positive costs as much as {counted(_MISSED, 'false alarms')}."),
            families["rule_set"],
            field(self, "set_grid", text),
            *(families[name] for name in _OF_GAP),
            column(
                field(self, "gap_grid", text),
                field(
                    self,
                    "gap_criterion",
                    pn.widgets.Select,
                    options={record.words: name for name, record in CRITERIA.items()},
                ),
                note(_ABOUT_GAP),
                visible=self.param.sweep_families.rx().rx.pipe(lambda chosen: any(name in chosen for name in _OF_GAP)),
            ),
        )
        fair = self.param.set_fairness.rx() != NO_CRITERION
        self._folds = field(self, "sweep_folds", pn.widgets.IntInput, start=2, end=50)
        self._key = field(self, "sweep_key", pn.widgets.Select)
        share = field(self, "sweep_test_share", pn.widgets.FloatInput, step=0.05, start=0.05, end=0.9)
        self._test = column(share, self._key, note(_ABOUT_TEST), visible=False)
        self.more = column(
            card(
                "Fairness",
                field(self, "set_fairness", pn.widgets.Select, options={said: name for name, said in WORDS.items()}),
                column(
                    field(self, "set_tolerances", text),
                    field(self, "set_group_size", pn.widgets.IntInput, start=0),
                    note("Smaller groups are left out of the constraint: of few rows a rate says little."),
                    visible=fair,
                ),
                column(note(_LISTS_ONLY), visible=self.param.set_fairness.rx() == PREDICTIVE_PARITY.name),
            ),
            card(
                "Folds and conditions",
                self._test,
                self._folds,
                field(self, "sweep_time_limit", pn.widgets.FloatInput, step=5),
                field(self, "sweep_quantiles", pn.widgets.IntInput, start=2, end=1000),
                field(self, "sweep_conditions", pn.widgets.IntInput, start=1, end=3),
                field(self, "set_conditions", pn.widgets.IntInput, start=1),
            ),
            card(
                "Demands on rules",
                *(self._demand(name) for name in ASKED),
                note(ABOUT),
            ),
            card("Compare with", *self._baselines.values()),
            css_classes=["rl-more"],
        )
        self.data_card.css_classes = [*self.data_card.css_classes, "rl-data"]
        self._offer_baselines()
        self._offer_keys()
