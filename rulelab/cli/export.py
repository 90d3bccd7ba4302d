"""``rulelab export`` and ``rulelab schema``: a saved model in other languages, and what a saved model looks like."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from .options import add_options
from .output import CommandError, reading, save

FORMS: dict[str, Callable[[Any, argparse.Namespace], str]] = {
    "text": lambda model, args: f"{model.to_text(args.target)}\n",
    "json": lambda model, args: model.to_json(),
    "python": lambda model, args: model.to_python(),
    "sql": lambda model, args: model.to_sql(args.dialect or "duckdb", args.value or "prediction"),
    "pmml": lambda model, args: model.to_pmml(args.target or "prediction"),
}


def add_to(commands: Any) -> None:
    what = (
        "Write a saved model as text, JSON, a Python function without imports, an SQL expression or PMML 4.4. The "
        "columns are called as in training; in SQL a missing cell is NULL, and NaN should be stored as NULL, too."
    )
    parser = commands.add_parser("export", help="write a model as SQL, Python, PMML, ...", description=what)
    add_options(parser, "export", {"--to": {"choices": list(FORMS)}})
    parser.set_defaults(run=export)
    what = "Print the JSON Schema of the models that `rulelab fit -o` saves."
    schema = commands.add_parser("schema", help="print the JSON schema of saved models", description=what)
    schema.set_defaults(run=_schema)


def export(args: argparse.Namespace) -> int:
    from ..models import ModelError, load_model

    if args.to != "sql" and (args.dialect or args.value):
        raise CommandError("--dialect and --value are of --to sql")
    if args.to not in ("text", "pmml") and args.target is not None:
        raise CommandError("--target is of --to text and --to pmml")
    try:
        with reading(args.model):
            model = load_model(args.model)
        text = FORMS[args.to](model, args)
    except ModelError as error:
        raise CommandError(f"{args.model}: {error}") from error
    if args.output is None:
        print(text, end="")
        return 0
    save(args.output, text)
    return 0


def _schema(args: argparse.Namespace) -> int:
    from ..models.loading import json_schema

    print(json_schema(), end="")
    return 0
