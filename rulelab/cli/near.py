"""``rulelab near``: all rule lists or rule sets near the optimum, counted, and what they have in common."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ..families.wording import at_least, count, restricted
from ..shown import digits, percent
from . import near_count, near_rule_sets
from .data_options import read_problem, unheard
from .families import add_memory, add_parameters, add_preparation, recipe_of
from .near_count import known_so_far, less_to_ask
from .options import add, add_columns, add_limits, add_source, add_written, least_zero, whole
from .output import RESULT, CommandError, bad_input, first_of, one_line, save, say
from .progress import drained, ending

if TYPE_CHECKING:
    from ..datasets import Dataset
    from ..rule_list import NearOptimal, NearOptimalSearch
    from ..snapshot import Snapshot

_SHOWN = 20
_SHOWN_ANTECEDENTS = 10
_MODELS = ["rule-list", "rule-set"]
_WITHOUT = ("policy", "fairness", "min_group_size", "labels")


def add_to(commands: Any) -> None:
    """Register the command."""
    what = (
        "Find all rule lists or rule sets within a distance of the optimum, best first, and which antecedents or rules "
        "they share."
    )
    parser = commands.add_parser("near", help="find all rule lists near the optimum", description=what)
    add_source(parser)
    add(parser, "--model", "--family", choices=_MODELS, default=_MODELS[0], text="the family of models")
    text = "save all that is found: FILE.json, FILE.csv, or FILE.html to explore it in a browser"
    add_written(parser, endings=(*RESULT, ".html"), text=text)
    add(parser, "--quiet", action="store_true", text="no progress")
    add_columns(parser)
    add_preparation(parser, _MODELS)
    add_parameters(parser, _MODELS, without=_WITHOUT)
    group = parser.add_argument_group("what is near")
    text = "models whose objective is at most so much above the optimum (default: 0.01; of rule sets a ratio of 0.01)"
    add(group, "--within", type=least_zero, metavar="X", text=text)
    add(group, "--ratio", type=least_zero, metavar="X", text="the same as a share of the optimum, instead of --within")
    add(group, "--max", type=whole(1), metavar="N", text="most models: those that predict differently (default: 10000)")
    add(group, "--count-lists", action="store_true", text="count all lists instead of listing the models")
    add_memory(add_limits(parser, "At a limit, and at Ctrl-C, what is found so far is given, with what is proven."))
    parser.set_defaults(run=near)


def near(args: argparse.Namespace) -> int:
    """Run the command; the exit status."""
    sets, output = args.model == "rule-set", args.output
    if args.within is not None and args.ratio is not None:
        raise CommandError("--within and --ratio say the same in two ways: give one of them")
    if args.count_lists and args.max is not None:
        raise CommandError("--count-lists counts all lists, however many: leave out --max")
    if args.count_lists and sets:
        raise CommandError("--count-lists is not an option of --model rule-set: what is found is counted")
    as_page = output is not None and output.suffix.lower() == ".html"
    if args.count_lists and as_page:
        raise CommandError(f"-o {output.name} must end in .json or .csv with --count-lists")
    recipe = recipe_of(args, args.model, without=_WITHOUT)
    report = unheard if args.quiet else say
    with bad_input():
        data, problem = read_problem(args, recipe, report)
        search = _search(recipe.search(problem), args, recipe["memory_limit"])
    own: Any = (near_rule_sets.found, near_rule_sets.told) if sets else (_found, _told)
    found, told = (near_count.found, near_count.told) if args.count_lists else own
    snapshot, interrupted = drained(search, args, describe=found)
    result = search.result()
    print("\n\n".join(filter(None, told(search, result, snapshot, interrupted))))
    save(output, _page(search, result, snapshot, data) if as_page else search, report)
    return 0


def _search(best: Any, args: argparse.Namespace, memory_limit: int | None) -> Any:
    """The search for what is near the best model of a search."""
    from .. import rule_list, rule_set

    near = {"within": args.within, "ratio": args.ratio, "memory_limit": memory_limit}
    if args.count_lists:
        return rule_list.NearOptimalCounter(best, **near)
    kind: Any = rule_set.NearOptimalRuleSetSearch if args.model == "rule-set" else rule_list.NearOptimalSearch
    return kind(best, **near, limit=10_000 if args.max is None else args.max)


def _page(search: Any, result: Any, snapshot: Snapshot, data: Dataset) -> str:
    """All that is found as a page that needs no network."""
    from ..views.alternatives.offline import MOST_EDGES, Labels, explorer

    sets = search.family == "rule_set"
    if result.count:
        names = Labels(data.name, str(data.target), str(data.negative), str(data.positive))
        if sets:
            from ..views.alternatives.counting import explorer_of_sets  # needs what the page needs

            return explorer_of_sets(result, snapshot, names)
        return explorer(result, search.prefixes(MOST_EDGES), names)
    known = f"no page is written: no {'set' if sets else 'list'} is known to be near the optimum yet"
    limit = search.truncated or "stopped"
    if limit in ("time", "memory"):
        raise CommandError(f"{known} ({limit} limit reached); raise --{limit}-limit", 1)
    raise CommandError(f"{known} ({limit})", 1)


def _found(snapshot: Any) -> str:
    """What the progress says."""
    if snapshot.phase == "optimum":
        return f"objective {snapshot.optimum:.7f}  bound {at_least(snapshot.lower_bound, 7)}"
    return f"optimum {snapshot.optimum:.7f}  {count(snapshot.count, 'model')} below {snapshot.covered:.7f}"


def _told(search: NearOptimalSearch, result: NearOptimal, snapshot: Snapshot, interrupted: bool) -> list[str]:
    """What is printed."""
    return [_models(result), _antecedents(result), _verdict(search, result, snapshot, interrupted)]


def _models(result: NearOptimal) -> str:
    rows = [
        (
            *(f"{objective:.7f}", f"{gap:.7f}", f"{len(names)}", digits(errors), f"{lists}"),
            one_line("; ".join(names)) or "-",
        )
        for objective, gap, errors, lists, names in zip(
            *(result.frame().head(_SHOWN)[name] for name in ("objective", "gap", "errors", "lists", "antecedents")),
            strict=True,
        )
    ]
    head = ("objective", "above", "rules", "errors", "lists", "if .. else if ..")
    return first_of(result.count, "model", head, rows, range(5), "all")


def _antecedents(result: NearOptimal) -> str:
    rows = [
        (one_line(row.name), percent(row.share), f"{row.models}", f"{row.objective:.7f}")
        for row in result.antecedents.head(_SHOWN_ANTECEDENTS).itertuples(index=False)
    ]
    head = ("antecedent", "% of lists", "models", "best objective")
    return first_of(len(result.antecedents), "antecedent", head, rows, range(1, 4), "all")


def _verdict(search: NearOptimalSearch, result: NearOptimal, snapshot: Snapshot, interrupted: bool) -> str:
    from ..rule_list.near_optimal.state import MOST_LISTS

    work = f"{snapshot.seconds:.2f} s, {search.work} prefixes expanded"
    if snapshot.phase == "optimum":
        return (
            f"nothing is certified ({ending(snapshot, interrupted)}): the best list has the objective "
            f"{result.optimum:.7f}, and no rule list is below {at_least(snapshot.lower_bound, 7)}"
            f"{known_so_far(search, snapshot)}\n{work}"
        )
    lists = f"{result.n_lists} lists" if result.n_lists < MOST_LISTS else f"at least {MOST_LISTS} lists"
    found = f"{count(result.count, 'model')} ({lists}) from the optimum {result.optimum:.7f}"
    if result.complete:
        within = "" if snapshot.limit is None else ", within the rounding of the weights"
        return f"certified complete{within}{restricted(search.problem)}: {found} up to {result.threshold:.7f}\n{work}"
    why = "the most models found" if snapshot.limit == "limit" else ending(snapshot, interrupted)
    return (
        f"not complete ({why}): {found}\n"
        f"complete for less than {at_least(result.covered - result.optimum, 7)} above the optimum: every list below "
        f"{result.covered:.7f} is found, of those up to {result.threshold:.7f} that were looked for"
        f"{less_to_ask(search, snapshot)}\n{work}"
    )
