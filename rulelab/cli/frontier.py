"""``rulelab frontier``: errors by number of rules, or the cost of fairness, every point certified or with its bound."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from ..data.gaps import price
from ..families import FAMILIES
from ..families import least_gap as words
from ..families.wording import at_least, count, restricted
from ..frontiers import Frontier, GapFrontier
from ..frontiers import frontier as frontier_of
from ..models.text import formula
from ..parameters import FREE_RULES
from ..recipe import Recipe
from ..report import front, rule_list_front
from ..report.known import Known, told
from ..report.report import why_ended
from ..rule_list import FrontierSearch, LeastGapSearch
from ..rule_set import LeastGapRuleSetSearch
from ..shown import digits, figure, percent
from ..snapshot import Snapshot, Status
from ..stepping import Search
from .fit import proof_of, rates_of_groups, save_proof, say_doubts
from .options import CRITERIA_NAMES, MODELS, number, recipe_of, several
from .output import CommandError, bad_input, distance, drained, one_line, refuse, save, table
from .parsers import MOST_RULES, OF_GAPS, OF_PLACES, OTHERWISE
from .reading import labels, problem_of, read, read_problem

OneGap = LeastGapSearch | LeastGapRuleSetSearch


def frontier(args: argparse.Namespace) -> None:
    by_tolerance, by_rules = hasattr(args, "fairness"), args.model == "rule-list" and not hasattr(args, "fairness")
    _refuse(args, by_tolerance, by_rules)
    recipe = recipe_of(args, args.model, without=OTHERWISE)
    with bad_input():
        search, show, describe = (_of_rules if by_rules else _of_places)(args, recipe)
    snapshot, ended = drained(search, args, describe=describe)
    print(show(snapshot, ended))
    save(args.output, search, args.quiet)


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
    refuse(args, names, f"--model {args.model} {without} --fairness here", none=True)


Made = tuple[Search, Callable[[Snapshot, str], str], Callable[[Snapshot], str]]


def _of_rules(args: argparse.Namespace, recipe: Recipe) -> Made:
    _, problem = read_problem(args, recipe)
    most = getattr(args, "max_length", MOST_RULES)
    search = FrontierSearch(problem, most, recipe["memory_limit"], recipe["beam_width"])
    return search, partial(_show_lists, search), _proven_points


def _proven_points(snapshot: Snapshot) -> str:
    proven, points = snapshot.detail["proven"], len(snapshot.detail["frontier"])
    return f"{proven} of {points} points proven  {distance(snapshot)}"


def _show_lists(search: FrontierSearch, snapshot: Snapshot, ended: str) -> str:
    def cells(point: Any) -> list[str]:
        proven = "yes" if point.proven else f"at least {digits(point.lower_bound)}"
        return [digits(point.errors), percent(point.errors / point.model.weight, 2), proven]

    head = ("rules", "errors", "error %", "proven", "used", "if .. else if ..")
    shown = points_table(search.frontier, head, lambda point: [f"{point.length}"], cells)
    return f"{shown}\n\n{rule_list_front(search, snapshot, ended).to_text()}"


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
    given: dict[str, Any] = {name: recipe[name] for name in ("memory_limit", *OF_PLACES[args.model])}
    if args.model == "rule-set":
        given |= {"random_state": args.random_state or 0}
        given |= {"complexities": args.max_complexity} if hasattr(args, "max_complexity") else {}
    by_tolerance = hasattr(args, "fairness")
    if by_tolerance:
        given["criterion"], tolerances = _criterion(args)
        given |= {} if tolerances is None else {"tolerances": tolerances}
    _, problem = read_problem(args, recipe, grouped=by_tolerance)
    search = frontier_of(problem, "tolerance" if by_tolerance else "rules", MODELS[args.model].name, **given)
    assert isinstance(search, Frontier)
    return search, partial(_show_places, search), _closed_points


def _closed_points(snapshot: Snapshot) -> str:
    return f"{snapshot.counts['closed']} of {count(snapshot.counts['points'], 'point')} closed"


def _show_places(search: Frontier, snapshot: Snapshot, ended: str) -> str:
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
    if model.family == "rule_set":
        return formula(model.rules, model.form)
    return "; ".join(f"{rule.name} -> {rule.prediction}" for rule in model.rules)


_OF_GAP = {
    "rule-list": ("beam_width", "min_group_size"),
    "rule-set": ("max_complexity", "max_conditions", "loss", "form", "column_limit", "min_group_size"),
}
"""The parameters of a recipe that a search of each family takes."""


def least_gap(args: argparse.Namespace) -> None:
    single = args.accuracy is not None and len(args.accuracy) == 1
    for name in ("output", "proof") if not single else ():
        if getattr(args, name) is not None:
            raise CommandError(
                f"{'-o' if name == 'output' else '--proof'} is of a single accuracy: give one --accuracy"
            )
    if args.proof is not None and args.weight is not None:
        raise CommandError("--proof is checked on rows that count alike: leave --weight out")
    shared, recipe = _gaps_chosen(args)
    search = (_one_gap if single else _gap_front)(args, recipe, shared)
    save(args.to_json, search, args.quiet)


def _gaps_chosen(args: argparse.Namespace) -> tuple[dict[str, Any], Recipe]:
    """The arguments of the searches of the family, and how the problem is made."""
    lists = args.model == "rule-list"
    shared: dict[str, Any] = {"criterion": args.criterion}
    own = {"regularization": FREE_RULES.default, "max_length": None}
    if lists:
        refuse(args, ["random_state"], f"--model {args.model}: nothing is random there")
        shared |= {name: vars(args).pop(name, default) for name, default in own.items()}  # a recipe means others
    else:
        refuse(args, own, f"--model {args.model} here")
    shared |= {} if lists else {"random_state": args.random_state}
    recipe = recipe_of(args, args.model, without=OF_GAPS)
    return shared | {name: recipe[name] for name in ("memory_limit", *_OF_GAP[args.model])}, recipe


def _one_gap(args: argparse.Namespace, recipe: Recipe, shared: dict[str, Any]) -> OneGap:
    """The model of least gap at one accuracy."""
    with bad_input():
        make: Any = LeastGapSearch if args.model == "rule-list" else LeastGapRuleSetSearch
        data, counts = read(args, recipe)
        search: OneGap = make(problem_of(args, data, recipe, True, counts), min_accuracy=args.accuracy[0], **shared)
    snapshot, ended = drained(search, args)
    if snapshot.incumbent is None:
        if snapshot.status is Status.INFEASIBLE:
            meant = words.meant(search.parameters, search.problem.n_antecedents)
            raise CommandError(f"proven: there is no {meant}", 1)
        raise CommandError(f"{why_ended(snapshot) or ended} before a model was found that is as accurate", 1)
    model = snapshot.incumbent.model.relabelled(labels(data))
    print(model.to_text(data.target), _verdict_of_gap(search, snapshot, why_ended(snapshot) or ended), sep="\n\n")
    print("", rates_of_groups(snapshot.incumbent.model, data), sep="\n")
    say_doubts(Known.of(model, data, **told(snapshot, args.criterion)))
    save(args.output, f"{model.to_json()}\n", args.quiet)
    if args.proof is not None:
        save_proof(args, lambda: proof_of(search, data), getattr(search, "certified", True))
    return search


def _verdict_of_gap(search: OneGap, snapshot: Snapshot, ended: str) -> str:
    best, parameters, m = snapshot.incumbent, search.parameters, search.problem.n_antecedents
    assert best is not None
    right = f"{percent(1 - best.errors / best.model.weight, 2)} % right"
    found = f"gap {words.points(best.objective)} = {search.least} in {words.measured(parameters)}, {right}"
    work = f"{snapshot.seconds:.2f} s, " + ", ".join(f"{n} {what}" for what, n in snapshot.counts.items() if n)
    if not search.gap_is_proven:
        bound = words.bound(parameters, m, snapshot.lower_bound)
        return f"not certified ({ended}): {found}\n{bound}\n{work}"
    noun = FAMILIES[search.family].noun.split()[-1]
    price = "loss" if noun == "set" else f"errors / rows + {parameters['regularization']:g} x rules"
    tie = f"no other {noun} of that gap has less {price}"
    if snapshot.phase == "ties":
        tie = f"whether another {noun} of that gap has less {price} is open ({ended})"
    return f"certified: {words.claim(parameters, m)}{restricted(search.problem)}\n{found}\n{tie}\n{work}"


def _gap_front(args: argparse.Namespace, recipe: Recipe, shared: dict[str, Any]) -> GapFrontier:
    """The least gap at several accuracies."""
    with bad_input():
        _, problem = read_problem(args, recipe, grouped=True)
        search = GapFrontier(problem, accuracies=args.accuracy, model=args.model.replace("-", "_"), **shared)
    snapshot, ended = drained(search, args, describe=_closed_points)
    noun = FAMILIES[search.family].noun.split()[-1]

    def cells(point: Any) -> list[str]:
        proven = "yes" if point.status == "proven" else f"at least {at_least(100 * point.lower_bound)}"
        return [f"{100 * point.value:.4f}", proven, f"{100 * point.accuracy:.2f}"]

    size = ("rules", "if .. else if ..") if noun == "list" else ("complexity", "positive if")
    head = ("accuracy at least %", "gap, points", "proven", "accuracy %", *size)
    none = f"no {noun} is as accurate"
    shown = points_table(search.points, head, lambda at: [f"{100 * at.place['min_accuracy']:.10g}"], cells, none)
    print(shown, front(search, snapshot, ended).to_text(), sep="\n\n")
    return search
