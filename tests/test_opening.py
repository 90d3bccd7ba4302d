"""Pages are made beside the server's loop: who has one is answered meanwhile, and what goes wrong is shown."""

from __future__ import annotations

import threading
import urllib.request

import panel as pn
import pytest
from bokeh.core.json_encoder import serialize_json
from patience import PATIENCE
from servers import served_here

pytestmark = pytest.mark.long


def get(address: str) -> str:
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return answer.read().decode()


def test_the_server_answers_while_a_page_is_made() -> None:
    begun, go_on = threading.Event(), threading.Event()
    documents = []

    def create() -> pn.viewable.Viewable:
        begun.set()
        assert go_on.wait(PATIENCE)
        documents.append(pn.state.curdoc)
        return pn.Row(pn.state.location.search)

    found: list[str] = []
    with served_here(create) as (port, loop):
        address = f"http://127.0.0.1:{port}/"
        thread = threading.Thread(target=lambda: found.append(get(f"{address}?a=1")))
        thread.start()
        assert begun.wait(PATIENCE)
        assert "Bokeh" in get(f"{address}static/js/bokeh.min.js")
        assert not found
        go_on.set()
        thread.join(PATIENCE)
        assert "<title>made</title>" in found[0]
        (document,) = documents
        assert pn.state._thread_id_[document] == loop.ident, "what changes in it is sent from the server's loop"


def test_a_page_that_cannot_be_made_says_so() -> None:
    documents = []

    def create() -> pn.viewable.Viewable:
        assert threading.current_thread().name.startswith("rulelab page")
        documents.append(pn.state.curdoc)
        raise KeyError("nothing to show")

    with served_here(create) as (port, _):
        assert "<title>" in get(f"http://127.0.0.1:{port}/")
        (document,) = documents
        assert "nothing to show" in serialize_json(document.to_json())
