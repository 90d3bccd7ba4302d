"""Reading an uploaded file, in the process that does nothing else: it imports no more than that takes."""

from __future__ import annotations

from typing import Any

from ...datasets import Sheet, sheet


def read_sheet(contents: bytes, file_name: str, max_cells: int, max_columns: int, how: dict[str, Any]) -> Sheet:
    """The sheet of a file with its columns described; arguments and errors are those of `rulelab.datasets.sheet`."""
    found = sheet(contents, name=file_name, max_cells=max_cells, max_columns=max_columns, **how)
    named = Sheet(found.frame, file_name.partition(".")[0] or "data", file_name, found.reading, found.forms)
    named.columns  # noqa: B018 kept, for the page to show
    return named
