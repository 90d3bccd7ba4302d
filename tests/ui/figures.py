"""Whether in figures ticks do not collide, legends cover nothing that is drawn, and words around them no others."""

import itertools
from typing import Any

from words import words_are_clear

FIGURES = """() => {
  const found = []
  const box = (b) => [b.left, b.top, b.right, b.bottom]
  const look = (view) => {
    if (view.model.type === "Figure" && view.el.getBoundingClientRect().height > 0) {
      const axes = [...view.model.below, ...view.model.left].map((axis) => view.views.find_one(axis))
        .filter((axis) => axis && axis.model.type.endsWith("Axis") && axis.model.visible)
      const ticks = axes.map((axis) => {
        const at = axis.tick_coords.major, along = axis.dimension
        const graphics = axis.compute_labels(at[along]).items
        const [xs, ys] = axis.coordinates.map_to_screen(at[0], at[1])
        return graphics.map((each, i) => {
          if ("text" in each) { each.text = `${each.text}` }  // a formatter may give a number
          each.visuals = axis.visuals.major_label_text.values()
          const { width, height } = each.size()
          const middle = along ? ys[i] : xs[i], half = (along ? height : width) / 2
          return { text: each.text ?? "", from: middle - half, to: middle + half }
        })
      })
      const { above, below, left, right, center } = view.model
      const legends = [...above, ...below, ...left, ...right, ...center]
        .filter((each) => each.type === "Legend" && each.visible && each.items.some((item) => item.visible))
        .map((each) => box(view.views.find_one(each).bbox))
      const { width, height } = view.el.getBoundingClientRect()
      found.push({ name: view.el.getAttribute("aria-label") ?? view.model.title?.text ?? "", ticks, legends,
        frame: box(view.frame.bbox), axes: axes.map((axis) => box(axis.bbox)), width, height })
    }
    for (const child of view.children ? view.children() : []) { look(child) }
  }
  for (const root of Bokeh.index) { look(root) }
  return found
}"""


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
