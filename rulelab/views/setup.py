"""The settings of a search on the page: data, antecedents, search, limits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param
from panel.viewable import Viewer

from .. import datasets
from ..rule_list import BOUNDS, POLICIES
from .data import MAX_UPLOAD_BYTES, Upload
from .esc import plain
from .recipe import Recipe
from .session import Limits, SearchSession
from .style import CARD_CSS, CARD_HEAD_CSS, NUMBER_CSS, SELECT_CSS

UPLOADED = "(uploaded file)"
SHARED = (
    "data", "quantiles", "negations", "max_conditions", "min_support", "max_support",
    "regularization", "policy", "beam", "bounds", "time_limit", "memory_limit",
)  # fmt: skip
"""The parameters that the address of the page holds."""


class Setup(Viewer):
    """Everything that is chosen before a run, and the form to choose it with.

    Parameters
    ----------
    complain : callable
        Shows an error message; an empty one takes it away.

    Attributes
    ----------
    data_card, more : viewable
        The two parts of the form, for a page that lays them out itself.
    """

    data = param.Selector(default="diabetes", objects=["diabetes"], label="Data set")
    target = param.Selector(default=None, objects=[None], label="Target column")
    positive = param.Selector(default=None, objects=[None], label="Positive class")
    quantiles = param.Integer(default=5, label="Quantile groups per number")
    negations = param.Boolean(default=True, label="Negate categories")
    max_conditions = param.Selector(default=1, objects=[1, 2, 3], label="Conditions per rule, at most")
    min_support = param.Number(default=0.01, label="Least support")
    max_support = param.Number(default=0.99, label="Largest support")
    regularization = param.Number(default=0.005, label="Regularization: cost of a rule")
    policy = param.Selector(default="lower_bound", objects=list(POLICIES), label="Order of the queue")
    beam = param.Boolean(default=False, label="Start with a beam search")
    bounds = param.ListSelector(default=list(BOUNDS), objects=list(BOUNDS), label="Bounds in use")
    time_limit = param.Number(default=60.0, label="Time limit (s)")
    memory_limit = param.Number(default=1000.0, label="Memory limit (MB)")

    def __init__(self, complain: Callable[[str], None] = lambda message: None, **params: Any) -> None:
        self._complain = complain
        self._upload: Upload | None = None
        chosen = params.pop("data", None)
        super().__init__(**params)
        available = datasets.names()
        self.param.data.objects = list(available)
        if chosen is not None:
            self.data = chosen
        self._options = {plain(_option(name, how)): name for name, how in available.items()}
        self._build()

    def __panel__(self) -> Any:
        return pn.Column(self.data_card, self.more, sizing_mode="stretch_width", margin=0)

    def recipe(self) -> Recipe:
        """The present settings, frozen."""
        return Recipe(
            load=self._loader(),
            quantiles=self.quantiles,
            negations=self.negations,
            max_conditions=self.max_conditions,
            min_support=self.min_support,
            max_support=self.max_support,
            regularization=self.regularization,
            policy=self.policy,
            beam=self.beam,
            bounds=tuple(self.bounds),
            memory_megabytes=self.memory_limit,
        )

    def new_session(self) -> SearchSession:
        """A session that will run the present settings."""
        return SearchSession(self.recipe(), Limits(seconds=self.time_limit))

    def take(self, contents: bytes, file_name: str) -> None:
        """Use an uploaded file as data; a file that cannot be used is complained about, and nothing changes."""
        try:
            upload = Upload.read(contents, file_name)
        except ValueError as error:
            self._complain(str(error))
            return
        self._complain("")
        self._upload = upload
        names = upload.columns
        self.param.target.objects = names
        self._target.options = _labelled(names)
        if self.target == names[-1]:
            self._offer_labels()
        self.target = names[-1]
        self.param.data.objects = [*datasets.names(), UPLOADED]
        self._data.options = {**self._options, plain(f"{upload.name} (your file)"): UPLOADED}
        self.data = UPLOADED
        self.param.trigger("data")

    def _loader(self) -> Callable[[], datasets.Dataset]:
        if self.data == UPLOADED and self._upload is not None:
            return partial(self._upload.dataset, self.target, self.positive)
        return partial(datasets.load, self.data)

    @param.depends("target", watch=True)
    def _offer_labels(self) -> None:
        if self._upload is None:
            return
        labels = self._upload.labels(self.target)
        self.param.positive.objects = [*labels, None]
        self.positive = labels[-1] if labels else None
        self._positive.options = {**_labelled(labels), **({} if labels else {"(too many values)": None})}

    @param.depends("data", watch=True)
    def _show_pickers(self) -> None:
        self._target.visible = self._positive.visible = self.data == UPLOADED

    def _received(self, event: param.parameterized.Event) -> None:
        """A file has arrived; of an empty one neither contents nor name."""
        self.take(event.new or b"", str(self._file.filename or "the file"))

    def _build(self) -> None:
        wide = {"sizing_mode": "stretch_width", "margin": (5, 12)}
        field = partial(_field, self, **wide)
        listed = {**wide, "stylesheets": [SELECT_CSS]}
        self._data = pn.widgets.Select(label="Data set", options=self._options, value=self.data, **listed)
        self._data.link(self, value="data", bidirectional=True)
        self._file = pmui.FileInput(
            label="Upload CSV or Parquet",
            accept=".csv,.gz,.parquet",
            max_file_size=MAX_UPLOAD_BYTES,
            chunk_size=1_000_000,
            variant="outlined",
            **wide,
        )
        self._file.param.watch(self._received, "value", onlychanged=False)
        self._target = pn.widgets.Select(label="Target column", options=[], visible=False, **listed)
        self._target.link(self, value="target")
        self._positive = pn.widgets.Select(label="Positive class", options=[], visible=False, **listed)
        self._positive.link(self, value="positive")
        groups = {
            "Data": [self._data, self._file, self._target, self._positive],
            "Antecedents": [
                field("quantiles", pn.widgets.IntInput, start=2, end=1000),
                field("max_conditions", pn.widgets.Select),
                _pair(
                    field("min_support", pn.widgets.FloatInput, step=0.01),
                    field("max_support", pn.widgets.FloatInput, step=0.01),
                ),
                field("negations", pmui.Checkbox),
            ],
            "Search": [
                field("regularization", pn.widgets.FloatInput, step=0.001),
                field("policy", pn.widgets.Select, options={_words(p): p for p in POLICIES}),
                field("beam", pmui.Checkbox),
                pn.pane.HTML('<p class="note">Bounds in use</p>', stylesheets=[CARD_CSS], margin=(4, 12, 0, 12)),
                field("bounds", pn.widgets.CheckBoxGroup, options={_words(b): b for b in BOUNDS}),
            ],
            "Limits": [
                _pair(
                    field("time_limit", pn.widgets.FloatInput, step=10),
                    field("memory_limit", pn.widgets.FloatInput, step=100),
                )
            ],
        }
        cards = [
            pn.Card(
                *items,
                title=title,
                collapsible=True,
                sizing_mode="stretch_width",
                margin=(0, 0, 10, 0),
                stylesheets=[CARD_HEAD_CSS],
            )
            for title, items in groups.items()
        ]
        self.data_card, *others = cards
        self.data_card.css_classes = [*self.data_card.css_classes, "rl-data"]
        self.more = pn.Column(*others, sizing_mode="stretch_width", margin=0, css_classes=["rl-more"])


def _field(owner: Setup, name: str, widget: type, **options: Any) -> Any:
    styles = {pn.widgets.Select: [SELECT_CSS], pn.widgets.IntInput: [NUMBER_CSS], pn.widgets.FloatInput: [NUMBER_CSS]}
    return widget.from_param(owner.param[name], stylesheets=styles.get(widget, []), **options)


def _pair(*widgets: Any) -> pn.Row:
    first, second = widgets
    first.margin, second.margin = (5, 5, 5, 12), (5, 12, 5, 5)
    return pn.Row(first, second, sizing_mode="stretch_width", margin=0)


def _option(name: str, how: str) -> str:
    return f"{name} (to be downloaded)" if how == "download" else name


def _words(name: str) -> str:
    return name.replace("_", " ")


def _labelled(values: list[Any]) -> dict[str, Any]:
    """Options of a list by distinct one-line texts."""
    options: dict[str, Any] = {}
    for value in values:
        text = plain(value, 60) or "(empty)"
        while text in options:
            text += " (again)"
        options[text] = value
    return options
