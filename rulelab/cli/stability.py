"""``rulelab stability``: which rules of a rule set return on bootstrap samples of the rows."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

from ..families.wording import restricted
from .console import CommandError, one_line, say, table
from .data_options import read_problem, unheard
from .families import add_memory, add_parameters, add_preparation, count, recipe_of
from .options import add, add_columns, add_limits, add_source, add_written, least_zero, or_none, whole
from .output import RESULT, save
from .progress import distance, drained, ending

if TYPE_CHECKING:
    from ..rule_set import RuleSetStability, StabilitySearch
    from ..snapshot import Snapshot

_SHOWN = 20
_FIGURES = {
    "error_rate": "error %, on its own rows",
    "unseen_error_rate": "error %, on rows not drawn",
    "rules": "rules",
    "complexity": "complexity",
    "shared_rules": "rules shared with the whole",
}


def add_to(commands: Any) -> None:
    """Register the command."""
    what = "Search the best rule set of the table and of bootstrap samples of its rows: which rules return?"
    parser = commands.add_parser("stability", help="which rules of a rule set return", description=what)
    add_source(parser)
    add_written(
        parser,
        "-o",
        "--output",
        endings=RESULT,
        text="save the sets: FILE.json, with their rules, or FILE.csv",
    )
    add(parser, "--quiet", action="store_true", text="no progress")
    add(parser, "--samples", type=whole(1), default=20, metavar="N", text="bootstrap samples")
    add_columns(parser)
    add_preparation(parser, ["rule-set"])
    add_parameters(parser, ["rule-set"])
    add(parser, "--random-state", type=whole(0), metavar="N", text="seed of the samples and searches (default: 0)")
    limits = add_limits(parser, "At a limit, and at Ctrl-C, what the samples so far say is given.")
    add_memory(limits)
    text = "seconds of the search of each sample, or none: then all may take what is left"
    add(limits, "--sample-time-limit", type=or_none(least_zero), metavar="S", text=text)
    parser.set_defaults(run=stability)


def stability(args: argparse.Namespace) -> int:
    """Run the command; the exit status."""
    from ..rule_set import StabilitySearch

    recipe = recipe_of(args, "rule-set")
    own = {name: recipe[name] for name in (*(each.name for each in recipe.family.own), "memory_limit")}
    report = unheard if args.quiet else say
    try:
        _, problem = read_problem(args, recipe, report)
        search = StabilitySearch(
            problem,
            args.samples,
            seconds_per_sample=args.sample_time_limit,
            random_state=args.random_state or 0,
            **own,
        )
    except ValueError as error:
        raise CommandError(error) from error
    snapshot, interrupted = drained(search, args, describe=_done)
    known = search.stability
    if known is None:
        why = ending(snapshot, interrupted)
        raise CommandError(f"{why} before the rule set of the table was there: raise the limit, or lower the task", 1)
    for part in (_rules(known), _figures(known), _verdict(search, known, snapshot, interrupted)):
        print(part, end="\n" if part.endswith(" s") else "\n\n")
    if args.output is not None:
        save(args.output, search)
        report(f"saved {args.output}")
    return 0


def _done(snapshot: Snapshot) -> str:
    return f"{count(snapshot.detail['samples'], 'sample')} done  the table: {distance(snapshot)}"


def _rules(known: RuleSetStability) -> str:
    rules = known.rules()
    if not len(rules):
        return "no set has a rule"
    rows = [
        (
            one_line(row.rule),
            "yes" if row.in_reference else "no",
            *((f"{row.returns}", f"{row.similarity:.2f}") if known.samples else ("-", "-")),
            *(f"{row.positives}", f"{row.negatives}"),
        )
        for row in rules.head(_SHOWN).itertuples(index=False)
    ]
    head = ("rule", "of the table", "returns", "similarity", "positives", "negatives")
    more = f"\nand {count(len(rules) - _SHOWN, 'more rule')}; in Python, RuleSetStability.rules() has all"
    return table(head, rows, right=range(2, 6)) + (more if len(rules) > _SHOWN else "")


def _figures(known: RuleSetStability) -> str:
    def shown(value: float, name: str) -> str:
        return "-" if math.isnan(value) else f"{100 * value:.1f}" if name.endswith("rate") else f"{value:.1f}"

    rows = [(words, *(shown(value, name) for value in known.summary().loc[name])) for name, words in _FIGURES.items()]
    return table(("", "table", "mean", "std", "least", "most"), rows, right=range(1, 6))


def _verdict(search: StabilitySearch, known: RuleSetStability, snapshot: Snapshot, interrupted: bool) -> str:
    from ..snapshot import Status

    sets = (known.reference, *known.samples)
    proven = sum(sample.status is Status.OPTIMAL for sample in sets)
    done = f"{len(known.samples)} of {count(known.n_samples, 'sample')} done"
    work = f"{snapshot.seconds:.2f} s"
    if known.done and proven == len(sets):
        whose = f"the sets of the table and of its {count(known.n_samples, 'sample')}"
        return f"certified{restricted(search.problem)}: {whose} are optimal\n{work}"
    why = ending(snapshot, interrupted)
    if known.done:
        why = "limits of single samples reached" if snapshot.limit == "samples" else "constraints are not met"
    return f"not certified ({why}): {done}, {proven} of {count(len(sets), 'set')} proven optimal\n{work}"
