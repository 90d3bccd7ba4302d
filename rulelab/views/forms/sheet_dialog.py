"""The sheet of an uploaded file: what was read, what each column is for; the data are used once it is accepted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import param
from panel.custom import JSComponent

from ...arguments import is_whole
from ...assets import asset
from ..live.job import Progress
from ..widgets.style import sheet
from .draft import Draft


class SheetDialog(JSComponent):
    """Shows a `Draft` and lets it be corrected, until it is accepted or given up.

    `accepted`, `cancelled` are called with the draft when it is accepted, and without when it is not wanted. `changed`
    is called with the draft and what changes it, which gets a `Progress`.
    """

    state = param.Dict(default={}, doc="What is shown, see `Draft.state`; empty: the dialog is closed.")

    _esm = asset("dom.js", "sheet_dialog.js")
    _stylesheets = [sheet("file_buttons.css", "sheet_dialog.css")]

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
        elif kind == "unknown":
            draft.count_unknown(str(data.get("given")))
        elif kind == "positive" and is_whole(position, 0) and position < len(draft.choices):
            draft.choose_positive(position)
