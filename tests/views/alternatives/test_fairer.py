"""Fairer lists than the best one: what is said to be least is, and each point can be edited."""

from dataclasses import replace

import numpy as np
import pytest
from model_cards import recipe
from patience import wait_until

import rulelab as rl
from rulelab.data.gaps import CRITERIA
from rulelab.views.alternatives.view import FAIRER, AlternativesView


def searched(dataset: rl.datasets.Dataset) -> rl.RuleListSearch:
    conditions = rl.Binarizer().fit_transform(dataset.X)
    return rl.RuleListSearch(rl.Problem.from_arrays(conditions, dataset.y), regularization=0.03)


def opened(view: AlternativesView, criterion: str = "equal_opportunity") -> AlternativesView:
    view.criterion, view.strip.open = criterion, FAIRER
    wait_until(lambda: not view.fairer.refresh())
    while view.fairer.fairer.open:  # more than six seconds of this machine
        view.fairer.more_or_stop()
        wait_until(lambda: not view.fairer.refresh())
    return view


@pytest.mark.long
def test_no_good_model_is_where_none_is_said_to_be_and_each_point_is_edited(show, dataset) -> None:
    view = show(searched(dataset), dataset)
    for criterion in CRITERIA:
        fairer = opened(view, criterion).fairer.fairer
        assert view.attribute == "sex", "the only one there is"
        gaps, accuracies = view.gaps / 100, view.found.frame["accuracy"].to_numpy() / 100
        for accuracy, least in fairer.bounds:
            assert not (gaps[accuracies >= accuracy] < least - 1e-9).any()
        assert fairer.open == 0
        frame = view.fairer.dots.frame()
        assert np.all(np.diff(frame["accuracy (%)"]) > 0)
        assert np.all(np.diff(frame["gap (%)"]) >= -1e-9), "more accuracy has no smaller least gap"
        assert len(frame) == len(fairer.points) > 0
        for k, point in enumerate(fairer.points):
            assert point.true_gap == pytest.approx(point.value, abs=1e-9) == pytest.approx(point.lower_bound, abs=1e-9)
            view.fairer.choose(k)
            assert [str(rule) for rule in view.editor.hand.model.rules] == [str(rule) for rule in point.model.rules]
            if criterion == "equal_opportunity":  # the gap that stands beside who is edited
                assert float(view.editor.groups.gap) == pytest.approx(point.true_gap)
        view.fairer.choose(len(fairer.points))
    view.fairer.more_or_stop()
    view.fairer.more_or_stop()
    wait_until(lambda: not view.fairer.refresh())
    assert view.fairer.fairer.points, "where a longer search is stopped, those of the search before"


@pytest.mark.long
@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_sets_have_fairer_ones_by_what_they_predict(show, dataset, form: str) -> None:
    search = rl.RuleSetSearch(searched(dataset).problem, max_complexity=4, max_conditions=2, form=form)
    view = show(search, dataset)
    view.attribute, view.strip.open = "sex", FAIRER
    wait_until(lambda: not view.fairer.refresh())
    fairer = view.fairer.fairer
    gaps, accuracies = view.gaps / 100, view.found.frame["accuracy"].to_numpy() / 100
    for accuracy, least in fairer.bounds:
        assert not (gaps[accuracies >= accuracy] < least - 1e-9).any()
    assert "sets of at most 4 rules and conditions" in fairer.among
    for k, point in enumerate(fairer.points):
        assert point.model.form == form
        assert point.model.complexity <= 4
        view.fairer.choose(k)
        assert float(view.editor.groups.gap) == pytest.approx(point.true_gap)


def test_data_without_groups_have_no_fairer_ones(show, dataset) -> None:
    assert FAIRER not in show(searched(dataset), None).strip.names


@pytest.mark.parametrize("test_share", [0.0, 0.3])
def test_groups_are_those_of_the_rows_that_were_not_kept_out(test_share: float) -> None:
    prepared = replace(recipe(regularization=0.02), test_share=test_share)(lambda doing: None)
    search, data = prepared.search, prepared.data
    model = rl.solve(search).incumbent.model
    test = np.array([], dtype=int) if prepared.test_rows is None else prepared.test_rows
    rows = np.setdiff1d(np.arange(len(data.y)), test)
    assert len(test) == round(test_share * len(data.y))
    predicted = np.asarray(model.predict(data.X.iloc[rows]) == model.classes[-1])
    decided = model.predicts_positive(search.problem.matrix())
    for attribute in prepared.attributes:
        people, positive = data.sensitive[attribute].iloc[rows].astype(str).to_numpy(), data.y.iloc[rows] == 1
        masses = prepared.masses(attribute)
        for k, name in enumerate(masses.names):
            own = (people == name) & predicted
            assert masses.positives[k, decided].sum() == (own & positive).sum()
            assert masses.negatives[k, decided].sum() == (own & ~positive).sum()
