"""Kept runs in a real browser: kept, found again after a reload and elsewhere, renamed, deleted and brought back."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from patience import PATIENCE, wait_until
from servers import free_port
from visits import Visit, answers

import rulelab as rl

pytestmark = pytest.mark.ui
APP = Path(__file__).resolve().parents[2] / "apps" / "dashboard.py"
HOSTILE = "<img src=x onerror=alert(1)>"


_LIST_CHANGES = """() => Bokeh.documents.some((document) => [...document._all_models.values()].some((model) => {
  if (!model.rows?.[0]?.hash) { return false }
  model.rows = model.rows.map((row) => ({ ...row, said: `${row.said} ` }))
  return true
}))"""


def test_a_run_lasts(visit, place: Path) -> None:
    view = visit().open("?data=tic_tac_toe&max_conditions=1&regularization=0.02")
    page = view.page
    view.run()
    view.until(lambda: "run=" in page.url)
    objective = view.status.split("objective")[-1].split()[0]
    page.reload()
    view.until_status("Kept run, rule list of tic_tac_toe: certified optimal")
    assert objective in view.status

    elsewhere = visit(390, 844).open("?" + page.url.split("?")[1].split("&")[-1])  # nothing but the run
    elsewhere.until_status("Kept run, rule list of tic_tac_toe: certified optimal")
    view.until(lambda: "data=tic_tac_toe" in elsewhere.page.url)
    assert elsewhere.too_wide() == []

    page.get_by_role("tab", name="Compare").click()
    drawer = page.get_by_role("tabpanel", name="Compare")
    item = drawer.get_by_role("region", name="Models").locator("tbody tr")
    item.get_by_role("button", name="Rename").click()
    page.keyboard.type(HOSTILE[:5])
    assert page.evaluate(_LIST_CHANGES)
    page.keyboard.type(HOSTILE[5:])
    page.keyboard.press("Enter")
    drawer.get_by_text(HOSTILE, exact=True).wait_for()
    with page.expect_download() as download:
        drawer.get_by_role("button", name="Export zip").click()
    with rl.store.open(place.with_name("other.sqlite")) as other:
        assert [run.name for run in other.take(Path(download.value.path()))] == [HOSTILE]
    drawer.get_by_role("button", name="Delete").click()
    drawer.get_by_role("button", name="Undo").wait_for()
    view.until(lambda: item.count() == 0)
    drawer.get_by_role("button", name="Undo").click()
    view.until(lambda: item.count() == 1)
    item.get_by_role("checkbox").check()
    drawer.get_by_text("pinned as A").first.wait_for()
    view.until(lambda: item.count() == 1 and item.locator("b").inner_text() == "A")  # one model is one row
    view.until(lambda: "pins=" in page.url)
    again = visit(768, 1024)
    again.page.goto(f"{again.base}?tab=Compare&pins={page.url.split('pins=')[1][:16]}")
    again.page.get_by_text("From a kept run").first.wait_for()
    for each in (view, elsewhere, again):
        assert (each.foreign(), each.dialogs) == ([], [])


def test_the_app_for_panel_serve_keeps_runs_where_it_is_told(chromium, tmp_path: Path) -> None:
    port = free_port()
    place, base = tmp_path / "runs.sqlite", f"http://127.0.0.1:{port}/dashboard"
    command = [sys.executable, "-m", "panel", "serve", str(APP), "--address=127.0.0.1", f"--port={port}"]
    command.append(f"--allow-websocket-origin=127.0.0.1:{port}")
    with (tmp_path / "log").open("w") as log:
        served = subprocess.Popen(command, env={**os.environ, "RULELAB_STORE": str(place)}, stdout=log, stderr=log)
    page = chromium.new_page()
    try:
        wait_until(lambda: served.poll() is not None or answers(base), 0.2)
        assert served.poll() is None, (tmp_path / "log").read_text()
        page.set_default_timeout(1000 * PATIENCE)
        view = Visit(page, base)
        for _ in range(2):  # the second visitor finds the same store
            view.open("?data=tic_tac_toe&max_conditions=1&regularization=0.02")
            view.run()
            view.until(lambda: "run=" in page.url)
        with rl.store.open(place) as store:
            assert {run.data for run in store.runs()} == {"tic_tac_toe"}
    finally:
        page.close()
        served.terminate()
        served.wait(PATIENCE)
