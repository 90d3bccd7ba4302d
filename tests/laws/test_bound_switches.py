"""A switch of a bound means what it says: off, it cuts nothing and counts nothing; on, it leaves less to do."""

import shutil
from dataclasses import fields
from functools import partial
from itertools import product

import naive
import numpy as np
import pytest
from command_line import python
from laws import certified, learn_soon
from structure import PACKAGE

import rulelab as rl
from rulelab.falling_rule_list import BOUNDS as FALLING_BOUNDS
from rulelab.falling_rule_list import FallingBounds, FallingRuleListSearch, SoftSearch
from rulelab.falling_rule_list.exact import soft_search
from rulelab.plots.styling import in_words
from rulelab.rule_list import BOUNDS, CORELS_BOUNDS

ALWAYS = "always: "


def counter_of(bound):
    """The name in `Snapshot.pruned` under which the docstrings say that a bound is booked."""
    return {"cores": "core"}.get(bound, in_words(bound))


def only(kind, *names):
    return kind(**{field.name: field.name in names for field in fields(kind)})


def random_case(seed, n=40, m=6, noise=0.2):
    rng = np.random.default_rng(seed)
    A = rng.random((n, m)) < rng.uniform(0.1, 0.7, m)
    y = ((A[:, 0] & ~A[:, 1]) | A[:, 2]) ^ (rng.random(n) < noise)
    y[:2] = True, False
    return A, y


def rule_list(case, bounds, regularization=0.03, **options):
    problem = rl.Problem.from_arrays(*case)
    return rl.search(problem, regularization=regularization, bounds=bounds, beam_width=0, **options)


def falling(case, bounds, C=0.002, w=2.0):
    return FallingRuleListSearch(rl.Problem.from_arrays(*case), C, w, bounds=bounds, iterations=0)


def soft(case, bounds, C=0.002, w=2.0, penalty=0.3):
    """Without most of the search for a list that falls, which would find the optimum and leave nothing to do."""
    search = SoftSearch(rl.Problem.from_arrays(*case), C, w, penalty, bounds=bounds, iterations=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(soft_search, "MOST_HARD_WORK", 1)
        while search.advance(1).phase not in ("searching", "certified"):
            pass
    return search


@pytest.fixture
def learning(monkeypatch):
    """Cores and separation from the first prefix on."""
    learn_soon(separate_after=0, put=monkeypatch.setattr)


def combinations(names):
    return [dict(zip(names, on, strict=True)) for on in product((False, True), repeat=len(names))]


def assert_only_these_cut(pruned, switches):
    names = {counter_of(name) for name in switches}
    assert {name for name in pruned if not name.startswith(ALWAYS)} == names
    for name, on in switches.items():
        assert on or pruned[counter_of(name)] == 0, name


@pytest.mark.parametrize("seed", range(3))
def test_no_combination_changes_the_optimum_of_rule_lists(learning, seed):
    A, y = case = random_case(seed, n=24, m=5)
    regularization = (0.02, 0.04, 0.06)[seed]
    best = naive.best_rule_list(A, y, [1] * len(y), naive.decimal(regularization))
    for switches in combinations(BOUNDS)[seed::3]:
        snapshot = certified(rule_list(case, rl.engines.RuleListBounds(**switches), regularization))
        assert_only_these_cut(snapshot.pruned, switches)
        assert snapshot.detail["dropped"]["too little support"] == 0 or switches["accurate_support"]
        found = snapshot.incumbent.model.antecedents
        assert naive.rule_list_objective(A, y, [1] * len(y), naive.decimal(regularization), found) == best


@pytest.mark.parametrize(
    ("seed", "C", "w", "penalty"),
    [(0, 0.0, 2.0, None), (1, 0.01, 1.0, None), (2, 0.002, 3.0, None), (0, 0.01, 2.0, 0.3), (1, 0.002, 1.0, 0.3)],
)
def test_no_combination_changes_the_optimum_of_falling_lists(seed, C, w, penalty):
    n, m, every, make = (24, 5, 3, falling) if penalty is None else (20, 4, 2, soft)
    A, y = case = random_case(seed, n=n, m=m)
    violations = None if penalty is None else naive.decimal(penalty)
    best = naive.best_falling_rule_list(A, y, [1] * n, naive.decimal(w), naive.decimal(C), violations)
    for switches in combinations(FALLING_BOUNDS)[seed::every]:
        snapshot = certified(make(case, FallingBounds(**switches), C, w))
        assert_only_these_cut(snapshot.pruned, switches)
        resolution = 0 if penalty is None else snapshot.detail["resolution"]
        assert abs(snapshot.incumbent.model.exact_objective(C) - best) <= resolution


def totals(snapshots):
    """Prefixes that were looked at, made, expanded and stored, by several searches."""
    names = ("counted", "created", "expanded", "stored")
    return {name: sum(snapshot.counts.get(name, 0) for snapshot in snapshots) for name in names}


def assert_of_use(make, kind, name, others, cases, counter=None):
    """With the others on, the switch cuts, and without it there is more to do and none of these cuts."""
    with_it = [certified(make(case, only(kind, *others, name))) for case in cases]
    without = [certified(make(case, only(kind, *others))) for case in cases]
    counter = counter or counter_of(name)
    assert sum(snapshot.pruned[counter] for snapshot in with_it) > 0
    assert sum(snapshot.pruned[counter] for snapshot in without) == 0
    less, more = totals(with_it), totals(without)
    assert any(more[key] > less[key] for key in less), (name, less, more)
    assert [s.incumbent.objective for s in with_it] == [s.incumbent.objective for s in without]


CASES = [random_case(seed) for seed in range(4)]


@pytest.mark.parametrize("name", BOUNDS)
def test_each_bound_of_rule_lists_alone_is_of_use(learning, name):
    make = partial(rule_list, regularization=0.06 if name == "deletion" else 0.03)
    assert_of_use(make, rl.engines.RuleListBounds, name, (), CASES)


@pytest.mark.parametrize("name", BOUNDS)
def test_each_bound_of_rule_lists_is_of_use_beside_others(learning, name):
    """None hides behind the others that do not imply it: all that count further rules imply the lookahead."""
    implied_by = {"lookahead": {"one_more_rule", "pair_lookahead", "grid", "cores"}, "one_more_rule": {"grid", "cores"}}
    implied_by["grid"] = {"separation"}  # not implied, but it leaves next to nothing in problems of this size
    others = set(BOUNDS) - {name} - implied_by.get(name, set())
    regularization, cases = 0.008, [random_case(seed, n=150, m=14) for seed in range(3)]
    if name == "one_more_rule":
        regularization, cases = 0.04, [categories(seed) for seed in range(2)]
    assert_of_use(partial(rule_list, regularization=regularization), rl.engines.RuleListBounds, name, others, cases)


def categories(seed, n=200, k=10):
    """Disjoint antecedents, of which it takes many to capture one label."""
    rng = np.random.default_rng(seed)
    which = rng.integers(0, k, n)
    y = rng.random(n) < np.where(which % 2 == 0, 0.85, 0.15)
    return which[:, None] == np.arange(k), y


NEEDS = {"eligible_cap": ("prefix_bound",)}
SOFT_NEEDS = {"prefix_bound": ("violations",), "eligible_cap": ("violations",)}
LATE = ("joint_capture",)  # after some thousand prefixes: see test_joint_capture.py


@pytest.mark.parametrize("name", [n for n in FALLING_BOUNDS if n not in ("violations", "exceptions", *LATE)])
def test_each_bound_of_falling_lists_is_of_use(name):
    assert_of_use(falling, FallingBounds, name, NEEDS.get(name, ()), CASES)


@pytest.mark.parametrize(
    "name", [n for n in FALLING_BOUNDS if n not in ("feasible_prefix", "necessary_condition", *LATE)]
)
def test_each_bound_of_softly_falling_lists_is_of_use(name):
    cases = [random_case(seed, m=5) for seed in range(4)]
    make = partial(soft, penalty=3.0 if name == "prefix_bound" else 0.3)
    assert_of_use(make, FallingBounds, name, SOFT_NEEDS.get(name, ()), cases)


CORELS_NEEDS = {"rejection_propagation": ("accurate_support",)}


@pytest.mark.parametrize("name", CORELS_BOUNDS)
def test_each_bound_of_the_papers_alone_is_of_use(name):
    def search(case, bounds):
        return rl.CorelsSearch(rl.Problem.from_arrays(*case), 0.12, bounds=bounds)

    cases = [nested_case(seed) for seed in range(3)]
    assert_of_use(search, rl.engines.CorelsBounds, name, CORELS_NEEDS.get(name, ()), cases, name)


def nested_case(seed):
    """Antecedents that lie within others, outside or opposite: all bounds of the papers find something."""
    A, y = random_case(seed, n=40, m=5)
    A[:, 1] = ~A[:, 0]
    A[:, 3] &= A[:, 2]
    A[:, 4] &= ~A[:, 0]
    return A, y


def test_without_bounds_all_prefixes_are_visited():
    A, y = random_case(0, m=5)
    snapshot = certified(rl.CorelsSearch(rl.Problem.from_arrays(A, y), 0.03, bounds=only(rl.engines.CorelsBounds)))
    assert snapshot.counts["created"] == len(list(naive.all_rule_lists(5, 5))) - 1
    assert snapshot.counts["stored"] == snapshot.counts["expanded"] == snapshot.counts["created"] + 1


@pytest.mark.parametrize("limit", [None, 0, 2])
def test_without_bounds_every_prefix_is_expanded_or_booked(limit):
    """What the exact searches leave out then is left out by definition, and says so."""
    for case in CASES:
        ended = certified(rule_list(case, only(rl.engines.RuleListBounds), max_length=limit))
        counts, pruned, m = ended.counts, ended.pruned, ended.detail["antecedents"]
        assert m * counts["expanded"] == counts["created"] + pruned["always: captures nothing"]
        cut = pruned["always: hierarchical"] + pruned["always: length limit"] + pruned["always: new incumbent"]
        assert counts["created"] + 1 == counts["expanded"] + cut


def test_what_frontiers_cut_by_definition_is_told_apart():
    snapshot = certified(rl.FrontierSearch(rl.Problem.from_arrays(*random_case(1, n=150, m=10)), 4, beam_width=0))
    assert snapshot.pruned["always: captures nothing"] > 0
    assert snapshot.pruned["deletion"] > 0


@pytest.mark.parametrize("switches", combinations(("equivalent_points", "density_cap", "lookahead")))
def test_the_lower_bound_never_falls_whatever_is_off(switches):
    """Not even from the search for a first list to the proof."""
    case, problem = random_case(5), rl.Problem.from_arrays(*random_case(5))
    lookahead = switches.pop("lookahead")
    searches = [
        rl.RuleListSearch(problem, 0.03, bounds=rl.engines.RuleListBounds(lookahead=lookahead, pair_lookahead=False)),
        FallingRuleListSearch(problem, 0.002, 2.0, bounds=FallingBounds(**switches, prefix_bound=False)),
        SoftSearch(problem, 0.002, 2.0, 0.3, bounds=FallingBounds(**switches, prefix_bound=False)),
        falling(case, FallingBounds(**switches)),
    ]
    for search in searches:
        proven = 0.0
        for snapshot in search.steps(work_per_step=100):
            assert snapshot.lower_bound >= proven
            proven = snapshot.lower_bound


TOY = {
    "bounds.py": [("    accurate_support: bool = True\n", "    accurate_support: bool = True\n    toy: bool = True\n")],
    "exact/state.py": [
        ("BY_INCUMBENT, BY_LENGTH = range(8, 13)", "BY_INCUMBENT, BY_LENGTH, BY_TOY = range(8, 14)"),
        ('    "always: length limit",\n', '    "always: length limit",\n    "toy",\n'),
        ("    accurate_support: bool\n", "    accurate_support: bool\n    toy: bool\n"),
    ],
    "exact/expansion.py": [
        (
            "        if rules.lookahead and",
            "        if rules.toy and child_cost + per_rule > best:\n            pruned[at.BY_TOY] += 1\n"
            "            continue\n        if rules.lookahead and",
        )
    ],
}
"""A bound in the three files of its engine: its switch, its counter, and where it cuts."""
AT_THE_DOORS = """
import rulelab as rl
data = rl.datasets.load("tic_tac_toe")
made = rl.RuleListClassifier(regularization=0.02, max_conditions=1).fit(data.X, data.y)
problem = made.search_.problem
with_it = rl.RuleListSearch(problem, 0.02, beam_width=0)
without = rl.RuleListSearch(problem, 0.02, beam_width=0, bounds=rl.engines.RuleListBounds(toy=False))
assert rl.solve(with_it).incumbent.objective == rl.solve(without).incumbent.objective
assert with_it.snapshot.pruned["toy"] > 0 == without.snapshot.pruned["toy"]
assert made.verify().valid
ablation = rl.Ablation(with_it)
assert {str(outcome.snapshot.status) for outcome in ablation.steps()} == {"optimal"}
assert any("toy" in variant for variant in ablation.frame["variant"])
from rulelab.views.search.setup import Setup
assert "toy" in Setup().settings.param.bounds.objects
"""


@pytest.mark.long
def test_a_bound_is_added_in_three_files(tmp_path):
    copy = tmp_path / "rulelab"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for name, changes in TOY.items():
        file = copy / "rule_list" / name
        text = file.read_text("utf-8")
        for before, after in changes:
            assert text.count(before) == 1
            text = text.replace(before, after)
        file.write_text(text, "utf-8")
    python("-c", AT_THE_DOORS, cwd=tmp_path, PYTHONPATH=str(tmp_path))
