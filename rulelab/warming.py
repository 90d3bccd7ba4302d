"""Compiling the searches of a family before one of them is at hand."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd

from .data.antecedents import mine_antecedents
from .families import FAMILIES
from .kernels.jit import is_compiled
from .kernels.mining import mine_pairs
from .rehearsal import noisy_problem, once, tiny_problem

__all__ = ["in_background", "mining_is_compiled", "noisy_problem", "tiny_problem", "warm_up", "warm_up_mining"]

_NICENESS = 10


def warm_up(family: str) -> None:
    """Compile, or load from the disk cache, the kernels of a family's search; once per process.

    Softly falling lists, the Monte-Carlo method, other losses, forms and fairness constraints have the kernels of their
    family. Of a search that is at hand use `rulelab.search.Search.compile`.

    Parameters
    ----------
    family : str
        As in `rulelab.search.Search.family`.
    """
    FAMILIES[family].rehearsal().compile()


def mining_is_compiled() -> bool:
    """Whether mining is ready in this process."""
    return is_compiled(mine_pairs)


def warm_up_mining() -> None:
    """Compile, or load from the disk cache, the kernels that mine antecedents; once per process."""
    once("mining", _rehearse_mining)


@contextmanager
def in_background() -> Iterator[subprocess.Popen[bytes]]:
    """Compile everything in a process of low priority beside this one, for the cache on disk that both read.

    It ends with the ``with`` block, and when this process ends, however it does.
    """
    command = [sys.executable, "-c", "from rulelab.warming import main; main()"]
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere, start_new_session=True
    )  # a session of its own: Ctrl-C is for the other process
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def main() -> None:
    """Compile everything, in the order in which the page is likely to need it, until the standard input is closed."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(_NICENESS)
    threading.Thread(target=_end_with_the_other, daemon=True).start()
    warm_up_mining()
    for family in FAMILIES:
        warm_up(family)


def _end_with_the_other() -> None:
    os.read(sys.stdin.fileno(), 1)
    os._exit(0)


def _rehearse_mining() -> None:
    table = np.random.default_rng(0).random((100, 6)) < 0.5
    mine_antecedents(pd.DataFrame(table, columns=list("abcdef")), max_conditions=2, min_support=0.01)
