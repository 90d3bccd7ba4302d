"""The views in a real marimo: they ask no network for anything, and the buttons work."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version
from patience import PATIENCE, wait_until
from servers import free_port, listens
from visits import Visit

pytest.importorskip("marimo")
pytestmark = [pytest.mark.ui, pytest.mark.long]

ROOT = Path(__file__).resolve().parents[2]
KNOWN = Version(version("panel")) < Version("1.10")
"""marimo calls what Panel 1.10 has changed, which is said in place of the view."""
NOTEBOOK = """
import marimo

app = marimo.App()


@app.cell
def _():
    import rulelab as rl

    data = rl.datasets.load("breast_cancer")
    conditions = rl.Binarizer(thresholds=10).fit_transform(data.X)
    problem = rl.Problem.from_antecedents(rl.mine_antecedents(conditions, max_conditions=1), data.y)
    view = rl.views.SearchView(rl.RuleListSearch(problem, regularization=0.001, beam_width=0), axis="work")
    view
    return


if __name__ == "__main__":
    app.run()
"""


def _run_all(page: Any) -> None:
    """Run the cells that have not been run; before the kernel is there, the button does nothing."""
    button = page.get_by_test_id("run-button").last
    button.wait_for()
    end = time.monotonic() + PATIENCE
    while not page.get_by_text("ready: press Run").count():
        assert time.monotonic() < end
        button.click()
        page.wait_for_timeout(2000)


@pytest.fixture(params=["run", "edit"])
def visit_marimo(request: pytest.FixtureRequest, chromium: Any, tmp_path: Path) -> Iterator[Visit]:
    """A marimo of its own, in which the notebook has been opened."""
    (tmp_path / "watch.py").write_text(NOTEBOOK)
    port = free_port()
    environment = os.environ | {
        "HOME": str(tmp_path),
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, "-m", "marimo", "-q", request.param, "watch.py"]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [*command, "--headless", "--no-token", "--host=127.0.0.1", f"--port={port}"],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    context = chromium.new_context(viewport={"width": 1400, "height": 1300})
    context.route(re.compile(r"^https?://(?!127\.0\.0\.1)"), lambda route: route.abort())
    try:
        wait_until(lambda: process.poll() is not None or listens(port))
        assert process.poll() is None, (tmp_path / "log").read_text()
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        visit = Visit(page, f"http://127.0.0.1:{port}/")
        page.goto(visit.base)
        if request.param == "edit":
            _run_all(page)
        yield visit
    finally:
        context.close()
        process.terminate()
        process.wait(PATIENCE)


def test_a_search_is_watched_in_marimo(visit_marimo: Visit, tmp_path: Path) -> None:
    visit, page = visit_marimo, visit_marimo.page
    if not KNOWN:
        page.get_by_text("does not show what Panel").first.wait_for()
        page.get_by_text("ready: press Run, or Step").first.wait_for()
        return
    visit.button("Step").wait_for()
    visit.until_status("ready")
    for done in (1, 2, 3):
        visit.button("Step").click()
        visit.until(lambda done=done: "expanded" in visit.status and visit.expanded == done)
    page.get_by_label("Speed").select_option("full speed")
    visit.button("Run").click()
    visit.until(lambda: visit.expanded > 1000)
    visit.button("Pause").click()
    visit.until_status("paused")
    assert page.locator("table.rules tbody tr").count() >= 2
    label = page.locator("label", has_text="Speed").bounding_box()
    assert label["height"] < 20, "the design's style sheet is there, which makes labels small"
    page.screenshot(path=tmp_path / "marimo.png")
    visit.button("Stop").click()
    visit.until_status("stopped")
    assert [address for address in visit.foreign() if "panel" in address or "bokeh" in address] == []
