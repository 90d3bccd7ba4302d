"""The data that a search on the page is for: a data set by name, or an uploaded file once its sheet is accepted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ... import datasets
from ...arguments import is_whole
from ...assets import asset
from ...datasets.normalise import RECORDS
from ...families import Parameter
from ...store import KeptTable
from ..live.job import Job, Progress
from ..live.recipe import load_code
from ..live.ticker import Work, Working
from ..widgets.esc import esc, plain
from ..widgets.fields import select
from ..widgets.style import BUTTON_CSS, sheet
from ..widgets.uploader import Uploader
from .controls import WIDE, Settings, note
from .data import FILES, LIMIT, MAX_UPLOAD_BYTES, UPLOADED, load
from .draft import Draft
from .tables import TableDraft, offered

_UNCHANGED = "The data are as before."
TEST_SHARE = Parameter(
    "test_share",
    0.0,
    "fraction of the rows that the search does not see",
    "fraction",
    most=0.9,
    label="Test share, kept out of training",
)


class SheetDialog(JSComponent):
    """Shows a `Draft` until it is `accepted`, or `cancelled`; `changed` takes it with what changes it."""

    state = param.Dict(default={}, doc="What is shown, see `Draft.state`; empty: the dialog is closed.")

    _esm = asset("dom.js", "sheet_dialog.js")
    _stylesheets = [sheet("file_buttons.css", "bars.css", "sheet_dialog.css")]

    def __init__(
        self,
        accepted: Callable[[Draft], None],
        cancelled: Callable[[], None],
        changed: Callable[[Draft, Callable[[Progress], None]], None],
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self._accepted, self._cancelled, self._changed = accepted, cancelled, changed
        self._draft: Draft | None = None

    def present(self, draft: Draft | None) -> None:
        """Show a draft; None closes the dialog."""
        self._draft = draft
        self.state = {} if draft is None else draft.state()

    def wait(self, doing: str) -> None:
        """Say what is being done, and take nothing but Cancel until a draft is presented again."""
        self.state = {**self.state, "busy": doing}

    def _handle_msg(self, data: Any) -> None:
        """From the browser, which may send anything."""
        draft = self._draft
        if draft is None or not isinstance(data, dict):
            return
        kind = data.get("type")
        if kind == "cancel":
            self._cancelled()
        elif self.state.get("busy"):
            return
        elif kind == "accept":
            self._accepted(draft)
        else:
            self._changed(draft, partial(self._change, draft, kind, data))

    @staticmethod
    def _change(draft: Draft, kind: Any, data: dict[str, Any], progress: Progress) -> None:
        position, how = data.get("position"), data.get("how")
        if kind == "read" and isinstance(how, dict):
            draft.read_as({str(name): str(mark) for name, mark in how.items()}, progress.on_cancel)
        elif kind == "role" and is_whole(position, 0) and position < len(draft.sheet.columns):
            draft.give(draft.sheet.columns[position].name, str(data.get("role")))
        elif kind == "sums":
            draft.leave_out_sums()
        elif kind == "unknown":
            draft.count_unknown(str(data.get("given")))
        elif kind == "positive" and is_whole(position, 0) and position < len(draft.choices):
            draft.choose_positive(position)


class DataSettings(Working, Settings):
    """The chosen data, and the fields to choose them with; their dialog stands on the page also without the fields."""

    data: param.Selector[str] = param.Selector(default="diabetes", objects=["diabetes"], label="Data set")
    sensitive: param.Selector[Any] = param.Selector(default=None, objects=[None], label="Sensitive attribute")
    test_share = param.Number(default=TEST_SHARE.default, bounds=(0, TEST_SHARE.most), label=TEST_SHARE.title)
    pending = param.Boolean(
        default=False, doc="Whether a file is coming, or its sheet is neither accepted nor given up."
    )

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        marks = {"download": " (to be downloaded)"}
        known = [(name, how) for name, how in datasets.names().items() if how != "by hand"]
        self._options = {plain(f"{name}{marks.get(how, '')}"): name for name, how in known}
        self._options |= {plain(f"{name} (table of this server)"): name for name in offered()}
        self.param.data.objects = self._options
        self.draft: Draft | None = None  # the uploaded file that waits to be accepted
        self._used: dict[str, Draft] = {}  # the last file and tables of this server, as they were accepted
        self._before = self.data
        self._work = Work()
        self._offer_groups()
        self.fields = self._build()

    @property
    def complaint(self) -> str:
        """What was wrong with the last file."""
        return self._file.said

    def loader(self) -> Callable[[], datasets.Dataset]:
        """What loads the data."""
        return partial(load, self.data) if self.own is None else self.own.dataset

    @property
    def several(self) -> Draft | None:
        """The file in use, where all of its classes are predicted by one list."""
        own = self.own
        return own if own is not None and own.every else None

    @property
    def called(self) -> str:
        """The name of the data set, of the file or of the table."""
        return plain(self.data if self.own is None else self.own.name, 60)

    @property
    def predicted(self) -> str:
        """What is predicted, in words; empty where the data have no roles as yet."""
        known = RECORDS.get(self.data)
        if self.own is not None:
            return self.own.predicted
        return "" if known is None else f"{known.target} = {known.positive}"

    @property
    def n_rows(self) -> int | None:
        """The rows of a data set or of a file that are used; None of a table, which are counted where they lie."""
        own, known = self.own, RECORDS.get(self.data)
        if own is None:
            return None if known is None else known.rows
        return None if isinstance(own, TableDraft) else len(own.sheet.frame) - own.left_out

    @property
    def left_out(self) -> int:
        """The rows of a file that are not used, as their target is not known."""
        return 0 if self.own is None or isinstance(self.own, TableDraft) else self.own.left_out

    def code(self) -> str:
        """Python that loads the same, with ``rl`` for this package."""
        return load_code(self.data) if self.own is None else self.own.code()

    @property
    def weighted(self) -> bool:
        """Whether the data say how much each row counts."""
        return self.own is not None and (self.own.weight is not None or self.counted is not None)

    def bring(self, table: KeptTable) -> None:
        """Use rows that were kept as the file that they were; raises ValueError where they cannot be used."""
        draft = Draft(table.rows, table.file)
        if table.how:
            draft.read_as(table.how)
        for column in draft.sheet.columns:
            draft.give(column.name, "feature")
        for name in table.sensitive:
            draft.give(name, "sensitive" if name in table.kept else "group")
        if table.weight is not None:
            draft.give(table.weight, "weight")
        draft.give(table.target, "target")
        for place, label in enumerate(draft.classes):
            if str(label) == table.positive:
                draft.choose_positive(place)
        draft.check()
        self._use(draft)

    def accept(self, draft: Draft | None = None) -> None:
        """Use the file as its sheet says; what cannot be used is said in the sheet."""
        draft = draft or self.draft
        assert draft is not None
        self._look_through(draft, lambda progress: draft.check(), self._use)

    def _change_sheet(self, draft: Draft, change: Callable[[Progress], None]) -> None:
        """Change a draft as its sheet asks for."""

        def work(progress: Progress) -> None:
            change(progress)
            draft.state()

        self._look_through(draft, work, self.dialog.present)

    def _look_through(self, draft: Draft, work: Callable[[Progress], None], then: Callable[[Draft], None]) -> None:
        """Work on a draft, beside the page where its table is large; what goes wrong is said in its sheet."""

        def ended(error: str | None) -> None:
            if error is None:
                then(draft)
            else:
                draft.error = error
                self.dialog.present(draft)

        if draft.large:
            self.dialog.wait(f"Looking through {plain(draft.sheet.file, 80)} ...")
            self._work.begin(work, lambda job: ended(job.error))
            return
        try:
            work(Progress())
        except ValueError as error:
            ended(str(error))
        else:
            ended(None)

    def _use(self, draft: Draft) -> None:
        name = draft.name if isinstance(draft, TableDraft) else UPLOADED
        if name == UPLOADED:
            self.param.data.objects = {**self._options, plain(f"{draft.name} (your file)"): UPLOADED}
        self._used[name] = draft
        self.data = name
        self.param.trigger("data")
        self._end()

    def cancel(self) -> None:
        """Leave the data as they are."""
        self._work.forget()
        self._end()
        if self.data in offered() and self.own is None:  # its columns have no roles
            self.data = self._before

    @property
    def counted(self) -> TableDraft | None:
        """The table of this server in use, whose rows are counted."""
        own = self.own
        return own if isinstance(own, TableDraft) else None

    @property
    def own(self) -> Draft | None:
        """The file or the table in use."""
        return self._used.get(self.data)

    def receive(self, contents: bytes, file_name: str) -> None:
        """Read a file beside the page and show its sheet; what cannot be read is complained about, nothing changes."""

        def work(progress: Progress) -> Draft:
            draft = Draft(contents, file_name, progress.on_cancel)
            draft.state()
            return draft

        def then(job: Job) -> None:
            if job.error is None:
                self._show(job.result)
            else:
                self._refuse(job.error)

        self.pending = True
        self._work.begin(work, then)

    def _show(self, draft: Draft) -> None:
        self.draft, self.pending = draft, True
        self._file.param.update(said="", doing="")
        self.dialog.present(draft)

    def reopen(self, *_: Any) -> None:
        """The sheet of the file in use once more."""
        self._show(self._used[self.data].again())

    def _refuse(self, why: str) -> None:
        self._file.said = f"{plain(why, 500).rstrip('.')}. {_UNCHANGED}"
        self._end()

    def _end(self) -> None:
        self.draft = None
        self.dialog.present(None)
        self._file.doing = ""
        self.pending = False

    @param.depends("data", watch=True)
    def _open_table(self) -> None:
        """The sheet of a table of this server, when it is chosen for the first time."""
        served = offered().get(self.data)
        if served is None or self.own is not None:
            self._before = self.data
            return
        try:
            draft = TableDraft(served)
        except ValueError as error:
            self._refuse(str(error))
            self.data = self._before
            return
        if served.target is not None and not draft.lacking:
            self.accept(draft)
        else:
            self._show(draft)

    @param.depends("data", watch=True)
    def _offer_groups(self) -> None:
        """The columns that the data set, or the file, may be compared by; the first one is taken."""
        own = self.own
        if own is None:
            columns = list(RECORDS[self.data].sensitive) if self.data in RECORDS else []
        else:  # groups are compared by rates of one class
            columns = [] if own.every else list(own.sensitive)
        chosen = self.param.sensitive
        chosen.objects = columns or [None]
        chosen.default = self.sensitive = chosen.objects[0]

    @param.depends("data", watch=True)
    def _say_roles(self) -> None:
        """What the file in use is used for."""
        own = self.own
        self._open.visible = self._about.visible = own is not None
        if own is None:
            return
        counted = "A table of this server, whose rows are counted where they lie. " if self.counted is not None else ""
        said = [f"{counted}Predicts {esc(own.predicted)}."]
        for what, names in (("Groups", own.sensitive), ("Not used", own.ignored)):
            if names:
                more = f" and {len(names) - 5} more" if len(names) > 5 else ""
                said.append(f"{what}: {', '.join(esc(name, 40) for name in names[:5])}{more}.")
        self._about.object = f'<p class="note">{" ".join(said)}</p>'

    def _build(self) -> list[Any]:
        self._file = Uploader(
            self.receive,
            partial(setattr, self, "pending", True),
            self.cancel,
            label="Upload CSV, Excel or Parquet",
            accept=FILES,
            limit=LIMIT,
            most=MAX_UPLOAD_BYTES,
            **WIDE,
        )
        self.dialog = SheetDialog(self.accept, self.cancel, self._change_sheet, width=0, height=0, margin=0)
        self._about = note("")
        self._open = pn.widgets.Button(
            label="Roles of columns ...", on_click=self.reopen, visible=False, stylesheets=[BUTTON_CSS], **WIDE
        )
        self._about.visible = False
        return [select(self.param.data, **WIDE), self._file, self._about, self._open]
