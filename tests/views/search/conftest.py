"""Views of searches, whose workers end after the test."""

from collections.abc import Callable, Iterator

import pytest
from live import small_search
from patience import PATIENCE

import rulelab as rl
from rulelab.views.search.view import SearchView


@pytest.fixture
def show() -> Iterator[Callable[..., SearchView]]:
    """Makes views, by default of a small search, at full speed."""
    made: list[SearchView] = []

    def make(search: rl.Search | None = None, **options: object) -> SearchView:
        if search is None and "new_session" not in options:
            search = small_search()
        made.append(SearchView(search, **{"speed": "full speed", **options}))
        return made[-1]

    yield make
    for view in made:
        view.close()
        view.session.join(PATIENCE)
