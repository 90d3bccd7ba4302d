"""A server with the page, and a real Chromium to look at it."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE, wait_until
from servers import free_port
from visits import Visit, answers, workers

import rulelab as rl

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--js-flags=--single-threaded",  # all processors have tests to run: a tenth of the browser's time less
)
UNUSED_SECONDS = 3


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What uses the browser is long, and not only slow: an event loop runs in its thread until all tests have ended."""
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """Address of the page, served from a thread of this process; kernels are compiled before."""
    data = rl.datasets.load("tic_tac_toe")
    antecedents = rl.mine_antecedents(rl.Binarizer().fit_transform(data.X), max_conditions=2)
    problem = rl.Problem.from_antecedents(antecedents, data.y)
    for width in (0, 2):
        rl.solve(rl.RuleListSearch(problem, beam_width=width), work_limit=3)
    port = free_port()
    thread = rl.views.serve(
        port=port,
        threaded=True,
        unused_session_lifetime_milliseconds=1000 * UNUSED_SECONDS,
        check_unused_sessions_milliseconds=200,
    )
    base = f"http://127.0.0.1:{port}/"
    wait_until(lambda: answers(base), 0.1)
    yield base
    thread.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The system's Chromium, the lighter one without windows where there is one; a build machine must have it."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("no chromium was found on this build machine")
        pytest.skip("no chromium was found; install it to run the browser tests")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(CHROMIUM_OPTIONS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def context(chromium: Any) -> Any:
    """One browser profile for most tests, so that the page's files are fetched once; sessions are separate anyway."""
    return chromium.new_context()


@pytest.fixture
def visit(server: str, chromium: Any, context: Any) -> Iterator[Callable[..., Visit]]:
    """Opens pages; afterwards they are closed, their workers have ended, and the browser remembers nothing of them."""
    pages = []

    def make(width: int = 1360, height: int = 900, **options: Any) -> Visit:
        pages.append((chromium.new_context(**options) if options else context).new_page())
        pages[-1].set_default_timeout(1000 * PATIENCE)
        pages[-1].set_viewport_size({"width": width, "height": height})
        return Visit(pages[-1], server)

    yield make
    for page in pages:
        if not page.is_closed() and page.url.startswith(server):
            page.evaluate("localStorage.clear()")  # the pages of all tests have one cache, and so one store
        page.close()
    wait_until(lambda: not workers(), 0.05)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """The file in which the pages of a test keep their runs, and what is pinned."""
    rl.views.keep_runs(rl.store.open(tmp_path / "runs.sqlite"))
    yield tmp_path / "runs.sqlite"
    rl.views.keep_runs(None)
