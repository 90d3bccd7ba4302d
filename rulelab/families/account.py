"""What a search has shown: how good its model is, how many models there were, and what ruled out the others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..remaining import log10_total
from ..snapshot import Snapshot, Status
from ..stepping import Search
from . import OF_SEVERAL, record_of
from .wording import EXACT, adding_up, count, demanded, many, power, restricted, softly

_MOST_COMPLEXITY = 200  # sets of a larger complexity are not counted: there are more than of this one
_NAMED = 4  # bounds that are named; the others are added up
_ALWAYS = "always: "


@dataclass(frozen=True)
class Account:
    """A search in words."""

    title: str  # what the model is
    equation: str  # its objective, taken apart
    search_space: str  # how many models there were, and how many were looked at; may be empty
    ruled_out: str  # what ruled out the others; may be empty

    def __str__(self) -> str:
        return "\n".join(filter(None, (self.title, self.equation, self.search_space, self.ruled_out)))


def account(search: Search, snapshot: Snapshot, digits: int = 4) -> Account:
    """What the search has shown so far; it has found a model. ``snapshot``: its state. ``digits``: of the objective."""
    return Account(
        title=title(search, snapshot, digits),
        equation=equation(search, snapshot, digits),
        search_space=_looked_at(search, snapshot),
        ruled_out=_ruled_out(snapshot),
    )


def equation(search: Search, snapshot: Snapshot, digits: int = 4) -> str:
    """The objective of the best model, taken apart."""
    best, family = snapshot.incumbent, record_of(search.kind, search.family)
    assert best is not None
    found, *_ = adding_up(best.objective, snapshot.lower_bound, search.family, digits)
    parts = family.objective(best.model, search.parameters, search.problem.n_rows)
    return f"{found} = {parts}"


def title(search: Search, snapshot: Snapshot, digits: int = 4) -> str:
    """What to call the best model, by what is proven."""
    noun = softly(search.parameters) + record_of(search.kind, search.family).noun
    if snapshot.detail.get("gap_is_proven"):
        return f"A {noun} of least gap"
    if snapshot.status is Status.OPTIMAL:
        return f"The optimal {noun}"
    if snapshot.status is Status.RUNNING or not math.isfinite(snapshot.gap):
        return f"Best {noun} so far"
    assert snapshot.incumbent is not None
    *_, gap = adding_up(snapshot.incumbent.objective, snapshot.lower_bound, search.family, digits)
    return f"The best {noun} so far, at most {gap} from the optimum"


def longest(search: Search) -> int:
    """The most rules of a list that can be better than its default alone, by their price (Thm 4), or all allowed."""
    parameters, most = search.parameters, search.problem.n_antecedents
    if (limit := parameters.get("max_length")) is not None:
        most = min(most, limit)
    fairness = parameters.get("fairness")
    if "min_accuracy" in parameters or (fairness is not None and not fairness.met_by_no_rules) or demanded(parameters):
        return most
    loss, weight = _of_the_default(search)
    price = Fraction(repr(parameters["regularization"]))
    return most if price == 0 else min(most, int(loss / weight / price))


def _of_the_default(search: Search) -> tuple[Fraction, Fraction]:
    """What the default alone gets wrong, and the weight of all rows."""
    problem: Any = search.problem
    if search.family in OF_SEVERAL:
        counts = problem.counts.sum(axis=0)
        return Fraction(int(counts.sum() - counts.max())), Fraction(int(counts.sum()))
    positives, negatives = problem.positives.sum().item(), problem.negatives.sum().item()
    loss = min(search.parameters.get("positive_weight", 1) * positives, negatives)
    return Fraction(loss), Fraction(positives + negatives)


def lists(m: int, most: int, labels: int = 1) -> str:
    """How many lists there are of at most ``most`` of ``m`` antecedents (Prop 8), each rule of so many labels."""
    exponent = log10_total(m, most, labels)
    if exponent >= EXACT:
        return power(math.floor(exponent))
    return many(sum(labels ** (k + 1) * math.perm(m, k) for k in range(most + 1)))


def sets(m: int, most: int, complexity: int) -> str:
    """How many sets there are of conjunctions of at most ``most`` of ``m`` conditions, of at most this complexity."""
    top = min(complexity, _MOST_COMPLEXITY)
    ways = [1] + [0] * top
    for d in range(1, min(most, m, top - 1) + 1):
        rules = math.comb(m, d)
        chosen = [math.comb(rules, j) for j in range(top // (1 + d) + 1)]
        ways = [sum(chosen[j] * ways[c - j * (1 + d)] for j in range(c // (1 + d) + 1)) for c in range(top + 1)]
    return ("" if top == complexity else "more than ") + many(sum(ways))


def _looked_at(search: Search, snapshot: Snapshot) -> str:
    m, counts, aside = search.problem.n_antecedents, snapshot.counts, restricted(search.problem)
    if search.family == "rule_set":
        most, complexity = search.conditions, search.parameters["max_complexity"]  # type: ignore[attr-defined]
        nodes, columns = counts.get("pricing_nodes", 0), counts.get("columns", 0)
        seen = f"{count_of(nodes, 'conjunction')} looked at by pricing" if nodes else "no conjunction had to be priced"
        kept = f"{count_of(columns, 'rule')} kept" if columns else "no rule was kept"
        seen += f", {kept}, {many(counts.get('closing_columns', 0))} left for the last step of the proof"
        return (
            f"{sets(m, most, complexity)} sets of complexity at most {many(complexity)} are possible, of rules that "
            f"join at most {most} of {many(m)} conditions{aside}; {_after_first(snapshot, seen)}."
        )
    most = longest(search)
    seen = (
        f"{count_of(counts['lists'], 'list')} made at random"
        if "lists" in counts
        else _fates({**counts, "cut": sum(snapshot.pruned.values())})
    )
    passes = "min_accuracy" in search.parameters
    free = search.family == "rule_list" and (passes or search.parameters.get("labels") == "free")
    over = f"{many(m)} antecedents{aside}" + (", with any labels" if free else "")
    if "sets_counted" in counts and counts["created"] > snapshot.made:
        seen = f"{many(counts['created'])} prefixes were tried, also by beams, and of the passes {seen}"
    seen += ", again for each gap that was asked for" if passes else ""
    possible = "list of at most 0 rules is" if most == 0 and not free else f"lists of at most {count(most, 'rule')} are"
    return f"{lists(m, most, 2 if free else 1)} {possible} possible over {over}; {_after_first(snapshot, seen)}."


def _after_first(snapshot: Snapshot, seen: str) -> str:
    """What was looked at, after what was looked at to find the best of all models, where that was sought first."""
    counts = snapshot.sought_first
    if not counts:
        return seen
    nodes = counts.get("pricing_nodes", 0)
    before = f"{count_of(nodes, 'conjunction')} looked at by pricing" if "columns" in counts else _fates(counts)
    if counts["suffices"]:
        return f"to find the best of all, {before}; a best one meets what is asked, and nothing else was looked at"
    return f"to find the best of all first, {before}" + ("" if counts["running"] else f"; after that, {seen}")


def _fates(counts: Mapping[str, int]) -> str:
    """What became of the prefixes that were made; the numbers add up to all of them."""
    cut, expanded, waiting = (counts.get(name, 0) for name in ("cut", "expanded", "queued"))
    said = f"{count_of(cut + expanded + waiting, 'prefix')} made: {many(cut)} cut, {many(expanded)} expanded"
    return said + (f", {many(waiting)} in the queue" if waiting else "")


def count_of(n: int, noun: str) -> str:
    """The number with its noun, thousands apart, and the verb."""
    plural = f"{noun}es" if noun.endswith("x") else f"{noun}s"
    return f"{many(n)} {noun} was" if n == 1 else f"{many(n)} {plural} were"


def _ruled_out(snapshot: Snapshot) -> str:
    """The largest bounds by their share of all cuts, and apart from them what is always on."""
    total = sum(snapshot.pruned.values())
    if not total:
        return ""
    switched = sorted(
        ((n, name) for name, n in snapshot.pruned.items() if n and not name.startswith(_ALWAYS)), reverse=True
    )
    always = total - sum(n for n, _ in switched)
    named = [f"{name} {_share(n, total)}" for n, name in switched[:_NAMED]]
    others = sum(n for n, _ in switched[_NAMED:])
    named += [f"other bounds {_share(others, total)}"] if others else []
    if always:
        most = max((n, name) for name, n in snapshot.pruned.items() if name.startswith(_ALWAYS))[1]
        named.append(f"what is always on {_share(always, total)}, most of it {most.removeprefix(_ALWAYS)}")
    aside = sum(snapshot.detail.get("dropped", {}).values())
    before = f" Before that {count(aside, 'antecedent')} of no use were set aside." if aside else ""
    return f"{count_of(total, 'prefix')} cut, each with all the lists that begin with it: {', '.join(named)}.{before}"


def _share(part: int, total: int) -> str:
    percent = 100 * part / total
    return f"{percent:.0f} %" if percent >= 1 else "under 1 %"
