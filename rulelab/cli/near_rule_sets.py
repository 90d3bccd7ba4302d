"""``rulelab near --model rule-set``: all rule sets near the optimum, and which rules they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..families.wording import count, restricted
from ..shown import percent
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
    head = (
        "objective",
        "above",
        "rules",
        "complexity",
        "errors",
        "sets",
        "any of" if result.form == "dnf" else "all of",
    )
    return first_of(result.count, "model", head, rows, range(6), "all models")


def _rules(result: NearOptimalRuleSets) -> str:
    rows = [
        (
            one_line(row.name),
            percent(row.share),
            f"{row.objective:.7g}",
            "-" if row.without != row.without else f"{row.without:.7g}",
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
