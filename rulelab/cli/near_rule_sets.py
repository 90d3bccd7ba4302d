"""``rulelab near --model rule-set``: all rule sets near the optimum, and which rules they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..families.wording import count, restricted
from ..shown import digits, percent
from .output import first_of, one_line
from .progress import ending

if TYPE_CHECKING:
    from ..rule_set import NearOptimalRuleSets, NearOptimalRuleSetSearch
    from ..snapshot import Snapshot

_SHOWN = 20
_SHOWN_RULES = 10


def told(
    search: NearOptimalRuleSetSearch, result: NearOptimalRuleSets, snapshot: Snapshot, interrupted: bool
) -> list[str]:
    """What is printed."""
    return [_models(result), _rules(result), _verdict(search, result, snapshot, interrupted)]


def found(snapshot: Any) -> str:
    """What the progress says."""
    if snapshot.phase == "optimum":
        return f"objective {digits(snapshot.optimum, 7)}  bound {digits(snapshot.lower_bound, 7)}"
    return f"optimum {digits(snapshot.optimum, 7)}  {count(snapshot.count, 'model')} of {count(snapshot.rules, 'rule')}"


def _models(result: NearOptimalRuleSets) -> str:
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


def _rules(result: NearOptimalRuleSets) -> str:
    rows = [
        (
            one_line(row.name),
            percent(row.share),
            digits(row.objective, 7),
            "-" if row.without != row.without else digits(row.without, 7),
            percent(row.most),
        )
        for row in result.rules.head(_SHOWN_RULES).itertuples(index=False)
        if row.sets
    ]
    head = ("rule", "% of sets", "best with it", "best without", "covers, % of rows")
    return first_of(len(result.rules), "rule", head, rows, range(1, 5), "all models")


def _verdict(
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
