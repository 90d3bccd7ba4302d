"""A log that nobody reads holds up nobody."""

import io
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from patience import PATIENCE, wait_until
from servers import ROOT, Served, free_port, listens

from rulelab.views.serving.logs import Writing


def record(text: str) -> logging.LogRecord:
    return logging.LogRecord("rulelab", logging.INFO, "", 0, text, None, None)


class Held(io.StringIO):
    """A stream that takes nothing until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.free, self.asked = threading.Event(), threading.Event()

    def write(self, text: str) -> int:
        self.asked.set()
        assert self.free.wait(PATIENCE)
        return super().write(text)


def test_what_finds_no_room_is_left_out_and_counted() -> None:
    out = Held()
    handler = Writing(out, 3)
    handler.handle(record("first"))
    assert out.asked.wait(PATIENCE)
    for k in range(10):
        handler.handle(record(str(k)))
    out.free.set()
    wait_until(lambda: "7 events were left out" in out.getvalue())
    assert out.getvalue().splitlines()[:-1] == ["first", "0", "1", "2"]
    handler.handle(record("last"))
    handler.flush()
    assert out.getvalue().splitlines()[-1] == "last"


def test_a_log_whose_reader_is_gone_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        handler = Writing(stream)
        for k in range(3):
            handler.handle(record(str(k)))
            handler.flush()
        assert handler.queue.empty()


@pytest.mark.long
def test_a_server_whose_log_nobody_reads_answers_and_ends(tmp_path: Path) -> None:
    port = free_port()
    environment = os.environ | {"XDG_STATE_HOME": str(tmp_path), "RULELAB_WARMING": "0"}
    command = [sys.executable, "-m", "rulelab", "serve", "--port", str(port), "--store", "none"]
    nowhere, unread = subprocess.DEVNULL, subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=nowhere, stderr=unread) as process:
        try:
            wait_until(lambda: listens(port) or process.poll() is not None, 0.1)
            server = Served(port, process, io.BytesIO())
            for _ in range(60):
                assert server.ask(f"/{'x' * 4000}").status == 404  # each a line of the log; a pipe holds 64 kB
            assert server.ask("/").status == 200
            process.terminate()
            wait_until(lambda: process.poll() is not None, 0.1)
            assert process.returncode == 0
        finally:
            process.kill()
