"""``rulelab near --count-lists``: how many rule lists are near the optimum, and what each antecedent is to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..families.wording import at_least, count
from ..shown import percent
from .output import one_line, table
from .progress import ending

if TYPE_CHECKING:
    from ..rule_list import NearOptimalCount, NearOptimalCounter, NearOptimalSearch
    from ..snapshot import Snapshot

_SHOWN_ANTECEDENTS = 10


def told(search: NearOptimalCounter, result: NearOptimalCount, snapshot: Snapshot, interrupted: bool) -> list[str]:
    """What is printed."""
    parts = [_by_rules(result), _importance(result)] if result.complete else []
    return [*parts, _verdict(search, result, snapshot, interrupted)]


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


def found(snapshot: Any) -> str:
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


def _verdict(search: NearOptimalCounter, result: NearOptimalCount, snapshot: Snapshot, interrupted: bool) -> str:
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
