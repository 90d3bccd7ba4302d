"""The page in a browser behind a reverse proxy, below a path: nginx as the book sets it up, where it is installed."""

from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE, wait_until
from proxies import WAYS, Way
from servers import free_port, listens, served
from visits import Visit

pytestmark = pytest.mark.ui


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_search_is_certified_through_a_proxy(way: Way, chromium: Any, tmp_path: Path) -> None:
    port = free_port()
    options = ("--prefix", "/lab", "--origin", f"127.0.0.1:{port}", "--store", str(tmp_path / "runs"))
    with served(*options, state=tmp_path) as server, way(port, server.port, tmp_path):
        wait_until(lambda: listens(port), 0.1)
        page = chromium.new_context().new_page()
        page.set_default_timeout(1000 * PATIENCE)
        visit = Visit(page, f"http://127.0.0.1:{port}/lab/").open("?data=tic_tac_toe&regularization=0.02")
        visit.run("certified")
        assert [url for url in visit.requests if url.startswith("ws:")]
        assert not visit.foreign()
        assert not visit.console
        page.close()
