"""Cells as a file has them, where a model was fitted on what was read of it: in words, in SQL and in Python.

``form``: how the cells of a column were read, a `rulelab.datasets.numerals.Form`; None where they are as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

_NO_NUMBER = "'*[^0-9.eE+-]*'"
_SPACES = " \u00a0\u202f"


def told(columns: Iterable[str], cells: Mapping[str, Any]) -> list[str]:
    """How the cells of columns are read that are not plain, a line each."""
    return [f"{column!r} is read {_how(cells[column])}" for column in columns if _is_written(cells.get(column))]


def _how(form: Any) -> str:
    decimal, thousands = form.marks
    parts = [f"without {piece!r}" for piece in form.unit if piece]
    parts += [f"with the thousands mark {thousands!r}"] if thousands else []
    parts += [f"with the decimal mark {decimal!r}"] if decimal != "." else []
    parts += ["as negative in parentheses"] if form.accounts else []
    parts += [f"as missing where it is one of {', '.join(map(repr, form.empty))}"] if form.empty else []
    return ", ".join(parts)


def _is_written(form: Any) -> bool:
    """Whether cells are not what they were read as."""
    return form is not None and (bool(form.empty) or (form.is_number and not form.is_plain))


def _thousands(form: Any) -> str:
    """All characters that group digits."""
    return _SPACES if form.marks[1] == " " else str(form.marks[1])


def _empty(form: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(("", *(() if form is None else form.empty))))


def in_sql(name: str, form: Any, dialect: str, literal: Callable[[str], str]) -> str:
    """What a column holds, as it was read. ``literal``: writes a text."""
    if not _is_written(form):
        return name
    is_empty = f"CAST({name} AS TEXT) IN ({', '.join(map(literal, _empty(form)))})"
    read = name
    if form.is_number:
        read = f"CAST({_cleaned(name, form, literal)} AS {'REAL' if dialect == 'sqlite' else 'DOUBLE PRECISION'})"
    return f"CASE WHEN {is_empty} THEN NULL ELSE {read} END"


def no_number_in_sqlite(name: str, form: Any, literal: Callable[[str], str]) -> str:
    """Whether a column that is compared with numbers holds none: SQLite would make one of any text."""
    if not _is_written(form):
        return f"typeof({name}) = 'text'"
    is_empty = f"CAST({name} AS TEXT) IN ({', '.join(map(literal, _empty(form)))})"
    return f"NOT {is_empty} AND {_cleaned(name, form, literal)} GLOB {_NO_NUMBER}"


def _cleaned(name: str, form: Any, literal: Callable[[str], str]) -> str:
    """The text of a number as databases write them."""
    text, brackets = f"CAST({name} AS TEXT)", {"(": "-", ")": ""} if form.accounts else {}
    for piece, put in {**dict.fromkeys(filter(None, form.unit), ""), **brackets}.items():
        text = f"REPLACE({text}, {literal(piece)}, {literal(put)})"
    for mark in _thousands(form):
        text = f"REPLACE({text}, {literal(mark)}, '')"
    if form.marks[0] != ".":
        text = f"REPLACE({text}, {literal(form.marks[0])}, '.')"
    return f"TRIM({text})"


def in_python(column: str, form: Any) -> str:
    """The cell of a column in ``row``, as it was read."""
    cell = f"row[{column!r}]"
    if form is None or not form.is_number:
        return f"None if {cell} in {_empty(form)!r} else {cell}"
    unit = tuple(filter(None, form.unit))
    return f"written({cell}, {_empty(form)!r}, {unit!r}, {form.pattern!r}, {_thousands(form)!r}, {form.marks[0]!r})"
