"""The command line for tests: in this process, or in one of its own."""

import csv
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from patience import PATIENCE
from places import ROOT

from rulelab.cli import commands


def dashed(name: str) -> str:
    """A name as it is written there."""
    return name.replace("_", "-")


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Its status, and what it prints on both streams."""
    try:
        status = commands.main(list(map(str, arguments)))
    except SystemExit as stop:
        status = int(stop.code or 0)
    out, err = capsys.readouterr()
    return status, out, err


def output_of(capsys: pytest.CaptureFixture[str], *arguments: object, status: int = 0) -> tuple[str, str]:
    """What it prints on both streams where it ends with this status, which is checked."""
    ended, out, err = run(capsys, *arguments)
    assert ended == status, err
    return out, err


def refused(capsys: pytest.CaptureFixture[str], said: str, *arguments: object, told: bool = False) -> str:
    """What it prints where it refuses: one line on the one stream, which says why, and nothing on the other.

    Where something is ``told`` of the data before, there are more lines.
    """
    status, out, err = run(capsys, *arguments)
    assert (status, out, told or err.count("\n") == 1) == (2, "", True), err
    assert said in err
    return err


def refusals(where: str, **meant: Iterable[object]) -> list[tuple[tuple[str, ...], str]]:
    """Words that commands refuse, and what they say then; some words stand for others that are ``meant``."""
    with (ROOT / "tests" / "cli" / "refusals.csv").open(encoding="utf-8") as file:
        rows = [(shlex.split(row["words"]), row["said"]) for row in csv.DictReader(file) if row["where"] == where]
    return [(tuple(str(each) for word in words for each in meant.get(word, (word,))), said) for words, said in rows]


def python(*arguments: str, cwd: Path = ROOT, **variables: str) -> str:
    """What an interpreter of its own prints, which must end well."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "RULELAB_WARMING": "0"} | variables
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, timeout=PATIENCE, check=False, cwd=cwd
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def start(*arguments: object) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "rulelab", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
