"""``rulelab frontier``: errors by number of rules, or the cost of fairness, every point certified or with its bound."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..families.wording import count
from ..parameters import MAX_LENGTH
from ..shown import digits, figure, percent
from .families import CRITERIA_NAMES, MODELS, add_memory, add_problem, reader_of, recipe_of
from .options import add, add_limits, add_written, number, several, table_command, whole
from .output import RESULT, CommandError, bad_input, one_line, refuse, save, table
from .progress import distance, drained
from .reading import read_problem

if TYPE_CHECKING:
    from ..frontiers import Frontier
    from ..recipe import Recipe
    from ..rule_list import FrontierSearch
    from ..search import Search
    from ..snapshot import Snapshot

_MAX_LENGTH = 8
_OTHERWISE = ("policy", "max_length", "max_complexity", "fairness", "column_limit", "labels")
"""Parameters that the points vary, or that a frontier does not have."""
_OF_PLACES = {
    "rule-list": ("regularization", "beam_width", "min_group_size"),
    "falling-rule-list": ("positive_weight", "regularization", "min_group_size"),
    "rule-set": ("max_conditions", "loss", "form", "regularization", "min_group_size"),
}
"""Parameters of the search at each tolerance, or complexity."""


def add_to(commands: Any) -> None:
    what = (
        "What a rule more, or fairness, is worth. Rule lists: the least errors of any list of at most 0, 1, .. rules. "
        "Rule sets: the best set of every complexity. With --fairness: the best model of every tolerance."
    )
    brief = "errors by number of rules, or by tolerance"
    parser = table_command(commands, frontier, "frontier", brief, what, *_OF_PLACES)
    add_written(parser, endings=RESULT, text="save the points: FILE.json, with their models, or FILE.csv")
    add_problem(parser, _OF_PLACES, _OTHERWISE)
    suppressed = {"default": argparse.SUPPRESS}
    group = parser.add_argument_group("points")
    text = f"of rule lists by number of rules: most rules of the last point (default: {_MAX_LENGTH})"
    add(group, "--max-length", type=reader_of(MAX_LENGTH), metavar="K", text=text, **suppressed)
    names = ", ".join(CRITERIA_NAMES)
    text = f"a criterion ({names}), with tolerances after a colon where they are not the papers'"
    add(group, "--fairness", metavar="NAME[:EPS,..]", text=text, **suppressed)
    text = "of rule sets: most rules and conditions together; several with commas (default: 5,10,15,20,30)"
    add(group, "--max-complexity", type=several(whole(2)), metavar="C,..", text=text, **suppressed)
    add(parser, "--random-state", type=whole(0), metavar="N", text="of rule sets: seed of what is random")
    add_memory(add_limits(parser, "At a limit, and at Ctrl-C, every point is given with its proven bound."))


def frontier(args: argparse.Namespace) -> int:
    by_tolerance, by_rules = hasattr(args, "fairness"), args.model == "rule-list" and not hasattr(args, "fairness")
    _refuse(args, by_tolerance, by_rules)
    recipe = recipe_of(args, args.model, without=_OTHERWISE)
    with bad_input():
        search, show, describe = (_of_rules if by_rules else _of_places)(args, recipe)
    snapshot, ended = drained(search, args, describe=describe)
    print(show(snapshot, ended))
    save(args.output, search, args.quiet)
    return 0


def _refuse(args: argparse.Namespace, by_tolerance: bool, by_rules: bool) -> None:
    """Refuse options that mean nothing for the points asked for."""
    if args.model != "rule-set":
        refuse(args, ["random_state"], f"--model {args.model}: nothing is random there")
    if args.model == "falling-rule-list" and not by_tolerance:
        raise CommandError(f"--model {args.model} needs --fairness, one of {', '.join(CRITERIA_NAMES)}")
    meaningless = {
        "min_group_size": not by_tolerance,
        "regularization": by_rules,
        "max_length": not by_rules,
        "max_complexity": args.model != "rule-set",
    }
    without = "with" if by_tolerance else "without"
    names = (name for name, refused in meaningless.items() if refused)
    refuse(args, names, f"--model {args.model} {without} --fairness here")


Made = tuple["Search", Callable[["Snapshot", str], str], Callable[["Snapshot"], str]]


def _of_rules(args: argparse.Namespace, recipe: Recipe) -> Made:
    from ..rule_list import FrontierSearch

    _, problem = read_problem(args, recipe)
    most = getattr(args, "max_length", _MAX_LENGTH)
    search = FrontierSearch(problem, most, recipe["memory_limit"], recipe["beam_width"])
    return search, partial(_show_lists, search), _proven_points


def _proven_points(snapshot: Snapshot) -> str:
    proven, points = snapshot.detail["proven"], len(snapshot.detail["frontier"])
    return f"{proven} of {points} points proven  {distance(snapshot)}"


def _show_lists(search: FrontierSearch, snapshot: Snapshot, ended: str) -> str:
    from ..report import rule_list_front

    frame, points = search.frame, search.frontier
    rows = [
        (
            *(f"{row.length}", digits(row.errors), percent(row.error_rate, 2)),
            *("yes" if row.proven else f"at least {digits(row.lower_bound)}", f"{row.rules}"),
            one_line("; ".join(rule.name for rule in point.model.rules)) or "-",
        )
        for row, point in zip(frame.itertuples(index=False), points, strict=True)
    ]
    head = ("rules", "errors", "error %", "proven", "used", "if .. else if ..")
    said = rule_list_front(search, snapshot, ended)
    return table(head, rows, right=(0, 1, 2, 4)) + f"\n\n{said.to_text()}"


def _criterion(args: argparse.Namespace) -> tuple[str, tuple[float, ...] | None]:
    """The criterion of the options and its tolerances, None for the papers'."""
    name, colon, tolerances = args.fairness.partition(":")
    if name not in CRITERIA_NAMES:
        known = ", ".join(CRITERIA_NAMES)
        raise CommandError(f"--fairness: there is no criterion {one_line(name)!r}; there are {known}")
    parse = several(number(lambda value: value >= 0, "tolerances of at least 0 with commas between them"))
    try:
        return CRITERIA_NAMES[name].name, parse(tolerances) if colon else None
    except argparse.ArgumentTypeError as error:
        raise CommandError(f"--fairness {name}: {error}") from None


def _of_places(args: argparse.Namespace, recipe: Recipe) -> Made:
    from ..frontiers import Frontier
    from ..frontiers import frontier as search_of

    given: dict[str, Any] = {name: recipe[name] for name in ("memory_limit", *_OF_PLACES[args.model])}
    if args.model == "rule-set":
        given |= {"random_state": args.random_state or 0}
        given |= {"complexities": args.max_complexity} if hasattr(args, "max_complexity") else {}
    by_tolerance = hasattr(args, "fairness")
    if by_tolerance:
        given["criterion"], tolerances = _criterion(args)
        given |= {} if tolerances is None else {"tolerances": tolerances}
    _, problem = read_problem(args, recipe, grouped=by_tolerance)
    search = search_of(problem, "tolerance" if by_tolerance else "rules", MODELS[args.model].name, **given)
    assert isinstance(search, Frontier)
    return search, partial(_show_places, search), _closed_points


def _closed_points(snapshot: Snapshot) -> str:
    return f"{snapshot.counts['closed']} of {count(snapshot.counts['points'], 'point')} closed  {distance(snapshot)}"


def _show_places(search: Frontier, snapshot: Snapshot, ended: str) -> str:
    from ..report import front

    sets, fair = search.family == "rule_set", "tolerance" in search.axes

    def cells(point: Any) -> list[str]:
        proven = "yes" if point.status == "proven" else f"at least {digits(point.lower_bound, 7)}"
        return [figure(point.value), proven, digits(point.model.errors), *([percent(point.true_gap)] if fair else [])]

    axes = [{"tolerance": "tolerance", "max_complexity": "complexity"}[axis] for axis in search.axes]
    value, rule = ("loss", "positive if") if sets else ("objective", "if .. else if ..")
    head = [*axes, value, "proven", "errors", *(("gap %",) if fair else ()), "used", rule]
    shown = points_table(search.points, head, lambda point: [f"{point.place[axis]:g}" for axis in search.axes], cells)
    return f"{shown}\n\n{front(search, snapshot, ended, beside=tuple(_warnings(search))).to_text()}"


def points_table(
    points: Iterable[Any],
    head: Sequence[str],
    place: Callable[[Any], list[str]],
    cells: Callable[[Any], list[str]],
    none: str = "none meets it",
) -> str:
    """Points of a front: where each is, what is said of its model, how large it is, and its rules."""
    rows = []
    for point in points:
        start = place(point)
        if point.model is None:
            own = ["-", none if point.status == "infeasible" else "none found"]
            rows.append([*start, *own, *["-"] * (len(head) - len(start) - 2)])
        else:
            rows.append([*start, *cells(point), f"{point.model.complexity}", one_line(_rules(point.model)) or "-"])
    right = [k for k, name in enumerate(head) if name not in ("proven", head[-1])]
    return table(head, rows, right)


def _warnings(search: Frontier) -> list[str]:
    """Where rates are equal and of no use, and what that costs against no constraint, where that is known."""
    from ..data.gaps import price

    axes = search.axes[1:]
    free = {
        tuple(point.place[axis] for axis in axes): point.accuracy
        for point in search.points
        if point.place.get("tolerance", 0) >= 1 and point.accuracy is not None
    }
    said = []
    for point in search.points:
        if point.emptied and point.accuracy is not None:
            where, tolerance = tuple(point.place[axis] for axis in axes), point.place["tolerance"]
            of = "".join(f" and complexity {size:g}" for size in where)
            text = f"at tolerance {tolerance:g}{of} the rates are {point.emptied}"
            if tolerance < 1 and where in free:
                text += f"; {price(point.accuracy, free[where])}"
            said.append(text)
    return said


def _rules(model: Any) -> str:
    """The rules in a line."""
    from ..models.clause import formula

    if model.family == "rule_set":
        return formula(model.rules, model.form)
    return "; ".join(f"{rule.name} -> {rule.prediction}" for rule in model.rules)
