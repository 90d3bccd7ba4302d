"""From a table on the command line to a problem: reading or counting it, binarizing, mining.

Many files, or more rows than memory holds, are counted where they lie.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import glob
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from .. import datasets
from ..certificate import Origin
from ..data.problem import Problem
from ..datasets import Dataset, Reading, Sheet
from ..datasets.dataset import SeveralClassesError
from ..datasets.guesses import is_protected, is_sensitive
from ..shown import digits
from .options import reading_of
from .output import CommandError, is_data_set, one_line, say, say_identifiers, tell

if TYPE_CHECKING:  # checking a proof loads nothing that makes conditions
    from ..recipe import Recipe
    from ..tables import PatternCounts, Split, Table

CONNECT_SECONDS = 10
PART_ROWS = 1_000_000  # that a process reads at once, about


def read_table(args: argparse.Namespace) -> Dataset:
    """The data set that the options name; CommandError or ValueError when they, or it, are wrong."""
    if is_data_set(args.data):
        if args.target is not None or args.positive is not None or args.sensitive or args.weight is not None:
            raise CommandError(
                f"{args.data} is a known data set: leave --target, --positive, --sensitive and --weight out"
            )
        return _without(datasets.load(args.data, keep_sensitive=args.keep_sensitive or None), args, args.leave_out)
    return of_sheet(args, sheet_of(args), args.positive)


def sheet_of(args: argparse.Namespace) -> Sheet:
    """The columns of the file that the options name; CommandError or ValueError when they, or it, are wrong."""
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


def read(args: argparse.Namespace, recipe: Recipe) -> tuple[Dataset, PatternCounts | None]:
    """The data that the options name, and their counts where the rows are counted where they lie."""
    if is_counted(args):
        counts = read_counts(args, recipe)
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
    args: argparse.Namespace,
    data: Dataset,
    recipe: Recipe,
    grouped: bool = False,
    counts: PatternCounts | None = None,
    note: Callable[[str], None] = say,
) -> Problem:
    """The problem of the data, whose size is told; what rules had to do without is told to ``note``."""
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
    tell(
        args,
        f"{data.name}: {problem.n_rows} rows, {data.X.shape[1]} features, {of_class}; "
        f"{conditions.shape[1]} conditions, {problem.n_antecedents} antecedents",
    )
    return problem


def read_problem(args: argparse.Namespace, recipe: Recipe, grouped: bool | None = False) -> tuple[Dataset, Problem]:
    """The data and their problem with the labels of the file; with groups if ``grouped``; None: if there are."""
    data, counts = read(args, recipe)
    grouped = data.sensitive is not None if grouped is None else grouped
    return data, replace(problem_of(args, data, recipe, grouped, counts), classes=labels(data))


def labels(data: Dataset) -> tuple[Any, Any]:
    """The negative and the positive label of a file, as a model has them: texts unless JSON holds both as they are."""
    pair = data.negative, data.positive
    plain = type(pair[0]) is type(pair[1]) and isinstance(pair[0], str | int | float)
    return pair if plain else (str(pair[0]), str(pair[1]))


def file_data(args: argparse.Namespace, sheet: Sheet, target: str, positive: Any, **roles: Any) -> Dataset:
    """The data set of a file; what was doubtful in reading it is said."""
    for doubt in sheet.doubts:
        say(f"{sheet.file}: {one_line(doubt)}")
    try:
        data = sheet.dataset(
            target,
            positive,
            args.sensitive or None,
            weight=getattr(args, "weight", None),
            dates=args.dates,
            drop_missing_target=args.drop_missing_target,
            **{"unknown": args.unknown, "excluded": (), **roles},
        )
    except SeveralClassesError as error:
        every = "; --several-classes 'one list' predicts all of them" if hasattr(args, "several_classes") else ""
        raise CommandError(f"{error.found}; name the one to predict with --positive{every}") from None
    if data.notes:
        say(f"{sheet.file}: {one_line(data.notes)}")
    return data


def classes_of(sheet: Sheet, target: str) -> tuple[pd.Series, Any]:
    """The labels of the rows that have one, and the first, which stands for any; none where there is no such column."""
    found = sheet.frame[target].dropna() if target in sheet.frame.columns else sheet.frame.iloc[:0, 0]
    return found.reset_index(drop=True), None if found.empty else found.iloc[0]


def is_counted(args: argparse.Namespace) -> bool:
    """Whether the data are counted where they lie."""
    asked = (args.scheduler, args.test_share, args.key, args.test_column, getattr(args, "at_least", None))
    return args.count or asked != (None,) * 5 or (glob.has_magic(args.data) and not Path(args.data).exists())


def read_counts(args: argparse.Namespace, recipe: Recipe) -> PatternCounts:
    """The counts of the files that the options name; ValueError or CommandError when they, or it, are wrong."""
    from .. import tables

    split = _split(args)
    if args.target is None:
        raise CommandError("--target is missing: the name of the column to predict")
    with _opened(args) as (table, known):
        aside = [*args.leave_out, *([] if split is None else [split.column])]
        sensitive = args.sensitive or _sensitive(table, known, [args.target, args.weight, *aside])
        if sensitive and not args.sensitive:
            names, kept = ", ".join(map(repr, sensitive)), args.keep_sensitive
            say(f"{table.name}: sensitive by name: {names}{'' if kept else ', not for rules unless kept'}")
        aside += [] if args.keep_sensitive else sensitive
        if not args.keep_identifiers:
            identifiers = table.identifiers(args.target, args.weight, *sensitive, *aside)
            say_identifiers(table.name, identifiers)
            aside += identifiers
        as_target = {"unknown": args.unknown, "positive": args.positive, "dates": args.dates}
        features = table.features(args.target, *dict.fromkeys(aside), weight=args.weight, split=split, **as_target)
        recipe.check(features.columns)
        for name in set(features.columns) & set(known.columns):
            known.kind(name)  # Dask takes bytes and lists for texts
        tell(args, f"{table.name}: looking at {len(features.columns)} columns, with {table.engine}")
        binarizer = recipe.binarizer().fit(features)
        tell(args, f"counting the rows under {len(binarizer.conditions_)} conditions")
        counts = tables.count(table, binarizer, args.target, args.positive, sensitive, args.weight, split, args.unknown)
    if args.at_least is not None:
        counts = counts.without_rare(args.at_least)
    for what, why in binarizer.dropped_:
        tell(args, f"{one_line(what)}: {one_line(why)}")
    tell(args, one_line(counts.dataset().notes))
    return counts


def target_of(args: argparse.Namespace, origin: Origin) -> str:
    """The column that a proof is about; what is given goes before what it says."""
    target: str | None = origin.target if args.target is None else args.target
    if target is None:
        raise CommandError(f"{args.proof} does not name the column that is predicted: give --target")
    return target


def recount(args: argparse.Namespace, origin: Origin, positive: Any) -> PatternCounts:
    """The rows counted anew by the conditions of a proof: those of training."""
    from .. import tables

    conditions = list(dict.fromkeys(c for joined in origin.conditions for c in joined))
    target = target_of(args, origin)
    with _opened(args) as (table, _):
        found = tables.count(
            table, conditions, target, positive, args.sensitive, split=_split(args), unknown=args.unknown
        )
        return found.training


def _sensitive(table: Table, known: Table, others: list[str | None]) -> list[str]:
    """The columns that are sensitive by their names; none where no other would be left as a feature."""
    columns = [name for name in table.columns if name not in others]
    named = [name for name in columns if is_protected(name)]
    texts = {name: known.kind(name) == "category" for name in named}
    found = [name for name in named if is_sensitive(name, int(table.values(name)["v"].notna().sum()), texts[name])]
    return found if len(found) < len(columns) else []


def _split(args: argparse.Namespace) -> Split | None:
    from ..tables import Split

    if args.test_column is not None:
        if args.test_share is not None or args.key is not None:
            raise CommandError(
                "--test-column says itself which rows are for the test: leave --key and --test-share out"
            )
        return Split(args.test_column)
    if (args.key is None) != (args.test_share is None):
        missing, given = ("--key", "--test-share") if args.key is None else ("--test-share", "--key")
        raise CommandError(f"{given} needs {missing}: rows are dealt by a hash of a key, the same in every order")
    return None if args.key is None else Split(args.key, args.test_share)


@contextlib.contextmanager
def _opened(args: argparse.Namespace) -> Iterator[tuple[Table, Table]]:
    """The table, in the cluster that was named or else in DuckDB, and the table in DuckDB, which knows its types."""
    from .. import tables

    if args.scheduler is None:
        import duckdb

        try:
            known = tables.open(args.data, reading=Reading(**reading_of(args)))
            for doubt in known.doubts:
                say(f"{known.name}: {one_line(doubt)}")
            yield known, known
        except duckdb.Error as error:
            raise CommandError(f"{args.data} cannot be counted: {one_line(str(error))[:300]}", 1) from error
        return
    known = tables.open(args.data)  # which refuses files that differ
    with client_at(args.scheduler):
        from dask import dataframe

        files = sorted(glob.glob(args.data)) or [args.data]
        parts = dataframe.read_parquet(files, split_row_groups=row_groups(files))
        yield tables.open(parts, known.name), known


def row_groups(files: list[str]) -> int:
    """How many row groups of the files a process reads at once, so that it has memory enough."""
    from pyarrow import parquet

    found = [parquet.read_metadata(file) for file in files]
    largest = max((each.row_group(k).num_rows for each in found for k in range(each.num_row_groups)), default=1)
    return max(1, PART_ROWS // max(1, largest))


@contextlib.contextmanager
def client_at(address: str) -> Iterator[Any]:
    """A client of the Dask cluster with a scheduler at this address; CommandError where there is none."""
    try:
        from dask import dataframe  # noqa: F401 - what tables take of Dask
        from distributed import Client
    except ImportError:
        raise CommandError("--scheduler needs Dask: pip install 'rulelab[dask]'", 1) from None
    try:
        client = Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise CommandError(f"there is no Dask scheduler at {address}: {one_line(str(error))}", 1) from error
    with client:
        yield client
