"""How a search proves that no list is better without looking at each."""

from __future__ import annotations

from math import perm

from ....snapshot import Snapshot
from ...live.wording import count
from ..plan import Plan, Seen, Step, cut_in_ways, ended, looked_back_to, stepped


def _children(seen: Seen) -> str:
    assert seen.snapshot is not None
    counts = seen.snapshot.counts
    return (
        f"So far {count(counts['created'])} prefixes have been made; {count(counts['stored'])} were worth keeping, and "
        f"{count(counts['queued'])} wait. Each was made by adding one rule to a prefix that was there."
    )


def _left(seen: Seen) -> str:
    assert seen.snapshot is not None
    counts, m = seen.snapshot.counts, 0 if seen.problem is None else seen.problem.n_antecedents
    lists = sum(perm(m, rules) for rules in range(6))
    return (
        f"{count(counts['expanded'])} prefixes were expanded, and {count(counts['created'])} made. With {count(m)} "
        f"antecedents there are {count(lists)} orders of up to five of them alone, before labels are chosen: almost "
        "all were excluded without being made, because a prefix of theirs was cut."
    )


def _has_the_best_list(moment: Snapshot, end: Snapshot) -> bool:
    best, last = moment.incumbent, end.incumbent
    return best is not None and last is not None and best.objective == last.objective


def _gap(seen: Seen) -> str:
    assert seen.snapshot is not None
    assert seen.snapshot.incumbent is not None
    best = seen.snapshot.incumbent.objective
    return f"Both are {best:.6g}: some list costs that much, and no list costs less. The proof is that nothing is left."


PLAN = Plan(
    name="branch and bound",
    about="How a search proves that no list is better, although it looks at few of them.",
    family="rule_list",
    data="diabetes",
    parameters={"regularization": 0.01, "thresholds": 3, "max_conditions": 1, "beam_width": 0},
    speed="10 per tick",
    steps=(
        Step(
            "The data are 442 people with diabetes: does the disease progress fast within a year? The search begins "
            "with the list without rules, adds each rule to it as a [[prefix]] of one rule, and bounds what lists that "
            "begin so can cost.",
            "controls",
            "Press Step once.",
            stepped(1),
            "Why is it enough to add one rule at the end of a prefix?",
            "Every list can be built by adding its rules one after the other, so each list lies below its own "
            "beginnings: the prefixes form a tree, and whatever is true of all lists below a prefix can be said at "
            "that prefix.",
        ),
        Step(
            "The [[lower bound]] of a prefix is what every list that begins with it costs at least: the errors that "
            "its rules have made stay made. The [[incumbent]] is the best list found so far.",
            "objective and lower bound",
            "Press Step a few times more and watch both lines.",
            stepped(4),
            "When may a prefix be thrown away?",
            "When its lower bound reaches the objective of the incumbent: then no list that begins with it can be "
            "better. It may be thrown away although it was never completed to a list.",
        ),
        Step(
            "Most prefixes never enter the queue: a bound [[cuts|prefixes cut]] them at once. The bars say which bound "
            "it was.",
            "prefixes cut, by bound",
            "Step until you see at least two kinds of cuts, then go on.",
            cut_in_ways(2),
            "How many prefixes were made, and how many of them wait?",
            _children,
        ),
        Step(
            "What was not cut waits in the [[queue|queue by prefix length]], by the number of its rules. The search "
            "takes the one with the least bound first, so that the lowest bound of the queue bounds everything that is "
            "still open.",
            "queue by prefix length",
            "Press Run, and Pause when the queue has prefixes of two lengths or more.",
            stepped(20),
            "Why can the line of the lower bound never fall?",
            "A prefix that continues another costs at least as much, for nothing that was paid is paid back. So what "
            "comes into the queue is never cheaper than what was taken out.",
        ),
        Step(
            "A better list lowers the objective, and then many prefixes can be cut at once; a higher lower bound "
            "tells how much better a list could still be. The search ends where the two meet.",
            "objective and lower bound",
            "Press Run and wait until it says certified.",
            ended,
            "What do objective and lower bound say now?",
            _gap,
        ),
        Step(
            "Often the best list is known long before the proof is done. The rest of the time goes into showing that "
            "nothing better was missed.",
            "moment",
            "Drag the slider back to the moment at which the last better list was found.",
            looked_back_to(_has_the_best_list),
            "How many prefixes did the whole proof expand?",
            _left,
        ),
    ),
)
