"""In no plot of a run do ticks collide, no legend covers what is drawn, and no words others: wide and on a phone."""

import pytest
from figures import each_plot_is_clear
from words import unclear_words_are_found

pytestmark = pytest.mark.ui


def test_the_plots_of_lists_are_clear(visit) -> None:
    view = visit(1440, 900).open("?data=tic_tac_toe&regularization=0.02")
    view.more().page.get_by_label("Speed").select_option("full speed")
    view.run()
    plots = {"Bounds": "Prefixes cut, by bound", "Tree": "Search tree"}
    for width, height in ((1440, 900), (390, 844)):
        view.page.set_viewport_size({"width": width, "height": height})
        each_plot_is_clear(view, plots)
    view.field("Data set").wait_for()
    place = view.page.get_by_text("CSV, Excel or Parquet, at most")
    place.scroll_into_view_if_needed()
    unclear_words_are_found(view.page, place.bounding_box()["x"], place.bounding_box()["y"])
