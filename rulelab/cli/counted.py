"""Tables on the command line that are counted where they lie: many files, or more rows than memory holds."""

from __future__ import annotations

import argparse
import contextlib
import glob
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .options import reading_of
from .output import CommandError, one_line, say, say_identifiers

if TYPE_CHECKING:
    from ..certificate import Origin
    from ..recipe import Recipe
    from ..tables import PatternCounts, Split, Table

Report = Callable[[str], None]
_CONNECT_SECONDS = 10
_PART_ROWS = 1_000_000


def is_counted(args: argparse.Namespace) -> bool:
    """Whether the data are counted where they lie."""
    asked = (args.scheduler, args.test_share, args.key, args.test_column, getattr(args, "at_least", None))
    return args.count or asked != (None,) * 5 or (glob.has_magic(args.data) and not Path(args.data).exists())


def read_counts(args: argparse.Namespace, recipe: Recipe, report: Report) -> PatternCounts:
    """The counts of the files that the options name; ValueError or CommandError when they, or it, are wrong."""
    from .. import tables

    split = _split(args)
    if args.target is None:
        raise CommandError("--target is missing: the name of the column to predict")
    with _opened(args) as (table, known):
        aside = [*args.leave_out, *([] if split is None else [split.column])]
        sensitive = args.sensitive or _sensitive(table, known, [args.target, args.weight, *aside])
        if sensitive and not args.sensitive:
            names = ", ".join(map(repr, sensitive))
            say(f"{table.name}: sensitive by name: {names}{'' if args.keep_sensitive else ', no feature unless kept'}")
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
        report(f"{table.name}: looking at {len(features.columns)} columns, with {table.engine}")
        binarizer = recipe.binarizer().fit(features)
        report(f"counting the rows under {len(binarizer.conditions_)} conditions")
        counts = tables.count(table, binarizer, args.target, args.positive, sensitive, args.weight, split, args.unknown)
    if args.at_least is not None:
        counts = counts.without_rare(args.at_least)
    for what, why in binarizer.dropped_:
        report(f"{one_line(what)}: {one_line(why)}")
    report(one_line(counts.dataset().notes))
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
    from ..datasets.guesses import is_protected, is_sensitive

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
    from ..datasets import Reading

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
    return max(1, _PART_ROWS // max(1, largest))


@contextlib.contextmanager
def client_at(address: str) -> Iterator[Any]:
    """A client of the Dask cluster with a scheduler at this address; CommandError where there is none."""
    try:
        from dask import dataframe  # noqa: F401 - what tables take of Dask
        from distributed import Client
    except ImportError:
        raise CommandError("--scheduler needs Dask: pip install 'rulelab[dask]'", 1) from None
    try:
        client = Client(address, timeout=_CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise CommandError(f"there is no Dask scheduler at {address}: {one_line(str(error))}", 1) from error
    with client:
        yield client
