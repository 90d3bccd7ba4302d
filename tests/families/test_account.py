"""What a search has shown, in words: the equation adds up, and the counts are those of brute force."""

import math
import re
from decimal import Decimal
from fractions import Fraction
from itertools import chain, combinations, permutations

import numpy as np
import pytest
from laws import falling_for, noisy_problem
from naive import decimal, fair_prefixes, falling_prefixes, weighted_gap

import rulelab as rl
from rulelab.families.account import account, lists, longest, sets
from rulelab.families.criteria import CRITERIA, in_words
from rulelab.families.wording import adding_up, at_least, at_most, many
from rulelab.remaining import log10_total
from rulelab.rule_list.bounds import FAIR_BOUNDS, FairRuleListBounds


def problem(groups: bool = False, weights: bool = False) -> rl.Problem:
    rng = np.random.default_rng(3)
    A = rng.random((90, 6)) < 0.4
    y = (A[:, 0] | A[:, 1] & A[:, 2]) ^ (rng.random(90) < 0.2)
    return rl.Problem.from_arrays(
        A,
        y.astype(int),
        groups=np.arange(90) % 2 if groups else None,
        sample_weight=rng.integers(1, 9, 90) / 4 if weights else None,
    )


def value(equation: str) -> tuple[float, float]:
    """Both sides of the equation; what the words after a number say is not counted."""
    left, right = equation.split(" = ")
    right = re.split(r"[;,]", right)[0]
    sum_ = re.sub(r"[a-z][a-z\- ]*", " ", right.replace(" x ", " * ")).strip()
    return float(left), eval(sum_)


_NUMBER = r"\d+(?: \d{3})*"
_MADE = re.compile(rf"{_NUMBER} prefix(?:es were| was) made: [^;.]*")
"""What is said of prefixes, and of what became of them."""
SEARCHES = {
    "rule list": lambda p: rl.RuleListSearch(p, regularization=0.02),
    "falling": lambda p: rl.FallingRuleListSearch(p, regularization=0.02, positive_weight=2),
    "softly falling": lambda p: rl.search(p, "falling_rule_list", regularization=0.01, violation_penalty=0.1),
    "monte carlo": lambda p: falling_for(p, regularization=0.02, method="monte_carlo", iterations=30),
    "rule set": lambda p: rl.RuleSetSearch(p, max_complexity=6),
    "cnf": lambda p: rl.RuleSetSearch(p, max_complexity=6, form="cnf", regularization=0.5),
    "0-1 loss": lambda p: rl.RuleSetSearch(p, max_complexity=5, loss="zero_one", regularization=0.25),
}


@pytest.mark.parametrize("weights", [False, True], ids=["counts", "weights"])
@pytest.mark.parametrize("make", SEARCHES.values(), ids=SEARCHES)
def test_the_objective_is_the_sum_of_its_parts(make, weights):
    search = make(problem(weights=weights))  # type: ignore[arg-type]
    shown = account(search, rl.solve(search), digits=9)
    left, right = value(shown.equation)
    assert right == pytest.approx(left, abs=1e-4)  # a rise is given with four digits


def test_an_objective_of_whole_rows_is_written_so():
    left = {}
    for name in ("rule list", "rule set", "0-1 loss"):
        search = SEARCHES[name](problem())
        left[name] = account(search, rl.solve(search)).equation.split(" = ")[0]
    assert left["rule set"].isdigit()
    assert len(left["rule list"].partition(".")[2]) == 4
    assert "." in left["0-1 loss"], "a cost of a quarter of a row for each unit"


def test_criteria_in_words():
    assert in_words(rl.EqualOpportunity(0.05), "race") == "equal opportunity within 0.05 between groups of race"
    search = rl.RuleSetSearch(problem(groups=True), max_complexity=6, fairness=rl.EqualOpportunity(0.25))
    assert account(search, rl.solve(search)).equation.endswith("; equal opportunity within 0.25 between groups")
    odds = in_words(rl.EqualizedOdds(0.05, 0.1))
    assert odds == "equalized odds within 0.05 on positives and 0.1 on negatives between groups"
    for record in CRITERIA.values():
        tolerances = [0.125] * len(record.tolerances)
        assert record.within(*tolerances) in in_words(record.make(*tolerances))


@pytest.mark.parametrize("labels", [1, 2])
@pytest.mark.parametrize(("m", "most"), [(1, 1), (4, 0), (4, 2), (5, 5)])
def test_lists_are_as_many_as_can_be_written_down(m, most, labels):
    n = sum(labels ** (k + 1) for k in range(most + 1) for _ in permutations(range(m), k))
    assert lists(m, most, labels) == many(n)
    assert log10_total(m, most, labels) == pytest.approx(math.log10(n))


@pytest.mark.parametrize(
    ("make", "free"),
    [
        (lambda p: rl.search(p, regularization=0.05, fairness=rl.EqualOpportunity(0.5)), True),
        (lambda p: rl.search(p, regularization=0.05, fairness=rl.EqualOpportunity(0.5), labels="majority"), False),
        (lambda p: rl.LeastGapSearch(p, "equal_opportunity", min_accuracy=0.5, max_length=2), True),
        (lambda p: rl.RuleListSearch(p, 0.05), False),
    ],
)
def test_lists_with_labels_of_choice_are_counted_with_them(make, free):
    search = make(problem(groups=True))
    said = account(search, rl.solve(search)).search_space
    most = longest(search)
    assert said.startswith(lists(search.problem.n_antecedents, most, 2 if free else 1))
    assert ("with any labels" in said) == free
    assert ("again for each gap" in said) == isinstance(search, rl.LeastGapSearch)


@pytest.mark.parametrize(("m", "most", "complexity"), [(3, 1, 4), (3, 2, 5), (3, 3, 6), (2, 2, 40)])
def test_sets_are_as_many_as_can_be_written_down(m, most, complexity):
    rules = [rule for d in range(1, most + 1) for rule in combinations(range(m), d)]
    every = chain.from_iterable(combinations(rules, k) for k in range(len(rules) + 1))
    assert sets(m, most, complexity) == many(sum(sum(1 + len(rule) for rule in one) <= complexity for one in every))


def test_numbers_too_large_to_read_are_powers_of_ten():
    assert (many(1_234_567), many(999_999_999_999_999)) == ("1 234 567", "999 999 999 999 999")
    assert (many(10**15), many(2 * 10**23 + 1)) == ("10¹⁵", "10²³")
    assert lists(1000, 1000).startswith("10²⁵⁶")
    assert sets(10**5, 10**4, 10**4).startswith("more than 10")


def test_no_list_longer_than_the_longest_pays():
    search = rl.RuleListSearch(problem(), regularization=0.1)
    p, q = search.problem.positives.sum(), search.problem.negatives.sum()
    default = min(p, q) / (p + q)
    assert 0.1 * (longest(search) + 1) > default >= 0.1 * longest(search)
    assert longest(rl.FallingRuleListSearch(problem(), regularization=0.0)) == 6
    assert longest(rl.RuleListSearch(problem(), regularization=0.001, max_length=2)) == 2


def test_bounds_are_named_by_their_share_and_what_is_always_on_apart():
    search = rl.RuleListSearch(problem(), regularization=0.02)
    snapshot = rl.solve(search)
    said = account(search, snapshot).ruled_out
    total = sum(snapshot.pruned.values())
    assert said.startswith(f"{many(total)} prefixes were cut")
    always = sum(n for name, n in snapshot.pruned.items() if name.startswith("always: "))
    assert ("what is always on" in said) == (always > 0)
    assert "always: " not in said
    best = max((n, name) for name, n in snapshot.pruned.items() if not name.startswith("always: "))
    assert f"with it: {best[1]} {100 * best[0] / total:.0f} %" in said


@pytest.mark.parametrize("bound", [0.0, 1e-13, 2.5e-9, 0.00012, 0.009004, 0.25, 3.0, 1 / 3, 1e6 + 0.1])
def test_a_bound_still_holds_as_it_is_written(bound):
    said = Decimal(at_most(bound))
    assert Decimal(bound) <= said <= Decimal(bound) * Decimal("1.1") + Decimal("0.0001")
    assert Decimal(bound) - Decimal("0.0001") < Decimal(at_least(bound)) <= Decimal(repr(bound))
    assert at_most(17.0) == "17"


@pytest.mark.parametrize("family", ["rule_list", "rule_set"])
@pytest.mark.parametrize("digits", [4, 7])
def test_objective_bound_and_gap_add_up_as_they_are_written(family, digits):
    rng = np.random.default_rng(0)
    found = [1 / 3, 0.02374, 0.3507, 500.0, 500.25, 1234.5, *rng.random(500), *rng.integers(1, 900, 99)]
    pairs = [(x, max(0.0, x - gap)) for x in found for gap in (x, x / 3, 0.0099, 0.00123, 3e-7, 1e-11, 0.0)]
    for objective, bound in pairs:
        said, exact = adding_up(objective, bound, family, digits), Decimal(str(objective))
        (top, low, gap), true = map(Decimal, said), exact - Decimal(str(bound))
        assert abs(top - exact) <= Decimal("0.00005")
        assert (gap == 0) == (said[2] == "0") == (objective <= bound)
        assert true - Decimal("1e-12") < gap < true * Decimal("1.1") + Decimal("0.0002"), "it holds, and is close"
        if true > 1e-9:
            assert top - low == gap, "as they stand together"
            assert 0 <= low <= Decimal(str(bound)), "no model is below it"
    assert adding_up(0.3507, 0.3409, family)[2] == "0.0098"
    assert adding_up(500.25, 490.0, "rule_set") == ("500.25", "490", "10.25")


def test_titles_claim_what_is_proven_and_no_more():
    search = rl.RuleListSearch(problem(), regularization=0.001, beam_width=0)
    first = search.advance(1)
    assert account(search, first).title == "Best rule list so far"
    stopped = rl.solve(search, work_limit=1)
    assert stopped.gap > 0
    gap = adding_up(stopped.incumbent.objective, stopped.lower_bound)[2]
    assert account(search, stopped).title == f"The best rule list so far, at most {gap} from the optimum"
    assert account(search, rl.solve(search)).title == "The optimal rule list"


LATE = ("hierarchical", "new incumbent", "too little to gain")
"""By what a search without bounds cuts prefixes that may fall."""


def of_three_classes(made: rl.Problem) -> rl.MultiClassProblem:
    A = made.matrix()[made.row_pattern]
    return rl.MultiClassProblem.from_arrays(A, np.where(A[:, 0], "a", np.where(A[:, 1] ^ A[:, 2], "b", "c")))


@pytest.mark.parametrize(
    "make",
    [
        lambda p: rl.RuleListSearch(p, 0.01, beam_width=0),
        lambda p: rl.RuleListSearch(p, 0.001, beam_width=0, max_length=2),
        lambda p: rl.CorelsSearch(p, 0.01),
        lambda p: rl.search(p, regularization=0.01, must_use=[p.names[1]]),
        lambda p: rl.search(p, regularization=0.01, fairness=rl.EqualOpportunity(0.2), beam_width=0),
        lambda p: rl.search(p, regularization=0.01, fairness=rl.EqualOpportunity(0.4), must_use=[p.names[1]]),
        lambda p: rl.FrontierSearch(p),
        lambda p: rl.LeastGapSearch(p, max_length=2, beam_width=2),
        lambda p: rl.engines.MultiClassRuleListSearch(of_three_classes(p), 0.01),
        lambda p: rl.FallingRuleListSearch(p, 0.01),
        lambda p: rl.search(p, "falling_rule_list", regularization=0.01, violation_penalty=0.5),
        lambda p: rl.search(p, "falling_rule_list", regularization=0.01, fairness=rl.EqualOpportunity(0.3)),
    ],
)
@pytest.mark.parametrize("seed", range(4))
def test_each_prefix_that_was_made_is_cut_or_expanded_or_waits(make, seed):
    """None is lost: their number never falls, and the text gives numbers that add up."""
    rng = np.random.default_rng(seed)
    A = rng.random((int(rng.integers(40, 90)), 5)) < 0.45
    y = (A[:, 0] ^ A[:, 1]) | (rng.random(len(A)) < 0.2)
    search = make(rl.Problem.from_arrays(A, y, groups=rng.choice(["a", "b"], len(A))))
    made = 0
    for _ in range(2000):
        now = search.advance(20)
        assert now.made >= made
        made = now.made
        assert made == sum(now.pruned.values()) + now.counts["expanded"] + now.counts["queued"]
        if now.incumbent is not None and not isinstance(search, rl.FrontierSearch):  # whose points are no one list
            first, said = now.sought_first, account(search, now).search_space
            told = [[int(n.replace(" ", "")) for n in re.findall(_NUMBER, part)] for part in _MADE.findall(said)]
            assert all(whole == sum(parts) for whole, *parts in told)
            before = [first["cut"] + first["expanded"] + first["queued"]] if first else []
            only = bool(first) and (first["running"] or first["suffices"])
            assert [whole for whole, *_ in told] == [*before, *([] if only else [made])]
        if now.status is not rl.Status.RUNNING:
            break
    assert now.status in (rl.Status.OPTIMAL, rl.Status.INFEASIBLE)


@pytest.mark.parametrize("seed", range(4))
def test_the_prefixes_that_were_made_are_the_children_of_those_that_were_expanded(seed):
    made = noisy_problem(seed, 80, 7)
    papers = rl.solve(rl.CorelsSearch(made, 0.01))
    several = rl.solve(rl.engines.MultiClassRuleListSearch(of_three_classes(made), 0.01))
    assert [papers.made, several.made] == [1 + each.counts["created"] for each in (papers, several)]


@pytest.mark.parametrize("seed", range(4))
def test_without_bounds_every_falling_prefix_is_expanded_as_a_naive_count_has_them(seed):
    """And each has all antecedents as children: those that capture nothing, too, are made and cut."""
    rng = np.random.default_rng(seed)
    A = rng.random((60, 5)) < 0.45
    y = (A[:, 0] ^ A[:, 1]) | (rng.random(60) < 0.2)
    made = rl.Problem.from_arrays(A, y, groups=rng.choice(["a", "b"], 60))
    plain = rl.engines.FallingBounds(**dict.fromkeys(rl.engines.FallingBounds().to_dict(), False))
    fair = rl.engines.FairFallingBounds(**dict.fromkeys(rl.engines.FairFallingBounds().to_dict(), False))
    half, y = Fraction(1, 2), y.astype(int)
    fairly = falling_for(made, regularization=1e-6, bounds=fair, fairness=rl.EqualOpportunity(0.05))
    softly = falling_for(made, regularization=1e-6, bounds=plain, violation_penalty=0.1)
    for search, naive in (
        (rl.FallingRuleListSearch(made, 1e-6, bounds=plain), falling_prefixes(A, y)),
        (fairly.without_relaxation(), falling_prefixes(A, y, half)),
        (softly, None),  # all prefixes may fall
    ):
        end = rl.solve(search)
        assert end.made == 1 + 5 * end.counts["expanded"]
        if naive is not None:
            late = sum(n for name, n in end.pruned.items() if name.removeprefix("always: ") in LATE)
            assert end.counts["expanded"] + late == naive


@pytest.mark.parametrize("labels", ["free", "majority"])
def test_without_bounds_fair_prefixes_are_those_that_a_naive_count_has(labels):
    """Where the best list of all is fair and known, prefixes are cut by their cost and by what they can reach."""
    beyond = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        A, y = rng.random((40, 5)) < 0.45, rng.random(40) < 0.5
        groups = np.where(A[:, 0] ^ (rng.random(40) < 0.05), "a", "b")
        made, price = rl.Problem.from_arrays(A, y, groups=groups), 0.0125
        whole = rl.engines.FairRuleListSearch(made, price, rl.EqualOpportunity(1.0), labels)
        best = rl.solve(whole).incumbent
        assert best is not None
        predicted = best.model.predicts_positive(A).tolist()
        tolerance = float(weighted_gap("false_negative", y, [1] * 40, groups.tolist(), predicted)) + 1e-3
        least = Fraction(round(best.objective * 40 * 80), 40 * 80)
        for reach in (False, True):
            bounds = FairRuleListBounds(**dict.fromkeys(FAIR_BOUNDS, False) | {"reach": reach})
            search = rl.engines.FairRuleListSearch(
                made, price, rl.EqualOpportunity(tolerance), labels, bounds, warm_start=best.model
            ).without_relaxation()
            end = rl.solve(search)
            known = decimal(tolerance) if reach else None
            wanted = fair_prefixes(A, y, groups.tolist(), decimal(price), least, labels, known)
            assert (end.counts["expanded"], end.made, end.pruned["reach"]) == wanted
            beyond += end.pruned["reach"]
    assert beyond > 0
