"""The views in a real JupyterLab and Notebook: updates arrive, the buttons work, the worker ends with the kernel."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE, wait_until
from visits import Visit

pytestmark = pytest.mark.ui

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {
    "JUPYTER_CONFIG_DIR": "config",
    "JUPYTER_DATA_DIR": "data",
    "JUPYTER_RUNTIME_DIR": "runtime",
    "JUPYTERLAB_SETTINGS_DIR": "settings",
    "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    "IPYTHONDIR": "ipython",
}
NO_NEWS = {"@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False}}
OPTIONS = (
    "--no-browser",
    "--allow-root",
    "--ip=127.0.0.1",
    "--port=0",
    "--IdentityProvider.token=",
    "--LabApp.extension_manager=readonly",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.news_url=None",
)
GRACE = min(30.0, PATIENCE)
"""Seconds in which the server of notebooks may end by itself; how it ends is not tested here."""
IDLE = ".jp-Notebook-ExecutionIndicator[data-status=idle]"
HOSTS = {"jupyterlab": "lab/workspaces/{0}/tree/{0}.ipynb", "notebook": "notebooks/{0}.ipynb"}
"""The programs, and where each shows a notebook by itself: a workspace opens again what was open in it."""
NOTEBOOK = """
import os
from pathlib import Path

import rulelab as rl

Path("kernel").write_text(str(os.getpid()))
data = rl.datasets.load("breast_cancer")
conditions = rl.Binarizer(thresholds=10).fit_transform(data.X)
problem = rl.Problem.from_antecedents(rl.mine_antecedents(conditions, max_conditions=1), data.y)
view = rl.views.SearchView(rl.RuleListSearch(problem, regularization=0.001, beam_width=0), axis="work")
view
"""


PLOTS = """
import rulelab as rl

rl.plots.extension()
search = rl.RuleListSearch(rl.Problem.from_arrays([[0, 1], [1, 1], [1, 0], [0, 0]] * 5, [0, 1, 1, 0] * 5), 0.1)
rl.plots.cuts(rl.solve(search))
"""


def gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def address(runtime: Path) -> str | None:
    """Where the server is, as soon as it has said so in full."""
    for about in runtime.glob("jpserver-*.json"):
        with suppress(ValueError):
            return json.loads(about.read_text())["url"]
    return None


@pytest.fixture(scope="module")
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Where one of its own shows notebooks, which knows nothing of the user's settings, and their folder."""
    pytest.importorskip(request.param)
    tmp_path = tmp_path_factory.mktemp(request.param)
    for folder in (*FOLDERS.values(), "work"):
        (tmp_path / folder).mkdir()
    for name, settings in NO_NEWS.items():
        path = tmp_path / "settings" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(settings))
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    for name, code in (("watch", NOTEBOOK), ("plots", PLOTS)):
        cell = {"cell_type": "code", "source": code.strip(), "metadata": {}, "outputs": [], "execution_count": None}
        notebook = {"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 4}
        (tmp_path / "work" / f"{name}.ipynb").write_text(json.dumps(notebook))
    environment = os.environ | {name: str(tmp_path / folder) for name, folder in FOLDERS.items()}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", request.param, *OPTIONS, f"--ServerApp.root_dir={tmp_path / 'work'}"],
            cwd=tmp_path / "work",
            env=environment,
            stdout=log,
            stderr=log,
        )
    try:
        wait_until(lambda: process.poll() is not None or address(tmp_path / "runtime"))
        assert process.poll() is None, (tmp_path / "log").read_text()
        yield f"{address(tmp_path / 'runtime')}{HOSTS[request.param]}", tmp_path / "work"
    finally:
        process.terminate()
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(PATIENCE)


@pytest.fixture
def visit_lab(lab: tuple[str, Path], chromium: Any) -> Iterator[Visit]:
    context = chromium.new_context(viewport={"width": 1400, "height": 1300})
    context.route(re.compile(r"^https?://(?!127\.0\.0\.1)"), lambda route: route.abort())
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    # On a busy machine it asks which kernel to take, before its own has begun: as a reader would, take what it offers.
    page.add_locator_handler(page.locator(".jp-Dialog"), lambda shown: shown.locator(".jp-mod-accept").click())
    yield Visit(page, re.match(r"https?://[^/]+/", lab[0]).group())
    context.close()


def run_cell(page: Any) -> None:
    """Run the first cell; a page that is still being made takes no keys."""
    page.locator(IDLE).first.wait_for()
    begun = page.locator(".jp-InputPrompt", has_text=re.compile(r"[*\d]")).first
    end = time.monotonic() + PATIENCE
    while not begun.count():
        assert time.monotonic() < end
        page.locator(".jp-Notebook .jp-CodeCell").first.click()
        page.keyboard.press("Control+Enter")
        for _ in range(30):
            if not begun.count():
                page.wait_for_timeout(100)


def plotted(page: Any) -> float:
    """The units of work up to which the plots are drawn."""
    return page.evaluate(
        """() => {
            const models = Bokeh.documents.flatMap(document => [...document._all_models.values()])
            const curves = models.filter(model => model.type === "ColumnDataSource" && model.data.work?.length)
            return Math.max(0, ...curves.map(model => model.data.work.at(-1)))
        }"""
    )


def rests(view: Visit) -> bool:
    """Whether nothing is expanded for a while in which a search that goes on expands thousands."""
    before = view.expanded
    view.page.wait_for_timeout(1000)
    return view.expanded == before


@pytest.mark.parametrize("lab", ["jupyterlab"], indirect=True)
def test_a_search_is_watched(lab: tuple[str, Path], visit_lab: Visit, tmp_path: Path) -> None:
    (notebooks, work), view, page = lab, visit_lab, visit_lab.page
    page.goto(notebooks.format("watch"))
    run_cell(page)
    view.button("Step").wait_for()
    assert "ready" in view.status
    kernel = int((work / "kernel").read_text())
    assert not gone(kernel)

    for done in (1, 2, 3):
        view.button("Step").click()
        view.until(lambda done=done: "expanded" in view.counts and view.expanded == done)
    view.until_status("paused")
    view.until(lambda: plotted(page) == 3)
    view.more().page.get_by_label("Speed").select_option("full speed")
    view.button("Run").click()
    view.until(lambda: view.expanded > 1000)
    view.until(lambda: plotted(page) > 1000)
    assert page.locator("table.rules tbody tr").count() >= 2, "the list is shown while the search goes on"
    view.button("Pause").click()
    view.until_status("paused")
    view.until(lambda: rests(view))
    before = view.expanded
    view.button("Step").click()
    view.until(lambda: view.expanded == before + 1)
    view.button("Run").click()
    view.until(lambda: view.expanded > before + 1000)
    assert not gone(kernel), "the search is in the kernel, which still works on it"
    page.screenshot(path=tmp_path / "jupyterlab.png")
    view.more().button("Stop").click()
    view.until_status("stopped")
    assert page.locator(".rl-still:visible").count() == 0
    page.locator(".rl-still", has_text="stopped: ").wait_for(state="attached")  # the kernel has handed it over

    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_role("menuitem", name="Shut Down Kernel", exact=True).click()
    wait_until(lambda: gone(kernel))
    page.keyboard.press("Control+s")
    saved = work / "watch.ipynb"
    wait_until(lambda: "stopped: " in saved.read_text())
    assert saved.stat().st_size < 1_000_000
    assert view.foreign() == []
    assert [line for line in view.console if "Bokeh" in line or "Panel" in line] == []

    lasts, html = left_in(saved)
    assert "Run this cell again" in html
    assert "stopped" in html
    assert "expanded" in html
    assert "<svg" in html
    assert not [output for output in lasts if "application/javascript" in output.get("data", {})]
    later = page.context.new_page()
    later.set_content(html)
    later.locator(".rl-still:visible").get_by_text("stopped: ").wait_for(timeout=1000 * PATIENCE)


def left_in(saved: Path) -> tuple[list[dict[str, Any]], str]:
    """The outputs of the first cell of a saved notebook, and what is HTML of them."""
    outputs = json.loads(saved.read_text(encoding="utf-8"))["cells"][0]["outputs"]
    return outputs, "".join(line for output in outputs for line in output.get("data", {}).get("text/html", ""))


@pytest.mark.parametrize("lab", ["notebook"], indirect=True)
def test_plots_are_drawn_and_leave_a_small_notebook_with_a_picture(lab: tuple[str, Path], visit_lab: Visit, tmp_path):
    (notebooks, work), page = lab, visit_lab.page
    page.goto(notebooks.format("plots"))
    run_cell(page)
    page.locator(".bk-Figure canvas").first.wait_for(state="attached")
    page.wait_for_function("Bokeh.documents.some(document => document.is_idle)")
    assert page.locator("[class^=rl-picture]:visible").count() == 0
    page.screenshot(path=tmp_path / "plots.png")
    page.keyboard.press("Control+s")
    saved = work / "plots.ipynb"
    wait_until(lambda: "rl-picture" in saved.read_text())
    assert saved.stat().st_size < 300_000
    assert visit_lab.foreign() == []

    _, html = left_in(saved)
    later = page.context.new_page()
    later.set_content(html)
    picture = later.locator("[class^=rl-picture] img")
    assert picture.is_visible()
    assert picture.evaluate("image => image.naturalWidth > 100")
