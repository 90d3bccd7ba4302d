"""From a table on the command line to a problem: reading, binarizing, mining."""

from __future__ import annotations

import argparse
import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..shown import digits
from .counted import is_counted, read_counts
from .options import reading_of
from .output import CommandError, is_data_set, one_line, say, say_identifiers
from .verify import file_data, labels

if TYPE_CHECKING:
    from ..data.problem import Problem
    from ..datasets import Dataset
    from ..datasets.sheet import Sheet
    from ..recipe import Recipe
    from ..tables import PatternCounts

Report = Callable[[str], None]


def unheard(text: str) -> None:
    """Say nothing."""


def read_table(args: argparse.Namespace) -> Dataset:
    """The data set that the options name; CommandError or ValueError when they, or it, are wrong."""
    from .. import datasets

    if is_data_set(args.data):
        if args.target is not None or args.positive is not None or args.sensitive or args.weight is not None:
            raise CommandError(
                f"{args.data} is a known data set: leave --target, --positive, --sensitive and --weight out"
            )
        return _without(datasets.load(args.data, keep_sensitive=args.keep_sensitive or None), args, args.leave_out)
    return of_sheet(args, sheet_of(args), args.positive)


def sheet_of(args: argparse.Namespace) -> Sheet:
    """The columns of the file that the options name; CommandError or ValueError when they, or it, are wrong."""
    from .. import datasets

    if not os.path.exists(args.data):
        near = difflib.get_close_matches(args.data, datasets.names(), 1)
        hint = f"; did you mean {near[0]!r}?" if near else "; `rulelab datasets` lists the data sets"
        raise CommandError(f"there is no file or data set {args.data!r}{hint}")
    sheet = datasets.sheet(args.data, **reading_of(args))
    if args.target is None:
        names = ", ".join(map(repr, sheet.frame.columns))
        raise CommandError(f"--target is missing: the name of the column to predict; {args.data} has {names}")
    return sheet


def of_sheet(args: argparse.Namespace, sheet: Sheet, positive: Any, **roles: Any) -> Dataset:
    """The data set of a file's columns in the roles of the options."""
    raw = [column for column in args.leave_out if column in sheet.frame.columns]
    aside = args.target, args.weight, *args.sensitive, *raw
    identifiers = [] if args.keep_identifiers else sheet.identifiers(*aside)
    say_identifiers(sheet.file, identifiers)
    raw += identifiers
    data = file_data(args, sheet, args.target, positive, keep_sensitive=args.keep_sensitive, excluded=raw, **roles)
    return _without(data, args, [column for column in args.leave_out if column not in raw])


def _without(data: Dataset, args: argparse.Namespace, dropped: list[str]) -> Dataset:
    """The data set without these features."""
    unknown = [column for column in dropped if column not in data.X.columns]
    if unknown:
        raise CommandError(f"--leave-out: there is no feature {unknown[0]!r} in {args.data}")
    return replace(data, X=data.X.drop(columns=dropped)) if dropped else data


def read(args: argparse.Namespace, recipe: Recipe, report: Report) -> tuple[Dataset, PatternCounts | None]:
    """The data that the options name, and their counts where the rows are counted where they lie."""
    if is_counted(args):
        counts = read_counts(args, recipe, report)
        data = counts.training.dataset()
        say_leaks(data.leaks())
        return data, counts
    data = read_table(args)
    recipe.check(data.X.columns)
    if not is_data_set(args.data):
        say_leaks(data.leaks())
    return data, None


def say_leaks(leaks: Mapping[str, str]) -> None:
    """Name the columns that alone tell the class of nearly all rows."""
    for name, evidence in leaks.items():
        say(one_line(f"{name}: leak? {evidence}; --leave-out it if it is not known beforehand"))


def problem_of(
    data: Dataset,
    recipe: Recipe,
    report: Report,
    grouped: bool = False,
    counts: PatternCounts | None = None,
    note: Report = say,
) -> Problem:
    """The problem of the data, told how large it is; with groups of people for fairness, or where they are wanted.

    What rules had to do without is told to ``note``.
    """
    counts = None if counts is None else counts.training
    conditions = counts.frame if counts is not None else recipe.conditions(data.X, data.weight)[0]
    features, fewer = recipe.features(conditions, data.y, data.weight, data.X.columns)
    if fewer:
        note(fewer)
    grouped = grouped or recipe.parameters.get("fairness") is not None
    if grouped and data.sensitive is None:
        raise CommandError("--fairness compares groups: name a sensitive attribute with --sensitive")
    problem = recipe.problem(features, data.y, data.weight, groups=data.sensitive if grouped else None)
    if counts is not None:
        from ..tables import as_rows

        problem = as_rows(problem, counts)
    of_class = one_line(f"{digits(problem.total_positive, 10)} of class {data.positive} ({100 * data.share:.3g} %)")
    report(
        f"{data.name}: {problem.n_rows} rows, {data.X.shape[1]} features, {of_class}; "
        f"{conditions.shape[1]} conditions, {problem.n_antecedents} antecedents"
    )
    return problem


def read_problem(
    args: argparse.Namespace, recipe: Recipe, report: Report, grouped: bool | None = False
) -> tuple[Dataset, Problem]:
    """The data and their problem, whose classes are the labels of the file.

    With ``grouped`` the problem has groups of people; None: where the data have some.
    """
    data, counts = read(args, recipe, report)
    grouped = data.sensitive is not None if grouped is None else grouped
    return data, replace(problem_of(data, recipe, report, grouped, counts), classes=labels(data))
