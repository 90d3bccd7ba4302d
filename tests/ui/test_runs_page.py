"""Ablation and recordings, in a real browser."""

import pytest
from live import small_search
from test_search_layout import QUICK, boxes

import rulelab as rl

pytestmark = pytest.mark.ui


def test_an_ablation_is_drawn_and_a_saved_run_comes_back(visit) -> None:
    view = visit(1440, 900).open(f"?{QUICK}")
    view.page.get_by_role("tab", name="Without a bound", exact=True).click()
    view.run()
    view.button("Ablation").click()
    view.page.get_by_text("proofs, all of the same objective").wait_for()
    boxes(view)
    field = view.more().page.locator('input[accept=".rulelab"]')
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
