"""Looking into a search over prefixes: the tree that it stores, and what becomes of the children of a prefix."""

import pickle
import re
from fractions import Fraction

import naive
import numpy as np
import pytest
from laws import falling_for, scale_of
from random_problems import explained

import rulelab as rl
from rulelab import glossary
from rulelab.engines import RuleListBounds
from rulelab.kernels.growing import CUT, OPEN
from rulelab.plots.styling import in_words
from rulelab.prefixes import Nodes, PrefixSearch, reason
from rulelab.views.prefixes.tree_view import TreeView

KINDS = {
    "rule list": lambda p: rl.RuleListSearch(p, 0.02, beam_width=0),
    "depth first": lambda p: rl.RuleListSearch(p, 0.02, "depth_first", beam_width=0),
    "no bounds": lambda p: rl.RuleListSearch(
        p, 0.02, bounds=RuleListBounds(**dict.fromkeys(RuleListBounds().to_dict(), False)), beam_width=0
    ),
    "corels": lambda p: rl.CorelsSearch(p, 0.02),
    "corels, curiosity": lambda p: rl.CorelsSearch(p, 0.02, "curiosity"),
    "falling": lambda p: rl.FallingRuleListSearch(p, 0.002, 2.0, iterations=0),
    "softly falling": lambda p: falling_for(
        p, regularization=0.002, positive_weight=2.0, violation_penalty=0.3, iterations=0
    ),
}


def random_problem(seed: int, n: int = 60, m: int = 6, weights: bool = False) -> rl.Problem:
    rng = np.random.default_rng(seed)
    A = rng.random((n, m)) < rng.uniform(0.2, 0.7, m)
    y = ((A[:, 0] & ~A[:, 1]) | A[:, 2]) ^ (rng.random(n) < 0.25)
    y[:2] = True, False
    return rl.Problem.from_arrays(A, y, sample_weight=rng.integers(1, 9, n) / 2 if weights else None)


@pytest.fixture(params=KINDS)
def make(request):
    return KINDS[request.param]


def until_searching(search: PrefixSearch) -> PrefixSearch:
    while not len(search.tree()):
        search.advance(1)
    return search


@pytest.mark.parametrize("work", [3, 20, 10**6])
def test_the_tree_is_what_the_counters_say(make, work):
    search = until_searching(make(random_problem(1)))
    now = search.advance(work)
    tree = search.tree()
    assert len(tree) == now.counts["stored"] == tree.attrs["stored"]
    assert (tree["state"] == "open").sum() == now.counts["queued"]
    assert (tree["descendants"][0], tree["parent"][0]) == (len(tree) - 1, -1)
    below = tree["descendants"].sum()
    assert below == tree["length"].sum()  # each prefix is below as many as it has rules
    at = {node: k for k, node in enumerate(tree["node"])}
    for k, parent in enumerate(tree["parent"][1:], 1):
        assert at[parent] < k
        assert tree["length"][at[parent]] + 1 == tree["length"][k]
    assert ((tree["cut_by"] != "") == (tree["state"] == "cut")).all()
    assert set(tree["cut_by"]) - {""} <= set(now.pruned)


def test_the_largest_parts_are_those_of_a_whole_order(make):
    """Of prefixes with as many descendants the shorter ones, and then the earlier ones; labels as the model gives."""
    search = until_searching(make(random_problem(3, m=8)))
    search.advance(150)
    nodes = search.prefixes()
    order = np.lexsort((np.arange(len(nodes)), nodes.length, -nodes.descendants))
    for most in (1, 5, 17, len(nodes) - 1, len(nodes), len(nodes) + 5):
        path = nodes.path()[:most]
        rest = [node for node in order.tolist() if node not in path]
        shown = sorted([*path, *rest[: most - len(path)]])
        part = search.tree(max_nodes=most)
        assert nodes.largest(most).tolist() == sorted(part["node"]) == shown
        assert (part.attrs["left_out"], part.attrs["incumbent"]) == (len(nodes) - len(shown), path)
        assert set(part["parent"]) - {-1} <= set(shown)
        assert part["descendants"].tolist() == nodes.descendants[part["node"]].tolist()
    whole, some = nodes.labels(np.arange(len(nodes))), nodes.largest(9)
    assert (nodes.labels(some) == whole[some]).all()
    assert nodes.labels(np.arange(1)).tolist() == [-1]


def test_an_earlier_tree_is_found_in_a_later_one(make):
    search = until_searching(make(random_problem(2, 200, m=14)))
    search.advance(1)
    then, fates = search.prefixes(), search.fates()
    search.advance(100)
    now = search.prefixes()
    k = len(then)
    early = now.at(np.append(fates, np.zeros(len(now) - k, dtype=np.uint8)), np.arange(k))
    assert len(now) > k >= len(early) > 1
    assert early.parent.max() < len(early)
    assert early.descendants[0] == len(early) - 1
    if (now.parent[:k] == then.parent).all() and (now.antecedent[:k] == then.antecedent).all():
        assert (early.parent == then.parent).all()  # else a prefix has taken the place of a permutation of it
        assert (early.descendants == then.descendants).all()
        assert (early.fate == then.fate).all()
        assert (early.labels(np.arange(k)) == then.labels(np.arange(k))).all()
    assert len(now.at(now.fate, np.arange(len(now)))) == len(now)
    assert len(now.at(now.fate, np.arange(0))) == 0


@pytest.mark.few(4)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weights", [False, True])
def test_a_look_agrees_with_the_counters_of_the_kernels(make, seed, weights):
    """Of the papers' search and of falling lists the counters may hold more: prefixes that a child has superseded."""
    search = until_searching(make(random_problem(seed, weights=weights)))
    now = search.advance(1)
    for step in range(12):
        before, was = pickle.dumps(search), now
        now = search.advance(1)
        if now.counts["expanded"] != was.counts["expanded"] + 1:
            break
        prefix = search.look_into().attrs["prefix"]
        look = pickle.loads(before).look_into(prefix)
        cut = look["cut_by"][look["cut_by"] != ""].value_counts().to_dict()
        booked = {
            name: count - was.pruned[name]
            for name, count in now.pruned.items()
            if count > was.pruned[name] and name != "always: new incumbent"
        }
        cut.pop("always: new incumbent", None)
        if look.attrs["prefix_cut_by"]:
            assert booked == {look.attrs["prefix_cut_by"]: 1}
            continue
        if search.kind != "corels" and search.family == "rule_list":
            assert booked == cut, (step, prefix)
        for name, count in cut.items():
            assert booked[name] >= count, (step, prefix, name)
        grown = {name: n - was.counts[name] for name, n in now.counts.items()}
        stored = grown["stored"]
        if search.family == "rule_list":  # there a prefix that comes back has the place that it had
            stored += grown.get("reopened", 0)
        assert stored <= (look["fate"] == "open").sum()


FEW = rl.engines.FallingBounds(
    prefix_bound=False, equivalent_points=False, density_cap=False, eligible_cap=False, joint_capture=False
)


@pytest.mark.parametrize(
    ("table", "seed", "regularization", "bounds", "some"),
    [((3, 60, 6, 0.25), 6, 0.002, None, True), ((4, 300, 14, 0.3), 4, 0.0001, FEW, False)],
)
def test_a_falling_prefix_that_comes_back_is_stored_and_counted_once(table, seed, regularization, bounds, some):
    """It has a place of its own, and the one that it supersedes is counted once, however often it is met again."""
    A, y = explained(*table)
    problem = rl.Problem.from_arrays(A, y, sample_weight=np.random.default_rng(seed).random(len(y)))
    search = until_searching(rl.FallingRuleListSearch(problem, regularization, 2.0, bounds=bounds, iterations=0))
    now, came_back = search.advance(1), 0
    for _ in range(300):
        before, was, fates = pickle.dumps(search), now, search.fates()
        now = search.advance(1)
        if now.work == was.work:
            break
        grown = {name: n - was.counts[name] for name, n in now.counts.items()}
        look = pickle.loads(before).look_into(search.look_into().attrs["prefix"])
        assert look.attrs["prefix_cut_by"] or grown["stored"] == (look["fate"] == "open").sum()
        later = search.fates()[: len(fates)]
        superseded = [scale_of(search).cuts[fate - CUT] == "dominance" for fate in np.maximum(later, CUT)]
        assert grown["reopened"] == (superseded & (later >= CUT) & (fates != OPEN) & (fates != later)).sum()
        came_back += grown["reopened"]
    assert (came_back > 0) is some


def extensions(m, prefix, longest):
    for rest in naive.all_rule_lists(m, longest):
        if len(rest) >= 1 and not set(rest) & set(prefix):
            yield (*prefix, *rest)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["rule list", "no bounds", "corels", "falling"])
def test_bounds_and_cuts_are_true(kind, seed):
    """No list that starts with the prefix and the rule costs less than the bound says."""
    A, y = explained(seed, 30, 5, 0.3)
    weight = [1] * 30
    search = until_searching(KINDS[kind](rl.Problem.from_arrays(A, y)))
    falling = kind == "falling"
    reg = Fraction("0.002") if falling else Fraction("0.02")

    def cost(antecedents):
        if falling:
            if not naive.falls(A, y, weight, antecedents):
                return Fraction(100)
            return naive.falling_objective(A, y, weight, Fraction(2), reg, antecedents)
        return naive.rule_list_objective(A, y, weight, reg, antecedents)

    names = list(search.problem.names)
    prefixes = [(), *((a,) for a in range(5)), (0, 3), (2, 1)]
    best = rl.solve(search).incumbent.objective
    looked = 0
    for prefix in prefixes:
        try:
            look = search.look_into(prefix)
        except ValueError as error:
            assert "prefix:" in str(error)  # noqa: PT017
            continue
        for row in look.itertuples():
            a = names.index(row.antecedent)
            if a in prefix:
                assert row.fate != "open", "a rule of the prefix is never tried again"
                continue
            looked += 1
            total = row.loss + row.rules + row.inevitable + row.further
            assert total == pytest.approx(row.bound, abs=1e-12)
            left = ~A[:, list(prefix)].any(axis=1)
            captured = left & A[:, a]
            assert row.captured == captured.sum()
            assert row.label == int(2 * y[captured].sum() > captured.sum())
            assert row.rules == pytest.approx(float(reg) * (len(prefix) + 1))
            least = min(float(cost(each)) for each in extensions(5, (*prefix, a), 3))
            if row.fate != "cut" or row.cut_by in scale_of(search).bounding:
                assert min(least, best) >= min(row.bound, best) - 1e-9
                assert row.fate != "cut" or least >= best - 1e-9 or row.bound <= least + 1e-9
    assert looked > 5


def test_looking_changes_nothing(make):
    search = until_searching(make(random_problem(5)))
    other = pickle.loads(pickle.dumps(search))
    for _ in range(9):
        one, two = search.advance(3), other.advance(3)
        search.tree(5)
        search.look_into()
        search.look_into([])
        assert (one.counts, one.pruned, one.lower_bound) == (two.counts, two.pruned, two.lower_bound)


def test_what_cannot_be_looked_at_is_refused(make):
    search = until_searching(make(random_problem(7)))
    for prefix, said in ((["nothing"], "'nothing'"), ([99], "99"), ([-1], "-1"), ([0.5], "0.5")):
        with pytest.raises(ValueError, match=f"^prefix: .*{said}"):
            search.look_into(prefix)
    for max_nodes in (0, -1, 1.5, "7", None):
        with pytest.raises(ValueError, match="max_nodes must be a positive integer"):
            search.tree(max_nodes)
    short = until_searching(rl.RuleListSearch(random_problem(7), 0.1, beam_width=0))
    with pytest.raises(ValueError, match=r"^prefix: of 6 rules; no list of more than"):
        short.look_into(scale_of(short).antecedents.tolist()[:1] * 6)


def test_before_the_search_there_is_nothing_to_see(make):
    search = make(random_problem(6))
    assert search.tree().empty
    assert search.look_into().empty
    assert list(search.tree()) == list(until_searching(make(random_problem(6))).tree())


@pytest.mark.parametrize("seed", range(5))
def test_lengths_and_descendants_do_not_depend_on_the_order_of_the_store(seed):
    rng = np.random.default_rng(seed)
    n = 200
    parent = np.array([-1, *(int(rng.integers(0, k)) for k in range(1, n))])
    place = np.array([0, *rng.permutation(np.arange(1, n))])  # parents that were replaced stand behind their children
    moved = np.full(n, -1)
    moved[place] = np.where(parent < 0, -1, place[parent])
    nothing = np.zeros(n)
    nodes = Nodes(moved, moved, nothing, nothing, nothing.astype(np.uint8), (), (), ())
    ways = []
    for node in range(n):
        ways.append([])
        while (node := int(moved[node])) >= 0:
            ways[-1].append(node)
    assert nodes.length.tolist() == [len(way) for way in ways]
    assert nodes.descendants.tolist() == [sum(node in way for way in ways) for node in range(n)]


# why a prefix was cut -------------------------------------------------------------------------------------------------
STORED = {
    "rule list": {"open", "expanded", "always: new incumbent"},
    "corels": {"open", "expanded", "hierarchical", "equivalent_points", "lookahead", "similar_support"},
    "falling": {"open", "expanded", "always: new incumbent", "dominance", "eligible cap"},
    "softly falling": {"open", "expanded", "dominance", "eligible cap"},
}
CHILDREN = {
    "rule list": {"lookahead", "pair lookahead", "grid", "always: hierarchical", "always: captures nothing"},
    "corels": {"lookahead", "equivalent_points", "hierarchical"},
    "falling": {"feasible prefix", "necessary condition", "prefix bound", "always: rising proportion", "dominance"},
    "softly falling": {"violations", "eligible cap"},
}


def tells(said: str, state: str, cut_by: str, bound: float, best: float) -> None:
    """That a sentence names the bound, gives both figures, and claims of them what is so."""
    costs = [float(each) for each in re.findall(r"\d\.\d{4,}", said)]
    assert any(abs(each - bound) <= 5.1e-5 for each in costs), said
    assert any(abs(each - best) <= 5.1e-5 for each in costs), said
    if state == "cut":
        name = in_words(cut_by.removeprefix("always: "))
        assert said.startswith(f'Cut by "{name}". ')
        assert len(said.partition(f"{name}")[2]) > 80
    if "reaches the best list" in said and "stored with" not in said:
        assert bound >= best - 1e-9
    if "is below the best list" in said:
        assert bound < best


def of_each_fate(frame, state: str, seen: set[str], many: int = 3):
    """Some rows of each fate that is not in ``seen``, which is added to."""
    for (fate, cut_by), rows in frame.groupby([state, "cut_by"]):
        if (cut_by or fate) not in seen:
            seen.add(cut_by or fate)
            yield from rows.head(many).to_dict(orient="records")


@pytest.mark.few(4)
@pytest.mark.parametrize("kind", STORED)
def test_every_fate_is_told_with_its_figures(kind):
    stored: set[str] = set()
    children: set[str] = set()
    for seed, size in ((0, (60, 6)), (1, (60, 6)), (0, (300, 12)), (3, (300, 12))):
        search = until_searching(KINDS[kind](random_problem(seed, *size)))
        for work in (5, 30, 200):
            best = search.advance(work).incumbent.objective
            tree = search.tree(100_000)
            view = None
            for row in of_each_fate(tree, "state", stored):
                view = view or TreeView(search, max_nodes=100_000)
                view.prefix = view.path(row["node"])
                if not view.prefix:
                    continue
                said = why(view)
                tells(said, row["state"], row["cut_by"], row["bound"], best)
            for prefix in ((), *((a,) for a in scale_of(search).antecedents.tolist()[:4])):
                look = search.look_into(prefix)
                for row in of_each_fate(look, "fate", children):
                    tells(row["reason"], row["fate"], row["cut_by"], row["bound"], look.attrs["incumbent"])
    assert stored >= STORED[kind]
    assert children >= CHILDREN[kind]


def why(view: TreeView) -> str:
    """The sentence of a prefix after the sum, as it is read."""
    said = view.said.object.partition('<span class="reason">')[2].partition("</span>")[0]
    return re.sub(r"<[^>]+>", "", said).replace("&quot;", '"')


@pytest.mark.parametrize("kind", STORED)
def test_every_bound_of_a_search_is_named_and_explained(kind):
    search = until_searching(KINDS[kind](random_problem(1)))
    scale = scale_of(search)
    for cut_by in scale.cuts:
        term = glossary.find(cut_by, search.kind or search.family)
        assert term is not None
        for bound, best in ((0.25, 0.2), (0.2, 0.2), (0.19999999, 0.2), (0.1, 0.2)):
            said = reason("cut", cut_by, search.kind or search.family, bound, best, cut_by in scale.bounding)
            tells(said, "cut", cut_by, bound, best)
            assert term.sentence in said


@pytest.mark.parametrize("state", ["open", "expanded", "cut"])
def test_figures_that_differ_are_written_with_digits_that_differ(state):
    said = reason(state, "lookahead" if state == "cut" else "", "rule_list", 0.12345678, 0.12345679, False)
    assert all(each in said for each in ("0.12345678", "0.12345679"))
    alone = reason(state, "lookahead" if state == "cut" else "", "rule_list", 0.1234, None)
    assert "Its bound is 0.1234, and no list is known yet" in alone
