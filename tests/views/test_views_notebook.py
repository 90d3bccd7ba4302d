"""Views in a notebook: what a real kernel leaves there, with and without a page that asks, and who watches them."""

import base64
import gzip
import logging
import os
import re
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import panel as pn
import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager
from live import made, recorded
from patience import PATIENCE, wait_until
from places import ROOT

import rulelab as rl
from rulelab.views.live.state import State
from rulelab.views.search.figures import curves_svg


class Page:
    """Runs cells and holds what they show, by name where it has one; ``asks``: whether it is a page of a browser."""

    def __init__(self, connection_file: str, asks: bool = True) -> None:
        self.client = BlockingKernelClient(connection_file=connection_file)
        self.client.load_connection_file()
        self.client.start_channels()
        self.client.wait_for_ready(PATIENCE)
        self._metadata = {"cellId": "a"} if asks else {}
        self.shown: dict[str, str] = {}
        self.changes = 0  # of what was shown before

    def run(self, code: str) -> str:
        """Run a cell; what it has printed."""
        asked = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        return self._tell("execute_request", asked, self._metadata)

    def open(self, target: str) -> str:
        """Open a connection, as the page does once it shows a view; its name."""
        comm = uuid.uuid4().hex
        self._tell("comm_open", {"comm_id": comm, "target_name": target, "data": {}})
        return comm

    def say(self, comm: str, events: list[dict[str, Any]]) -> None:
        """Tell the kernel what has happened in a view."""
        data = {"header": {"msgid": "1", "msgtype": "PATCH-DOC"}, "metadata": {}, "content": {"events": events}}
        self._tell("comm_msg", {"comm_id": comm, "data": {**data, "_buffers": {}}})

    def _tell(self, kind: str, content: dict[str, Any], metadata: dict[str, Any] | None = None) -> str:
        message = self.client.session.msg(kind, content, metadata=metadata)
        self.client.shell_channel.send(message)
        printed = ""
        while True:
            told = self.client.get_iopub_msg(timeout=PATIENCE)
            if told["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            kind, said = told["msg_type"], told["content"]
            assert kind != "error", "\n".join(said["traceback"])
            if kind == "stream":
                printed += said["text"]
            elif kind in ("display_data", "update_display_data", "execute_result"):
                self.changes += kind == "update_display_data"
                data = said["data"]
                name = said.get("transient", {}).get("display_id") or told["header"]["msg_id"]
                self.shown[name] = data.get("application/javascript", "") + data.get("text/html", "")
            elif kind == "status" and said["execution_state"] == "idle":
                return printed


@contextmanager
def kernel(folder: Path) -> Iterator[str]:
    """One that runs for the ``with`` block; the file that says how to come to it."""
    manager = KernelManager(connection_file=str(folder / "kernel.json"))
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    manager.start_kernel(env=os.environ | {"PYTHONPATH": path, "IPYTHONDIR": str(folder)}, cwd=str(folder))
    try:
        yield manager.connection_file
    finally:
        manager.shutdown_kernel(now=True)


# views ----------------------------------------------------------------------------------------------------------------
NASTY = '<img src=x onerror="alert(1)">'
PROBLEM = f"""
import numpy as np
import rulelab as rl

rng = np.random.default_rng(3)
A = rng.random((80, 5)) < 0.5
y = (A[:, :3].sum(axis=1) >= 2) ^ (rng.random(80) < 0.1)
problem = rl.Problem.from_arrays(A, y, names=[{NASTY!r}, *"bcde"])
"""
TREE = """
search = rl.RuleListSearch(problem, 0.002, beam_width=0)
search.advance(3)
view = rl.views.TreeView(search)
view
"""
PREFIX = "view.prefix = view.path(int(search.tree()['node'].iloc[1]))"
AGAIN, PRICE = "Run this cell again", "price of the rules"


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with kernel(tmp_path_factory.mktemp("kernel")) as file:
        yield file


def all_with(page: Page, text: str) -> set[str]:
    """The names of the outputs that have a text."""
    return {name for name, shown in page.shown.items() if text in shown}


def one_with(page: Page, text: str) -> str:
    (name,) = all_with(page, text)
    return name


def script(page: Page) -> str:
    """What shows the view, once the page has its parts."""
    found = re.search(r'take_view\("[^"]+", "([^"]+)"', page.shown[one_with(page, "take_view(")])
    return gzip.decompress(base64.b64decode(found[1])).decode()


def opened(page: Page) -> str:
    """The connection of the view, which the page opens when it shows it."""
    return page.open(re.search(r'client_comm_id\\*":\\*"(\w+)', script(page))[1])


@pytest.mark.long
def test_what_only_the_page_needs_leaves_the_notebook_when_the_browser_speaks(connection: str) -> None:
    page = Page(connection)
    page.run(PROBLEM + TREE)
    output, needed = one_with(page, "take_view("), all_with(page, 'take_part("')
    assert needed, "long texts are handed over once for all views"
    assert AGAIN in page.shown[output], "where no browser comes, this is what is seen"
    assert sum(len(page.shown[name]) for name in (output, *needed)) < 800_000
    before = set(page.shown)
    opened(page)
    assert set(page.shown) == before
    assert [name for name in (*needed, output) if page.shown[name]] == [output]
    assert sum(map(len, page.shown.values())) < 200_000, "the libraries, too, but for what Panel asks a browser"
    for text, there in ((AGAIN, True), ("<rect", True), ("<script", False), (NASTY, False)):
        assert (text in page.shown[output]) is there, text
    changes = page.changes
    page.run("1")
    assert page.changes == changes, "nothing has changed"
    page.run(PREFIX)
    assert page.changes == changes + 1
    assert PRICE in page.shown[output]
    before = page.shown[output]
    page.run("search.advance(2)")
    assert page.shown[output] != before, "it follows a search that a cell went on with"
    page.shown.clear()
    page.run("rl.views.TreeView(search)")
    assert not all_with(page, 'take_part("'), "the page has them"
    assert sum(map(len, page.shown.values())) < 100_000
    other = Page(connection)
    other.run("rl.views.TreeView(search)")
    assert needed.isdisjoint(other.shown)
    assert len(all_with(other, 'take_part("')) == len(needed), "a page that is loaded again"


@pytest.mark.long
def test_where_no_page_asks_the_last_state_alone_stays(connection: str) -> None:
    program = Page(connection, asks=False)
    program.run(PROBLEM + TREE)
    output = one_with(program, AGAIN)
    assert "<script" not in program.shown[output]
    assert sum(map(len, program.shown.values())) < 100_000
    program.run(PREFIX)
    assert PRICE in program.shown[output]
    assert "<script" not in program.shown[output]


@pytest.mark.long
def test_no_beat_falls_into_what_the_browser_says(connection: str) -> None:
    page = Page(connection)
    page.run(
        """
import threading
import panel as pn
from rulelab.views import notebook

class Own(notebook.NotebookViewer):
    def __init__(self):
        super().__init__()
        self._layout = pn.Row(pn.widgets.Button(label="Press", on_click=heard))

beaten, early = threading.Event(), []

def heard(event):
    threading.Thread(target=notebook.one_at_a_time(beaten.set)).start()
    early.append(beaten.wait(0.2))

Own()
"""
    )
    (button,) = re.findall(r'"name\\*":\\*"[\w.]*Button\\*",\\*"id\\*":\\*"([\w-]+)', script(page))
    press = {"type": "event", "name": "button_click", "values": {"type": "map", "entries": [["model", {"id": button}]]}}
    page.say(opened(page), [{"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": press}])
    assert page.run(f"print(early, beaten.wait({PATIENCE}))") == "[False] True\n"


def problem() -> rl.Problem:
    return made(PROBLEM)["problem"]


class Held(logging.Handler):
    """Keeps who writes into the log until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.may_go_on = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        assert self.may_go_on.wait(PATIENCE)


def test_what_was_told_to_stop_is_looked_at_until_it_has(by_hand, caplog: pytest.LogCaptureFixture) -> None:
    view, held = rl.views.SearchView(rl.RuleListSearch(problem(), 0.02, beam_width=0)), Held()
    view.step()
    wait_until(lambda: view.session.state is State.PAUSED)
    wait_until(lambda: not by_hand.beat())
    assert view.status is State.PAUSED
    caplog.set_level(logging.INFO, "rulelab")
    logging.getLogger("rulelab").addHandler(held)  # to which it says that it has ended
    view.stop()
    assert by_hand.beat(), "what is shown is not yet how it ends"
    assert view.status is State.PAUSED
    held.may_go_on.set()
    wait_until(lambda: view.session.state is State.STOPPED)
    assert not by_hand.beat()
    assert view.status is State.STOPPED
    view.close()


def test_a_search_view_is_watched_and_leaves_curves() -> None:
    view = rl.views.Replay(recorded(rl.RuleListSearch(problem(), 0.02, beam_width=0), work_per_step=1))
    seen: list[object] = []
    watched = pn.bind(lambda status, model: seen.append((status, model)), view.param.status, view.param.model)
    view.refresh()
    watched()
    assert view.model is view.snapshot.incumbent.model
    assert view.status.over
    assert seen[-1] == (view.status, view.model)
    still = view.still()
    assert "<svg" in still
    assert "certified optimal" in still
    assert NASTY not in still
    view.close()


def test_curves_end_where_the_run_ended() -> None:
    assert curves_svg([]) == ""
    snapshots = list(rl.RuleListSearch(problem(), 0.02, beam_width=0).steps(work_per_step=1))
    svg = curves_svg(snapshots * 200)
    assert svg.count("<path") == 2
    assert len(svg) < 60_000
    assert f"{snapshots[-1].incumbent.objective:.6g}" in svg
