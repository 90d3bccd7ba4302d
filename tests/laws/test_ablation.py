"""Ablation: each bound left out once, the same optimum each time, and what they are worth in figures."""

from dataclasses import fields, replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from command_line import output_of, run
from laws import falling_for, larger_problem
from live import inexact_search, problem

import rulelab as rl
from rulelab.ablation import AS_SET, STEPS, contradiction, of_the_paper, variants

small, grouped = partial(problem, 120, 7), partial(larger_problem, 1, 120, 6)


SEARCHES = {
    "rule list": lambda: rl.RuleListSearch(small(), 0.015, beam_width=20),
    "fair": lambda: rl.search(grouped(), regularization=0.03, fairness=rl.EqualOpportunity(0.2)),
    "corels": lambda: rl.CorelsSearch(small(), 0.015),
    "falling": lambda: rl.FallingRuleListSearch(small(), 0.01, 2.0, iterations=30),
    "softly falling": lambda: falling_for(small(), regularization=0.03, violation_penalty=0.5, iterations=0),
}


@pytest.mark.parametrize("make", SEARCHES.values(), ids=SEARCHES)
def test_every_bound_is_left_out_once_and_none_changes_the_optimum(make):
    search = make()
    ablation = rl.Ablation(search)
    used = {each.name for each in fields(search.bounds) if getattr(search.bounds, each.name)}
    without = [each.changed["bounds"] for each in ablation.variants if "bounds" in each.changed]
    assert [sum(vars(each).values()) for each in without] == [len(used) - 1] * len(used)
    assert len({each.name for each in ablation.variants}) == len(ablation.variants)
    ended = list(ablation.steps())
    assert (ended, {each.snapshot.status for each in ended}) == (ablation.outcomes, {rl.Status.OPTIMAL})
    objectives = [each.snapshot.incumbent.objective for each in ended]
    assert objectives == pytest.approx([objectives[0]] * len(ended), abs=1e-12)
    assert ablation.contradiction == ""
    assert search.work == 0, "the search that is given is not advanced"
    assert list(ablation.steps()) == [], "what has been run is not run again"


def test_bounds_of_the_paper_are_added_one_by_one_and_none_changes_the_optimum():
    search = SEARCHES["rule list"]()
    ablation = rl.Ablation(of_the_paper(search), added=True)
    assert [each.name for each in ablation.variants] == [
        AS_SET,
        "errors so far",
        *(f"+ {step}" for step in list(STEPS)[1:-1]),
    ]
    assert {name for names in STEPS.values() for name in names} == {
        each.name for each in fields(rl.engines.CorelsBounds)
    }
    used = [sum(vars(each.changed["bounds"]).values()) for each in ablation.variants[1:]]
    assert used == np.cumsum([len(names) for names in STEPS.values()])[:-1].tolist()
    ended = list(ablation.steps())
    optimum = rl.solve(search).incumbent.objective
    assert [each.snapshot.incumbent.objective for each in ended] == pytest.approx([optimum] * len(STEPS), abs=1e-12)
    whole, *nodes = ablation.frame["nodes"]
    assert nodes == sorted(nodes, reverse=True)
    assert whole <= nodes[-1] < nodes[0]


@pytest.mark.parametrize("make", [SEARCHES["falling"], lambda: rl.RuleListSearch(small(), 0.02, max_length=2)])
def test_the_search_of_the_paper_is_for_what_it_can_look_for(make):
    with pytest.raises(ValueError, match="two classes, and has no most number of rules"):
        of_the_paper(make())
    with pytest.raises(ValueError, match="give a CorelsSearch"):
        rl.Ablation(make(), added=True)


def test_what_a_search_begins_with_is_left_out_as_well():
    names = [each.name for each in variants(SEARCHES["rule list"]())]
    assert (names[0], names[-1]) == (AS_SET, "without the first beam search")
    assert variants(SEARCHES["falling"]())[-1].changed == {"iterations": 0}
    assert not any("first" in each.name for each in variants(SEARCHES["corels"]()))


def test_bounds_that_are_off_already_stay_off():
    bounds = rl.engines.RuleListBounds(cores=False, grid=False)
    found = variants(rl.RuleListSearch(small(), 0.02, bounds=bounds, beam_width=0))
    assert not any(name in each.name for each in found for name in ("cores", "grid"))
    assert all(not each.changed["bounds"].cores for each in found[1:])


def test_the_frame_compares_with_the_search_as_it_is():
    ablation = rl.Ablation(SEARCHES["rule list"]())
    assert list(ablation.frame.columns) == list(rl.Ablation(SEARCHES["corels"]()).frame.columns)
    for _ in zip(range(3), ablation.steps(), strict=False):
        pass
    frame = ablation.frame
    assert frame["variant"].tolist() == [each.name for each in ablation.variants[: len(frame)]]
    assert frame["nodes_factor"].iat[0] == frame["seconds_factor"].iat[0] == 1
    np.testing.assert_allclose(frame["nodes_factor"], frame["nodes"] / frame["nodes"].iat[0])


def test_limits_hold_for_each_run_and_prove_nothing():
    ablation = rl.Ablation(SEARCHES["rule list"]())
    ended = list(ablation.steps(work_limit=3, work_per_step=1))
    assert ({each.snapshot.limit for each in ended}, len(ended)) == ({"work"}, len(ablation.variants))
    assert ablation.contradiction == ""


def test_two_optima_are_a_contradiction():
    one = rl.solve(SEARCHES["rule list"]())
    other = replace(one, incumbent=replace(one.incumbent, objective=one.incumbent.objective + 1e-6))
    assert contradiction([("as set", one), ("without grid", replace(one))]) == ""
    assert "without grid" in contradiction([("as set", one), ("without grid", other)])
    assert contradiction([("as set", one), ("without grid", replace(other, status=rl.Status.LIMIT))]) == ""
    inexact = rl.solve(inexact_search())
    assert inexact.limit == "exactness"
    assert contradiction([("as set", one), ("without grid", inexact)]) == "", "within their rounding proofs may differ"


def test_a_search_without_bounds_is_refused():
    with pytest.raises(ValueError, match="no bounds"):
        rl.Ablation(rl.RuleSetSearch(small(), 4))
    with pytest.raises(TypeError, match="must be a rulelab search"):
        rl.Ablation(3)
    off = rl.engines.RuleListBounds(**dict.fromkeys((each.name for each in fields(rl.engines.RuleListBounds)), False))
    with pytest.raises(ValueError, match="left out already"):
        variants(rl.RuleListSearch(small(), 0.1, bounds=off, beam_width=0))


@pytest.fixture
def data(tmp_path):
    """A file of eight columns, of which the first one tells most of the target."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.random(200) < 0.4 for name in "abcdefgh"})
    frame.assign(y=frame["a"] ^ (rng.random(200) < 0.3)).to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


OPTIONS = ("--target", "y", "--regularization", "0.03", "--max-conditions", "1", "--beam-width", "0", "--quiet")


def test_the_command_shows_a_line_per_bound_and_saves_the_table(data, tmp_path, capsys):
    path = tmp_path / "bounds.csv"
    shown, saved = output_of(capsys, "ablate", data, *OPTIONS, "-o", path)[0], pd.read_csv(path)
    assert (saved["variant"].tolist()[0], len(saved)) == (AS_SET, 1 + len(fields(rl.engines.RuleListBounds)))
    assert all(name in shown for name in saved["variant"])
    assert "not that a bound is worth nothing" in shown
    assert saved["objective"].nunique() == 1
    shown, _ = output_of(capsys, "ablate", data, *OPTIONS, "--added")
    assert all(name in shown for name in STEPS if name != "symmetry")
    assert run(capsys, "ablate", data, *OPTIONS, "-o", tmp_path / "x.json")[0] == 2


def test_only_the_runs_that_met_a_limit_are_said_to(data, capsys, monkeypatch):
    original, made = rl.Search.steps, []

    def steps(search: rl.Search, *arguments, **options):
        made.append(search)
        options["work_limit"] = 1 if len(made) == 2 else None
        return original(search, *arguments, **options)

    monkeypatch.setattr(rl.Search, "steps", steps)
    shown, _ = output_of(capsys, "ablate", data, *OPTIONS)
    assert (shown.count("work limit"), "nan" in shown, shown.count("optimal") > 5) == (1, False, True)


def test_fit_records_its_run(data, tmp_path, capsys):
    path = tmp_path / "run.rulelab"
    assert f"saved {path}" in output_of(capsys, "fit", data, *OPTIONS[:-1], "--record", path)[1]
    assert rl.Recording.load(path).snapshots[-1].status is rl.Status.OPTIMAL
    assert run(capsys, "fit", data, *OPTIONS, "-o", path, "--record", path)[0] == 2
    assert run(capsys, "fit", data, *OPTIONS, "--record", tmp_path / "no" / "run")[0] == 2
