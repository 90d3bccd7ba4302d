"""All near-optimal lists or sets counted, and what is certain of them, in tables and in a file; nothing of Panel."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from ...assets import asset
from ...data.gaps import CRITERIA
from ...data.groups import Groups
from ...data.metrics import FEW, RATES, Confusion
from ...report import Near
from ...rule_list import NearOptimalCounter
from ...rule_set import NearOptimalRuleSets, NearOptimalRuleSetSearch
from ...snapshot import Snapshot
from ..allowance import take_memory
from ..live.job import Progress, run
from ..live.wording import count, counted, filled, grouped
from ..widgets.style import sheet
from .good import MEMORY_BYTES, Good, found_so_far
from .offline import Labels, document, rule_names

_MOST = 20
COUNT_CSS = sheet("models.css", "counts.css")

MOST_LINES, _MOST_RULES = 2000, 40
"""So many models, the best ones, and rules are in the file of sets."""
_SCRIPT = asset("offline_sets.js")
_CSS = COUNT_CSS.replace(":host", "main") + sheet("offline_sets.css")
MOST_SETS = 300_000
"""So many models of rule sets are found to be counted, at most: they are listed, beyond those that are shown."""
_OTHERWISE = (10, 4, 2)  # one in so many, at most, predicts otherwise than most of them: rows are counted by that


@dataclass(frozen=True, eq=False)
class Ranges:
    """What is certain of all lists, or sets."""

    columns: pd.DataFrame  # see `NearOptimalCount.column_ranges` and `NearOptimalRuleSets.column_ranges`
    # see their ``gap_ranges``; pairs with a group of few rows are left out. None without groups
    gaps: pd.DataFrame | None
    # ``above`` and ``most``, shares of all that predict otherwise than most of them, and ``rows``, the share of the
    # training weight of which that many do
    people: pd.DataFrame


def count_all(found: Good, seconds: float, progress: Progress) -> Near:
    """Count all within the distance of what was found; a cancelled count gives what is certain by then."""
    # sets are counted already where all of them were found, and where there are too many rules for more
    if found.graph is None and (found.result.complete or found.result.truncated == "columns"):
        return Near(found.result, found.snapshot, ratio=found.ratio)
    take_memory()
    search: Any = found.prepared.search
    memory = search.memory_limit or MEMORY_BYTES
    counter: NearOptimalCounter | NearOptimalRuleSetSearch
    if found.graph is None:
        counter = NearOptimalRuleSetSearch(search, ratio=found.ratio, limit=MOST_SETS, memory_limit=memory)
        snapshot = run(counter, seconds, progress, found_so_far, "the enumeration")
    else:
        counter = NearOptimalCounter(search, ratio=found.ratio, memory_limit=memory)
        snapshot = run(counter, seconds, progress, _counted, "the count")
    longest = search.parameters.get("max_length")
    return Near(counter.result(), snapshot, ratio=found.ratio, longest=longest)


def _counted(snapshot: Any) -> str:
    return f"at least {counted(snapshot.n_lists, 'lists')}, {count(snapshot.states)} sets of rows"


def ranges_of(found: Good | None, total: Near, attribute: str, criterion: str) -> Ranges:
    """The ranges over all of a complete count; those between groups need what was found, with its data."""
    gaps = None
    if attribute and found is not None:
        groups = found.prepared.masses(attribute)
        problem = replace(total.result.problem, groups=groups)
        gaps = _with_enough(replace(total.result, problem=problem).gap_ranges(criterion), groups)
    return Ranges(total.result.column_ranges(), gaps, _people(total))


def _people(total: Near) -> pd.DataFrame:
    result = total.result
    if isinstance(result, NearOptimalRuleSets):
        patterns = result.patterns()
        positive = patterns["sets"].tolist()
    else:
        patterns = result.disagreement()
        positive = patterns["lists"].tolist()
    weight = (patterns["positives"] + patterns["negatives"]).to_numpy(dtype=np.float64)
    ends = [0, *(total.forms // k for k in _OTHERWISE)]  # in whole numbers: one of very many is not none
    place = [bisect_left(ends, min(n, total.forms - n)) for n in positive]
    rows = np.bincount(place, weight / weight.sum(), minlength=len(ends))
    most = [0.0, *(1 / k for k in _OTHERWISE)]
    return pd.DataFrame({"above": [0.0, *most[:-1]], "most": most, "rows": rows})


def _with_enough(gaps: pd.DataFrame, groups: Groups) -> pd.DataFrame:
    """The pairs whose groups both have enough rows of the kind that a rate counts."""
    rows = {name: Confusion(p, 0, n, 0) for name, (p, n) in zip(groups.names, groups.by_class.T, strict=True)}
    enough = [
        min(rows[row.group].rows_of(row.rate), rows[row.other].rows_of(row.rate)) >= FEW
        for row in gaps.itertuples(index=False)
    ]
    return gaps[np.array(enough, dtype=bool)].reset_index(drop=True)


def by_rules(total: Near) -> pd.DataFrame:
    """By number of rules: ``rules``, ``lists`` or, of sets, ``models``, ``share``, the least ``objective``."""
    if not isinstance(total.result, NearOptimalRuleSets):
        return total.result.by_rules
    frame = total.result.frame().groupby("rules").agg(models=("errors", "size"), objective=("objective", "min"))
    frame.insert(1, "share", frame["models"] / frame["models"].sum())
    return frame.reset_index()


def facts(total: Near | None, ranges: Ranges | None, busy: bool, criterion: str, ways: str) -> str:
    """All that is known, or ``busy`` being found, of all "lists" or "sets"; ``criterion``: of gaps. HTML."""
    more: dict[str, Any] = {"used": (), "idle": (), "pairs": None, "rates": (), "counted": ()}
    if total is not None and total.proven:
        more["counted"] = list(by_rules(total).itertuples(index=False))
    if ranges is not None:
        used = ranges.columns["most"] > 0
        more["used"], more["idle"] = list(ranges.columns[used].itertuples()), list(ranges.columns.index[~used])
        if ranges.gaps is not None:
            pairs = list(ranges.gaps.itertuples(index=False))
            rates = [f"{rate.replace('_', ' ')} ({RATES[rate].short})" for rate in CRITERIA[criterion]]
            more |= {"pairs": pairs, "rates": rates}
    return filled("counts.html", total=total, ranges=ranges, busy=busy, ways=ways, MOST=_MOST, **more)


def explorer_of_sets(result: NearOptimalRuleSets, snapshot: Snapshot, labels: Labels) -> str:
    """The file: how many sets are within what, models to search through, their rules, and what all have in common."""
    total = Near(result, snapshot, ratio=result.threshold / result.optimum - 1 if result.optimum else 0.0)
    ranges = ranges_of(None, total, "", "") if result.complete else None
    names = rule_names(result)
    chosen = ([names[j] for j in each] for each in result.sets[:MOST_LINES])
    return document(
        "sets.html",
        f"Good rule sets: {labels.title}",
        result,
        labels,
        _SCRIPT,
        _CSS,
        early=False,
        said=grouped(total.counted),
        best=list(zip(chosen, result.errors, result.gaps, result.multiplicity, strict=False)),
        rules=list(result.rules.assign(name=names)[result.rules["sets"] > 0].itertuples()),
        facts=Markup(facts(total, ranges, False, "", "sets")),
        MOST_RULES=_MOST_RULES,
    )
