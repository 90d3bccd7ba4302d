"""``rulelab frontier``: errors by number of rules, or the cost of fairness, every point certified or with its bound."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ..families.wording import restricted
from ..shown import percent
from .console import CommandError, one_line, say, table
from .data_options import read_problem, unheard
from .families import CRITERIA_NAMES, add_memory, add_parameters, add_preparation, count, recipe_of
from .options import add, add_columns, add_limits, add_source, add_written, number, several, whole
from .output import RESULT, save
from .progress import distance, drained, ending

if TYPE_CHECKING:
    from ..recipe import Recipe
    from ..rule_list import FrontierSearch
    from ..rule_set import FairFrontierSearch
    from ..search import Search
    from ..snapshot import Snapshot

_MAX_LENGTH = 8
_OTHERWISE = ("regularization", "policy", "max_length", "max_complexity", "fairness", "column_limit", "labels")
"""Parameters that the points vary, or that a frontier does not have."""


def add_to(commands: Any) -> None:
    """Register the command."""
    what = (
        "What a rule more, or fairness, is worth. Rule lists: the least errors of any list of at most 0, 1, .. rules. "
        "Rule sets with --fairness: the best set of every tolerance and complexity."
    )
    parser = commands.add_parser("frontier", help="errors by number of rules, or by tolerance", description=what)
    add_source(parser)
    models = ["rule-list", "rule-set"]
    add(parser, "--model", choices=models, default=models[0], text="the family of models")
    add_written(
        parser,
        "-o",
        "--output",
        endings=RESULT,
        text="save the points: FILE.json, with their models, or FILE.csv",
    )
    add(parser, "--quiet", action="store_true", text="no progress")
    add_columns(parser)
    add_preparation(parser, models)
    add_parameters(parser, models, without=_OTHERWISE)
    suppressed = {"default": argparse.SUPPRESS}
    group = parser.add_argument_group("points")
    text = f"of rule lists: most rules of the last point (default: {_MAX_LENGTH})"
    add(group, "--max-length", type=whole(0), metavar="K", text=text, **suppressed)
    names = ", ".join(CRITERIA_NAMES)
    text = f"of rule sets: a criterion ({names}), with tolerances after a colon where they are not the papers'"
    add(group, "--fairness", metavar="NAME[:EPS,..]", text=text, **suppressed)
    text = "of rule sets: most rules and conditions together; several with commas (default: 5,10,15,20,30)"
    add(group, "--max-complexity", type=several(whole(2)), metavar="C,..", text=text, **suppressed)
    add(parser, "--random-state", type=whole(0), metavar="N", text="seed of what is random")
    add_memory(add_limits(parser, "At a limit, and at Ctrl-C, every point is given with its proven bound."))
    parser.set_defaults(run=frontier)


def frontier(args: argparse.Namespace) -> int:
    """Run the command; the exit status."""
    recipe = recipe_of(args, args.model, without=_OTHERWISE)
    if args.model == "rule-list" and args.random_state is not None:
        raise CommandError("--random-state is not an option of --model rule-list: nothing is random there")
    for name in ("fairness", "min_group_size") if args.model == "rule-list" else ():
        if hasattr(args, name):
            raise CommandError(f"--{name.replace('_', '-')} is not an option of --model rule-list here")
    report = unheard if args.quiet else say
    make = _of_lists if args.model == "rule-list" else partial(_of_fair_sets, *_criterion(args))
    try:
        search, show, describe = make(args, recipe, report)
    except ValueError as error:
        raise CommandError(error) from error
    snapshot, interrupted = drained(search, args, describe=describe)
    print(show(snapshot, interrupted))
    if args.output is not None:
        save(args.output, search)
        report(f"saved {args.output}")
    return 0


Made = tuple["Search", Callable[["Snapshot", bool], str], Callable[["Snapshot"], str]]


def _of_lists(args: argparse.Namespace, recipe: Recipe, report: Callable[[str], None]) -> Made:
    from ..rule_list import FrontierSearch

    _, problem = read_problem(args, recipe, report)
    most = getattr(args, "max_length", _MAX_LENGTH)
    search = FrontierSearch(problem, most, recipe["memory_limit"], recipe["beam_width"])
    return search, partial(_show_lists, search), _proven_points


def _proven_points(snapshot: Snapshot) -> str:
    proven, points = snapshot.detail["proven"], len(snapshot.detail["frontier"])
    return f"{proven} of {points} points proven  {distance(snapshot)}"


def _show_lists(search: FrontierSearch, snapshot: Snapshot, interrupted: bool) -> str:
    from ..snapshot import Status

    frame, points = search.frame, search.frontier
    rows = [
        (
            *(f"{row.length}", f"{row.errors:g}", percent(row.error_rate, 2)),
            *("yes" if row.proven else f"at least {row.lower_bound:g}", f"{row.rules}"),
            one_line("; ".join(rule.name for rule in point.model.rules)) or "-",
        )
        for row, point in zip(frame.itertuples(index=False), points, strict=True)
    ]
    head = ("rules", "errors", "error %", "proven", "used", "if .. else if ..")
    proven = sum(point.proven for point in points)
    work = f"{snapshot.seconds:.2f} s, {search.work} prefixes expanded"
    if snapshot.status is Status.OPTIMAL:
        verdict = f"certified{restricted(search.problem)}: no rule list of so many rules makes fewer errors"
    elif snapshot.limit == "exactness":
        verdict = "optimal within the rounding of the weights: no rule list makes fewer errors than the column says"
    else:
        total = count(search.max_length + 1, "point")
        verdict = f"not certified ({ending(snapshot, interrupted)}): {proven} of {total} proven"
    return table(head, rows, right=(0, 1, 2, 4)) + f"\n\n{verdict}\n{work}"


def _criterion(args: argparse.Namespace) -> tuple[Any, tuple[float, ...] | None]:
    """The criterion of the options and its tolerances, None for the papers'."""
    from .. import rule_set

    if not hasattr(args, "fairness"):
        raise CommandError(f"--model rule-set needs --fairness, one of {', '.join(CRITERIA_NAMES)}")
    name, colon, tolerances = args.fairness.partition(":")
    if name not in CRITERIA_NAMES:
        known = ", ".join(CRITERIA_NAMES)
        raise CommandError(f"--fairness: there is no criterion {one_line(name)!r}; there are {known}")
    parse = several(number(0, float("inf"), True, "tolerances of at least 0 with commas between them"))
    try:
        return getattr(rule_set, CRITERIA_NAMES[name].class_name), parse(tolerances) if colon else None
    except argparse.ArgumentTypeError as error:
        raise CommandError(f"--fairness {name}: {error}") from None


def _of_fair_sets(
    criterion: Any,
    tolerances: tuple[float, ...] | None,
    args: argparse.Namespace,
    recipe: Recipe,
    report: Callable[[str], None],
) -> Made:
    from ..rule_set import FairFrontierSearch
    from ..rule_set.frontier.search import COMPLEXITIES, TOLERANCES

    _, problem = read_problem(args, recipe, report, grouped=True)
    search = FairFrontierSearch(
        problem,
        [criterion],
        TOLERANCES if tolerances is None else tolerances,
        getattr(args, "max_complexity", COMPLEXITIES),
        recipe["max_conditions"],
        recipe["loss"],
        recipe["form"],
        random_state=args.random_state or 0,
        memory_limit=recipe["memory_limit"],
        min_group_size=recipe["min_group_size"],
    )
    return search, partial(_show_cells, search), _closed_cells


def _closed_cells(snapshot: Snapshot) -> str:
    return f"{snapshot.counts['closed']} of {snapshot.counts['cells']} cells closed  {distance(snapshot)}"


def _show_cells(search: FairFrontierSearch, snapshot: Snapshot, interrupted: bool) -> str:
    rows = []
    for cell, row in zip(search.cells, search.frame.itertuples(index=False), strict=True):
        start = (f"{row.tolerance:g}", f"{row.max_complexity}")
        if cell.model is None:
            rows.append((*start, "-", "no set meets it" if cell.status == "infeasible" else "none found", *4 * ("-",)))
            continue
        proven = "yes" if cell.status == "proven" else f"at least {cell.lower_bound:g}"
        own = (f"{cell.objective:g}", proven, f"{cell.errors:g}", percent(row.true_gap))
        rows.append((*start, *own, f"{cell.model.complexity}", one_line(_rules(cell.model)) or "-"))
    head = ("tolerance", "complexity", "loss", "proven", "errors", "gap %", "used", "positive if")
    closed = sum(cell.status in ("proven", "infeasible") for cell in search.cells)
    among = "" if search.max_conditions is None else f" of at most {count(search.max_conditions, 'condition')}"
    among += restricted(search.problem)
    if closed == len(rows):
        verdict = f"certified: no set of rules{among} that meets the tolerance has less loss"
    else:
        verdict = f"not certified ({ending(snapshot, interrupted)}): {closed} of {count(len(rows), 'cell')} closed"
    notes = "".join(f"\n{each}" for each in _warnings(search))
    work = f"{snapshot.seconds:.2f} s, {search.units} units of work"
    return table(head, rows, right=(0, 1, 2, 4, 5, 6)) + f"\n\n{verdict}{notes}\n{work}"


def _warnings(search: FairFrontierSearch) -> list[str]:
    """The cells whose rates are equal and of no use, and what that costs against no constraint, where that is known."""
    from ..data.gaps import price

    weight = search.problem.total_weight
    rows = list(zip(search.cells, search.frame["tolerance"], strict=True))
    free = {cell.max_complexity: cell.errors for cell, tolerance in rows if tolerance >= 1 and cell.errors is not None}
    said = []
    for cell, tolerance in rows:
        if cell.emptied and cell.errors is not None:
            text = f"at tolerance {tolerance:g} and complexity {cell.max_complexity} the rates are {cell.emptied}"
            if tolerance < 1 and cell.max_complexity in free:
                text += f"; {price(1 - cell.errors / weight, 1 - free[cell.max_complexity] / weight)}"
            said.append(text)
    return said


def _rules(model: Any) -> str:
    from ..models.set_text import formula

    return formula(model.rules, model.form)
