"""``rulelab robustness``: how many rows may change before another rule list is better than the optimal one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ..families.wording import at_least
from .data_options import read_problem, unheard
from .families import add_memory, add_problem, recipe_of
from .options import add, add_limits, add_source, add_written
from .output import RESULT, CommandError, bad_input, one_line, save, say, table
from .progress import drained
from .verify import labels

if TYPE_CHECKING:
    from ..rule_list import Robustness, RobustnessSearch
    from ..search import Search
    from ..snapshot import Snapshot

_WITHOUT = ("policy", "fairness", "min_group_size", "labels")
_WORDS = {"relabelled": "labels are wrong", "removed": "rows are removed", "added": "rows are added"}


def add_to(commands: Any) -> None:
    what = (
        "How many labels may be wrong, rows removed, or rows like training rows added, before another "
        "rule list over the same antecedents is better than the optimal one: exactly, with that list."
    )
    parser = commands.add_parser("robustness", help="how many rows an optimum depends on", description=what)
    add_source(parser)
    add_written(parser, endings=RESULT, text="save what is found: FILE.json, with the other lists, or FILE.csv")
    add(parser, "--quiet", action="store_true", text="no progress")
    add_problem(parser, ["rule-list"], _WITHOUT)
    add_memory(add_limits(parser, "At a limit, and at Ctrl-C, what is proven by then is given."))
    parser.set_defaults(run=robustness)


def robustness(args: argparse.Namespace) -> int:
    from ..report import Withstood
    from ..rule_list import RobustnessSearch, RuleListSearch

    recipe = recipe_of(args, "rule-list", without=_WITHOUT)
    report = unheard if args.quiet else say
    with bad_input():
        data, problem = read_problem(args, recipe, report)
        best = recipe.search(problem)
        assert isinstance(best, RuleListSearch)
        search = RobustnessSearch(best, memory_limit=recipe["memory_limit"])
    snapshot, interrupted = drained(search, args, describe=_known)
    known = search.robustness
    if known is not None:
        print(known.model.relabelled(labels(data)).to_text(data.target), end="\n\n")
        print(_changes(known), end="\n\n")
    print(Withstood.of(search, snapshot, "interrupted" if interrupted else "").to_text())
    save(args.output, search, report)
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
