"""Whatever happens to the bytes of a results file: what is sound is kept, nothing else is used, the rest is told."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from patience import PATIENCE
from test_sweep import DATA, TIMES, jobs_of, people

import rulelab as rl
from rulelab.sweeps import Result, SweepError, SweepWarning
from rulelab.sweeps.keys import reuse
from rulelab.sweeps.results_file import ResultsFile, sealed, unsealed

GRID = {"regularization": [0.02, 0.1], "max_conditions": [1]}


class Written:
    """A sweep's file and what is in it."""

    def __init__(self, path: Path, data: Any = DATA) -> None:
        self.sweep = rl.sweep(data, grid=GRID, cv=3, results=path)
        assert self.sweep.wait(PATIENCE)
        self.text = path.read_bytes()
        self.lines = self.text.splitlines(keepends=True)
        self.results = {(r.point, r.fold): r for r in self.sweep.results}
        assert len(self.results) == len(self.lines) - 1 == 6


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return Written(tmp_path_factory.mktemp("sound") / "results.jsonl")


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Of other rows."""
    return Written(tmp_path_factory.mktemp("other") / "results.jsonl", people(seed=1))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged") / "results.jsonl"


def reopened(written: Written, path: Path, text: bytes) -> tuple[int, ResultsFile]:
    """Open a file with this text: nothing but what was computed is used, now and later."""
    path.write_bytes(text)
    plan, jobs = written.sweep.plan, jobs_of(written.sweep)
    with ResultsFile(path, plan.identity) as file:
        found, others = reuse(file.saved, jobs, plan.limits)
    assert not others
    for result in found:
        assert result == written.results[result.point, result.fold]
    with ResultsFile(path, plan.identity) as again:
        assert (again.damage, again.notes) == (file.damage, [])
        assert again.saved == file.saved
    assert [copy.name for copy in path.parent.iterdir()] == [path.name]
    return len(found), file


def kinds() -> st.SearchStrategy[tuple[str, float, float, int]]:
    share = st.floats(0, 1, exclude_max=True)
    names = st.sampled_from(["flip", "cut", "drop", "insert", "double", "mix", "swap", "glue"])
    return st.tuples(names, share, share, st.integers(1, 255))


def damaged(written: Written, foreign: Written, kind: str, where: float, other: float, byte: int) -> tuple[bytes, int]:
    """A text that went wrong, and how many results of it must be found at least."""
    text, lines = written.text, list(written.lines)
    at, line, second = int(where * len(text)), int(where * len(lines)), int(other * len(lines))
    n = len(lines) - 1
    if kind == "flip":
        return text[:at] + bytes([text[at] ^ byte]) + text[at + 1 :], n - 1
    if kind == "cut":
        return text[:at], max(0, text[: at + 1].count(b"\n") - 1)
    if kind == "drop":
        return text[:at] + text[at + byte :], n - text[at : at + byte].count(b"\n") - 1
    if kind == "insert":
        return text[:at] + bytes([byte] * 3) + text[at:], n - 1
    if kind == "double":
        return b"".join([*lines[: line + 1], lines[second], *lines[line + 1 :]]), n
    if kind == "mix":
        return b"".join([*lines[: line + 1], foreign.lines[second % len(foreign.lines)], *lines[line + 1 :]]), n
    if kind == "swap":
        lines[line], lines[second] = lines[second], lines[line]
        return b"".join(lines), n
    lines[line] = lines[line][: 1 + int(other * (len(lines[line]) - 2))]  # half a line, and the next one at its end
    return b"".join(lines), n - 2


@settings(max_examples=200)
@given(kinds())
def test_what_is_sound_is_kept_and_nothing_else_is_used(written, foreign, path, what):
    text, at_least = damaged(written, foreign, *what)
    found, file = reopened(written, path, text)
    assert found >= at_least
    if found < 6 and what[0] not in ("cut", "drop"):  # where whole lines are gone nothing can be noticed
        assert file.damage or file.notes


@settings(max_examples=100)
@given(st.lists(kinds(), min_size=2, max_size=5), st.binary(max_size=40))
def test_no_damage_gives_another_error_or_a_wrong_result(written, foreign, path, many, rubbish):
    now = written
    for what in many:
        if len(now.text) < 2:
            break
        text, _ = damaged(now, foreign, *what)
        now = Written.__new__(Written)
        now.text, now.lines = text, text.splitlines(keepends=True)
    message = ""
    try:
        reopened(written, path, now.text + rubbish)
    except SweepError as error:
        message = str(error)
    if message:
        assert "choose another file" in message
        assert path.read_bytes() == now.text + rubbish


def test_every_byte_of_a_line_is_checked(written):
    line, about = written.lines[1].rstrip(), b"rows"
    data = unsealed(line, about)
    assert data is None  # it belongs to something else
    small = sealed({"a": 1.5, "b": "ä"}, about)
    assert unsealed(small, about) == {"a": 1.5, "b": "ä"}
    for at in range(len(small)):
        for other in range(256):
            if other != small[at]:
                assert unsealed(small[:at] + bytes([other]) + small[at + 1 :], about) is None


@pytest.mark.parametrize("line", [0, 1, 6])
def test_a_damaged_file_is_told_of_and_the_fits_are_computed_again(written, tmp_path, line):
    path = tmp_path / "results.jsonl"
    lines = list(written.lines)
    lines[line] = lines[line].replace(b"0", b"1", 1)
    path.write_bytes(b"".join(lines))
    sound = 6 if line == 0 else 5
    said = rf"damaged in line {line + 1}; {sound} results are sound and used"
    with pytest.warns(SweepWarning, match=said) as told:
        again = rl.sweep(DATA, grid=GRID, cv=3, results=path)
    assert told[0].filename == __file__
    assert again.wait(PATIENCE)
    assert again.progress.resumed == sound
    pd.testing.assert_frame_equal(again.frame.drop(columns=TIMES), written.sweep.frame.drop(columns=TIMES))
    with pytest.warns(SweepWarning, match="damaged"):
        assert rl.sweep(DATA, grid=GRID, cv=3, results=path).progress.resumed == 6


@pytest.mark.parametrize(
    "change",
    [
        {"lower_bound": float("-inf"), "status": "limit"},
        {"objective": float("nan"), "lower_bound": None},
        {"message": "lone \udc80 surrogate\n and a line"},
    ],
)
def test_odd_values_are_kept(written, tmp_path, change: dict[str, Any]):
    result = written.sweep.results[0]
    odd = Result(**{**{name: getattr(result, name) for name in Result.__dataclass_fields__}, **change})
    path = tmp_path / "results.jsonl"
    with ResultsFile(path, written.sweep.plan.identity) as file:
        file.append(odd)
    with ResultsFile(path, written.sweep.plan.identity) as file:
        assert repr(Result.from_dict(file.saved[0], odd.point)) == repr(odd)
