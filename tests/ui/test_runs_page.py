"""Runs laid over each other, ablation and recordings, in a real browser."""

import pytest
from live import small_search
from test_search_layout import _WATCH, MOST_SHIFT, QUICK, boxes

import rulelab as rl

pytestmark = pytest.mark.ui

_PALE = """() => {
    for (const document of Bokeh.documents) {
        for (const model of document._all_models.values()) {
            if (model.type === "ColumnDataSource" && model.data.dash) { return Array.from(model.data.run) }
        }
    }
    return []
}"""


def test_a_second_run_lies_over_the_first_and_a_saved_one_comes_back(visit) -> None:
    view = visit(1440, 900)
    view.page.add_init_script(_WATCH)
    view.open(f"?{QUICK}")
    view.page.get_by_role("tab", name="Runs", exact=True).click()
    table = view.page.get_by_role("table", name="Runs")
    view.button("Run").click()
    view.until_status("certified optimal")
    view.until(lambda: table.locator("tr.figures").count() == 1)
    assert view.page.evaluate(_PALE) == []
    view.field("Width of the beam search").first.fill("0")
    view.page.keyboard.press("Tab")
    boxes(view)
    view.page.evaluate("window.shifts = []")
    view.button("Run").click()
    view.until(lambda: table.locator("tr.figures").count() == 2)
    boxes(view)
    assert sum(view.page.evaluate("window.shifts")) < MOST_SHIFT
    assert view.page.evaluate(_PALE) == ["1", "1"]
    assert "Width of the beam search" in table.inner_text()
    view.button("Ablation").click()
    view.page.get_by_text("proofs, all of the same objective").wait_for()
    assert table.locator("tr.figures").count() == 12
    assert len(view.page.evaluate(_PALE)) >= 16
    field = view.page.locator('input[accept=".rulelab"]')
    field.set_input_files({"name": "bad.rulelab", "mimeType": "x/y", "buffer": b"no recording"})
    view.page.get_by_text("bad.rulelab is no recording of rulelab, or damaged").wait_for()
    recording = rl.Recording(small_search())
    list(recording.steps())
    saved = recording.to_bytes()
    field.set_input_files({"name": "run.rulelab", "mimeType": "x/y", "buffer": saved})
    view.until_status("Recording run.rulelab: certified optimal")
    view.page.get_by_role("tab", name="Tree", exact=True).click()
    view.page.get_by_text("prefixes stored").first.wait_for()
    for width in (1280, 1024, 390):
        view.page.set_viewport_size({"width": width, "height": 800})
        boxes(view)
        assert view.too_wide() == []
    assert (view.foreign(), view.console) == ([], [])
