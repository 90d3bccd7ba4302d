"""Sweeps over the accuracies at which the least gap between groups is asked for: fits, cards, command line, form."""

from typing import Any

import pytest
from command_line import run as command
from sklearn.model_selection import StratifiedKFold
from test_sweep import DATA, waited

import rulelab as rl
from rulelab.sweeps import SweepError
from rulelab.views.cards.html import head
from rulelab.views.fronts import card as cards
from rulelab.views.fronts.points import LABELS, points
from rulelab.views.fronts.run import Started

ACCURACIES = [0.6, 0.68, 0.99]
MODELS = {"least_gap": "rule list", "least_gap_of_sets": "rule set"}
GRIDS: dict[str, dict[str, list[Any]]] = {
    "least_gap": {"max_length": [2], "max_conditions": [1]},
    "least_gap_of_sets": {"max_complexity": [4], "max_conditions": [2]},
}


@pytest.fixture(scope="module", params=MODELS)
def swept(request: pytest.FixtureRequest) -> tuple[str, rl.Sweep]:
    own = {"min_accuracy": ACCURACIES, "thresholds": [3], "min_group_size": [0], **GRIDS[request.param]}
    sweep = waited(rl.sweep(DATA, request.param, own, cv=2, sensitive="group"))
    return request.param, sweep


def test_every_fit_is_the_search_on_its_training_rows(swept: tuple[str, rl.Sweep]) -> None:
    name, sweep = swept
    fits = sweep.frame.set_index(["min_accuracy", "fold"])
    splitter = StratifiedKFold(2, shuffle=True, random_state=0).split(DATA.X, DATA.y)
    assert set(fits.loc[0.99, "status"]) == {"infeasible"}
    for fold, (train, _) in enumerate(splitter):
        conditions = rl.Binarizer(thresholds=3).fit_transform(DATA.X.iloc[train])
        labels, groups = DATA.y.iloc[train], DATA.sensitive["group"].iloc[train]
        for accuracy in ACCURACIES[:2]:
            search: rl.Search
            if name == "least_gap":
                mined = rl.mine_antecedents(conditions, 1, 0.01, 0.99)
                problem = rl.Problem.from_antecedents(mined, labels, groups=groups)
                search = rl.LeastGapSearch(problem, min_accuracy=accuracy, max_length=2)
            else:
                problem = rl.Problem.from_arrays(conditions, labels, groups=groups)
                search = rl.LeastGapRuleSetSearch(problem, min_accuracy=accuracy, max_complexity=4, max_conditions=2)
            alone, fit = rl.solve(search), fits.loc[(accuracy, fold)]
            assert fit["status"] == alone.status == "optimal"
            assert fit["objective"] == fit["lower_bound"] == alone.incumbent.objective
            assert fit["train_equal_opportunity_gap"] == pytest.approx(alone.incumbent.objective, abs=1e-12)
            assert fit["train_accuracy"] >= accuracy
    tight = fits.loc[0.68, "objective"].to_numpy()
    assert (tight >= fits.loc[0.6, "objective"].to_numpy()).all()
    assert tight.max() > 0


def test_cards_and_points_say_what_is_proven(swept: tuple[str, rl.Sweep]) -> None:
    name, sweep = swept
    started = Started((sweep,))
    point = {p.label: p for p in points([sweep], "train")}[f"{LABELS[name]}, min accuracy 0.68"]
    assert point.proven
    found = cards.card_of(started, point)
    claim = f"no {MODELS[name]} of"
    about = "over these conditions with an accuracy of at least 68 % has a smaller gap in missed positives"
    assert found.proof.proven
    assert claim in found.proof.scope
    assert f"{about} between groups of group than this one" in found.proof.scope
    assert about in head(found)


@pytest.mark.parametrize("name", MODELS)
def test_it_needs_groups(name: str) -> None:
    with pytest.raises(SweepError, match=f"a {MODELS[name]} of least gap needs the groups of people"):
        rl.sweep(DATA, name, GRIDS[name], cv=2)
    with pytest.raises(SweepError, match="criterion must be one of equal_opportunity"):
        rl.sweep(DATA, name, {"criterion": [rl.EqualOpportunity]}, cv=2, sensitive="group")


def test_the_command_line_sweeps_least_gaps(capsys: pytest.CaptureFixture[str]) -> None:
    small = ("--max-complexity", 3, "--thresholds", 2, "--folds", 2, "--sensitive", "sex", "--quiet")
    asked = ("--vary", "min_accuracy=0.6,0.7", "--criterion", "demographic-parity")
    status, out, err = command(capsys, "sweep", "diabetes", "--model", "least-gap-of-sets", *asked, *small)
    assert status == 0, err
    assert "certified: no rule set that is as accurate on its training rows has a smaller gap there" in out
    assert out.count("2 of 2") == 2
    for options, said in (
        (("--model", "rule-set", "--min-accuracy", 0.7), "--min-accuracy is not an option of --model rule-set"),
        (("--model", "least-gap", "--vary", "criterion=fair"), "must be one of equal_opportunity"),
        (("--model", "least-gap", "--fairness", "equal-opportunity:0.1"), "--fairness is not an option"),
    ):
        status, _, err = command(capsys, "sweep", "diabetes", *options, "--sensitive", "sex")
        assert status == 2
        assert said in err
