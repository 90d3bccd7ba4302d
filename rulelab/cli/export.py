"""``rulelab export`` and ``rulelab schema``: a saved model in other languages, and what a saved model looks like."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from ..models import ModelError, load_model
from ..models.loading import json_schema
from .output import CommandError, reading, save

FORMS: dict[str, Callable[[Any, argparse.Namespace], str]] = {
    "text": lambda model, args: f"{model.to_text(args.target)}\n",
    "json": lambda model, args: model.to_json(),
    "python": lambda model, args: model.to_python(),
    "sql": lambda model, args: model.to_sql(args.dialect or "duckdb", args.value or "prediction"),
    "pmml": lambda model, args: model.to_pmml(args.target or "prediction"),
}


def export(args: argparse.Namespace) -> int:
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


def schema(args: argparse.Namespace) -> int:
    print(json_schema(), end="")
    return 0
