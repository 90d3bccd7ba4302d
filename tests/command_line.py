"""The command line for tests: in this process, or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from places import ROOT

from rulelab.cli import commands


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Its status, and what it prints on both streams."""
    try:
        status = commands.main(list(map(str, arguments)))
    except SystemExit as stop:
        status = int(stop.code or 0)
    out, err = capsys.readouterr()
    return status, out, err


def output_of(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[str, str]:
    """What it prints on both streams where it ends well, which is checked."""
    status, out, err = run(capsys, *arguments)
    assert status == 0, err
    return out, err


def start(*arguments: object) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "rulelab", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
