"""``rulelab sweep``: a family over a grid of parameters, each point tested on rows that its models have not seen."""

from __future__ import annotations

import argparse
import contextlib
import math
import re
from collections.abc import Sequence
from typing import Any

import pandas as pd

from .. import sweeps
from ..families import BINARIZING, DEMANDS, EVERY, NAMING
from ..families.wording import count
from ..progress import noted
from ..recipe import Recipe
from ..shown import percent
from ..sweeps import Sweep
from .options import ASKED, criterion_of, reader_of, recipe_of
from .output import CommandError, Line, bad_input, is_data_set, one_line, save, say, table
from .parsers import FOLDS
from .reading import client_at, read

_LOOK_SECONDS = 0.25
_BINARIZING = {each.name for each in BINARIZING}


def sweep(args: argparse.Namespace) -> int:
    recipe = recipe_of(args, args.model)
    grid = grid_of(args)
    compared = [name.replace("-", "_") for name in args.compare]
    groups = args.sensitive
    if is_data_set(args.data):
        args.sensitive = []  # those of a data set with a name are chosen among its own
    with bad_input():
        data, counts = read(args, recipe)
        if counts is not None and counts.test is None:
            raise CommandError("counted rows need rows for the test: give --key and --test-share, or --test-column")
        if counts is not None and args.folds is not None:
            raise CommandError("--folds needs rows one by one: counted ones have --test-share or --test-column")
        kept = {name: values for name, values in grid.items() if counts is None or name not in _BINARIZING}
        cluster = contextlib.nullcontext() if args.scheduler is None else client_at(args.scheduler)
        with cluster as client:  # which has counted the rows, and does the fits, too
            running = sweeps.sweep(
                data if counts is None else counts,
                recipe.family.name,
                kept,
                (args.folds or FOLDS) if counts is None else None,
                groups or None,
                args.jobs,
                client,
                baselines=compared,
                results=args.results,
                random_state=args.random_state,
                time_limit=args.time_limit,
            )
            interrupted = _followed(running, args.quiet)
    return _told(running, args, recipe, interrupted)


def grid_of(args: argparse.Namespace) -> dict[str, list[Any]]:
    """The values of ``--vary``, and those of other options that were given; CommandError for what is no value."""
    family = ASKED[args.model]
    known = {each.name: each for each in family.parameters}
    grid: dict[str, list[Any]] = {}
    for text in args.vary:
        name, equals, values = text.partition("=")
        parameter = known.get(name.strip().replace("-", "_"))
        if parameter is None or not equals or parameter.kind in NAMING:
            names = (each.name for each in known.values() if each.kind not in NAMING)
            raise CommandError(
                f"--vary {one_line(text)!r}: write NAME=V,.. with a parameter of a {family.called}: {', '.join(names)}"
            )
        if hasattr(args, parameter.name):
            flag = parameter.name.replace("_", "-")
            raise CommandError(f"--vary {parameter.name} and --{flag} both say what it is: leave one out")
        found = grid.setdefault(parameter.name, [])
        for one in re.split(r",(?=\s*[A-Za-z])" if parameter.kind == "criterion" else ",", values):
            try:
                found.append(_value(parameter, one.strip()))
            except (argparse.ArgumentTypeError, CommandError) as error:
                raise CommandError(f"--vary {parameter.name}: {error}") from None
    if not grid:
        grid = {name: list(values) for name, values in family.grid.items() if not hasattr(args, name)}
    demands = {each.name for each in DEMANDS}
    recipe = recipe_of(args, args.model)
    fixed = {name: [recipe[name]] for name in known if hasattr(args, name) and (name not in demands or recipe[name])}
    return {**grid, **fixed}


def _value(parameter: Any, text: str) -> Any:
    if parameter.kind == "criterion":
        return None if text == "none" else criterion_of(text)
    if parameter.kind == "switch":
        if text not in ("yes", "no"):
            raise CommandError(f"must be yes or no, not {text!r}")
        return text == "yes"
    if parameter.kind == "measure":
        text = text.replace("-", "_")
    if parameter.kind in ("choice", "measure") and text not in parameter.choices:
        raise CommandError(f"must be one of {', '.join(parameter.choices)}, not {text!r}")
    if parameter.optional and text == "none":
        return None
    return reader_of(parameter)(text)


def _followed(running: Sweep, quiet: bool) -> bool:
    """Wait for the end of the sweep, telling how far it is; whether Ctrl-C came first."""
    line = None if quiet else Line()

    def said() -> str:
        now = running.progress
        left = "" if not now.seconds_left else f"  about {now.seconds_left:.0f} s left"
        return f"{now.seconds:8.1f} s  {now.done} of {count(now.total, 'fit')} done{left}"

    with noted() as interrupted:
        while not running.wait(_LOOK_SECONDS):
            if interrupted:
                running.cancel()
            elif line:
                line.show(said())
    if line:
        line.end(said())
    return bool(interrupted)


def _told(running: Sweep, args: argparse.Namespace, recipe: Recipe, interrupted: bool) -> int:
    for message in running.messages:
        say(one_line(message))
    failed = [result for result in running.results if result.status == "failed"]
    for result in failed[:1]:
        say(f"{count(len(failed), 'fit')} failed, the first: {one_line(result.message)}")
    empty = [result for result in running.results if result.status == "infeasible" and result.message]
    for result in empty[:1]:
        say(f"{count(len(empty), 'fit')} without a model, the first: {one_line(result.message)}")
    if running.results:
        default = recipe["criterion"] if recipe.family.needs_groups else next(iter(EVERY))
        print(_points(running, getattr(args, "criterion", default).replace("-", "_")), end="\n\n")
    print(_verdict(running, recipe, interrupted))
    both = pd.concat([running.points(on).assign(rows=on) for on in ("test", "train")], ignore_index=True)
    for path, frame in ((args.output, both), (args.fits, running.frame)):
        if path is not None:
            save(path, frame.to_csv(index=False), args.quiet)
    return 1 if failed else 0


def _points(running: Sweep, criterion: str) -> str:
    """A row for each point, with a mark for those that no row of the table beats in accuracy and complexity."""
    test, train = running.points("test"), running.points("train").set_index("point")
    gap = f"{criterion}_gap_pooled" if running.groups else None
    on_front = set(running.pareto(baselines=True)["point"])
    head = ["method", "parameters", "proven", "accuracy %", "training %", *([] if gap is None else ["gap %"])]
    rows = []
    for row in test.to_dict("records"):
        own = test[test["family"] == row["family"]]
        varied = [name for name in running.parameters if own[name].map(repr).nunique() > 1]
        words = ", ".join(f"{name.replace('_', ' ')} {_plain(row[name])}" for name in varied)
        figures = [_percent(row, "accuracy"), _percent(train.loc[row["point"]], "accuracy")]
        figures += [] if gap is None else [_percent(row, gap)]
        proven = "-" if row["baseline"] else f"{row['proven']} of {row['folds']}"
        size = "-" if math.isnan(row["complexity"]) else f"{row['complexity']:.1f}"
        mark = "yes" if row["point"] in on_front else ""
        rows.append((row["family"].replace("_", " "), words, proven, *figures, size, mark))
    head += ["complexity", "on the front"]
    return table(head, rows, right=range(2, len(head) - 1))


def _percent(row: Any, name: str) -> str:
    value, error = row[name], row.get(f"{name}_se", math.nan)
    if math.isnan(value):
        return "-"
    return percent(value) if math.isnan(error) else f"{percent(value)} ± {percent(error)}"


def _plain(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "none"
    return f"{value:g}" if isinstance(value, float) else one_line(str(value))


def _verdict(running: Sweep, recipe: Recipe, interrupted: bool) -> str:
    fits: Sequence[Any] = [result for result in running.results if not result.baseline]
    proven = sum(result.status in ("optimal", "infeasible") for result in fits)
    now = running.progress
    if now.done < now.total or not fits:
        said = f"{'interrupted' if interrupted else 'ended early'}: {now.done} of {count(now.total, 'fit')} done"
    elif proven == len(fits):
        said = f"certified: each {recipe.family.noun} is optimal for its training rows"
        if recipe.family.needs_groups:
            said = (
                f"certified: no {recipe.family.noun} that is as accurate on its training rows has a smaller gap there"
            )
        said += f"; asked of all: {one_line(recipe.asked)}" if recipe.asked else ""
    else:
        said = f"not certified: {proven} of {count(len(fits), 'search')} proven to the end"
    return f"{said}\n{one_line(running.plan.split)}; {now.seconds:.2f} s"
