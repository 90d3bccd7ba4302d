"""The count of all near-optimal lists on the page, against the lists one by one."""

from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
import panel as pn
import pytest
from good_rows import agreement, ranges_hold
from live import button, field, html, only, seen, status
from patience import wait_until
from test_alternatives import searched

import rulelab as rl
from rulelab.views.alternatives.counting import count_all
from rulelab.views.alternatives.good import find
from rulelab.views.alternatives.parts import Builder, GoodList
from rulelab.views.alternatives.view import BUILD, COUNT, FAIRER, MADE_OF, TOGETHER, AlternativesView
from rulelab.views.live.job import Progress
from rulelab.views.live.prepared import Prepared
from rulelab.views.live.wording import count


@pytest.fixture
def view(dataset: rl.datasets.Dataset, show: Any) -> AlternativesView:
    made = show(searched(dataset), dataset)
    made.strip.open = COUNT
    return made


def counted(view: AlternativesView) -> Any:
    view.counting.count()
    wait_until(lambda: not view.counting.refresh())
    return view.counting


def test_the_count_is_that_of_the_lists_and_ranges_hold_all_of_them(
    view: AlternativesView, dataset: rl.datasets.Dataset
) -> None:
    counting = view.counting
    assert counting.total is None
    assert "“Count all lists” counts" in html(counting)
    view.param.update(attribute="sex", criterion="demographic_parity")
    counted(view)
    found = view.found
    assert counting.total.result.n_lists == found.result.n_lists
    many = count(found.result.n_lists)
    assert status(counting).phase.startswith(f"certified: exactly {many} rule lists of any length")
    problem = found.result.problem
    pattern = problem.row_pattern

    def says(lists: list[tuple[int, ...]]) -> np.ndarray:
        models = (rl.RuleList.from_problem(problem, one) for one in lists)
        return np.array([model.predicts_positive(problem.matrix()) for model in models])[:, pattern]

    ranges_hold(counting.ranges, says(found.result.lists), dataset)
    columns = counting.ranges.columns
    for chosen in islice(counting.total.result.lists(), 0, None, 20):
        left, decided = np.ones(len(dataset.X), dtype=bool), dict.fromkeys(columns.index, 0.0)
        for j in chosen:
            hit = left & problem.matrix()[pattern, j].astype(bool)
            decided[problem.conditions[j][0].column] += hit.mean()
            left &= ~hit
        for name, share in decided.items():
            assert columns.loc[name, "least"] - 1e-12 <= share <= columns.loc[name, "most"] + 1e-12
    every = list(counting.total.result.lists())
    assert len(every) == counting.total.result.n_lists
    assert counting.ranges.people["rows"].to_numpy() == pytest.approx(agreement(says(every).mean(axis=0)))
    table = pd.read_csv(counting.lists_csv())
    assert table["lists"].sum() == found.result.n_lists
    for part in (
        "Lists by number of rules",
        "How far the lists agree",
        "Use of each column",
        "Differences between groups",
    ):
        assert part in html(counting)
    assert "<b>u" not in html(counting)


def test_another_attribute_counts_nothing_again_and_a_new_find_forgets_the_count(view: AlternativesView) -> None:
    counting = counted(view)
    total = counting.total
    assert counting.ranges.gaps is None
    view.attribute = "sex"
    wait_until(lambda: not counting.refresh())
    assert counting.total is total
    assert len(counting.ranges.gaps) == 1  # b has fewer than 30 positives
    view.criterion = "equalized_odds"
    wait_until(lambda: not counting.refresh())
    assert "false positive rate" in html(counting)
    view.distance = 0.1
    wait_until(lambda: not view.refresh())
    assert counting.total is None
    assert status(counting).phase == ""
    assert counted(view).total.result.n_lists == view.found.result.n_lists  # type: ignore[union-attr]


def test_the_tab_shows_one_thing_at_a_time(view: AlternativesView) -> None:
    for name in view.strip.names:
        view.strip.open = name
        shown = {type(part) for part in seen(view)} | {id(part) for part in seen(view)}
        parts = {
            TOGETHER: id(only(view, GoodList)),
            MADE_OF: id(button(view, "Antecedents (CSV)")),
            FAIRER: id(field(view.fairer, "Groups by")),
            BUILD: Builder,
            COUNT: id(pn.panel(view.counting)),
        }
        assert [each for each, part in parts.items() if part in shown] == [name]
        assert pn.panel(view.editor) in seen(view), "the chosen model stands beside all of them"


def test_a_count_cut_short_says_what_is_certain(dataset: rl.datasets.Dataset) -> None:
    found = find(lambda report: Prepared(searched(dataset)), Progress(), 0.5, 3, 60.0)
    total = count_all(found, 60.0, Progress())
    assert total.result.complete
    stopped = Progress()
    stopped.cancel()
    for seconds, progress, why in ((1e-9, Progress(), "the time limit"), (60.0, stopped, "it was stopped")):
        part = count_all(found, seconds, progress)
        if not part.result.complete:  # else it was done before it could be stopped
            assert part.counted.startswith(f"not complete ({why}): at least ")
        assert part.result.n_lists <= total.result.n_lists
