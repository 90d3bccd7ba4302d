"""Many good models, and the chosen one edited, in a real browser."""

import re
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE
from test_explorer import hostile_page
from visits import Visit
from words import broken_words

from rulelab.rule_list.near_optimal.prefix_graph import PrefixGraph

pytestmark = pytest.mark.ui

QUICK = "?tab=Alternatives&data=tic_tac_toe&regularization=0.02&max_conditions=1&distance=0.05"


FAIREST = """() => {
  const view = [...Bokeh.index].map((root) => root).flatMap(function all(v) {
    return [v, ...(v.children ? [...v.children()].flatMap(all) : [])]
  }).find((v) => v.model.type === "Figure" && v.el.getAttribute("aria-label") === "Least gap by accuracy")
  const points = view.model.renderers.find((r) => r.data_source?.data.said).data_source.data
  const { left, top } = view.el.getBoundingClientRect()
  return [left + view.frame.x_scale.compute(points.x[0]), top + view.frame.y_scale.compute(points.y[0])]
}"""
"""The place of the least accurate of the fairer lists."""


def found(view: Visit, query: str = QUICK) -> None:
    view.page.goto(view.base + query)
    view.button("Run the search").click()
    view.until_all_are_found()
    view.page.get_by_role("figure", name="Models by accuracy").first.wait_for()


def line(view: Visit, k: int) -> Any:
    """The line of the list in a place."""
    return view.page.get_by_role("table", name="Good models", exact=True).locator("tbody tr").nth(k)


def test_good_models_are_found_chosen_and_pinned_and_a_list_is_built_rule_by_rule(visit) -> None:
    view = visit(1280, 720)
    page = view.page
    page.goto(view.base + QUICK)
    view.button("Run the search").wait_for()
    assert page.get_by_role("figure").filter(visible=True).count() == 0, "nothing is drawn before there is something"
    found(view)
    status = page.get_by_label("Your list", exact=True)
    status.get_by_text("as good as the certified optimum").wait_for()
    line(view, 2).get_by_role("button").press("Enter")
    status.get_by_text(re.compile(r"above the certified optimum.* still within 5\s% of it")).wait_for()
    view.until(lambda: line(view, 2).get_by_role("button").get_attribute("aria-pressed") == "true")
    for seen in (status, page.get_by_role("list", name="Rules"), view.button("Undo")):
        box = seen.bounding_box()
        assert box["y"] < 720, "what is chosen stands beside the pictures"
    page.get_by_label("Rules, at most").select_option("3")
    page.get_by_text(re.compile(r"^\d+ of \d+ models$")).wait_for()
    page.get_by_label("Rules, at most").select_option("(any number)")
    view.button("Diverse four").click()
    page.get_by_text(re.compile(r"^4 of \d+ models$")).wait_for()
    view.pin()
    page.get_by_role("tab", name="Build a list").click()
    page.get_by_text(re.compile(r"^Each of these 74 lists costs at most 0\.32602; ")).wait_for()
    page.set_viewport_size({"width": 1024, "height": 720})
    words, broken = broken_words(page, ".builder .take", r"\w+")
    assert words > 5
    assert broken == []
    page.set_viewport_size({"width": 1280, "height": 720})
    build(page)
    page.get_by_label("Your list", exact=True).get_by_text("as good as the certified optimum").wait_for()
    assert (view.console, view.foreign()) == ([], [])


def test_fairer_lists_are_found_when_they_are_looked_for_and_one_is_edited(visit) -> None:
    view = visit(1280, 720)
    found(view, "?tab=Alternatives&data=compas&max_conditions=1&thresholds=3&sensitive=sex")
    page = view.page
    page.get_by_role("tab", name="Fairer ones").click()
    page.get_by_text(re.compile("^(not )?certified at .*: the least gap in equal opportunity by sex")).wait_for()
    dots = page.get_by_role("figure", name="Least gap by accuracy")
    dots.wait_for()
    page.wait_for_function("Bokeh.documents[0].is_idle")
    status = page.get_by_label("Your list", exact=True)
    before, (x, y) = status.inner_text(), page.evaluate(FAIREST)
    page.mouse.click(x, y)
    view.until(lambda: status.inner_text() != before)
    assert view.console == []


def test_a_finger_on_the_matrix_chooses_a_model(visit) -> None:
    view = visit(390, 844, has_touch=True, color_scheme="dark")
    found(view)
    page = view.page
    page.get_by_role("tab", name="What they are made of").tap()
    status = page.get_by_label("Your list", exact=True)
    before = status.inner_text()

    def tapped() -> bool:
        """Whether one of some places of the picture chooses another model than the one that is chosen."""
        picture = page.get_by_role("figure", name="Antecedents of the models").first
        picture.scroll_into_view_if_needed()
        box = picture.bounding_box()
        for across in (0.5, 0.6, 0.7, 0.8):
            for down in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7):
                page.touchscreen.tap(box["x"] + across * box["width"], box["y"] + down * box["height"])
                page.wait_for_timeout(100)
                if status.inner_text() != before:
                    return True
        return False

    assert tapped()
    view.keep.tap()
    page.get_by_text("pinned as A").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert view.console == []


def test_all_sets_are_counted_with_their_ranges_and_a_set_is_edited(visit) -> None:
    view = visit(390, 844)
    page = view.page
    found(view, "?tab=Alternatives&family=rule_set&data=tic_tac_toe&max_complexity=5&max_conditions=2&distance=0.1")
    page.get_by_role("tab", name="Count all").click()
    view.button("Count all sets").click()
    table = page.get_by_role("table", name="Use of each column")
    table.wait_for()
    assert table.locator("tbody tr").count() > 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("tab", name="All together").click()
    table.wait_for(state="hidden")
    status = page.get_by_label("Your list", exact=True)
    status.get_by_text("as good as the certified optimum").wait_for()
    page.get_by_role("button", name=re.compile("^Take .* out of rule 1$")).first.click()
    status.get_by_text(re.compile("above the certified optimum")).wait_for()
    assert (view.console, view.foreign()) == ([], [])


def build(page: Any) -> None:
    """Choose the best rule again and again until a list can end, with the keyboard alone; then take the end."""
    next_rules = page.get_by_role("region", name="What can come next")
    remain = page.get_by_role("status").filter(has_text=re.compile("^(To begin with|After)"))
    page.get_by_label("Find a condition").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    remain.get_by_text("After 1 rule").wait_for()
    page.keyboard.press("Backspace")
    remain.get_by_text("To begin with").wait_for()
    for k in range(1, 4):
        next_rules.locator("button").first.press("Enter")
        remain.get_by_text(f"After {k} rule").wait_for()
    next_rules.get_by_role("button", name=re.compile("^end here")).click()
    page.get_by_text("No list costs less: this is proven.").wait_for()


@pytest.mark.parametrize(("width", "height", "scheme"), [(1280, 720, "dark"), (390, 844, "light")])
def test_the_file_needs_no_server(chromium: Any, tmp_path: Path, width: int, height: int, scheme: Any) -> None:
    text, graph = hostile_page()
    (tmp_path / "explorer.html").write_text(text, encoding="utf-8")
    context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, offline=True)
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    view = Visit(page, "file:")
    page.goto((tmp_path / "explorer.html").as_uri())
    page.get_by_text(re.compile("^To begin with ")).wait_for()
    check_offers(page, graph, [])
    best = int(graph.choices().index[0])
    next_rules = page.get_by_role("region", name="What can come next")
    next_rules.get_by_role("button", name=re.compile("^if ")).first.click()
    check_offers(page, graph, [best])
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert (view.console, view.dialogs, view.foreign()) == ([], [], [])
    context.close()


def check_offers(page: Any, graph: PrefixGraph, prefix: list[int]) -> None:
    """The browser counts what Python counts."""
    rows = page.get_by_role("region", name="What can come next").locator("tbody tr")
    cells = [re.split(r"\t|\n", row) for row in rows.all_inner_texts()]
    offered = [row for row in cells if not row[0].startswith("end here")]
    wanted = graph.choices(prefix)
    head = "else if " if prefix else "if "
    names_and_numbers = [[head + row.name, f"{row.models}", f"{row.lists}"] for row in wanted.itertuples()]
    assert [[row[0], *row[-2:]] for row in offered] == names_and_numbers
    assert [float(row[2]) for row in offered] == pytest.approx(wanted["slack"].tolist(), abs=0.51e-4)
