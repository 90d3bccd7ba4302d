"""``rulelab near``: all rule lists or rule sets near the optimum, counted, and what they have in common."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from math import isnan
from typing import TYPE_CHECKING, Any

from ..families.wording import at_least, count
from ..shown import digits, percent
from .families import add_memory, add_problem, recipe_of
from .options import add, add_limits, add_written, least_zero, table_command, whole
from .output import RESULT, CommandError, as_option, bad_input, one_line, save, table
from .progress import drained
from .reading import read_problem

if TYPE_CHECKING:
    import pandas as pd

    from ..datasets import Dataset
    from ..snapshot import Snapshot

_SHOWN = 20
_SHOWN_PARTS = 10  # antecedents, or rules of sets
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
    print("\n\n".join(filter(None, [*_tables(kind, result), known.to_text(as_option)])))
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


def _tables(kind: str, result: Any) -> Iterator[str]:
    """What is printed of what is found."""
    if kind == "rule-list":
        own = {"rules": ("rules", str), "errors": ("errors", digits), "lists": ("lists", str)}
        objective = {"objective": ("objective", _seven), "gap": ("above", _seven)}
        yield _table(
            result.frame(), _SHOWN, "model", "all", **objective, **own, antecedents=("if .. else if ..", _text)
        )
        own = {"name": ("antecedent", _text), "share": ("% of lists", percent), "models": ("models", str)}
        yield _table(result.antecedents, _SHOWN_PARTS, "antecedent", "all", **own, objective=("best objective", _seven))
    elif kind == "rule-set":
        own = {"rules": ("rules", str), "complexity": ("complexity", str), "errors": ("errors", digits)}
        objective = {"objective": ("objective", _figure), "gap": ("above", _figure)}
        own |= {"sets": ("sets", str), "clauses": ("any of" if result.form == "dnf" else "all of", _text)}
        yield _table(result.frame(), _SHOWN, "model", "all models", **objective, **own)
        own = {"name": ("rule", _text), "share": ("% of sets", percent), "objective": ("best with it", _figure)}
        own |= {"without": ("best without", _figure), "most": ("covers, % of rows", percent)}
        used = result.rules[result.rules["sets"] > 0]
        yield _table(used, _SHOWN_PARTS, "rule", "all models", **own)
    elif result.complete:
        own = {"rules": ("rules", str), "lists": ("lists", str), "share": ("% of lists", percent)}
        yield _table(result.by_rules, len(result.by_rules), "", "", **own, objective=("best objective", _seven))
        frame = result.importance()
        decides = [f"{percent(a)} to {percent(b)}" for a, b in zip(frame["least"], frame["most"], strict=True)]
        own = {"name": ("antecedent", _text), "share": ("% of lists", percent), "objective": ("best with it", _seven)}
        own |= {"without": ("best without", _seven), "decides": ("decides, % of rows", str)}
        yield _table(frame.assign(decides=decides), _SHOWN_PARTS, "antecedent", "", **own)


def _table(frame: pd.DataFrame, first: int, noun: str, saved: str, /, **columns: Any) -> str:
    """The first rows of some columns, by what they are called and how a cell is written; how many more there are."""
    parts = [[form(cell) for cell in frame[name].head(first)] for name, (_, form) in columns.items()]
    rows = list(zip(*parts, strict=True))
    right = [k for k, (_, form) in enumerate(columns.values()) if form is not _text]
    more = f"\nand {count(len(frame) - len(rows), f'more {noun}')}" if len(frame) > len(rows) else ""
    more += f"; -o FILE.json saves {saved}" if more and saved else ""
    return table([head for head, _ in columns.values()], rows, right=right) + more if rows else ""


def _seven(value: float) -> str:
    return "-" if isnan(value) else f"{value:.7f}"


def _figure(value: float) -> str:
    return "-" if isnan(value) else digits(value, 7)


def _text(value: str | tuple[str, ...]) -> str:
    return one_line(value if isinstance(value, str) else "; ".join(value)) or "-"


def _work(search: Any, snapshot: Snapshot, kind: str) -> str:
    """What is said of the work beside the seconds."""
    if kind == "counted":
        return f"{count(snapshot.counts.get('states', 0), 'set')} of rows looked at"
    return "" if kind == "rule-set" else f"{search.work} prefixes expanded"
