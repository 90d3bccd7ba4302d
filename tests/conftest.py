"""Fixtures for all tests."""

import gc
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Generator, Iterator
from itertools import islice
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

settings.register_profile("rulelab", deadline=None)
settings.load_profile("rulelab")
_SETTINGS = "_hypothesis_internal_use_settings"
_QUICK = "tried_on_a_part_of_its_examples"
_QUICK_SHARE = 10
_QUICK_LEAST = 5

gc.set_threshold(20_000, 20, 50)  # looking for cycles among all that the tests import took a fifth of their time
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts what runs in its background
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("SCIPY_ARRAY_API", "1")  # before scipy is imported: scikit-learn's checks include it
os.environ.setdefault("RULELAB_WARMING", "0")  # no process beside every worker of the tests that shows a view
os.environ["RULELAB_HOME"] = os.path.join(tempfile.gettempdir(), "rulelab-tests")  # not what the user has kept

ROOT = Path(__file__).resolve().parents[1]
sys.path.extend(str(path) for path in sorted((ROOT / "tests").rglob("*/")))  # helpers are imported by bare names
SHARED = ROOT.parent / "shared"
NO_SKIP = os.environ.get("RULELAB_NO_SKIP") == "1"
"""Whether a skipped test counts as a failure: where all that the tests need is said to be there."""


def pytest_configure(config: pytest.Config) -> None:
    """Before tests run side by side, kernels are compiled side by side: else every worker compiles all of them."""
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        commands = [
            [sys.executable, "-c", f"from rulelab import warming; warming.{part}()"] for part in ("lists", "others")
        ]
        for process in [subprocess.Popen(command, cwd=ROOT) for command in commands]:
            process.wait()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder beside the project with real data, benchmark instances and oracles."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the folder ../shared with data, instances and oracles is not there")
    return SHARED


@pytest.fixture(scope="session")
def instances(shared: Path) -> ModuleType:
    """The module that builds the benchmark instances with certified optima."""
    import _measure

    return _measure.needed_instances()


@pytest.fixture(scope="session")
def node() -> str:
    path = shutil.which("node")
    if path is None:
        pytest.skip("no node was found; install Node.js to test the scripts")
    return path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[object]:
    """Runs that are kept in ``runs.sqlite``."""
    import rulelab

    with rulelab.store.open(tmp_path / "runs.sqlite") as out:
        yield out


@pytest.fixture(autouse=True)
def log_as_before() -> Iterator[None]:
    """A test that begins the log of the server ends with it: threads of later tests write to no stream of this one."""
    loggers = [logging.getLogger(name) for name in ("", "rulelab", "panel", "bokeh", "tornado")]
    before = [(each, each.handlers[:], each.propagate, each.level) for each in loggers]
    excepthook = threading.excepthook
    yield
    for each, handlers, propagate, level in before:
        each.handlers[:], each.propagate = handlers, propagate
        each.setLevel(level)
    threading.excepthook = excepthook
    logging.captureWarnings(False)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes are not named by what they hold: a compressed file holds the time at which the tests were collected."""
    return argname if isinstance(val, bytes) else None


def quick(thorough: settings) -> settings:
    """Of the examples of a property a part, the same ones each time."""
    few = max(_QUICK_LEAST, thorough.max_examples // _QUICK_SHARE)
    return settings(thorough, max_examples=min(few, thorough.max_examples), derandomize=True, database=None)


HEAVY = {"house", "papers", "serving", "ui"}
"""Folders of tests that take many seconds each, or wait for a browser."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each worker begins with its share of what is heavy, so that at the end all have something short to take over.

    A worker is given tests that follow each other, as many as each other worker, and when it is done takes some from
    the end of what another has left.
    """
    heavy, light = [], []
    for item in items:
        (heavy if item.path.parent.name in HEAVY else light).append(item)
    heavy.sort(key=lambda item: "peers" not in getattr(item, "fixturenames", ()))  # minutes, in one test
    workers, total, rest = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")), len(items), iter(light)
    items.clear()
    for k in range(workers):
        share, mine = (total - len(items)) // (workers - k), heavy[k::workers]
        items += [*mine, *islice(rest, max(0, share - len(mine)))]


_cases: Counter[str] = Counter()
"""How many cases of a test were collected."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Without the long tests, properties are tried on a few examples; with them (``-m long``) on all."""
    if share := item.get_closest_marker("few"):
        name = item.nodeid.partition("[")[0]
        if _cases[name] % share.args[0]:
            item.add_marker("long")
        _cases[name] += 1
    marked_here = item.get_closest_marker("long") is not None
    long_too = "not long" not in item.config.getoption("markexpr")
    function = getattr(item, "obj", None)
    thorough = getattr(function, _SETTINGS, None)
    if thorough is None or marked_here:
        return
    if long_too:
        item.add_marker("long")
    elif not hasattr(function, _QUICK):
        setattr(function, _SETTINGS, quick(thorough))
        setattr(function, _QUICK, True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    needs_shared = "shared" in getattr(item, "fixturenames", ()) or item.get_closest_marker("shared") is not None
    excused = needs_shared and not (SHARED / "data").is_dir()
    if NO_SKIP and report.skipped and not hasattr(report, "wasxfail") and not excused:
        _fail(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if NO_SKIP and report.skipped:
        _fail(report)
    return report


def _fail(report: pytest.TestReport | pytest.CollectReport) -> None:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    report.outcome = "failed"
    report.longrepr = f"no test may be skipped here (RULELAB_NO_SKIP=1), but this one was: {reason}"
