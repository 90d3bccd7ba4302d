"""Whether in figures ticks do not collide, legends cover nothing that is drawn, and words around them no others."""

import itertools
from typing import Any

from visits import script
from words import words_are_clear

FIGURES = script("figures")


def overlap(one: list[float], other: list[float], by: float = 1.0) -> bool:
    return min(one[2], other[2]) - max(one[0], other[0]) > by and min(one[3], other[3]) - max(one[1], other[1]) > by


def figures_are_clear(page: Any) -> set[str]:
    """Look at every figure in sight; their names."""
    page.wait_for_function("Bokeh.documents[0].is_idle")
    page.wait_for_timeout(400)
    found = page.evaluate(FIGURES)
    assert max(sum(bool(one["text"]) for one in labels) for each in found for labels in each["ticks"]) > 2
    for each in found:
        for labels in each["ticks"]:
            inside = sorted((one for one in labels if one["text"]), key=lambda one: one["from"])
            for one, other in itertools.pairwise(inside):
                assert one["to"] <= other["from"] + 1, (each["name"], one, other)
        for legend in each["legends"]:
            for part in (each["frame"], *each["axes"]):
                assert not overlap(legend, part), (each["name"], "the legend covers a part", legend, part)
            assert legend[0] >= -1, (each["name"], "the legend is cut off")
            assert legend[2] <= each["width"] + 1, (each["name"], "the legend is cut off")
    return {each["name"] for each in found}


def each_plot_is_clear(view: Any, plots: dict[str, str]) -> None:
    """Look at all plots of a run, of which one at a time is seen, by their names, and at the words around them."""
    for tab, name in plots.items():
        view.page.get_by_role("tab", name=tab, exact=True).click()
        view.page.get_by_role("figure", name=name).wait_for()
        assert {name, "Objective and lower bound"} <= figures_are_clear(view.page)
        words_are_clear(view.page)
