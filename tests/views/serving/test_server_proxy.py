"""The page behind a reverse proxy, below a path, as the book says; and the service that it shows."""

import configparser
import json
import re
import shlex
from pathlib import Path

import pytest
from patience import wait_until
from proxies import WAYS, block
from servers import Served, free_port, listens, served

from rulelab.cli.commands import command_parser


def test_the_service_begins_a_command_that_there_is() -> None:
    unit = configparser.ConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(block("ini"))
    program, *arguments = shlex.split(unit["Service"]["ExecStart"])
    assert Path(program).name == "rulelab"
    args = command_parser().parse_args(arguments)
    assert (args.command, args.prefix) == ("serve", "/lab")
    assert int(unit["Service"]["TimeoutStopSec"]) > args.grace


@pytest.mark.long
def test_the_page_is_whole_below_a_path_of_a_proxy(tmp_path: Path) -> None:
    ports = [free_port() for _ in WAYS]
    origins = [option for port in ports for option in ("--origin", f"127.0.0.1:{port}")]
    with served("--prefix", "/lab", *origins, state=tmp_path) as server:
        for way, port in zip(WAYS, ports, strict=True):
            with way(port, server.port, tmp_path):
                outside = Served(port, server.process, server.log)
                wait_until(lambda port=port: listens(port), 0.1)
                assert json.loads(outside.ask("/lab/health").body) == {"status": "ok"}
                page = outside.ask("/lab/")
                assert page.status == 200
                assert outside.ask("/health").status in (403, 404)  # nginx shows its own page there
                files = re.findall(r'<script[^>]* src="([^"]+)"', page.body)
                assert len(files) > 3
                assert not [name for name in files if outside.ask(f"/lab/{name.lstrip('/')}").status != 200]
                token = page.body.partition('"token":"')[2].partition('"')[0]
                assert '"ACK"' in outside.connect(token, f"http://127.0.0.1:{port}", "/lab/ws")
                assert outside.connect(token, "http://evil.example", "/lab/ws") == 403
