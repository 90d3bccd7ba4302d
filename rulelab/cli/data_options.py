"""From a table on the command line to a problem: reading, binarizing, mining."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from .console import CommandError, one_line, say
from .verify import is_data_set, labels

if TYPE_CHECKING:
    from ..data.problem import Problem
    from ..datasets import Dataset
    from ..recipe import Recipe

Report = Callable[[str], None]


def unheard(text: str) -> None:
    """Say nothing."""


def read_table(args: argparse.Namespace) -> Dataset:
    """The data set that the options name; CommandError or ValueError when they, or it, are wrong."""
    from .. import datasets

    if is_data_set(args.data):
        if args.target is not None or args.positive is not None or args.sensitive:
            raise CommandError(f"{args.data} is a known data set: leave --target, --positive and --sensitive out")
        data = datasets.load(args.data, keep_sensitive=args.keep_sensitive or None)
    else:
        if args.target is None:
            raise CommandError("--target is missing: the name of the column to predict")
        data = datasets.read(args.data, args.target, args.positive, args.sensitive, keep_sensitive=args.keep_sensitive)
    unknown = [column for column in args.leave_out if column not in data.X.columns]
    if unknown:
        raise CommandError(f"--leave-out: there is no feature {unknown[0]!r} in {args.data}")
    return replace(data, X=data.X.drop(columns=args.leave_out)) if args.leave_out else data


def problem_of(data: Dataset, recipe: Recipe, report: Report, grouped: bool = False) -> Problem:
    """The problem of the data, told how large it is; with groups of people for fairness, or where they are wanted."""
    from ..data.metrics import with_missing

    conditions, _ = recipe.conditions(data.X)
    features, note = recipe.features(conditions, data.y)
    if note:
        say(note)
    grouped = grouped or recipe.parameters.get("fairness") is not None
    if grouped and data.sensitive is None:
        raise CommandError("--fairness compares groups: name a sensitive attribute with --sensitive")
    groups = with_missing(data.sensitive) if grouped and data.sensitive is not None else None
    problem = recipe.problem(features, data.y, groups=groups)
    report(
        f"{data.name}: {problem.n_rows} rows, {data.X.shape[1]} features, {problem.total_positive} of class "
        f"{one_line(str(data.positive))}; {conditions.shape[1]} conditions, {problem.n_antecedents} antecedents"
    )
    return problem


def read_problem(
    args: argparse.Namespace, recipe: Recipe, report: Report, grouped: bool = False
) -> tuple[Dataset, Problem]:
    """The data and their problem, whose classes are the labels of the file."""
    data = read_table(args)
    return data, replace(problem_of(data, recipe, report, grouped), classes=labels(data))
