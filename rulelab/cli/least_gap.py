"""``rulelab least-gap``: the least gap between groups of any rule list of some accuracy, or of several."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ..families import FAMILIES
from ..families import least_gap as words
from ..families.wording import at_least, restricted
from ..parameters import FREE_RULES, MAX_LENGTH, MIN_ACCURACY
from ..shown import percent
from .families import CRITERIA_NAMES, add_memory, add_parameters, add_preparation, reader_of, recipe_of
from .fit import proof_of, rates_of_groups, save_proof
from .frontier import points_table
from .options import add, add_columns, add_limits, add_proof_limit, add_written, several, table_command, whole
from .output import RESULT, CommandError, bad_input, refuse, save, say_doubts
from .progress import drained
from .reading import labels, problem_of, read, read_problem

if TYPE_CHECKING:
    from ..frontiers import GapFrontier
    from ..recipe import Recipe
    from ..rule_list import LeastGapSearch
    from ..rule_set import LeastGapRuleSetSearch
    from ..snapshot import Snapshot

    OneGap = LeastGapSearch | LeastGapRuleSetSearch

_OTHERWISE = ("regularization", "policy", "max_length", "fairness", "labels")
"""Parameters that mean something else here."""
_MODELS = ["rule-list", "rule-set"]
_OWN = {
    "rule-list": ("beam_width", "min_group_size"),
    "rule-set": ("max_complexity", "max_conditions", "loss", "form", "column_limit", "min_group_size"),
}
"""The parameters of a recipe that a search of each family takes."""


def add_to(commands: Any) -> None:
    what = (
        "The rule list or rule set of least gap between groups among those that are as accurate as is asked for, with "
        "a proof that none has a smaller one; for several accuracies, or none, a table of them. Of rule sets accuracy "
        "and gap are counted as by the Hamming loss, unless --loss says zero_one: then as the set predicts."
    )
    parser = table_command(commands, least_gap, "least-gap", "find the least gap between groups", what)
    add(parser, "--model", "--family", choices=_MODELS, default=_MODELS[0], text="the family of models")
    text = "least share of rows that are right, such as .65; several with commas (default: each percent)"
    add(parser, "--accuracy", type=several(reader_of(MIN_ACCURACY)), metavar="A,..", text=text)
    add_written(parser, text="save the model as JSON; of a single accuracy")
    add_written(parser, "--proof", text="save the proof, for `rulelab verify`; of a single accuracy")
    add_proof_limit(parser)
    text = "save all that is found: FILE.json with the models, or FILE.csv"
    add_written(parser, "--to-json", endings=RESULT, text=text)
    add_columns(parser)
    add_preparation(parser, _MODELS)
    group = parser.add_argument_group("gap")
    names = list(CRITERIA_NAMES)
    add(group, "--criterion", choices=names, default=names[0], text="what the gap is measured in")
    suppressed = {"default": argparse.SUPPRESS}
    text = "of rule lists: most rules, not counting the default (default: any number)"
    add(group, "--max-length", type=reader_of(MAX_LENGTH), metavar="N", text=text, **suppressed)
    text = f"of rule lists: what a rule is worth between lists of the same gap (default: {FREE_RULES.default})"
    add(group, "--regularization", type=reader_of(FREE_RULES), metavar="X", text=text, **suppressed)
    add(parser, "--random-state", type=whole(0), metavar="N", text="of rule sets: seed of what is random")
    add_parameters(parser, _MODELS, without=_OTHERWISE)
    add_memory(add_limits(parser, "At a limit, and at Ctrl-C, what is found is given with its proven bound."))


def least_gap(args: argparse.Namespace) -> int:
    single = args.accuracy is not None and len(args.accuracy) == 1
    for name in ("output", "proof") if not single else ():
        if getattr(args, name) is not None:
            raise CommandError(
                f"{'-o' if name == 'output' else '--proof'} is of a single accuracy: give one --accuracy"
            )
    if args.proof is not None and args.weight is not None:
        raise CommandError("--proof is checked on rows that count alike: leave --weight out")
    shared, recipe = _chosen(args)
    search = (_one if single else _front)(args, recipe, shared)
    save(args.to_json, search, args.quiet)
    return 0


def _chosen(args: argparse.Namespace) -> tuple[dict[str, Any], Recipe]:
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
    recipe = recipe_of(args, args.model, without=_OTHERWISE)
    return shared | {name: recipe[name] for name in ("memory_limit", *_OWN[args.model])}, recipe


def _one(args: argparse.Namespace, recipe: Recipe, shared: dict[str, Any]) -> OneGap:
    """The model of least gap at one accuracy."""
    from .. import rule_list, rule_set
    from ..report.known import Known, told
    from ..report.report import why_ended
    from ..snapshot import Status

    with bad_input():
        make: Any = rule_list.LeastGapSearch if args.model == "rule-list" else rule_set.LeastGapRuleSetSearch
        data, counts = read(args, recipe)
        search: OneGap = make(problem_of(args, data, recipe, True, counts), min_accuracy=args.accuracy[0], **shared)
    snapshot, ended = drained(search, args)
    if snapshot.incumbent is None:
        if snapshot.status is Status.INFEASIBLE:
            meant = words.meant(search.parameters, search.problem.n_antecedents)
            raise CommandError(f"proven: there is no {meant}", 1)
        raise CommandError(f"{why_ended(snapshot) or ended} before a model was found that is as accurate", 1)
    model = snapshot.incumbent.model.relabelled(labels(data))
    print(model.to_text(data.target), _verdict(search, snapshot, why_ended(snapshot) or ended), sep="\n\n")
    print("", rates_of_groups(snapshot.incumbent.model, data), sep="\n")
    say_doubts(Known.of(model, data, **told(snapshot, args.criterion)))
    save(args.output, f"{model.to_json()}\n", args.quiet)
    if args.proof is not None:
        save_proof(args, lambda: proof_of(search, data), getattr(search, "certified", True))
    return search


def _verdict(search: OneGap, snapshot: Snapshot, ended: str) -> str:
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


def _front(args: argparse.Namespace, recipe: Recipe, shared: dict[str, Any]) -> GapFrontier:
    """The least gap at several accuracies."""
    from ..frontiers import GapFrontier
    from ..report import front

    with bad_input():
        _, problem = read_problem(args, recipe, grouped=True)
        search = GapFrontier(problem, accuracies=args.accuracy, model=args.model.replace("-", "_"), **shared)
    snapshot, ended = drained(search, args, describe=_closed)
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


def _closed(snapshot: Snapshot) -> str:
    return f"{snapshot.counts['closed']} of {snapshot.counts['points']} points closed"
