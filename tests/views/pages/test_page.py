"""The page without a browser: which tabs are made, what the address asks for, how files are sent."""

import asyncio
import gc
import gzip
import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote_plus
from weakref import WeakSet

import panel as pn
import pytest
from _visitor import watching
from bokeh.document import Document
from live import finish, status
from panel.io.state import set_curdoc
from patience import PATIENCE, wait_until
from servers import in_a_thread, served_here
from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine

from rulelab.views.forms.address import Address, Part
from rulelab.views.forms.family_settings import Sentence
from rulelab.views.live.session import OPEN, SearchSession
from rulelab.views.pages import tabs
from rulelab.views.pages.page import Look, page
from rulelab.views.pages.page import page as whole_page
from rulelab.views.pages.tabs import TABS, Tabs
from rulelab.views.search.view import SearchView
from rulelab.views.serving.guarded import Compressed
from rulelab.views.widgets.browser import Strip


@pytest.fixture
def made(monkeypatch) -> list[str]:
    """Names of the tabs in the order in which they are made."""
    names: list[str] = []

    def noted(name, make):
        def noting(address):
            names.append(name)
            return make(address)

        return noting

    monkeypatch.setattr(tabs, "TABS", {name: noted(name, make) for name, make in tabs.TABS.items()})
    return names


def test_only_the_tab_that_is_open_is_made(made) -> None:
    page = tabs.Tabs(Address())
    assert made == []
    page.strip.open = "Search"
    assert made == ["Search"]
    page.strip.open = "Learn"
    page.tab = "Search"
    page.tab = "Learn"
    assert made == ["Search", "Learn"]
    made.clear()
    asked = tabs.Tabs(Address("?tab=Search&data=tic_tac_toe"))
    assert made == ["Search"]
    assert (asked.strip.open, asked.made("Search").setup.table.data) == ("Search", "tic_tac_toe")


def test_the_speed_and_the_axis_are_in_the_address_and_the_axis_is_log_work_unless_asked() -> None:
    shown: list[tuple[str, bool]] = []
    view = tabs.SearchTab(Address("", lambda *what: shown.append(what))).view
    assert view.axis == "log work"
    view.param.update(speed="full speed", axis="time")
    query = shown[-1][0]
    assert "full" in query
    assert "axis=time" in query
    again = tabs.SearchTab(Address(query)).view
    assert (again.speed, again.axis) == ("full speed", "time")
    for each in (view, again):
        each.close()


def test_the_strip_knows_whose_content_stands_on_the_page_and_going_back_opens_the_tab_before() -> None:
    shown: list[tuple[str, bool]] = []
    address = Address("", lambda *what: shown.append(what))
    page, said = tabs.Tabs(address), []
    compare = next(each for each in page.body if each.name == "Compare")
    page.strip.param.watch(lambda event: said.append((event.new, compare.visible)), "shown")
    assert page.strip.shown == page.strip.open == page.tab
    page.tab = "Compare"
    assert said == [("Compare", True)]
    assert shown == [("?tab=Compare", True)]
    assert address.go("") == []
    assert page.strip.open == page.tab == ""
    assert len(shown) == 1


def test_a_page_has_the_models_of_one_tab() -> None:
    document = Document()
    with set_curdoc(document):
        whole_page().server_doc(document)
    names = [model.html_attributes.get("aria-label") for model in document.models if hasattr(model, "html_attributes")]
    assert set(tabs.TABS) <= set(names)
    assert not any(type(model).__name__ == "FileDownload" for model in document.models), "they come with a model"
    assert len(document.models) < 290, "each one costs the server some 3 ms at every opening"


def test_the_theme_is_in_the_address_where_it_is_not_the_system_s() -> None:
    shown: list[tuple[str, bool]] = []
    look = Look(system=True)
    Address("", lambda *what: shown.append(what)).follow(Part(look, ["theme"]))
    assert look.dark
    look.dark = False
    look.dark = True
    assert shown == [("?theme=default", False), ("", False)]
    look.system = False
    assert not look.dark


def _sent(
    path: str, chunks: list[bytes], etag: str, accepted: str = "gzip", size: int | None = None
) -> tuple[HTTPHeaders, bytes]:
    line = RequestStartLine("GET", path, "HTTP/1.1")
    request = HTTPServerRequest(start_line=line, headers=HTTPHeaders({"Accept-Encoding": accepted, "Host": "a"}))
    transform = Compressed(request)
    length = sum(map(len, chunks)) if size is None else size
    headers = HTTPHeaders({"Content-Type": "text/javascript", "Etag": etag, "Content-Length": str(length)})
    _, headers, body = transform.transform_first_chunk(200, headers, chunks[0], False)
    return headers, body + b"".join(transform.transform_chunk(c, c is chunks[-1]) for c in chunks[1:])


def test_files_are_compressed_once_and_arrive_whole() -> None:
    chunks, others = [b"first " * 500, b"second " * 500, b""], [b"others " * 500, b""]
    name, partly, data = (f'"{uuid.uuid4()}"' for _ in range(3))
    for sent in (chunks, others):
        headers, body = _sent("/static/js/a.js", sent, name)
        assert gzip.decompress(body) == b"".join(chunks), "as it was kept, by its name"
        assert headers["Content-Encoding"] == "gzip"
        assert "max-age" in headers["Cache-Control"]
    assert headers["Content-Length"] == str(len(body))
    assert _sent("/static/js/a.js", chunks, name, "identity")[1] == b"".join(chunks)
    for sent in (chunks, others):
        assert gzip.decompress(_sent("/data", sent, data)[1]) == b"".join(sent), "what is no file of the page"
    _sent("/static/js/a.js", [chunks[0], b""], partly, size=sum(map(len, chunks)))  # somebody fetched a part
    assert gzip.decompress(_sent("/static/js/a.js", chunks, partly)[1]) == b"".join(chunks)


@pytest.mark.long
def test_it_stands_in_other_pages_and_may_be_the_search_alone() -> None:
    below = whole_page(simple=True, header=False)
    strips = below.select(Strip)
    assert isinstance(below, pn.Column)
    assert [each.caption for each in strips] == ["Why"], "no names of tabs, but of what is seen of the search"
    assert "Parts of the page" in [each.caption for each in whole_page(header=False).select(Strip)]
    assert whole_page().header, "a page of its own has a bar"
    assert not whole_page(simple=True).header


@pytest.mark.parametrize(
    ("asked", "tab"),
    [("?tab=Learn", "Search"), ("?tab=Compare", "Search"), ("?tab=Alternatives&room=a", "Alternatives")],
)
def test_the_search_alone_opens_no_tab_that_one_cannot_leave(asked: str, tab: str) -> None:
    assert tabs.Tabs(Address(asked), simple=True).tab == tab


@pytest.mark.parametrize("tab", ["Alternatives", "Compare"])
def test_tabs_that_answer_the_question_say_it_and_lead_to_it(tab: str) -> None:
    page = tabs.Tabs(Address(f"?tab={tab}&data=breast_cancer&regularization=0.02"))
    asked = page.made("Search").setup
    (shown,) = page.body.select(lambda each: isinstance(each, Sentence) and each is not asked.sentence)
    assert shown.parts == asked.sentence.parts
    asked.choose(max_length=2)
    assert shown.parts == asked.sentence.parts
    assert ["2", "Rules, at most"] in shown.parts
    shown.open = True
    assert (page.tab, asked.sentence.open, shown.open) == ("Search", True, False)


# what closed pages leave behind: no document, view, run or worker; whichever tab was open, also in mid-run ------------
SEARCH = "?data=tic_tac_toe&max_conditions=2&regularization=0.0001&time_limit=600&speed=full+speed"


PARTS = (Document, Tabs, SearchView, SearchSession)


@contextmanager
def only_what_is_new() -> Iterator[None]:
    """What is there already is not looked through at every collection, which takes long after many tests."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def parts() -> WeakSet[Any]:
    """What each page has one of, at least."""
    return WeakSet(found for found in gc.get_objects() if type(found) in PARTS)


async def lesson(port: int) -> WeakSet[Any]:
    """A page with a search that has shown something, and one of each other tab; all are closed at once."""
    others = [f"?tab={quote_plus(name)}" for name in list(TABS)[1:]]
    async with watching(port, [SEARCH, *others]) as visitors, asyncio.timeout(PATIENCE):
        await visitors[0].press_run()
        while not any(run.snapshot is not None for run in list(OPEN)):
            await asyncio.sleep(0.05)
        seen = parts()
    assert {type(each) for each in seen} == set(PARTS)
    assert len(seen) > 2 * len(others)
    return seen


@pytest.mark.long
def test_closed_pages_leave_nothing_behind(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "panel")  # what is logged of an event is kept, and holds its page
    lifetime = {"unused_session_lifetime_milliseconds": 300, "check_unused_sessions_milliseconds": 100}
    with only_what_is_new(), served_here(page, **lifetime) as (port, _):
        seen = in_a_thread(lesson(port))

        def gone() -> bool:
            gc.collect()
            return not seen

        wait_until(gone, 0.2)
    wait_until(lambda: not any(run.alive for run in list(OPEN)))


def test_what_was_found_is_marked_while_something_else_is_asked_and_current_again_after_that() -> None:
    page = tabs.Tabs(Address("?tab=Search&data=tic_tac_toe&max_conditions=1&regularization=0.02"))
    search, alternatives = page.made("Search"), page.made("Alternatives").view
    finish(search.view)
    wait_until(lambda: not alternatives.refresh() and alternatives.found is not None)
    for name, other in (("regularization", 0.05), ("data", "breast_cancer"), ("max_length", 2)):
        owner = search.setup.table if name == "data" else search.setup.settings
        own = getattr(owner, name)
        setattr(owner, name, other)
        search.view.refresh()
        for said in (status(search.view).phase, status(alternatives).phase):
            assert said.startswith("With the earlier settings: certified"), name
        assert status(alternatives.editor).phase.startswith("With the earlier settings: as good")
        setattr(owner, name, own)
        search.view.refresh()
        for said in (status(search.view).phase, status(alternatives).phase):
            assert said.startswith("certified"), name
    finish(search.view)
    assert status(search.view).phase.startswith("certified")
