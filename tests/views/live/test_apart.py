"""Calls in a process of their own: what comes back, what is raised, and that no process outlives its call."""

import operator
import os
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest
from patience import PATIENCE

from rulelab.datasets import DatasetError
from rulelab.views.forms.reading import read_sheet
from rulelab.views.live.apart import MAX_BYTES, NICENESS, NotDoneError, apart
from rulelab.views.live.job import Job


def test_values_of_all_kinds_come_back_as_they_are() -> None:
    array = np.arange(12.0).reshape(3, 4)
    got, same = apart(operator.itemgetter(1, 1), [0, {"a": array, "b": array[:0], "text": "é\n"}])
    assert (got["a"] == array).all()
    assert got["a"].flags.writeable
    assert (got["b"].shape, got["text"]) == ((0, 4), "é\n")
    assert same is got
    assert apart(print, "text") is None, "what is printed there is no answer"


def test_what_is_raised_there_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        apart(operator.truediv, 1, 0)
    with pytest.raises(DatasetError, match=r"x\.csv has 2 columns, more than the limit of 1"):
        apart(read_sheet, b"a,b\n1,2\n", "x.csv", 100, 1, {})


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are set as Linux does")
def test_no_more_memory_is_taken_than_allowed_and_than_is_left() -> None:
    with pytest.raises(MemoryError):
        apart(bytearray, MAX_BYTES)
    assert len(apart(bytearray, 30_000_000, most=100_000_000)) == 30_000_000
    with pytest.raises(MemoryError):
        apart(bytearray, 30_000_000, most=20_000_000)


def test_a_call_that_is_not_wanted_any_more_ends() -> None:
    kill: list[Callable[[], None]] = []
    caught: list[BaseException] = []

    def call() -> None:
        try:
            apart(pow, 3, 10**12, on_cancel=kill.append)  # takes hours
        except NotDoneError as error:
            caught.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    while not kill:
        thread.join(0.01)
    kill[0]()
    thread.join(PATIENCE)
    assert len(caught) == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux knows priorities of threads")
def test_what_a_thread_begins_that_gives_way_gives_way_no_further() -> None:
    job = Job(lambda progress: (os.nice(0), apart(os.nice, 0)))
    job.join(PATIENCE)
    of_thread, of_process = job.result
    assert of_process == max(of_thread, NICENESS) < 10
