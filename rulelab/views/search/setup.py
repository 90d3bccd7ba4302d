"""The settings of a search on the page: data, model family, limits; the families have settings of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param
from panel.viewable import Viewer

from ... import datasets
from ...datasets.registry import RECORDS
from ...limits import MEMORY_LIMIT, TIME_LIMIT
from ..cards import snippet
from ..forms.data import MAX_UPLOAD_BYTES, UPLOADED, Labelled, Upload
from ..forms.fields import WIDE, card, column, field, pair
from ..live.recipe import Recipe
from ..live.session import Limits, SearchSession
from ..widgets.esc import plain
from ..widgets.style import SELECT_CSS
from .families import FAMILIES, FallingSettings, Family, RuleListSettings, RuleSetSettings
from .families.mined import mining_fields

SHARED = tuple(
    dict.fromkeys(
        (
            *("family", "data", "test_share", "quantiles", "negations"),
            *(name for family in FAMILIES.values() for name in family.shared),
            *("time_limit", "memory_limit"),
        )
    )
)
"""The parameters that the address of the page holds."""


class Setup(RuleListSettings, FallingSettings, RuleSetSettings, Viewer):
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

    family = param.Selector(
        default="rule_list",
        objects={family.label: name for name, family in FAMILIES.items()},
        label="Model family",
    )
    data = param.Selector(default="diabetes", objects=["diabetes"], label="Data set")
    target = param.Selector(default=None, objects=[None], label="Target column")
    positive = param.Selector(default=None, objects=[None], label="Positive class")
    test_share = param.Number(default=0.0, bounds=(0, 0.9), label="Test share, kept out of training")
    quantiles = param.Integer(default=5, bounds=(2, 1000), label="Quantile groups per number")
    negations = param.Boolean(default=True, label="Negate categories")
    time_limit = param.Number(default=TIME_LIMIT, bounds=(0, None), label="Time limit (s)")
    memory_limit = param.Number(default=MEMORY_LIMIT / 1e6, bounds=(1, 1e6), label="Memory limit (MB)")
    uploaded = param.ClassSelector(class_=Labelled, default=None, doc="The table of the last file, as it is used.")

    def __init__(self, complain: Callable[[str], None] = lambda message: None, **params: Any) -> None:
        self._complain = complain
        chosen = params.pop("data", None)
        super().__init__(**params)
        available = datasets.names()
        self.param.data.objects = list(available)
        if chosen is not None:
            self.data = chosen
        self._options = {plain(_option(name, how)): name for name, how in available.items()}
        self._offer_groups()
        self._build()

    def __panel__(self) -> Any:
        return pn.Column(self.data_card, self.more, sizing_mode="stretch_width", margin=0)

    def recipe(self) -> Recipe:
        """The present settings, frozen."""
        return self._chosen.recipe(
            self,
            load=self._loader(),
            load_code=self._load_code(),
            test_share=self.test_share,
            quantiles=self.quantiles,
            negations=self.negations,
            memory_megabytes=self.memory_limit,
        )

    def new_session(self) -> SearchSession:
        """A session that will run the present settings."""
        recipe = self.recipe()
        return SearchSession(recipe, Limits(seconds=self.time_limit), look=recipe.look)

    def take(self, contents: bytes, file_name: str) -> None:
        """Use an uploaded file as data; a file that cannot be used is complained about, and nothing changes."""
        try:
            upload = Upload.read(contents, file_name)
        except ValueError as error:
            self._complain(str(error))
            return
        except Exception as error:  # noqa: BLE001 - whatever a file may do, the user is told
            self._complain(f"{plain(file_name, 60)} cannot be read: {type(error).__name__}: {plain(str(error), 200)}")
            return
        self._complain("")
        names = upload.columns
        self.uploaded = Labelled(upload, names[-1])
        self.param.target.objects = names
        self._target.options = _labelled(names)
        if self.target == names[-1]:
            self._offer_labels()
        self.target = names[-1]
        self._use_columns()
        self.param.data.objects = [*datasets.names(), UPLOADED]
        self._data.options = {**self._options, plain(f"{upload.name} (your file)"): UPLOADED}
        self.data = UPLOADED
        self.param.trigger("data")

    def _loader(self) -> Callable[[], datasets.Dataset]:
        if self.data == UPLOADED and self.uploaded is not None:
            return partial(self.uploaded.dataset, self._compared)
        return partial(datasets.load, self.data)

    def _load_code(self) -> str:
        if self.data == UPLOADED and self.uploaded is not None:
            return self.uploaded.code(self._compared)
        return snippet.load_code(self.data)

    @param.depends("target", watch=True)
    def _offer_labels(self) -> None:
        if self.uploaded is None:
            return
        labels = self.uploaded.upload.labels(self.target)
        self.param.positive.objects = [*labels, None]
        self._positive.options = {**_labelled(labels), **({} if labels else {"(too many values)": None})}
        self.positive = labels[-1] if labels else None

    @param.depends("target", "positive", watch=True)
    def _use_columns(self) -> None:
        if self.uploaded is not None:
            self.uploaded = Labelled(self.uploaded.upload, self.target, self.positive)

    @param.depends("data", "target", watch=True)
    def _offer_groups(self) -> None:
        """The columns that the data set, or the file, may be compared by."""
        if self.data == UPLOADED and self.uploaded is not None:
            self.offer_sensitive(self.uploaded.upload.grouping(self.target))
        else:
            self.offer_sensitive(list(RECORDS[self.data].sensitive))

    @param.depends("family", watch=True)
    def _show_family(self) -> None:
        for name, shown in self._of_family.items():
            shown.visible = name == self.family
        self._mining.visible = self._cost.visible = self._chosen.mined
        self._conditions.title = "Antecedents" if self._chosen.mined else "Conditions"

    @property
    def _compared(self) -> tuple[str, ...]:
        """The column whose groups the search has to be fair to, if there is one."""
        fair = self.family == "rule_set" and self.fair and self.sensitive is not None
        return (self.sensitive,) if fair else ()

    @property
    def _chosen(self) -> Family:
        return FAMILIES[self.family]

    @param.depends("data", watch=True)
    def _show_pickers(self) -> None:
        self._target.visible = self._positive.visible = self.data == UPLOADED

    def _received(self, event: param.parameterized.Event) -> None:
        """A file has arrived; of an empty one neither contents nor name."""
        self.take(event.new or b"", str(self._file.filename or "the file"))

    def _build(self) -> None:
        own = partial(field, self)
        listed = {**WIDE, "stylesheets": [SELECT_CSS]}
        self._data = pn.widgets.Select(label="Data set", options=self._options, value=self.data, **listed)
        self._data.link(self, value="data", bidirectional=True)
        self._file = pmui.FileInput(
            label="Upload CSV or Parquet",
            accept=".csv,.gz,.parquet",
            max_file_size=MAX_UPLOAD_BYTES,
            chunk_size=1_000_000,
            variant="outlined",
            **WIDE,
        )
        self._file.param.watch(self._received, "value", onlychanged=False)
        self._target = pn.widgets.Select(label="Target column", options=[], visible=False, **listed)
        self._target.link(self, value="target", bidirectional=True)
        self._positive = pn.widgets.Select(label="Positive class", options=[], visible=False, **listed)
        self._positive.link(self, value="positive", bidirectional=True)
        self._mining = column(*mining_fields(self))
        self._cost = column(own("regularization", pn.widgets.FloatInput, step=0.001))
        self._of_family = {name: column(*family.fields(self)) for name, family in FAMILIES.items()}
        self._conditions = card(
            "Antecedents",
            own("quantiles", pn.widgets.IntInput, start=2, end=1000),
            self._mining,
            own("negations", pmui.Checkbox),
        )
        self.data_card = card(
            "Model and data",
            own("family", pn.widgets.Select),
            self._data,
            self._file,
            self._target,
            self._positive,
            own("test_share", pn.widgets.FloatInput, step=0.05),
        )
        self.data_card.css_classes = [*self.data_card.css_classes, "rl-data"]
        limits = pair(
            own("time_limit", pn.widgets.FloatInput, step=10), own("memory_limit", pn.widgets.FloatInput, step=100)
        )
        self.more = column(
            card("Search", self._cost, *self._of_family.values()),
            self._conditions,
            card("Limits", limits),
            css_classes=["rl-more"],
        )
        self._show_family()


def _option(name: str, how: str) -> str:
    return f"{name} (to be downloaded)" if how == "download" else name


def _labelled(values: list[Any]) -> dict[str, Any]:
    """Options of a list by distinct one-line texts."""
    options: dict[str, Any] = {}
    for value in values:
        text = plain(value, 60) or "(empty)"
        while text in options:
            text += " (again)"
        options[text] = value
    return options
