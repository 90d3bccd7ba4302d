"""Models as SQL expressions, for a column of what a model says beside the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..data.conditions import Condition
from . import serialisation
from .errors import ModelError
from .rule import Branch

DIALECTS = ("duckdb", "sqlite", "postgresql")
"""The databases that an expression can be written for."""
VALUES = ("prediction", "probability")
"""What an expression can give."""


def branches_as_sql(branches: Sequence[Branch], default: Branch, dialect: str, value: str) -> str:
    """An expression in SQL; see `rulelab.models.Model.to_sql`."""
    if dialect not in DIALECTS:
        raise ModelError(f"there is no dialect {dialect!r}; the dialects are {', '.join(DIALECTS)}")
    if value not in VALUES:
        raise ModelError(f"value is 'prediction' or 'probability', not {value!r}")
    if not branches:
        return f"{_literal(getattr(default, value))}\n"
    lines = _of_other_types(branches) if dialect == "sqlite" else []
    lines += [f"  WHEN {_test(b.test, dialect)} THEN {_literal(getattr(b, value))}" for b in branches]
    return "\n".join(["CASE", *lines, f"  ELSE {_literal(getattr(default, value))}", "END", ""])


def _of_other_types(branches: Sequence[Branch]) -> list[str]:
    """SQLite compares any types, and a text is larger than all numbers: no answer rather than a wrong one."""
    conditions = (c for b in branches for alternatives in b.test for each in alternatives for c in each)
    columns = dict.fromkeys(c.column for c in conditions if not isinstance(c.value, str | None))
    kinds = ", ".join(f"typeof({_name(column, 'sqlite')})" for column in columns)
    return [f"  WHEN 'text' IN ({kinds}) THEN NULL"] if columns else []


def _test(test: tuple[tuple[tuple[Condition, ...], ...], ...], dialect: str) -> str:
    groups = []
    for alternatives in test:
        parts = [" AND ".join(_condition(c, dialect) for c in each) or "TRUE" for each in alternatives]
        if len(parts) == 1:
            groups.append(parts[0])
        else:
            groups.append(f"({' OR '.join(f'({part})' if ' AND ' in part else part for part in parts)})")
    return " AND ".join(groups) or "TRUE"


def _condition(condition: Condition, dialect: str) -> str:
    """Never true of a cell without a value but by ``IS NULL``; it may be NULL, which no branch is taken for."""
    column = _name(condition.column, dialect)
    if condition.operator == "is missing":
        return f"{column} IS NULL"
    if condition.operator == "is present":
        return f"{column} IS NOT NULL"
    operator = {"==": "=", "!=": "<>"}.get(condition.operator, condition.operator)
    return f"{column} {operator} {_literal(condition.value)}"


def _name(column: str, dialect: str) -> str:
    """SQLite takes an unknown name in double quotes for a text, one in backticks never."""
    mark = "`" if dialect == "sqlite" else '"'
    if not column or "\0" in column:
        raise ModelError(f"no table of a database has a column named {column!r}; rename it and fit the model again")
    return f"{mark}{column.replace(mark, 2 * mark)}{mark}"


def _literal(value: Any) -> str:
    """Numbers with decimals have an exponent, so that they are read as floating-point numbers, not as decimal ones."""
    value = serialisation.plain(value, "a value of the model")
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        text = repr(value)
        return text if "e" in text else f"{text}e0"
    if "\0" in value:
        raise ModelError(f"no text of a database holds the character 0, but the model compares with {value!r}")
    return f"'{value.replace(chr(39), 2 * chr(39))}'"
