"""Models for other programs: SQL, Python, and PMML with a RuleSetModel whose first rule that holds decides."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

from ..arguments import ModelError
from ..data.conditions import Condition, confusable
from . import raw_cells, serialisation
from .rule import Branch, Test

DIALECTS = ("duckdb", "sqlite", "postgresql")
"""The databases that an expression can be written for."""
VALUES = ("prediction", "probability")
"""What an expression can give."""
_SPACE = "http://www.dmg.org/PMML-4_4"
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OPERATORS = {
    "<=": "lessOrEqual", ">": "greaterThan", "==": "equal", "!=": "notEqual", "is missing": "isMissing",
    "is present": "isNotMissing",
}  # fmt: skip
_EXACT = 2**53  # a double is no whole number beyond it but some
_TYPES = {bool: "boolean", int: "integer", float: "double", str: "string"}


Cells = Mapping[str, Any]
"""How the cells of columns were read, see `raw_cells`."""


def branches_as_sql(
    branches: Sequence[Branch],
    default: Branch,
    dialect: str,
    value: str,
    cells: Cells | None = None,
    table: str | None = None,
    about: Sequence[str] = (),
) -> str:
    """An expression, or with a table a statement, in SQL; see `rulelab.models.base.Saved.to_sql`."""
    if dialect not in DIALECTS:
        raise ModelError(f"there is no dialect {dialect!r}; the dialects are {', '.join(DIALECTS)}")
    if value not in VALUES:
        raise ModelError(f"value is 'prediction' or 'probability', not {value!r}")
    cells = cells or {}
    comments = [*about, *raw_cells.told(dict.fromkeys(c.column for c in _asked(branches)), cells)]
    lines = [f"-- {''.join(c if c.isprintable() else ' ' for c in comment)}" for comment in comments]
    if table is None:
        return "\n".join([*lines, *_expression(branches, default, dialect, value, cells), ""])
    written = ["\n".join(_expression(branches, default, dialect, each, cells)) for each in VALUES]
    given = [f"{expression} AS {each}" for each, expression in zip(VALUES, written, strict=True)]
    return "\n".join([*lines, ",\n".join(["SELECT *", *given]), f"FROM {_name(table, dialect)}", ""])


def _expression(branches: Sequence[Branch], default: Branch, dialect: str, value: str, cells: Cells) -> list[str]:
    """What a model says of a row, in lines."""
    if not branches:
        return [_literal(getattr(default, value))]
    lines = _of_other_types(branches, cells) if dialect == "sqlite" else []
    write = partial(_condition, dialect=dialect, cells=cells)
    lines += [
        f"  WHEN {_joined(b.test, write, ' AND ', ' OR ', 'TRUE')} THEN {_literal(getattr(b, value))}" for b in branches
    ]
    return ["CASE", *lines, f"  ELSE {_literal(getattr(default, value))}", "END"]


def _of_other_types(branches: Sequence[Branch], cells: Cells) -> list[str]:
    """SQLite compares any types, and a text is larger than all numbers: no answer rather than a wrong one."""
    columns = dict.fromkeys(c.column for c in _asked(branches) if not isinstance(c.value, str | None))
    wrong = [raw_cells.no_number_in_sqlite(_name(c, "sqlite"), cells.get(c), _literal) for c in columns]
    return [f"  WHEN {' OR '.join(wrong)} THEN NULL"] if columns else []


def _asked(branches: Sequence[Branch]) -> list[Condition]:
    """All conditions that are asked for, in their order."""
    return [c for b in branches for alternatives in b.test for each in alternatives for c in each]


def _joined(test: Test, write: Callable[[Condition], str], both: str, either: str, true: str) -> str:
    """A test in a language that joins conditions by these words."""
    groups = []
    for alternatives in test:
        parts = [both.join(map(write, each)) or true for each in alternatives]
        if len(parts) > 1:
            parts = [f"({either.join(f'({part})' if both in part else part for part in parts)})"]
        groups += parts
    return both.join(groups) or true


def _condition(condition: Condition, dialect: str, cells: Cells) -> str:
    """Never true of a cell without a value but by ``IS NULL``; it may be NULL, which no branch is taken for."""
    column = raw_cells.in_sql(_name(condition.column, dialect), cells.get(condition.column), dialect, _literal)
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


_SOURCES = Path(__file__).with_name("predict_helpers.txt").read_text("utf-8").rstrip("\n").split("\n\n\n")
_HELPERS = {source.removeprefix("def ").partition("(")[0]: f"{source}\n" for source in _SOURCES}
"""The functions by name that are written with a model which needs them."""
_FUNCTIONS = {
    "prediction": ("predict", "Label of one row, a mapping from column names to values."),
    "probability": ("probability", "Probability for one row: of the positive class, of several of the predicted one."),
}
_READ = "The cells of one row as they were read of the file that the model was fitted on."


def branches_as_python(
    branches: Sequence[Branch], default: Branch, cells: Cells | None = None, probability: bool = False
) -> str:
    """Source of a function ``predict(row)``, whose cells may be of any type that `Condition.evaluate` takes."""
    functions = []
    asked = dict.fromkeys(c.column for c in _asked(branches)) if cells is not None else {}
    if asked:
        read = [f"        {column!r}: {raw_cells.in_python(column, (cells or {}).get(column))}," for column in asked]
        functions.append(["def read(row):", f'    """{_READ}"""', "    return {", "        **row,", *read, "    }", ""])
    for value in VALUES if probability else VALUES[:1]:
        name, said = _FUNCTIONS[value]
        lines = [f"def {name}(row):", f'    """{said}"""', *(["    row = read(row)"] if asked else [])]
        for branch in branches:
            test = _joined(branch.test, _python_condition, " and ", " or ", "True")
            lines += [f"    if {test}:", f"        return {_python_literal(getattr(branch, value))}"]
        functions.append([*lines, f"    return {_python_literal(getattr(default, value))}", ""])
    sources = ["\n".join(lines) for lines in functions]
    called = {name for name in _HELPERS if any(f"{name}(row[" in source for source in sources)}
    called |= {"text"} if "same" in called else set()
    return "\n\n".join([*(source for name, source in _HELPERS.items() if name in called), *sources])


def _python_literal(value: Any) -> str:
    return repr(serialisation.plain(value, "a value of the model"))


def _python_condition(condition: Condition) -> str:
    cell = f"row[{condition.column!r}]"
    if condition.operator == "is missing":
        return f"missing({cell})"
    if condition.operator == "is present":
        return f"not missing({cell})"
    value, operator = _python_literal(condition.value), condition.operator
    negated = "" if operator == "==" else "not "
    if isinstance(condition.value, bool):
        wanted = condition.value == (operator == "==")
        return f"not missing({cell}) and {'' if wanted else 'not '}boolean({cell})"
    if isinstance(condition.value, str) and confusable(condition.value):
        return f"not missing({cell}) and {negated}same({cell}, {value})"
    read = "text" if isinstance(condition.value, str) else "number"
    return f"not missing({cell}) and {read}({cell}) {operator} {value}"


def branches_as_pmml(
    branches: Sequence[Branch], default: Branch, classes: Sequence[Any], target: str, cells: Cells | None = None
) -> str:
    """A PMML document; see `rulelab.models.base.Saved.to_pmml`."""
    columns = _columns(branches)
    if target in columns:
        raise ModelError(f"the model asks for a column named {target!r}: give the target another name")
    labels = [serialisation.plain(label, "a class label") for label in classes]
    kinds = {_TYPES[type(label)] for label in labels}
    root = Xml.Element("PMML", xmlns=_SPACE, version="4.4")
    header = _add(root, "Header")
    _add(header, "Application", name="rulelab")
    for said in raw_cells.told(columns, cells or {}):
        _add(header, "Annotation").text = f"The column {said}; give it so."
    dictionary = _add(root, "DataDictionary")
    for name, of in columns.items():
        optype = "continuous" if of in ("double", "integer") else "categorical"
        _add(dictionary, "DataField", name=name, optype=optype, dataType=of)
    kind = kinds.pop() if len(kinds) == 1 else "string"
    field = _add(dictionary, "DataField", name=target, optype="categorical", dataType=kind)
    for label in labels:
        _add(field, "Value", value=_text(label))
    model = _add(root, "RuleSetModel", functionName="classification")
    schema = _add(model, "MiningSchema")
    for name in columns:
        _add(schema, "MiningField", name=name)
    _add(schema, "MiningField", name=target, usageType="target")
    otherwise = {"defaultScore": _text(default.prediction), "defaultConfidence": _confidence(default, classes)}
    rules = _add(model, "RuleSet", **otherwise)
    _add(rules, "RuleSelectionMethod", criterion="firstHit")
    _distribution(rules, default, labels)
    for k, branch in enumerate(branches):
        score = {"score": _text(branch.prediction), "confidence": _confidence(branch, classes)}
        rule = _add(rules, "SimpleRule", id=f"{k + 1}", **score)
        _test(rule, branch.test)
        _distribution(rule, branch, labels)
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _columns(branches: Sequence[Branch]) -> dict[str, str]:
    """The data type of each column that is asked for."""
    compared: dict[str, list[Any]] = {}
    for condition in _asked(branches):
        known = compared.setdefault(condition.column, [])
        if condition.value is not None:
            known.append(serialisation.plain(condition.value, f"the value of {str(condition)!r}"))
    return {name: _type_of(name, values) for name, values in compared.items()}


def _type_of(column: str, values: Sequence[Any]) -> str:
    """A small whole number may be the cut of a column with decimals; one that no double holds is of none."""
    kinds = {_TYPES[type(value)] for value in values}
    if kinds == {"integer"} and max(map(abs, values)) >= _EXACT:
        return "integer"
    kinds = {"double" if kind == "integer" else kind for kind in kinds}
    if len(kinds) > 1:
        raise ModelError(f"a field of PMML is of one type, but the model compares {column!r} with values of several")
    return next(iter(kinds), "string")


def _test(parent: Xml.Element, test: Test) -> None:
    with_all = _compound(parent, "and", len(test))
    for alternatives in test:
        with_any = _compound(with_all, "or", len(alternatives))
        for conditions in alternatives:
            joined = _compound(with_any, "and", len(conditions))
            for condition in conditions:
                asked = {"field": condition.column, "operator": _OPERATORS[condition.operator]}
                value = {} if condition.value is None else {"value": _text(condition.value)}
                _add(joined, "SimplePredicate", **asked, **value)


def _compound(parent: Xml.Element, operator: str, parts: int) -> Xml.Element:
    """Where the parts of a predicate go; a compound predicate has two at least, and one of none is true."""
    if parts == 0:
        return _add(parent, "True")
    return parent if parts == 1 else _add(parent, "CompoundPredicate", booleanOperator=operator)


def _confidence(branch: Branch, classes: Sequence[Any]) -> str:
    """The probability of what is predicted."""
    return _text(branch.shares[list(classes).index(branch.prediction)])


def _distribution(parent: Xml.Element, branch: Branch, labels: Sequence[Any]) -> None:
    for label, count, share in zip(labels, branch.counts, branch.shares, strict=True):
        _add(parent, "ScoreDistribution", value=_text(label), recordCount=_text(count), probability=_text(share))


def _add(parent: Xml.Element, kind: str, **attributes: str) -> Xml.Element:
    for text in attributes.values():
        if _NOT_XML.search(text):
            raise ModelError(f"XML cannot hold the text {text!r}, which has a control character")
    return Xml.SubElement(parent, kind, attributes)


def _text(value: Any) -> str:
    value = serialisation.plain(value, "a value of the model")
    return str(value).lower() if isinstance(value, bool) else value if isinstance(value, str) else repr(value)
