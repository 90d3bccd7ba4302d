"""Models written in other languages give the answers of `predict`, whatever the columns and cells are called."""

import csv
import io
import json
import pickle
import re
import sqlite3
import sys
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any
from xml.etree import ElementTree as Xml

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from command_line import run
from hypothesis import given, settings
from hypothesis import strategies as st

import rulelab as rl
from rulelab.data.conditions import attach_conditions
from rulelab.models import json_schema

NAMES = ["a", 'b"', "c'", "d`e", "f]", "g;--", "h\n\ti", "ü ☃", "%s", "<&>", "select", "j\\"]
TEXTS = ["x", "", "it's", 'say "no"', "3", "\\", "a\nb", "NULL", "<&>", "ä", "--", " x "]
NUMBERS = [0.1, 0.30000000000000004, 2.5, -1e-300, 3.0, 7, -2, 2**53 + 1, 1e22, 1.7976931348623157e308, 5e-324]
KINDS = {"number": NUMBERS, "text": TEXTS, "boolean": [True, False]}


@st.composite
def cases(draw: st.DrawFn) -> tuple[pd.DataFrame, list[rl.Condition]]:
    """A table of typed columns, as a database has them, and conditions on it."""
    columns, conditions = {}, {}
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)):
        kind = draw(st.sampled_from(list(KINDS)))
        cells = draw(st.lists(st.sampled_from([*KINDS[kind], None]), min_size=6, max_size=6))
        dtype = {"number": "float64", "text": object, "boolean": object}[kind]
        columns[name] = pd.Series(cells, dtype=dtype)
        tests = ["==", "!=", "is missing", "is present", *(["<=", ">"] if kind == "number" else [])]
        for operator in draw(st.lists(st.sampled_from(tests), min_size=1, max_size=3)):
            value = None if operator.startswith("is ") else draw(st.sampled_from(KINDS[kind]))
            if kind == "number" and value is not None and float(value) != value:
                value = float(value)  # the column has no such number, and engines differ about what it is like
            condition = rl.Condition(name, operator, value)
            conditions[str(condition)] = condition
    return pd.DataFrame(columns), list(conditions.values())


def a_row_each(conditions: list[rl.Condition], others: int = 1) -> pd.DataFrame:
    """A table of conditions each of which holds in a row of its own, and of other rows."""
    m = len(conditions)
    frame = pd.DataFrame(np.eye(m + others, m, dtype=bool), columns=list(map(str, conditions)))
    attach_conditions(frame, conditions)
    return frame


def models(conditions: list[rl.Condition], classes: tuple[Any, Any] = (0, 1)) -> list[Any]:
    """Models of each family and form over the conditions, and pairs of them, as antecedents."""
    m = len(conditions)
    problem = rl.Problem.from_arrays(a_row_each(conditions), np.array(classes)[np.arange(m + 1) % 2])
    order = list(range(m))
    clauses = [tuple(order), *((j,) for j in order if m > 1)]
    return [
        rl.RuleList.from_problem(problem, []),
        rl.RuleList.from_problem(problem, order, [1 - j % 2 for j in range(m + 1)]),
        rl.FallingRuleList.from_problem(problem, order[::-1], positive_weight=2),
        rl.RuleSet.from_problem(problem, [], "dnf"),
        rl.RuleSet.from_problem(problem, [], "cnf"),
        *(
            rl.RuleSet.from_problem(problem, chosen, form)
            for form in ("dnf", "cnf")
            for chosen in (clauses, clauses[:1])
        ),
    ]


def in_duckdb(table: pd.DataFrame, expressions: list[str]) -> list[list[Any]]:
    """What each expression gives for the rows."""
    kinds = ["DOUBLE" if c.dtype == float else _kind(c, "BOOLEAN", "VARCHAR") for _, c in table.items()]
    return _asked(DUCKDB, table, kinds, expressions)


def in_sqlite(table: pd.DataFrame, expressions: list[str]) -> list[list[Any]]:
    kinds = ["REAL" if c.dtype == float else _kind(c, "INTEGER", "TEXT") for _, c in table.items()]
    return _asked(sqlite3.connect(":memory:"), table, kinds, expressions)


DUCKDB = duckdb.connect()


def _kind(column: pd.Series, boolean: str, text: str) -> str:
    return boolean if any(isinstance(cell, bool) for cell in column) else text


def _asked(base: Any, table: pd.DataFrame, kinds: list[str], expressions: list[str]) -> list[list[Any]]:
    names = ['"' + name.replace('"', '""') + '"' for name in table.columns]
    columns = ", ".join(map(" ".join, zip(names, kinds, strict=True)))
    base.execute("DROP TABLE IF EXISTS t")
    base.execute(f"CREATE TABLE t (place INTEGER, {columns})")
    rows = [
        [k, *(None if pd.isna(cell) else cell for cell in row)] for k, row in enumerate(table.itertuples(index=False))
    ]
    marks = ", ".join("?" * (len(names) + 1))
    base.execute(
        f"INSERT INTO t VALUES {', '.join([f'({marks})'] * len(rows))}", [cell for row in rows for cell in row]
    )
    answers = base.execute(f"SELECT {', '.join(expressions)} FROM t ORDER BY place").fetchall()
    return [list(column) for column in zip(*answers, strict=True)]


def by_definition(model: Any, row: dict[str, Any]) -> Any:
    """What a model says of a row, from its rules alone."""

    def holds(antecedent: Any) -> bool:
        return all(_holds(condition, row[condition.column]) for condition in antecedent.conditions)

    if isinstance(model, rl.RuleSet):
        joined, outer = (all, any) if model.form == "dnf" else (any, all)
        return model.classes[int(outer(joined(map(holds, clause.literals)) for clause in model.rules))]
    return next((rule.prediction for rule in model.rules if holds(rule)), model.default.prediction)


def _holds(condition: rl.Condition, cell: Any) -> bool:
    missing = cell is None or cell != cell
    if condition.value is None or missing:
        return missing == (condition.operator == "is missing")
    compare: dict[str, Callable[[Any, Any], bool]] = {
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        "==": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
    }
    return compare[condition.operator](cell, condition.value)


@settings(max_examples=150)
@given(cases(), st.sampled_from([(0, 1), ("no", "it's <y&s>"), (1.5, 2.5)]))
def test_databases_pmml_and_model_agree(case, classes):
    table, conditions = case
    each = models(conditions, classes)
    expected = [model.predict(table).tolist() for model in each]
    assert [[by_definition(model, row) for row in table.to_dict("records")] for model in each] == expected
    assert in_pmml([model.to_pmml() for model in each], [table] * len(each)) == expected
    expected += [model.predict_proba(table)[:, -1].tolist() for model in each]
    for dialect, ask in (("duckdb", in_duckdb), ("sqlite", in_sqlite)):
        asked = [model.to_sql(dialect, value) for value in ("prediction", "probability") for model in each]
        for text, got, wanted in zip(asked, ask(table, asked), expected, strict=True):
            assert got == wanted, text


def test_an_unknown_column_is_an_error_in_every_database():
    (model,) = models([rl.Condition("b", "==", "b")])[1:2]
    for ask, dialect in ((in_duckdb, "duckdb"), (in_sqlite, "sqlite")):
        with pytest.raises((duckdb.Error, sqlite3.Error), match="b"):
            ask(pd.DataFrame({"a": ["x"]}), [model.to_sql(dialect)])


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [("", "x", "column named ''"), ("a\0b", "x", "column named"), ("a", "x\0", "character 0")],
)
def test_what_no_database_can_hold(column, value, message):
    (model,) = models([rl.Condition(column, "==", value)])[1:2]
    with pytest.raises(rl.errors.ModelError, match=message):
        model.to_sql()


def test_wrong_dialects_and_values_are_named():
    model = models([rl.Condition("a", "<=", 1)])[1]
    with pytest.raises(rl.errors.ModelError, match=r"no dialect 'oracle'; the dialects are duckdb"):
        model.to_sql("oracle")
    with pytest.raises(rl.errors.ModelError, match="value is 'prediction' or 'probability'"):
        model.to_sql(value="odds")


# types -------------------------------------------------------------------------------------------------------
WRITTEN: dict[str, Callable[[list[Any]], pd.Series]] = {
    "as fitted": pd.Series,
    "objects": lambda cells: pd.Series(cells, dtype=object),
    "texts": lambda cells: pd.Series(list(map(str, cells)), dtype="str"),
    "string": lambda cells: pd.Series(list(map(str, cells)), dtype="string"),
    "categories": lambda cells: pd.Series(cells, dtype="category"),
    "categories of texts": lambda cells: pd.Series(list(map(str, cells)), dtype="category"),
    "Arrow texts": lambda cells: pd.Series(list(map(str, cells)), dtype=pd.ArrowDtype(pa.string())),
    "Arrow": lambda cells: pd.Series(pd.array(pa.array(cells), dtype=pd.ArrowDtype(pa.array(cells).type))),
    "nullable": lambda cells: pd.Series(cells).convert_dtypes(),
    "float32": lambda cells: pd.Series(list(map(float, cells)), dtype="float32"),
    "Float64": lambda cells: pd.Series(list(map(float, cells)), dtype="Float64"),
    "int8": lambda cells: pd.Series([{float(k): k for k in range(10)}[float(cell)] for cell in cells], dtype="int8"),
    "Booleans": lambda cells: pd.Series([{"0": False, "1": True, "no": False, "yes": True}[_code(c)] for c in cells]),
    "decimals": lambda cells: pd.Series([Decimal(str(cell)) for cell in cells], dtype=object),
    "one unknown": lambda cells: pd.Series([*map(str, cells[:-1]), "unknown"], dtype="str"),
    "one blank": lambda cells: pd.Series([*map(str, cells[:-1]), ""], dtype="str"),
    "dates": lambda cells: pd.Series(pd.date_range("2020-01-01", periods=len(cells))),
}
FITTED = {
    "numbers": [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8],
    "decimals": [0.5, 2.5, 1.5, 3.5, 0.5, 2.5, 1.5, 3.5, 0.5, 2.5, 1.5, 3.5],
    "two numbers": [0, 1] * 6,
    "Booleans": [False, True] * 6,
    "codes": ["0", "1"] * 6,
    "zeros": ["01", "02", "10"] * 4,
    "words": ["no", "yes"] * 6,
    "truth": ["true", "false"] * 6,
    "texts": ["a", "b", "c"] * 4,
    "fractions": ["1.50", "2.50", "x"] * 4,
}
SAME = {
    "as fitted", "objects", "texts", "string", "categories", "categories of texts", "Arrow texts", "Arrow", "nullable",
}  # fmt: skip


def _code(cell: Any) -> str:
    text = str(cell).casefold()
    return {"false": "0", "true": "1", "01": "0", "02": "1"}.get(text, text)


def doors(model: Any, table: pd.DataFrame) -> dict[str, Callable[[], list[Any]]]:
    """Every way to ask a model."""
    scope: dict[str, Any] = {}
    exec(model.to_python(), scope)

    def duck() -> list[Any]:
        with duckdb.connect() as base:
            base.register("t", table)
            return [row[0] for row in base.execute(f"SELECT {model.to_sql()} FROM t").fetchall()]

    def lite() -> list[Any]:
        base = sqlite3.connect(":memory:")
        table.to_sql("t", base, index=False)
        return [row[0] for row in base.execute(f"SELECT {model.to_sql('sqlite')} FROM t").fetchall()]

    return {
        "model": lambda: model.predict(table).tolist(),
        "file": lambda: type(model).from_json(model.to_json()).predict(table).tolist(),
        "python": lambda: [scope["predict"](row) for row in table.to_dict("records")],
        "duckdb": duck,
        "sqlite": lite,
    }


@pytest.mark.few(5)
@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("fitted", FITTED)
def test_cells_of_another_type_give_the_same_answer_or_an_error(fitted, written):
    cells = FITTED[fitted]
    try:
        column = WRITTEN[written](cells)
    except (ValueError, KeyError, TypeError, ArithmeticError):
        return  # these cells cannot be of that type
    train = pd.DataFrame({"z": cells})
    binarizer = rl.Binarizer(thresholds=3).fit(train)
    frame = binarizer.transform(train)
    problem = rl.Problem.from_arrays(frame, np.arange(len(cells)) % 2)
    for model in [
        *(rl.RuleList.from_problem(problem, [j], [1, 0]) for j in range(problem.n_antecedents)),
        rl.RuleSet.from_problem(problem, [(problem.n_antecedents - 1,)]),
    ]:
        expected = model.predict(train).tolist()
        for name, ask in doors(model, pd.DataFrame({"z": column})).items():
            refused: Exception | None = None
            try:
                found = ask()
            except (ValueError, TypeError, duckdb.Error, sqlite3.Error, pd.errors.DatabaseError) as error:
                refused = error
            if refused is not None:
                assert name in ("duckdb", "sqlite") or written not in SAME, refused
                said = re.search(r"column 'z': (row \d+ holds .*rows count from 0|it holds dates)", str(refused))
                assert said or name not in ("model", "file"), refused
            else:
                if name == "sqlite":
                    if written in ("Booleans", "dates"):  # it has neither type
                        continue
                    found = [b if a is None else a for a, b in zip(found, expected, strict=True)]
                some = len(cells) - written.startswith("one ")  # the cell that is new
                assert found[:some] == expected[:some], (name, str(model))
                if some < len(cells) and name in ("model", "python"):
                    assert isinstance(cells[0], str), "what is no number, and no Boolean, was not refused"
    if written in SAME:
        assert binarizer.transform(pd.DataFrame({"z": column})).equals(frame)


# PMML -------------------------------------------------------------------------------------------------------
SPACE = {"p": "http://www.dmg.org/PMML-4_4"}


def in_pmml(documents: list[str], tables: list[pd.DataFrame]) -> list[list[Any]]:
    """What documents say, by the sentences of the PMML 4.4 specification on rule sets and predicates."""
    return [_scored(Xml.fromstring(text), table) for text, table in zip(documents, tables, strict=True)]


def _scored(root: Xml.Element, table: pd.DataFrame) -> list[Any]:
    kinds = {field.get("name"): field.get("dataType") for field in root.findall(".//p:DataField", SPACE)}
    read = {"double": float, "integer": int, "string": str, "boolean": {"true": True, "false": False}.__getitem__}
    target = root.find(".//p:MiningField[@usageType='target']", SPACE)
    rules = root.find(".//p:RuleSet", SPACE)
    assert target is not None
    assert rules is not None
    say = read[kinds[target.get("name")]]
    answers = []
    for row in table.to_dict("records"):
        firing = (r.get("score") for r in rules.findall("p:SimpleRule", SPACE) if _predicate(r[0], row, kinds, read))
        answers.append(say(next(firing, rules.get("defaultScore"))))
    return answers


def _predicate(at: Xml.Element, row: dict[str, Any], kinds: dict[Any, Any], read: dict[str, Any]) -> bool | None:
    """True, false, or None for unknown."""
    kind = at.tag.rpartition("}")[2]
    if kind == "True":
        return True
    if kind == "CompoundPredicate":
        parts = [_predicate(part, row, kinds, read) for part in at]
        decided = at.get("booleanOperator") == "or"
        return decided if decided in parts else None if None in parts else not decided
    cell, operator = row[at.get("field")], at.get("operator")
    missing = cell is None or cell != cell
    if operator in ("isMissing", "isNotMissing"):
        return missing == (operator == "isMissing")
    if missing:
        return None
    value = read[kinds[at.get("field")]](at.get("value"))
    return {
        "lessOrEqual": lambda: cell <= value,
        "greaterThan": lambda: cell > value,
        "equal": lambda: cell == value,
        "notEqual": lambda: cell != value,
    }[operator]()


def test_whole_numbers_that_no_double_holds_are_integers_in_pmml():
    cells = [2**53 + k for k in range(6)]
    table = pd.DataFrame({"a": pd.Series(cells), "b": pd.Series([0.5, 1.0] * 3)})
    for model in models([rl.Condition("a", "<=", 2**53 + 2), rl.Condition("b", "<=", 1)]):
        document = model.to_pmml()
        asked = {
            "a": 'name="a" optype="continuous" dataType="integer"',
            "b": 'name="b" optype="continuous" dataType="double"',
        }
        assert all(text in document for name, text in asked.items() if f'field="{name}"' in document)
        assert in_pmml([document], [table]) == [model.predict(table).tolist()]


@pytest.mark.parametrize(
    ("conditions", "target", "message"),
    [
        ([rl.Condition("a", "<=", 1), rl.Condition("a", "==", "x")], "y", "of one type"),
        ([rl.Condition("a", "<=", 1)], "a", "give the target another name"),
        ([rl.Condition("a\x01", "<=", 1)], "y", "control character"),
    ],
)
def test_what_pmml_cannot_hold(conditions, target, message):
    with pytest.raises(rl.errors.ModelError, match=message):
        models(conditions)[1].to_pmml(target)


# JSON -------------------------------------------------------------------------------------------------------
@cache
def checker() -> Any:
    """Imported when it is needed, and without its grammar of addresses, which takes seconds to read."""
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(json_schema()))


@settings(max_examples=30)
@given(cases(), st.sampled_from([(0, 1), ("no", "yes")]))
def test_saved_models_keep_the_schema_and_are_read_again(case, classes):
    for model in models(case[1], classes):
        checker().validate(json.loads(model.to_json()))
        again = type(model).from_json(model.to_json())
        assert again == model == rl.models.parse_model(model.to_json()) == pickle.loads(pickle.dumps(model))
        assert model == type(model).from_dict(json.loads(json.dumps(model.to_dict())))
        assert (hash(again), str(again), again.classes) == (hash(model), str(model), model.classes)


def test_the_schema_is_one():
    checker().check_schema(checker().schema)


def damaged(value: Any) -> list[tuple[str, Any]]:
    """The same with one entry left out or of another type, for every entry, and what that is called."""
    out: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        for key, inner in value.items():
            out += [(key, {k: v for k, v in value.items() if k != key})]
            out += [(key, {**value, key: other}) for other in ([[{}]], {"x": [1]})]
            out += [(name, {**value, key: other}) for name, other in damaged(inner)]
    elif isinstance(value, list):
        parts = ((k, each) for k, inner in enumerate(value) for each in damaged(inner))
        out += [(name, [*value[:k], other, *value[k + 1 :]]) for k, (name, other) in parts]
    return out


def test_the_schema_refuses_what_the_reader_refuses():
    proven = rl.models.Provenance("limit", 0.5, 0.25, "0f" * 32, "0.2.0")
    for model in models([rl.Condition("a", "<=", 1.5)]):
        whole = json.loads(model.proven(proven).to_json())
        checker().validate(whole)
        wrong = {"status": "certified", "objective": "0.5", "lower_bound": None, "data": "0F", "version": 2, "more": 1}
        one = [(name, {**whole, "provenance": {**whole["provenance"], name: value}}) for name, value in wrong.items()]
        for name, data in damaged(whole) + one:
            if "provenance" not in data:
                continue  # as in older files
            with pytest.raises(rl.errors.ModelError, match=name):
                rl.models.parse_model(json.dumps(data))
            assert not checker().is_valid(data), data


# the command line -------------------------------------------------------------------------------------------
def test_the_command_writes_what_the_methods_give(tmp_path, capsys):
    model = models([rl.Condition("a", "<=", 1.5), rl.Condition("b", "==", "x")])[1]
    saved = tmp_path / "model.json"
    model.save(saved)
    expected = {
        ("text",): f"{model.to_text()}\n",
        ("text", "--target", "ill"): f"{model.to_text('ill')}\n",
        ("sql", "--dialect", "sqlite", "--value", "probability"): model.to_sql("sqlite", "probability"),
        ("pmml", "--target", "ill"): model.to_pmml("ill"),
    }
    for options, text in expected.items():
        assert run(capsys, "export", saved, "--to", *options) == (0, text, "")
    output = tmp_path / "model.sql"
    status, out, err = run(capsys, "export", saved, "--to", "sql", "-o", output)
    assert (status, out, err) == (0, "", f"saved {output}\n")
    assert output.read_text(encoding="utf-8") == model.to_sql()
    assert run(capsys, "schema") == (0, json_schema(), "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--to", "text", "--dialect", "sqlite"], "--dialect and --value are of --to sql"),
        (["--to", "sql", "--target", "y"], "--target is of --to text and --to pmml"),
        (["--to", "pmml", "--target", "a"], "give the target another name"),
        (["--to", "sql", "-o", "nowhere/model.sql"], "there is no folder nowhere"),
        (["--to", "java"], "invalid choice"),
    ],
)
def test_wrong_usage_is_named(options, message, tmp_path, capsys):
    saved = tmp_path / "model.json"
    models([rl.Condition("a", "<=", 1.5)])[1].save(saved)
    status, out, err = run(capsys, "export", saved, *options)
    assert (status, out) == (2, "")
    assert message in err


def test_what_is_no_model_is_refused(tmp_path, capsys):
    path = tmp_path / "no.json"
    path.write_text("{}")
    assert "this is no saved model" in run(capsys, "export", path, "--to", "sql")[2]
    assert "cannot be read" in run(capsys, "export", tmp_path / "none.json", "--to", "sql")[2]


# raw cells --------------------------------------------------------------------------------------------------
def _money(number: float) -> str:
    return f"{number:,.2f}".translate(str.maketrans(",.", ".,"))


FILES = {
    "percent": (lambda x: f"{x:.1f} %", lambda x: f"{x:.1f}%", lambda x: str(round(x))),
    "dollars": (lambda x: f"${x:,.2f}" if x >= 0 else f"-${-x:,.2f}", lambda x: f"{x:.3f}", lambda x: f"USD {x:.0f}"),
    "euros": (lambda x: f"{_money(x)} EUR", _money, lambda x: f"{x:.1f}".replace(".", ",")),
    "accounts": (lambda x: f"({-x:,.0f})" if x < 0 else f"{x:,.0f}", lambda x: f"{x:,.1f}", lambda x: f"{x:.0f} kg"),
    "spaces": (lambda x: f"{x:,.1f}".replace(",", "\u00a0"), lambda x: f"{x:.2f} \u20ac", lambda x: f"{x:.2e}"),
}
EMPTY = ("", "k.A.", "-", "n/a")


def _written(kind: str) -> tuple[bytes, list[dict[str, str]]]:
    """A file of three columns of numbers, some of them empty, and one of words; and its cells."""
    rng = np.random.default_rng(len(kind))
    table = [["a", "b", 'c "d"\n--', "word", "y"]]
    for k in range(80):
        numbers = [write(x) for write, x in zip(FILES[kind], rng.normal(0, 3000, 3), strict=True)]
        cells = [EMPTY[int(rng.integers(4))] if rng.random() < 0.15 else cell for cell in numbers]
        table.append([*cells, str(rng.choice(["x", "it's", "n/a", ""])), ["no", "yes"][k % 2]])
    text = io.StringIO()
    csv.writer(text, delimiter=";").writerows(table)
    return text.getvalue().encode(), [dict(zip(table[0], row, strict=True)) for row in table[1:]]


@pytest.mark.filterwarnings("ignore::rulelab.datasets.DatasetWarning")
@pytest.mark.parametrize("kind", FILES)
def test_exports_read_raw_cells_as_the_file_was_read(kind):
    """Cell by cell: the conditions of every cut of a column, and that it is missing."""
    raw, rows = _written(kind)
    data = rl.datasets.read(raw, target="y", sensitive=())
    assert len(data.X.select_dtypes("number").columns) == 3
    frame = rl.Binarizer(thresholds=10).fit_transform(data.X)
    problem = rl.Problem.from_arrays(frame, data.y)
    base, texts = sqlite3.connect(":memory:"), pd.DataFrame(rows)
    texts.to_sql("raw", base, index=False)
    with duckdb.connect() as other:
        other.register("raw", texts)
        for j in range(problem.n_antecedents):
            model = rl.RuleList.from_problem(problem, [j], [1, 0])
            expected = model.predict(data.X).tolist()
            proba = model.predict_proba(data.X)[:, 1].tolist()
            scope: dict[str, Any] = {}
            exec(model.to_python(data.forms, probability=True), scope)
            assert [scope["predict"](row) for row in rows] == expected
            assert [scope["probability"](row) for row in rows] == proba
            assert [scope["predict"](row) for row in data.X.to_dict("records")] == expected
            for asked, dialect in ((base, "sqlite"), (other, "duckdb")):
                statement = model.to_sql(dialect, cells=data.forms, table="raw", about=["a\n; DROP TABLE raw; --"])
                found = asked.execute(statement).fetchall()
                assert [row[:5] for row in found] == [tuple(row.values()) for row in rows]
                assert [[*column] for column in zip(*found, strict=True)][5:] == [expected, proba]
            assert model.to_sql(cells={}) == model.to_sql()
            column = model.rules[0].conditions[0].column
            told = "is read" in model.to_pmml(cells=data.forms)
            assert told == (f"{column!r} is read" in model.to_sql(cells=data.forms))


@pytest.mark.filterwarnings("ignore::rulelab.datasets.DatasetWarning")
def test_what_is_not_written_as_its_column_is_refused():
    raw = b"a;y\n" + b"".join(b"%d,5 EUR;%d\n" % (k, k % 2) for k in range(20))
    data = rl.datasets.read(raw, target="y")
    problem = rl.Problem.from_arrays(rl.Binarizer().fit_transform(data.X), data.y)
    model = rl.RuleList.from_problem(problem, [0], [1, 0])
    scope: dict[str, Any] = {}
    exec(model.to_python(data.forms), scope)
    for wrong in ("3,5 USD", "three", "3.5 EUR", " "):
        with pytest.raises(ValueError, match="not written as"):
            scope["predict"]({"a": wrong})
        base = sqlite3.connect(":memory:")
        pd.DataFrame({"a": [wrong]}).to_sql("raw", base, index=False)
        if wrong not in ("3.5 EUR", " "):
            assert base.execute(f"SELECT {model.to_sql('sqlite', cells=data.forms)} FROM raw").fetchall() == [(None,)]
            with pytest.raises(duckdb.Error), duckdb.connect() as other:
                other.execute(f"SELECT {model.to_sql(cells=data.forms)} FROM (SELECT '{wrong}' AS a)").fetchall()
