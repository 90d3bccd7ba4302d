"""``rulelab near``: all rule lists or rule sets near the optimum, counted, and what they have in common."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ..families.wording import at_least, count, restricted
from ..shown import digits, percent
from .data_options import read_problem, unheard
from .families import add_memory, add_parameters, add_preparation, recipe_of
from .options import add, add_columns, add_limits, add_source, add_written, least_zero, whole
from .output import RESULT, CommandError, bad_input, first_of, one_line, save, say, table
from .progress import drained, ending

if TYPE_CHECKING:
    from ..datasets import Dataset
    from ..rule_list import NearOptimal, NearOptimalCount, NearOptimalCounter, NearOptimalSearch
    from ..rule_set import NearOptimalRuleSets, NearOptimalRuleSetSearch
    from ..snapshot import Snapshot

_SHOWN = 20
_SHOWN_ANTECEDENTS = 10  # or rules of sets
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
    own: Any = (_sets_found, _sets_told) if sets else (_found, _told)
    found, told = (_count_found, _count_told) if args.count_lists else own
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


def _count_told(
    search: NearOptimalCounter, result: NearOptimalCount, snapshot: Snapshot, interrupted: bool
) -> list[str]:
    """What is printed."""
    parts = [_by_rules(result), _importance(result)] if result.complete else []
    return [*parts, _count_verdict(search, result, snapshot, interrupted)]


def known_so_far(search: NearOptimalSearch | NearOptimalCounter, snapshot: Snapshot) -> str:
    """Of a search for lists whose optimum is not proven: the best list, and what would make the question smaller."""
    assert snapshot.incumbent is not None
    rules = [rule.name for rule in snapshot.incumbent.model.rules]
    return f"\nthe best list so far: {one_line('; '.join(rules)) or 'no rules'}" + less_to_ask(search, snapshot)


def less_to_ask(search: NearOptimalSearch | NearOptimalCounter, snapshot: Snapshot) -> str:
    """What would make the question smaller, where a limit ended the search."""
    if snapshot.limit not in ("time", "memory") or snapshot.incumbent is None:
        return ""
    rules, longest = max(1, len(snapshot.incumbent.model.rules)), search.parameters["max_length"]
    less = "a larger --regularization asks for less"
    if longest is None or longest > rules:
        less = f"--max-length {rules} asks for less (short lists alone), as does a larger --regularization"
    return f"\n{less}; or raise --{snapshot.limit}-limit"


def _count_found(snapshot: Any) -> str:
    """What the progress says."""
    if snapshot.phase == "optimum":
        return f"objective {snapshot.optimum:.7f}  bound {at_least(snapshot.lower_bound, 7)}"
    many = "" if snapshot.phase == "finished" else "at least "
    return f"optimum {snapshot.optimum:.7f}  {many}{count(snapshot.n_lists, 'list')}"


def _by_rules(result: NearOptimalCount) -> str:
    rows = [
        (f"{row.rules}", f"{row.lists}", percent(row.share), f"{row.objective:.7f}")
        for row in result.by_rules.itertuples(index=False)
    ]
    return table(("rules", "lists", "% of lists", "best objective"), rows, right=range(4))


def _importance(result: NearOptimalCount) -> str:
    frame = result.importance()
    rows = [
        (
            one_line(row.name),
            percent(row.share),
            f"{row.objective:.7f}",
            "-" if row.without != row.without else f"{row.without:.7f}",
            f"{percent(row.least)} to {percent(row.most)}",
        )
        for row in frame.head(_SHOWN_ANTECEDENTS).itertuples(index=False)
    ]
    head = ("antecedent", "% of lists", "best with it", "best without", "decides, % of rows")
    more = len(frame) - len(rows)
    return table(head, rows, right=range(1, 5)) + (f"\nand {count(more, 'more antecedent')}" if more else "")


def _count_verdict(search: NearOptimalCounter, result: NearOptimalCount, snapshot: Snapshot, interrupted: bool) -> str:
    work = f"{snapshot.seconds:.2f} s, {count(snapshot.counts.get('states', 0), 'set')} of rows looked at"
    between = f"from the optimum {result.optimum:.7f} up to {result.threshold:.7f}"
    if result.complete:
        within = "" if snapshot.limit is None else ", within the rounding of the weights"
        return f"certified count{within}: {count(result.n_lists, 'list')} {between}\n{work}"
    why = ending(snapshot, interrupted)
    if snapshot.phase in ("optimum", "preparing"):
        return (
            f"nothing is certified ({why}): the best list has the objective {result.optimum:.7f}, and no rule list is "
            f"below {at_least(snapshot.lower_bound, 7)}{known_so_far(search, snapshot)}\n{work}"
        )
    less = less_to_ask(search, snapshot)
    return f"not complete ({why}): at least {count(result.n_lists, 'list')} {between}{less}\n{work}"


def _sets_told(
    search: NearOptimalRuleSetSearch, result: NearOptimalRuleSets, snapshot: Snapshot, interrupted: bool
) -> list[str]:
    """What is printed."""
    return [_sets_models(result), _rules_of_sets(result), _sets_verdict(search, result, snapshot, interrupted)]


def _sets_found(snapshot: Any) -> str:
    """What the progress says."""
    if snapshot.phase == "optimum":
        return f"objective {digits(snapshot.optimum, 7)}  bound {digits(snapshot.lower_bound, 7)}"
    return f"optimum {digits(snapshot.optimum, 7)}  {count(snapshot.count, 'model')} of {count(snapshot.rules, 'rule')}"


def _sets_models(result: NearOptimalRuleSets) -> str:
    rows = [
        (
            *(digits(row.objective, 7), digits(row.gap, 7), f"{row.rules}", f"{row.complexity}", digits(row.errors)),
            *(f"{row.sets}", one_line("; ".join(row.clauses)) or "-"),
        )
        for row in result.frame().head(_SHOWN).itertuples(index=False)
    ]
    outer = "any of" if result.form == "dnf" else "all of"
    head = ("objective", "above", "rules", "complexity", "errors", "sets", outer)
    return first_of(result.count, "model", head, rows, range(6), "all models")


def _rules_of_sets(result: NearOptimalRuleSets) -> str:
    rows = [
        (
            one_line(row.name),
            percent(row.share),
            digits(row.objective, 7),
            "-" if row.without != row.without else digits(row.without, 7),
            percent(row.most),
        )
        for row in result.rules.head(_SHOWN_ANTECEDENTS).itertuples(index=False)
        if row.sets
    ]
    head = ("rule", "% of sets", "best with it", "best without", "covers, % of rows")
    return first_of(len(result.rules), "rule", head, rows, range(1, 5), "all models")


def _sets_verdict(
    search: NearOptimalRuleSetSearch, result: NearOptimalRuleSets, snapshot: Snapshot, interrupted: bool
) -> str:
    best, up_to = digits(result.optimum, 7), digits(result.threshold, 7)
    work = f"{snapshot.seconds:.2f} s"
    if snapshot.phase == "optimum":
        return (
            f"nothing is certified ({ending(snapshot, interrupted)}): the best set has the objective "
            f"{best}, and no rule set is below {digits(snapshot.lower_bound, 7)}\n{work}"
        )
    found = f"{count(result.count, 'model')} ({count(result.n_sets, 'set')}) from the optimum {best}"
    over = f"over rules of at most {count(search.conditions, 'condition')}{restricted(search.problem)}"
    if result.complete:
        return f"certified complete, {over}: {found} up to {up_to}\n{work}"
    why = {
        "limit": "the most models found",
        "columns": "more rules than --column-limit could be in such a set",
    }.get(snapshot.limit or "", ending(snapshot, interrupted))
    certain = "it is not known which other sets there are"
    if result.covered == result.covered:
        certain = f"every set of at most {digits(result.covered, 7)} is found, of those up to {up_to}"
    return f"not complete ({why}): {found}\n{certain}, {over}\n{work}"
