"""From a table on the command line to a problem: reading, binarizing, mining."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .console import CommandError, one_line
from .verify import is_data_set, labels

if TYPE_CHECKING:
    from ..data.problem import Problem
    from ..datasets import Dataset

Report = Callable[[str], None]
MakeProblem = Callable[[dict[str, Any], "Dataset", Any], "Problem"]


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


def conditions_of(args: argparse.Namespace, data: Dataset) -> Any:
    """The table of conditions, a DataFrame of Booleans."""
    from ..data.binarize import Binarizer

    return Binarizer(args.thresholds, args.negations, args.max_categories).fit_transform(data.X)


def told(data: Dataset, conditions: Any, problem: Problem, report: Report) -> None:
    """Say how large the problem is."""
    report(
        f"{data.name}: {problem.n_rows} rows, {data.X.shape[1]} features, {problem.total_positive} of class "
        f"{one_line(str(data.positive))}; {conditions.shape[1]} conditions, {problem.n_antecedents} antecedents"
    )


def read_problem(
    args: argparse.Namespace, settings: dict[str, Any], make: MakeProblem, report: Report
) -> tuple[Dataset, Problem]:
    """The data and their problem, whose classes are the labels of the file."""
    data = read_table(args)
    conditions = conditions_of(args, data)
    problem = replace(make(settings, data, conditions), classes=labels(data))
    told(data, conditions, problem, report)
    return data, problem
