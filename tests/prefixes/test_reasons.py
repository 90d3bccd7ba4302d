"""Why a prefix was cut: whatever became of it, in every family with a tree, a sentence says so with its figures."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from inside import scale_of
from test_prefixes import KINDS, random_problem, until_searching

from rulelab import glossary
from rulelab.prefixes import reason
from rulelab.views.prefixes.tree_view import TreeView

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
        name = cut_by.removeprefix("always: ").replace("_", " ")
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
                if "The same rows are captured" in said:
                    the_same_rows(search.problem, tree, row["node"], said)
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


def the_same_rows(problem, tree: pd.DataFrame, node: int, said: str) -> None:
    """That the prefix which is named instead captures what the one that is looked at does, and costs no more."""
    matrix, names = problem.matrix(), problem.names
    instead = said.partition("by: ")[2].removesuffix(".").replace(" = ", " == ").split(", then ")
    of_node, path = tree.set_index("node"), []
    while of_node.at[node, "parent"] >= 0:
        path.append(of_node.at[node, "antecedent"])
        node = of_node.at[node, "parent"]
    one, other = (matrix[:, [names.index(each) for each in rules]].any(axis=1) for rules in (instead, path))
    assert np.array_equal(one, other)
    less, more = map(float, re.findall(r"at (\d\.\d+) instead of (\d\.\d+)", said)[0])
    assert less <= more


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
    assert "0.12345678" in said
    assert "0.12345679" in said
    alone = reason(state, "lookahead" if state == "cut" else "", "rule_list", 0.1234, None)
    assert "Its bound is 0.1234, and no list is known yet" in alone
