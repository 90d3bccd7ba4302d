"""Questions around a model: what is near it, which rows it depends on, which rules return, what each bound is worth."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from math import isnan
from typing import Any

import pandas as pd

from .. import estimators, rule_list, rule_set
from ..ablation import ALIKE, Ablation, of_the_paper
from ..datasets import Dataset
from ..families.wording import at_least, at_most, count
from ..fitting import CLASSIFIERS
from ..report import Near, Withstood
from ..rule_list import Robustness, RobustnessSearch, RuleListSearch
from ..shown import digits, percent, share
from ..snapshot import Snapshot
from ..stepping import Search
from .options import MODELS, recipe_of
from .output import CommandError, as_option, bad_input, drained, one_line, save, table, tell
from .parsers import COMMANDS
from .reading import labels, read, read_problem

_SHOWN = 20
_SHOWN_PARTS = 10  # antecedents, or rules of sets


def near(args: argparse.Namespace) -> None:
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
    recipe = recipe_of(args, args.model, without=COMMANDS["near"]["without"])
    with bad_input():
        data, problem = read_problem(args, recipe)
        search = _search(recipe.search(problem), args, recipe["memory_limit"])
    kind = "counted" if args.count_lists else args.model
    snapshot, ended = drained(search, args, describe=_found)
    result = search.result()
    states = f"{count(snapshot.counts.get('states', 0), 'set')} of rows looked at"
    work = {"counted": states, "rule-set": ""}.get(kind, f"{search.work} prefixes expanded")
    known = Near(result, snapshot, ended, longest=search.parameters.get("max_length"), work=work)
    print("\n\n".join(filter(None, [*_tables(kind, result), known.to_text(as_option)])))
    save(output, _page(search, result, snapshot, data) if as_page else search, args.quiet)


def _search(best: Any, args: argparse.Namespace, memory_limit: int | None) -> Any:
    """The search for what is near the best model of a search."""
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


def stability(args: argparse.Namespace) -> None:
    recipe = recipe_of(args, args.model)
    classifier = CLASSIFIERS[MODELS[args.model].name]
    with bad_input():
        data, counts = read(args, recipe)
        grouped = recipe.parameters.get("fairness") is not None
        if grouped and data.sensitive is None:
            raise CommandError("--fairness compares groups: name a sensitive attribute with --sensitive")
        found = estimators.stability(
            classifier(**recipe.parameters, time_limit=args.time_limit, random_state=args.random_state),
            data.X if counts is None else counts.training.frame,
            data.y,
            data.weight,
            data.sensitive if grouped else None,
            n_samples=args.samples,
            random_state=args.random_state,
        )
    rows = [
        (one_line(row.rule), "yes" if row.in_reference else "no", f"{row.returns}", percent(row.share, 0))
        for row in found.rules.head(_SHOWN).itertuples(index=False)
    ]
    print(table(("rule", "of the table", "returns", "%"), rows, right=(2, 3)) if rows else "no model has a rule")
    if len(found.rules) > _SHOWN:
        print(f"and {count(len(found.rules) - _SHOWN, 'more rule')}; -o FILE.csv saves all")
    figures = found.fits[["error_rate", "unseen_error_rate", "rules", "shared_rules"]].astype(float)
    names = ("error rate, on its own rows", "error rate, on rows not drawn", "rules", "rules shared with the whole")
    of = figures.iloc[1:]
    columns = (figures.iloc[0], of.mean(), of.std(), of.min(), of.max())
    cells = [
        (name, *("-" if isnan(column[at]) else share(column[at], 3) for column in columns))
        for name, at in zip(names, figures, strict=True)
    ]
    print("\n" + table(("", "table", "mean", "std", "least", "most"), cells, right=range(1, 6)))
    proven, done = int((found.fits["status"] == "optimal").sum()), len(found.fits) - 1
    print(f"\n{done} of {count(args.samples, 'sample')} done; {proven} of {count(done + 1, 'model')} proven optimal")
    save(args.output, found.rules, args.quiet)


_WORDS = {"relabelled": "labels are wrong", "removed": "rows are removed", "added": "rows are added"}


def robustness(args: argparse.Namespace) -> None:
    recipe = recipe_of(args, "rule-list", without=COMMANDS["robustness"]["without"])
    with bad_input():
        data, problem = read_problem(args, recipe)
        best = recipe.search(problem)
        assert isinstance(best, RuleListSearch)
        search = RobustnessSearch(best, memory_limit=recipe["memory_limit"])
    snapshot, ended = drained(search, args, describe=_known)
    known = search.robustness
    if known is not None:
        print(known.model.relabelled(labels(data)).to_text(data.target), end="\n\n")
        print(_changes(known), end="\n\n")
    print(Withstood.of(search, snapshot, ended).to_text())
    save(args.output, search, args.quiet)


def robustness_of(search: Search) -> RobustnessSearch:
    """The search for the robustness of a fit's list, where there is one."""
    if not isinstance(search, RuleListSearch):
        raise CommandError("--robustness is of rule lists that need not be fair and do not have to use anything")
    try:
        return RobustnessSearch(search, memory_limit=search.memory_limit)
    except ValueError as error:
        raise CommandError(f"--robustness: {error}") from error


def stays_optimal(search: RobustnessSearch, args: argparse.Namespace, spent: float) -> str:
    """What is proven of a fit's list in what is left of its time, after so many seconds; what is printed."""
    left = None if args.time_limit is None else max(0.0, args.time_limit - spent)
    drained(search, argparse.Namespace(quiet=args.quiet, time_limit=left), describe=_known)
    return "it is not known to be optimal" if search.robustness is None else str(search.robustness)


def _known(snapshot: Snapshot) -> str:
    """What the progress says."""
    if snapshot.phase == "optimum":
        objective = float("inf") if snapshot.incumbent is None else snapshot.incumbent.objective
        return f"objective {objective:.7f}  bound {at_least(snapshot.lower_bound, 7)}"
    withstands, breaks = snapshot.detail["withstands"], snapshot.detail["breaks"]
    return "  ".join(f"{change} {withstands[change]}..{breaks.get(change, '?')}" for change in withstands)


def _changes(known: Robustness) -> str:
    rows = [
        (
            _WORDS[each.change],
            f"{each.withstands}",
            "-" if each.breaks is None else f"{each.breaks}",
            "yes" if each.exact else "no",
            "-" if each.rival is None else one_line("; ".join(each.rival.antecedent_names)) or "no rule",
        )
        for each in known.changes
    ]
    return table(
        ("", "stays optimal with any", "not with", "exact", "then better: if .. else if .."), rows, right=(1, 2)
    )


def ablate(args: argparse.Namespace) -> None:
    recipe = recipe_of(args, args.model)
    with bad_input():
        _, problem = read_problem(args, recipe)
        search = recipe.search(problem)
        if args.added:
            search = of_the_paper(search)
        ablation = Ablation(search, args.added)
    search.compile()
    _ablated(ablation, args)
    print(_ablation_table(ablation))
    save(args.output, ablation.frame, args.quiet)
    if ablation.contradiction:
        raise CommandError(ablation.contradiction, 1)


def _ablated(ablation: Ablation, args: argparse.Namespace) -> None:
    of = len(ablation.variants)
    try:
        tell(args, f"1 of {of}: {ablation.variants[0].name}")
        for outcome in ablation.steps(time_limit=args.time_limit):
            at = len(ablation.outcomes)
            if at < of:
                tell(args, f"{at + 1} of {of}: {ablation.variants[at].name}; {outcome.variant.name} has ended")
    except KeyboardInterrupt:
        tell(args, "interrupted: the runs that have ended are shown")


def _ablation_table(ablation: Ablation) -> str:
    frame = ablation.frame
    rows = [
        (
            row.variant,
            f"{row.limit} limit" if isinstance(row.limit, str) else row.status,
            *(f"{row.objective:.7f}", at_most(row.gap)),
            *(f"{row.nodes}", f"{row.nodes_factor:.3g}", f"{row.seconds:.2f}", f"{row.seconds_factor:.3g}"),
        )
        for row in frame.itertuples(index=False)
    ]
    heads = ("", "status", "objective", "gap", "nodes", "nodes ×", "seconds", "seconds ×")
    shown = table(heads, rows, right=range(2, 8))
    return shown if ablation.added else f"{shown}\n\n{ALIKE}"
