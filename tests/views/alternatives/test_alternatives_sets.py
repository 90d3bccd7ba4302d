"""Rule sets near the optimum on the page: what is shown of them against the sets one by one."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from good_rows import agreement, problem_of, ranges_hold
from live import button, html, status
from model_cards import recipe
from patience import wait_until

import rulelab as rl
from rulelab.data.gaps import CRITERIA
from rulelab.views.alternatives import view as alternatives
from rulelab.views.alternatives.counting import by_rules
from rulelab.views.alternatives.view import BUILD, COUNT, FAIRER, MADE_OF, TOGETHER, AlternativesView
from rulelab.views.live.prepared import Prepared


def searched(dataset: rl.datasets.Dataset, **parameters) -> rl.RuleSetSearch:
    return rl.RuleSetSearch(problem_of(dataset), **{"max_complexity": 6, "max_conditions": 2, **parameters})


@pytest.fixture
def view(dataset: rl.datasets.Dataset, show) -> AlternativesView:
    return show(searched(dataset), dataset)


def test_sets_are_shown_filtered_and_chosen(view: AlternativesView, dataset: rl.datasets.Dataset) -> None:
    found = view.found
    assert found.ways == "sets"
    assert status(view).phase.startswith("certified complete, over rules of at most 2 conditions")
    assert view.strip.names == [TOGETHER, MADE_OF, FAIRER, COUNT]
    assert button(view, "Explorer (HTML)")
    assert view.explorer_html().getvalue().count('<td class="text">') == found.result.count
    assert found.result.count > 5
    problem = found.result.problem
    says = np.array([model.predicts_positive(problem.matrix()) for model in found.result.models])[
        :, problem.row_pattern
    ]
    right = 100 * (says == (dataset.y.to_numpy() == 1)).mean(axis=1)
    assert found.frame["accuracy"].to_numpy() == pytest.approx(right)
    view.attribute = "sex"
    positive = dataset.y.to_numpy() == 1
    group = dataset.sensitive["sex"].to_numpy()
    rates = [says[:, positive & (group == g)].mean(axis=1) for g in ("a", "b", "c")]
    counts = [int((positive & (group == g)).sum()) for g in ("a", "b", "c")]
    rates = [rate for rate, n in zip(rates, counts, strict=True) if n >= 30]
    assert view.gaps == pytest.approx(100 * (np.max(rates, axis=0) - np.min(rates, axis=0)))
    name = found.reliance["name"].iloc[0]
    view.uses = name
    assert {name in names for names in found.frame["antecedents"].iloc[view.kept]} == {True}
    assert 0 < len(view.kept) == int(found.reliance["models"].iloc[0])
    view.uses = ""
    column = next(iter(found.columns))
    view.column = column
    for k in view.kept.tolist():
        assert any(
            column == c.column for clause in found.result.clauses[k] for j in clause for c in problem.conditions[j]
        )
    view.column = ""
    view.model = int(view.kept[1])
    card = view.editor.hand.card()
    assert card.model == found.result.models[view.model]
    assert card.proof.objective == pytest.approx(found.result.objectives[view.model])
    assert not card.proof.proven
    table = pd.read_csv(view.models_csv())
    assert len(table) == len(view.kept)
    assert "<b>u" not in html(view, hidden=True)
    assert "% of sets" in html(view, hidden=True)
    assert len(pd.read_csv(view.antecedents_csv())) == len(found.result.rules)


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_what_is_said_of_all_sets_is_true_of_each(dataset: rl.datasets.Dataset, form: str) -> None:
    view = AlternativesView(searched(dataset, form=form), dataset, distance=0.2)
    wait_until(lambda: not view.refresh())
    counting, found = view.counting, view.found
    assert found is not None
    view.strip.open = COUNT
    assert button(counting, "Count all sets")
    assert not button(counting, "Lists by cost (CSV)")
    assert "“Count all sets” counts" in html(counting)
    view.param.update(attribute="sex", criterion="demographic_parity")
    counting.count()
    wait_until(lambda: not counting.refresh())
    problem, result = found.result.problem, found.result
    says = np.array([model.predicts_positive(problem.matrix()) for model in result.models])[:, problem.row_pattern]
    n = int(result.multiplicity.sum())
    assert counting.total.forms == n == result.n_sets
    assert status(counting).phase.startswith(f"certified: exactly {n} rule sets of rules of at most 2 conditions")
    frame = by_rules(counting.total)
    rules = pd.Series([len(model.rules) for model in result.models]).value_counts()
    assert dict(zip(frame["rules"], frame["models"], strict=True)) == rules.to_dict()
    ranges_hold(counting.ranges, says, dataset)
    wanted = agreement((result.multiplicity[:, None] * says).sum(axis=0) / n)
    assert counting.ranges.people["rows"].to_numpy() == pytest.approx(wanted)
    assert 0 < wanted[0] < 1
    for part in ("Models by number of rules", "How far the sets agree", "over all models", "over all sets"):
        assert part in html(counting)
    assert view.found is found
    view.close()


@pytest.fixture
def part(dataset: rl.datasets.Dataset, monkeypatch: pytest.MonkeyPatch):
    """A view that shows three models of more."""
    monkeypatch.setattr(alternatives, "EFFORTS", ((3, 60.0, 10**9),))
    view = AlternativesView(searched(dataset), dataset, distance=0.2)
    wait_until(lambda: not view.refresh())
    assert not view.found.result.complete  # type: ignore[union-attr]
    yield view
    view.close()


def test_sets_beyond_those_that_are_shown_are_counted(view: AlternativesView, part: AlternativesView) -> None:
    counting, whole = part.counting, view.found
    assert status(part).phase.startswith("not complete (as many models as were asked for)")
    counting.count()
    wait_until(lambda: not counting.refresh())
    assert counting.total.result.complete
    assert counting.total.forms == whole.result.n_sets  # type: ignore[union-attr]


@pytest.mark.long
def test_sets_that_are_not_all_found_are_at_least_so_many(part: AlternativesView, monkeypatch) -> None:
    monkeypatch.setattr("rulelab.views.alternatives.counting.MOST_SETS", 3)
    counting = part.counting
    counting.count()
    wait_until(lambda: not counting.refresh())
    assert not counting.total.result.complete
    assert status(counting).phase.startswith("not complete: at least ")
    assert counting.ranges is None
    assert "What is true of all sets is known when all are counted" in html(counting)


def test_lists_come_after_sets(view: AlternativesView, dataset: rl.datasets.Dataset) -> None:
    view.strip.open = COUNT
    view.take(lambda report: Prepared(rl.RuleListSearch(problem_of(dataset), 0.02)))
    wait_until(lambda: not view.refresh())
    assert (view.strip.names, view.strip.open) == ([TOGETHER, MADE_OF, BUILD, COUNT], COUNT)
    assert status(view).phase.startswith("certified complete: ")
    view.strip.open = TOGETHER
    assert button(view, "Explorer (HTML)")


# fairer lists than the best one: what is said to be least is, and each point can be edited ----------------------------
def list_search(dataset: rl.datasets.Dataset) -> rl.RuleListSearch:
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
    view = show(list_search(dataset), dataset)
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
    search = rl.RuleSetSearch(list_search(dataset).problem, max_complexity=4, max_conditions=2, form=form)
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
    assert FAIRER not in show(list_search(dataset), None).strip.names


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
