"""How much a model depends on its rows: ``rulelab stability`` draws others, ``rulelab robustness`` changes some."""

from __future__ import annotations

import argparse
from math import isnan
from typing import TYPE_CHECKING, Any

from ..families.wording import at_least, count
from ..shown import percent, share
from .families import MODELS, add_memory, add_problem, recipe_of
from .options import add, add_limits, add_written, table_command, whole
from .output import RESULT, CommandError, bad_input, one_line, save, table
from .progress import drained
from .reading import labels, read, read_problem

if TYPE_CHECKING:
    from ..rule_list import Robustness, RobustnessSearch
    from ..search import Search
    from ..snapshot import Snapshot

_SHOWN = 20


def add_to(commands: Any) -> None:
    what = "Search the best model of the table and of bootstrap samples of its rows: which rules return?"
    parser = table_command(commands, stability, "stability", "which rules of a model return", what)
    add(parser, "--model", choices=list(MODELS), default="rule-set", text="the family of models")
    add_written(parser, endings=(".csv",), text="save the table of rules: FILE.csv")
    add(parser, "--samples", type=whole(1), default=20, metavar="N", text="bootstrap samples")
    add_problem(parser)
    add(parser, "--random-state", type=whole(0), default=0, metavar="N", text="seed of the samples")
    add_memory(add_limits(parser, "Of each search; at Ctrl-C what the samples so far say is given."))


def stability(args: argparse.Namespace) -> int:
    from .. import estimators

    recipe = recipe_of(args, args.model)
    classifier = {
        "rule-list": estimators.RuleListClassifier,
        "falling-rule-list": estimators.FallingRuleListClassifier,
        "rule-set": estimators.RuleSetClassifier,
    }[args.model]
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
    return 0


_WITHOUT = ("policy", "fairness", "min_group_size", "labels")
_WORDS = {"relabelled": "labels are wrong", "removed": "rows are removed", "added": "rows are added"}


def add_robustness_to(commands: Any) -> None:
    what = (
        "How many labels may be wrong, rows removed, or rows like training rows added, before another "
        "rule list over the same antecedents is better than the optimal one: exactly, with that list."
    )
    parser = table_command(commands, robustness, "robustness", "how many rows an optimum depends on", what)
    add_written(parser, endings=RESULT, text="save what is found: FILE.json, with the other lists, or FILE.csv")
    add_problem(parser, ["rule-list"], _WITHOUT)
    add_memory(add_limits(parser, "At a limit, and at Ctrl-C, what is proven by then is given."))


def robustness(args: argparse.Namespace) -> int:
    from ..report import Withstood
    from ..rule_list import RobustnessSearch, RuleListSearch

    recipe = recipe_of(args, "rule-list", without=_WITHOUT)
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
    return 0


def robustness_of(search: Search) -> RobustnessSearch:
    """The search for the robustness of a fit's list, where there is one."""
    from ..rule_list import RobustnessSearch, RuleListSearch

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
