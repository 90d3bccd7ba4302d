"""Compiling the searches of a family before one of them is at hand."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable

import numba
import numpy as np
import pandas as pd
from numba.core import event

from .data.mining import mine_antecedents
from .families import FAMILIES, OFFERED
from .kernels.jit import is_compiled
from .kernels.mining import mine_pairs
from .rehearsal import beside, grouped_problem, once, tiny_problem, unequal_problem
from .stepping import solve

_NICENESS = 10
_lock = threading.Lock()


def warm_up(family: str) -> None:
    """Compile, or load from the disk cache, the kernels of a family's search; once per process."""
    OFFERED[family].rehearsal().compile()


def mining_is_compiled() -> bool:
    """Whether mining is ready in this process."""
    return is_compiled(mine_pairs)


def warm_up_mining() -> None:
    """Compile, or load from the disk cache, the kernels that mine antecedents; once per process."""
    once("mining", _rehearse_mining)


class _Compiled(event.Listener):  # type: ignore[misc]
    """Tells that a kernel is compiled and not loaded: of the first, within which others may be compiled."""

    def __init__(self, tell: Callable[[], object]) -> None:
        self._tell = [tell]

    def on_start(self, _event: event.Event) -> None:
        while self._tell:
            self._tell.pop()()

    on_end = on_start


def saying(
    report: Callable[[str], object], what: str, takes: str = "up to a minute"
) -> contextlib.AbstractContextManager[object]:
    """Report that something is compiled as soon as it is: what the disk cache has is loaded in less than a second."""
    said = f"compiling {what}: once per machine, {takes}"
    return event.install_listener("numba:compile", _Compiled(lambda: report(said)))


def begin_in_background() -> list[subprocess.Popen[bytes]]:
    """Compile everything, once, in two processes of low priority, for the cache on disk; RULELAB_WARMING=0 does not."""
    wanted = "0" not in (os.environ.get("RULELAB_WARMING"), os.environ.get("RULELAB_CACHE"))
    with _lock:
        if not beside and wanted and not numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            nowhere = subprocess.DEVNULL
            for part in ("lists", "others"):
                command = [sys.executable, "-c", f"from rulelab import warming; warming.in_process(warming.{part})"]
                beside.append(
                    subprocess.Popen(
                        command, stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere, process_group=0
                    )  # a group of its own, as Ctrl-C is for this process; not a session, which nice would not lower
                )
        return beside


def in_process(compile_: Callable[[], None]) -> None:
    """Compile, in a process for nothing else, until the standard input is closed."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(_NICENESS)
    threading.Thread(target=_end_with_the_other, daemon=True).start()
    compile_()


def lists() -> None:
    """Compile the searches for rule lists, in the order in which the page is likely to need them."""
    from . import CorelsSearch, FrontierSearch, NearOptimalCounter, NearOptimalSearch, RuleListSearch

    RuleListSearch(unequal_problem()).compile()  # that of equal weights has no further kernels
    optimum = RuleListSearch(tiny_problem())
    solve(optimum)
    optimum.tree(max_nodes=1)  # what is left out is counted
    FrontierSearch(tiny_problem()).compile()
    CorelsSearch(tiny_problem()).compile()
    NearOptimalSearch(optimum).compile()
    NearOptimalCounter(optimum).compile()


def others() -> None:
    """Compile mining and all other searches, in the order in which the page is likely to need them."""
    from . import EqualOpportunity
    from .engines import ConstrainedRuleListSearch, FairRuleListSearch
    from .falling_rule_list import FairFallingSearch, SoftSearch

    warm_up_mining()
    for family in FAMILIES:
        if family != "rule_list":
            warm_up(family)
    SoftSearch(tiny_problem(), violation_penalty=0.1).compile()
    fairness = EqualOpportunity(0.05)
    FairRuleListSearch(grouped_problem(), fairness=fairness).compile()
    FairFallingSearch(grouped_problem(), fairness=fairness).compile()
    ConstrainedRuleListSearch(tiny_problem(), first_rule="antecedent 0").compile()


def _end_with_the_other() -> None:
    os.read(sys.stdin.fileno(), 1)
    os._exit(0)


def _rehearse_mining() -> None:
    table = np.random.default_rng(0).random((100, 6)) < 0.5
    mine_antecedents(pd.DataFrame(table, columns=list("abcdef")), max_conditions=2, min_support=0.01)
