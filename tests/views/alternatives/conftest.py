"""Views of alternatives, which are closed again."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from good_rows import data
from patience import PATIENCE, wait_until

import rulelab as rl
from rulelab.views.alternatives import view as alternatives
from rulelab.views.alternatives.view import AlternativesView


@pytest.fixture(scope="module")
def dataset() -> rl.datasets.Dataset:
    return data()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found at once does not depend on who else computes."""
    efforts = tuple((most, max(seconds, PATIENCE), size) for most, seconds, size in alternatives.EFFORTS)
    monkeypatch.setattr(alternatives, "EFFORTS", efforts)


@pytest.fixture
def show() -> Iterator[Callable[[Any, rl.datasets.Dataset], AlternativesView]]:
    """Shows the alternatives of a search, once they are found."""
    made = []

    def shown(search: Any, dataset: rl.datasets.Dataset) -> AlternativesView:
        view = AlternativesView(search, dataset, distance=0.2)
        made.append(view)
        wait_until(lambda: not view.refresh())
        return view

    yield shown
    for view in made:
        view.close()
