"""Sessions of a search that exists already, such as one in a notebook."""

from __future__ import annotations

from collections.abc import Callable

from ...search import Search
from ..live.prepared import Prepared
from ..live.recipe import without_fairness
from ..live.session import SearchSession
from .families import look_of


class Repeated:
    """Sessions of one search: the first runs the search itself, the later ones run it from the beginning."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._used = False

    def __call__(self) -> SearchSession:
        return SearchSession(self._prepare, look=look_of(self._search))

    def _prepare(self, report: Callable[[str], None]) -> Prepared:
        report("starting")
        search = self._search
        if self._used:
            search = type(search)(search.problem, **search.parameters)
        self._used = True
        return Prepared(search, unconstrained=without_fairness(search, report))
