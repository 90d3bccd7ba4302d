"""``rulelab near --model rule-set``: all rule sets near the optimum, and which rules they share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ..families.wording import restricted
from ..interrupts import noted
from .console import one_line, table
from .families import count
from .progress import drained, ending

if TYPE_CHECKING:
    from ..rule_set import NearOptimalRuleSets, NearOptimalRuleSetSearch, RuleSetRanges, RuleSetSearch
    from ..snapshot import Snapshot
    from .data_options import Report

_CRITERIA = ("equal_opportunity", "demographic_parity")
_SHOWN = 20
_SHOWN_RULES = 10


def found_sets(search: NearOptimalRuleSetSearch, args: argparse.Namespace) -> tuple[str, Snapshot]:
    """Run the search; what is printed, and its last snapshot."""
    snapshot, interrupted = drained(search, args, describe=_found)
    result = search.result()
    parts = [_models(result), _rules(result), _verdict(search, result, snapshot, interrupted)]
    return "\n\n".join(filter(None, parts)), snapshot


def ranges_of(best: RuleSetSearch, args: argparse.Namespace, report: Report) -> tuple[str, RuleSetRanges]:
    """What all sets near the optimum have in common, as it is printed and as it is.

    Raises
    ------
    ValueError
        When the optimum is not certified.
    """
    from ..rule_set import rule_set_ranges
    from ..rule_set.ranges.uses import uses_in_words

    with noted() as pressed:
        found = rule_set_ranges(
            best,
            args.within,
            ratio=args.ratio,
            criteria=() if best.problem.groups is None or best.loss != "hamming" else _CRITERIA,
            graded=True,
            time_limit=args.time_limit,
            stop=lambda: bool(pressed),
            report=report,
        )
    rows = [
        (one_line(str(name)), row.used_by, uses_in_words(row), *(_figure(x) for x in (row.bound, row.without_bound)))
        for name, row in zip(found.columns.index, found.columns.itertuples(index=False), strict=True)
    ]
    heads = ("column", "used by", "conditions on it", "with it at least", "without at least")
    parts = [table(heads, rows, right=(3, 4))]
    if len(found.gaps):
        gaps = [
            (
                name.replace("_", " "),
                f"{100 * row.least:.2f}",
                "-" if row.found != row.found else f"{100 * row.found:.2f}",
            )
            for name, row in zip(found.gaps.index, found.gaps.itertuples(index=False), strict=True)
        ]
        parts.append(table(("gap between groups", "at least, points", "found, points"), gaps, right=(1, 2)))
    if len(found.differences):
        head = ("difference", "between", "and", "at least, points", "at most, points", "")
        known = found.differences.sort_values("at_most", key=lambda most: most >= 1, kind="stable")
        rows = [_difference(row) for row in known.head(_SHOWN).itertuples(index=False)]
        more = len(known) - len(rows)
        parts.append(table(head, rows, right=(3, 4)) + (f"\nand {count(more, 'more row')}" if more else ""))
    over = f"over rules of at most {count(best.conditions, 'condition')}{restricted(best.problem)}"
    parts.append(
        f"of all rule sets {over}, with an objective from the optimum {found.optimum:.7g} up to {found.threshold:.7g}\n"
        f"{found.seconds:.2f} s{', interrupted: what was not clear by then is not known' if pressed else ''}"
    )
    return "\n\n".join(parts), found


def _difference(row: Any) -> tuple[str, ...]:
    """The proven range, and whether sets of both ends were found."""
    names = (one_line(name) for name in (row.group, row.other))
    exact = row.least == row.at_least and row.greatest == row.at_most
    ends = (f"{100 * x:.2f}" for x in (row.at_least, row.at_most))
    return (row.rate.replace("_", " "), *names, *ends, "exact" if exact else "bounds")


def _figure(x: float) -> str:
    return "none" if x == float("inf") else f"{x:.7g}"


def _found(snapshot: Snapshot) -> str:
    """What the progress says."""
    from ..rule_set import NearOptimalRuleSetProgress

    assert isinstance(snapshot, NearOptimalRuleSetProgress)
    if snapshot.phase == "optimum":
        return f"objective {snapshot.optimum:.7g}  bound {snapshot.lower_bound:.7g}"
    return f"optimum {snapshot.optimum:.7g}  {count(snapshot.count, 'model')} of {count(snapshot.rules, 'rule')}"


def _models(result: NearOptimalRuleSets) -> str:
    rows = [
        (
            f"{row.objective:.7g}",
            f"{row.gap:.7g}",
            f"{row.rules}",
            f"{row.complexity}",
            f"{row.errors:g}",
            f"{row.sets}",
            one_line("; ".join(row.clauses)) or "-",
        )
        for row in result.frame().head(_SHOWN).itertuples(index=False)
    ]
    if not rows:
        return ""
    head = (
        "objective",
        "above",
        "rules",
        "complexity",
        "errors",
        "sets",
        "any of" if result.form == "dnf" else "all of",
    )
    return table(head, rows, right=range(6)) + _more(result.count - len(rows), "model")


def _rules(result: NearOptimalRuleSets) -> str:
    rows = [
        (
            one_line(row.name),
            f"{100 * row.share:.1f}",
            f"{row.objective:.7g}",
            "-" if row.without != row.without else f"{row.without:.7g}",
            f"{100 * row.most:.1f}",
        )
        for row in result.rules.head(_SHOWN_RULES).itertuples(index=False)
        if row.sets
    ]
    if not rows:
        return ""
    head = ("rule", "% of sets", "best with it", "best without", "covers, % of rows")
    return table(head, rows, right=range(1, 5)) + _more(len(result.rules) - len(rows), "rule")


def _more(n: int, noun: str) -> str:
    return f"\nand {count(n, f'more {noun}')}; -o FILE.json saves all models" if n > 0 else ""


def _verdict(
    search: NearOptimalRuleSetSearch, result: NearOptimalRuleSets, snapshot: Snapshot, interrupted: bool
) -> str:
    work = f"{snapshot.seconds:.2f} s"
    if snapshot.phase == "optimum":
        return (
            f"nothing is certified ({ending(snapshot, interrupted)}): the best set has the objective "
            f"{result.optimum:.7g}, and no rule set is below {snapshot.lower_bound:.7g}\n{work}"
        )
    found = f"{count(result.count, 'model')} ({count(result.n_sets, 'set')}) from the optimum {result.optimum:.7g}"
    over = f"over rules of at most {count(search.conditions, 'condition')}{restricted(search.problem)}"
    if result.complete:
        return f"certified complete, {over}: {found} up to {result.threshold:.7g}\n{work}"
    why = {
        "limit": "the most models found",
        "columns": "more rules than --column-limit could be in such a set",
    }.get(snapshot.limit or "", ending(snapshot, interrupted))
    certain = "it is not known which other sets there are"
    if result.covered == result.covered:
        certain = f"every set of at most {result.covered:.7g} is found, of those up to {result.threshold:.7g}"
    return f"not complete ({why}): {found}\n{certain}, {over}\n{work}"
