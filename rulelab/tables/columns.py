"""How columns of files are the ones of memory: expressions of DuckDB, which gives texts, or what Parquet says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb

from ..arguments import TableError
from ..datasets.numerals import Form
from ..dates import HOURS, ISO, form_of
from .table import MOST_VALUES, UTC

_FIRST = 2000
"""Cells of a column of texts that are looked at before all are, to see whether they are dates."""
_ZONE = r"[T ]\d\d.*([Zz]|[+-]\d\d(:?\d\d)?)$"
_PER_SECOND = {"s": "1e0", "ms": "1e3", "us": "1e6", "ns": "1e9"}


def expression(name: str, form: Form) -> Any:
    """A column as its form says."""
    function, constant = duckdb.FunctionExpression, duckdb.ConstantExpression
    column = found = duckdb.ColumnExpression(name)
    if form.kind in ("date", "time"):
        found = duckdb.SQLExpression((_date if form.dates else _hours)(_quoted(name), form.dates))
    elif form.kind == "boolean":
        found = function("lower", column) == constant("true")
    elif form.kind != "text":
        decimal, thousands = form.marks
        left_out = [*form.unit, *(" \u00a0\u202f" if thousands == " " else thousands)]
        pieces = [(piece, "") for piece in filter(None, left_out)] + form.accounts * [("(", "-"), (")", "")]
        for piece, instead in pieces:
            found = function("replace", found, constant(piece), constant(instead))
        found = function("trim", function("replace", found, constant(decimal), constant(".")))
        found = found.cast("BIGINT" if form.kind == "whole" else "DOUBLE")
    if not form.empty:
        return found
    return duckdb.CaseExpression(column.isin(*map(constant, form.empty)), constant(None)).otherwise(found)


def _date(column: str, form: str) -> str:
    """SQL of a date of a form, by the clock of UTC where it has a zone."""
    if form == ISO:
        moment = f"make_timestamp(epoch_us(try_cast({column} as timestamptz)))"
        return f"case when regexp_matches({column}, '{_ZONE}') then {moment} else try_cast({column} as timestamp) end"
    found = f"try_strptime({column}, {_literal(form)})"
    return found if "%M" in form else f"cast({found} as date)"


def _hours(column: str, _form: str) -> str:
    """SQL of a time of day or a duration in hours."""
    days, hours, minutes, seconds, parts = (f"regexp_extract({column}, '^{HOURS}$', {k})" for k in range(1, 6))
    whole = [f"coalesce(try_cast({piece} as bigint), 0)" for piece in (days, hours, minutes, seconds)]
    total = f"((({whole[0]} * 24 + {whole[1]}) * 60 + {whole[2]}) * 60 + {whole[3]})"
    return f"({total} * 1000000 + cast(rpad({parts}, 6, '0') as bigint)) / 1e6 / 3600e0"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def dated(relation: Any, paths: Sequence[str]) -> tuple[Any, frozenset[str]]:
    """Parquet files with dates for texts that are dates, moments in UTC, and times in hours, which are told."""
    from pyarrow import parquet, types

    schemas = [parquet.read_schema(path) for path in paths]
    if "*" in relation.columns:
        return relation, frozenset()  # it is refused
    columns: dict[str, Any] = {}
    hours: set[str] = set()
    for name in relation.columns:
        kinds = {schema.field(name).type for schema in schemas}
        kind, column = kinds.pop(), _quoted(name)
        if kinds:
            continue
        if types.is_string(kind) or types.is_large_string(kind):
            form = _form_of(relation, name)
            if form.dates:
                columns[name] = expression(name, form)
        elif types.is_timestamp(kind) and kind.tz in UTC:
            columns[name] = duckdb.SQLExpression(f"make_timestamp(epoch_us({column}))")
        elif types.is_duration(kind):
            columns[name] = duckdb.SQLExpression(f"{column} / {_PER_SECOND[kind.unit]} / 3600e0")
        elif types.is_time(kind):
            columns[name] = duckdb.SQLExpression(f"floor(epoch({column})) / 3600e0")
        if types.is_duration(kind) or types.is_time(kind):
            hours.add(name)
    if not columns:
        return relation, frozenset()
    known = ((name, columns.get(name, duckdb.ColumnExpression(name))) for name in relation.columns)
    return relation.select(*(column.alias(name) for name, column in known)), frozenset(hours)


def _form_of(relation: Any, name: str) -> Form:
    """Whether texts are dates; all are looked at where the first ones are."""
    texts = relation.select(duckdb.ColumnExpression(name).alias("v")).filter("v is not null")
    if not form_of(list(dict.fromkeys(v for (v,) in texts.limit(_FIRST).fetchall())))[0]:
        return Form()
    every = [v for (v,) in texts.distinct().limit(MOST_VALUES).fetchall()]
    form = Form("date", dates=form_of(every)[0])
    if not form.dates:
        return Form()
    check_dates(relation, name, form)
    return form


def check_dates(relation: Any, name: str, form: Form) -> None:
    """Refuse dates that are written in a way that DuckDB does not read, though pandas does."""
    cells = relation.select(duckdb.ColumnExpression(name).alias("v"), expression(name, form).alias("d"))
    empty = ", ".join(_literal(text) for text in form.empty) or "null"
    wrong = cells.filter(f"d is null and v is not null and (v in ({empty})) is not true").limit(1).fetchall()
    if wrong:
        raise TableError(
            f"column {name!r} holds dates of which {wrong[0][0]!r} cannot be read where they are counted; write them "
            "as 2024-12-31 or 2024-12-31 23:59"
        )
