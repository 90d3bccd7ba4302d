"""In no plot of a run do ticks collide, and no legend covers what is drawn: wide and on a phone."""

from __future__ import annotations

from typing import Any

import pytest
from figures import figures_are_clear

pytestmark = [pytest.mark.ui, pytest.mark.long]


def each_plot(view: Any, plots: dict[str, str]) -> None:
    """Look at all plots of a run, of which one at a time is seen, by their names."""
    for tab, name in plots.items():
        view.page.get_by_role("tab", name=tab, exact=True).click()
        view.page.get_by_role("figure", name=name).wait_for()
        assert {name, "Objective and lower bound"} <= figures_are_clear(view.page)


def test_the_plots_of_lists_are_clear(visit) -> None:
    view = visit(1440, 900).open("?data=tic_tac_toe&regularization=0.02")
    view.page.get_by_label("Speed").select_option("full speed")
    view.button("Run").click()
    view.until_status("certified optimal")
    for width, height in ((1440, 900), (390, 844)):
        view.page.set_viewport_size({"width": width, "height": height})
        each_plot(view, {"Queue": "Queue by prefix length", "Bounds": "Prefixes cut, by bound", "Tree": "Search tree"})
