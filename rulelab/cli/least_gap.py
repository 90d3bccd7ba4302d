"""``rulelab least-gap``: the least gap between groups of any rule list of some accuracy, or of several."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .console import CommandError, one_line, say, table
from .data_options import problem_of, read, read_problem, unheard
from .families import CRITERIA_NAMES, add_memory, add_parameters, add_preparation, count, recipe_of
from .fit import rates_of_groups, save_proof
from .options import add, add_columns, add_limits, add_source, fraction, least_zero, several, whole
from .output import save, writable, writable_result
from .progress import drained, ending
from .verify import labels

if TYPE_CHECKING:
    from ..recipe import Recipe
    from ..rule_list import GapFrontierSearch, LeastGapSearch
    from ..search import Snapshot

_OTHERWISE = ("regularization", "policy", "max_length", "fairness", "labels")
"""Parameters of rule lists that mean something else here."""


def add_to(commands: Any) -> None:
    """Register the command."""
    what = (
        "The rule list of least gap between groups among those that are as accurate as is asked for, with a proof that "
        "no list has a smaller one; for several accuracies, or none, a table of them."
    )
    parser = commands.add_parser("least-gap", help="find the least gap between groups", description=what)
    add_source(parser)
    text = "least share of rows that are right, such as .65; several with commas (default: each percent)"
    add(parser, "--accuracy", type=several(fraction), metavar="A,..", text=text)
    add(parser, "-o", "--output", metavar="FILE", text="save the model as JSON; of a single accuracy")
    add(parser, "--proof", metavar="FILE", text="save the proof, for `rulelab verify`; of a single accuracy")
    add(parser, "--to-json", metavar="FILE", text="save all that is found: FILE.json with the models, or FILE.csv")
    add(parser, "--quiet", action="store_true", text="no progress")
    add_columns(parser)
    add_preparation(parser, ["rule-list"])
    group = parser.add_argument_group("lists")
    names = list(CRITERIA_NAMES)
    add(group, "--criterion", choices=names, default=names[0], text="what the gap is measured in")
    text = "most rules, not counting the default (default: any number)"
    add(group, "--max-length", type=whole(0), metavar="N", text=text)
    text = "what a rule is worth in the choice between lists of the same gap"
    add(group, "--regularization", type=least_zero, default=0.01, metavar="X", text=text)
    add_parameters(parser, ["rule-list"], without=_OTHERWISE)
    add_memory(add_limits(parser, "At a limit, and at Ctrl-C, what is found is given with its proven bound."))
    parser.set_defaults(run=least_gap)


def least_gap(args: argparse.Namespace) -> int:
    """Run the command; the exit status."""
    single = args.accuracy is not None and len(args.accuracy) == 1
    for name in ("output", "proof") if not single else ():
        if getattr(args, name) is not None:
            raise CommandError(
                f"{'-o' if name == 'output' else '--proof'} is of a single accuracy: give one --accuracy"
            )
    if args.proof is not None and args.weight is not None:
        raise CommandError("--proof is checked on rows that count alike: leave --weight out")
    whole_result = writable_result(args.to_json)
    chosen = {name: getattr(args, name) for name in ("regularization", "max_length")}
    for name in chosen:
        delattr(args, name)  # which of a recipe would mean something else
    recipe = recipe_of(args, "rule-list", without=_OTHERWISE)
    shared = {
        "criterion": args.criterion,
        **chosen,
        **{name: recipe[name] for name in ("memory_limit", "beam_width", "min_group_size")},
    }
    report = unheard if args.quiet else say
    search = (_one if single else _front)(args, recipe, shared, report)
    if whole_result is not None:
        save(whole_result, search)
        report(f"saved {whole_result}")
    return 0


def _one(args: argparse.Namespace, recipe: Recipe, shared: dict[str, Any], report: Any) -> LeastGapSearch:
    """The list of least gap at one accuracy."""
    from ..rule_list import LeastGapSearch
    from ..search import Status

    output, proof = (None if path is None else writable(path) for path in (args.output, args.proof))
    if proof is not None and proof == output:
        raise CommandError(f"the model and the proof cannot both be written to {proof}")
    try:
        data, counts = read(args, recipe, report)
        search = LeastGapSearch(problem_of(data, recipe, report, True, counts), min_accuracy=args.accuracy[0], **shared)
    except ValueError as error:
        raise CommandError(error) from error
    snapshot, interrupted = drained(search, args)
    if snapshot.incumbent is None:
        if snapshot.status is Status.INFEASIBLE:
            raise CommandError(f"proven: there is no {_lists(search)}", 1)
        raise CommandError(f"{ending(snapshot, interrupted)} before a list was found that is as accurate", 1)
    model = snapshot.incumbent.model.relabelled(labels(data))
    print(model.to_text(data.target), _verdict(search, snapshot, interrupted), sep="\n\n")
    print("", rates_of_groups(snapshot.incumbent.model, data), sep="\n")
    if emptied := snapshot.detail.get("emptied"):
        print(f"\nthe rates are {emptied}")
    if output is not None:
        try:
            model.to_json(output)
        except OSError as error:
            raise CommandError(f"{output} cannot be written: {error.strerror}", 1) from error
        report(f"saved {output}")
    if proof is not None:
        save_proof(proof, search, data, report)
    return search


def _lists(search: LeastGapSearch) -> str:
    from ..families.least_gap import lists

    return lists(search.parameters, search.problem.n_antecedents)


def _verdict(search: LeastGapSearch, snapshot: Snapshot, interrupted: bool) -> str:
    from ..families import least_gap as words

    best, parameters, m = snapshot.incumbent, search.parameters, search.problem.n_antecedents
    assert best is not None
    right = f"{100 * (1 - best.errors / best.model.weight):.2f} % right"
    found = f"gap {words.points(best.objective)} = {search.least} in {words.measured(parameters)}, {right}"
    work = f"{snapshot.seconds:.2f} s, " + ", ".join(f"{n} {what}" for what, n in snapshot.counts.items() if n)
    if not search.gap_is_proven:
        bound = words.bound(parameters, m, snapshot.lower_bound)
        return f"not certified ({ending(snapshot, interrupted)}): {found}\n{bound}\n{work}"
    price = f"errors / rows + {search.regularization:g} x rules"
    tie = f"no other list of that gap has less {price}"
    if snapshot.phase == "ties":
        tie = f"whether another list of that gap has less {price} is open ({ending(snapshot, interrupted)})"
    return f"certified: {words.claim(parameters, m)}\n{found}\n{tie}\n{work}"


def _front(args: argparse.Namespace, recipe: Recipe, shared: dict[str, Any], report: Any) -> GapFrontierSearch:
    """The least gap at several accuracies."""
    from ..rule_list import GapFrontierSearch

    try:
        _, problem = read_problem(args, recipe, report, grouped=True)
        search = GapFrontierSearch(problem, accuracies=args.accuracy, **shared)
    except ValueError as error:
        raise CommandError(error) from error
    snapshot, interrupted = drained(search, args, describe=_closed)
    rows = []
    for point in search.points:
        start = (f"{100 * point.min_accuracy:.10g}",)
        if point.model is None or point.gap is None or point.accuracy is None:
            what = "no list is as accurate" if point.status == "infeasible" else "none found"
            rows.append((*start, "-", what, "-", "-", "-"))
            continue
        proven = "yes" if point.status == "proven" else f"at least {100 * point.lower_bound:.4f}"
        own = (f"{100 * point.gap:.4f}", proven, f"{100 * point.accuracy:.2f}", f"{len(point.model)}")
        names = "; ".join(f"{rule.name} -> {rule.prediction}" for rule in point.model.rules)
        rows.append((*start, *own, one_line(names) or "-"))
    closed = sum(point.status != "open" for point in search.points)
    verdict = "certified: at each accuracy no rule list has a smaller gap"
    if search.max_length is not None:
        verdict += f", of at most {count(search.max_length, 'rule')}"
    if closed < len(rows):
        verdict = f"not certified ({ending(snapshot, interrupted)}): {closed} of {count(len(rows), 'point')} proven"
    head = ("accuracy at least %", "gap, points", "proven", "accuracy %", "rules", "if .. else if ..")
    print(
        table(head, rows, right=(0, 1, 3, 4)) + f"\n\n{verdict}\n{snapshot.seconds:.2f} s, {search.work} units of work"
    )
    return search


def _closed(snapshot: Snapshot) -> str:
    return f"{snapshot.counts['closed']} of {snapshot.counts['points']} points closed"
