"""A server that is asked to end while a search runs: the run is kept, and the log names it."""

import asyncio
import re
import signal
from pathlib import Path

import pytest
from _visitor import Visitor
from patience import PATIENCE
from servers import in_a_thread, served

import rulelab as rl

pytestmark = pytest.mark.long
QUERY = "?data=compas&max_conditions=2&regularization=0.0001&time_limit=600&speed=full+speed"


def test_a_run_that_was_going_is_kept(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    with served("--store", str(store), state=tmp_path) as server:

        async def lesson() -> None:
            visitor = Visitor(server.port, QUERY, keeps=True)
            await visitor.open()
            watching = asyncio.create_task(visitor.watch())
            await visitor.press_run()
            while "lower bound" not in "".join(visitor.told[1:]):
                await asyncio.sleep(0.1)
            server.process.send_signal(signal.SIGTERM)
            await watching
            assert "This server is being stopped" in "".join(visitor.told)

        in_a_thread(asyncio.wait_for(lesson(), PATIENCE))
        assert server.process.wait(PATIENCE) == 0
        (ended,) = [line for line in server.written.splitlines() if "a run has ended" in line]
    assert re.search(r' run="\w{12}" end="stopped"', ended)
    with rl.store.open(store) as opened:
        (run,) = opened.runs()
        assert run.lower_bound > 0
        assert opened.model(run).rules
