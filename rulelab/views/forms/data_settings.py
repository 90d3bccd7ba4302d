"""The data that a search on the page is for: a data set by name, or an uploaded file, and what of it is learned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from ... import datasets
from ...datasets.registry import RECORDS
from ..live.recipe import load_code
from ..widgets.esc import plain
from ..widgets.style import SELECT_CSS
from .data import MAX_UPLOAD_BYTES, UPLOADED, Labelled, Upload
from .fields import WIDE, field


class DataSettings(param.Parameterized):
    """The chosen data, and the fields to choose them with.

    Parameters
    ----------
    complain : callable
        Shows an error message; an empty one takes it away.

    Attributes
    ----------
    fields : list of viewable
    """

    data: param.Selector[str] = param.Selector(default="diabetes", objects=["diabetes"], label="Data set")
    target: param.Selector[Any] = param.Selector(default=None, objects=[None], label="Target column")
    positive: param.Selector[Any] = param.Selector(default=None, objects=[None], label="Positive class")
    sensitive: param.Selector[Any] = param.Selector(default=None, objects=[None], label="Sensitive attribute")
    test_share = param.Number(default=0.0, bounds=(0, 0.9), label="Test share, kept out of training")
    uploaded = param.ClassSelector(class_=Labelled, default=None, doc="The table of the last file, as it is used.")

    def __init__(self, complain: Callable[[str], None] = lambda message: None, **params: Any) -> None:
        self._complain = complain
        super().__init__(**params)
        available = datasets.names()
        self.param.data.objects = list(available)
        self._options = {plain(_option(name, how)): name for name, how in available.items()}
        self._offer_groups()
        self.fields = self._build()

    def loader(self, sensitive: Sequence[str] = ()) -> Callable[[], datasets.Dataset]:
        """What loads the data, with these columns as sensitive ones."""
        if self.data == UPLOADED and self.uploaded is not None:
            return partial(self.uploaded.dataset, sensitive)
        return partial(datasets.load, self.data)

    def code(self, sensitive: Sequence[str] = ()) -> str:
        """Python that loads the same, with ``rl`` for this package."""
        if self.data == UPLOADED and self.uploaded is not None:
            return self.uploaded.code(sensitive)
        return load_code(self.data)

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
        """The columns that the data set, or the file, may be compared by; the first one is taken."""
        columns = list(RECORDS[self.data].sensitive) if self.data != UPLOADED else []
        if self.data == UPLOADED and self.uploaded is not None:
            columns = self.uploaded.upload.grouping(self.target)
        chosen = self.param.sensitive
        chosen.objects = columns or [None]
        chosen.default = self.sensitive = chosen.objects[0]

    @param.depends("data", watch=True)
    def _show_pickers(self) -> None:
        self._target.visible = self._positive.visible = self.data == UPLOADED

    def _received(self, event: param.parameterized.Event) -> None:
        """A file has arrived; of an empty one neither contents nor name."""
        self.take(event.new or b"", str(self._file.filename or "the file"))

    def _build(self) -> list[Any]:
        listed: dict[str, Any] = {**WIDE, "stylesheets": [SELECT_CSS]}
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
        share = field(self, "test_share", pn.widgets.FloatInput, step=0.05)
        return [self._data, self._file, self._target, self._positive, share]


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
