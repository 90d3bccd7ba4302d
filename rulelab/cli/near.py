"""``rulelab near``: all rule lists or rule sets near the optimum, counted, and what they have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..families.wording import at_least, count
from ..shown import digits, percent
from .families import add_memory, add_problem, recipe_of
from .options import add, add_limits, add_written, least_zero, table_command, whole
from .output import RESULT, CommandError, as_option, bad_input, first_of, one_line, save, table
from .progress import drained
from .reading import read_problem

if TYPE_CHECKING:
    from ..datasets import Dataset
    from ..rule_list import NearOptimal, NearOptimalCount
    from ..rule_set import NearOptimalRuleSets
    from ..snapshot import Snapshot

_SHOWN = 20
_SHOWN_ANTECEDENTS = 10  # or rules of sets
_MODELS = ["rule-list", "rule-set"]
_WITHOUT = ("policy", "fairness", "min_group_size", "labels")


def add_to(commands: Any) -> None:
    what = (
        "Find all rule lists or rule sets within a distance of the optimum, best first, and which antecedents or rules "
        "they share."
    )
    parser = table_command(commands, near, "near", "find all rule lists near the optimum", what)
    add(parser, "--model", "--family", choices=_MODELS, default=_MODELS[0], text="the family of models")
    text = "save all that is found: FILE.json, FILE.csv, or FILE.html to explore it in a browser"
    add_written(parser, endings=(*RESULT, ".html"), text=text)
    add_problem(parser, _MODELS, _WITHOUT)
    group = parser.add_argument_group("what is near")
    text = "models whose objective is at most so much above the optimum (default: 0.01; of rule sets a ratio of 0.01)"
    add(group, "--within", type=least_zero, metavar="X", text=text)
    add(group, "--ratio", type=least_zero, metavar="X", text="the same as a share of the optimum, instead of --within")
    add(group, "--max", type=whole(1), metavar="N", text="most models: those that predict differently (default: 10000)")
    add(group, "--count-lists", action="store_true", text="count all lists instead of listing the models")
    add_memory(add_limits(parser, "At a limit, and at Ctrl-C, what is found so far is given, with what is proven."))


def near(args: argparse.Namespace) -> int:
    from ..report import Near

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
    with bad_input():
        data, problem = read_problem(args, recipe)
        search = _search(recipe.search(problem), args, recipe["memory_limit"])
    kind = "counted" if args.count_lists else args.model
    snapshot, ended = drained(search, args, describe=_found)
    result = search.result()
    known = Near(
        result, snapshot, ended, longest=search.parameters.get("max_length"), work=_work(search, snapshot, kind)
    )
    shown = [part(result) for part in _TABLES[kind] if result.complete or not args.count_lists]
    print("\n\n".join(filter(None, [*shown, known.to_text(as_option)])))
    save(output, _page(search, result, snapshot, data) if as_page else search, args.quiet)
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
    """What the progress says, of models that are listed and of lists that are only counted."""
    if snapshot.phase == "optimum":
        return f"objective {digits(snapshot.optimum, 7)}  bound {at_least(snapshot.lower_bound, 7)}"
    if hasattr(snapshot, "n_lists"):
        found = ("" if snapshot.phase == "finished" else "at least ") + count(snapshot.n_lists, "list")
    elif hasattr(snapshot, "rules"):
        found = f"{count(snapshot.count, 'model')} of {count(snapshot.rules, 'rule')}"
    else:
        found = f"{count(snapshot.count, 'model')} below {snapshot.covered:.7f}"
    return f"optimum {digits(snapshot.optimum, 7)}  {found}"


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


def _work(search: Any, snapshot: Snapshot, kind: str) -> str:
    """What is said of the work beside the seconds."""
    if kind == "counted":
        return f"{count(snapshot.counts.get('states', 0), 'set')} of rows looked at"
    return "" if kind == "rule-set" else f"{search.work} prefixes expanded"


_TABLES: dict[str, tuple[Callable[[Any], str], ...]] = {
    "rule-list": (_models, _antecedents),
    "rule-set": (_sets_models, _rules_of_sets),
    "counted": (_by_rules, _importance),
}
"""What is printed of what is found."""
