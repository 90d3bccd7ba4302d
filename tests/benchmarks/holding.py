"""For how long heavy work of one page holds the loop that answers all pages: each kind of work as a page does it.

The loop is this process's own, with the settings of the server, and nothing else in it: it notes how late it is while
the work goes on in the threads and processes of a page. A report is written in the loop itself.
"""

import argparse
import asyncio
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from _measure import itself, use_shared_data

import rulelab as rl
from rulelab.views.cards import html, scores
from rulelab.views.cards.card import Card, of_search
from rulelab.views.cards.verifying import CHECKS, check
from rulelab.views.forms.data import MAX_UPLOAD_BYTES
from rulelab.views.forms.draft import Draft
from rulelab.views.live.job import Job, Progress
from rulelab.views.live.prepared import Prepared
from rulelab.views.live.session import SearchSession
from rulelab.views.search.setup import Setup
from rulelab.views.serving.server import take_short_turns

GOAL_SECONDS = 0.1
_BEAT_SECONDS = 0.01
_SECONDS = 15.0
"""Of a search that would go on."""


class Loop:
    """A loop in the main thread; how late it has been."""

    async def follow(self, busy: Callable[[], object], doing: Callable[[], str] = lambda: "") -> float:
        """The longest time that nobody would have been answered, while something goes on; what was done then."""
        longest, what = 0.0, ""
        while busy():
            began, before = time.monotonic(), doing()
            await asyncio.sleep(_BEAT_SECONDS)
            late = time.monotonic() - began - _BEAT_SECONDS
            if late > longest:
                longest, what = late, f"{before} .. {doing()}"
        print(f"  longest: {what}")
        return longest


def _session(**settings: object) -> SearchSession:
    setup = Setup()
    setup.choose(**settings)
    return SearchSession(setup.recipe(), look=setup.family)


def _end(session: SearchSession) -> None:
    """Close it; how far it came, so that nothing is measured that was not done."""
    latest = session.snapshot
    print(f"  {session.state}{'' if latest is None else f', {latest.work} units of work'}{session.error or ''}")
    session.close()
    session.join()


async def compiling(loop: Loop) -> float:
    """The search of rule lists, with a cache that is empty."""
    session = _session(data="tic_tac_toe")
    session.run()
    longest = await loop.follow(lambda: session.snapshot is None and not session.state.over)
    _end(session)
    return longest


async def mining(loop: Loop) -> float:
    """100 000 antecedents of 20 columns, and a search of them for a moment."""
    random = np.random.default_rng(1)
    table = pd.DataFrame(random.normal(size=(3000, 20)), columns=[f"x{k}" for k in range(20)])
    labels = random.random(3000) < 0.5
    found: list[int] = []

    def source(report: Callable[[str], None]) -> Prepared:
        report("mining antecedents")
        antecedents = rl.mine_antecedents(rl.Binarizer(thresholds=12).fit_transform(table), max_conditions=2)
        found.append(len(antecedents))
        return Prepared(rl.RuleListSearch(rl.Problem.from_antecedents(antecedents, labels), 0.01))

    session = SearchSession(source)
    session.run()
    until = time.monotonic() + 60.0
    longest = await loop.follow(
        lambda: not session.history and time.monotonic() < until and not session.state.over,
        lambda: f"{session.state} {session.doing}",
    )
    _end(session)
    print(f"  {found[0]} antecedents")
    return longest


async def parsing(loop: Loop) -> float:
    """A CSV file of 90 MB, in the process that reads it, and its sheet."""
    line = b"12.5,some words,2021-04-03,77,0.125,another text that is long enough to fill the line,no\n"
    contents = b"a,b,c,d,e,f,y\n" + line * (min(90_000_000, MAX_UPLOAD_BYTES) // len(line))
    job = Job(lambda progress: Draft(contents, "large.csv", progress.on_cancel))
    longest = await loop.follow(lambda: job.busy)
    print(f"  {job.result.sheet.frame.shape if job.result else job.error}")
    return longest


def _proven() -> Card:
    setup = Setup()
    setup.choose(data="compas", max_conditions=2, regularization=0.005)
    prepared = setup.recipe()(lambda doing: None)
    return of_search(prepared.search, rl.solve(prepared.search, time_limit=120.0), prepared)


async def proving(loop: Loop) -> float:
    """The certificate of a list of COMPAS with pairs, made and checked."""
    card = _proven()
    job = Job(lambda progress: check(card, progress), CHECKS)
    longest = await loop.follow(lambda: job.busy)
    print(f"  {str(job.result or job.error)[:100]}")
    return longest


async def reporting(loop: Loop) -> float:
    """Six models of COMPAS in one HTML file, written in the loop."""
    card = _proven()
    scored = scores.of_card(card, Progress().report)
    began = time.monotonic()
    text = html.report([card] * 6, [scored] * 6, ["valid"] * 6)
    print(f"  {len(text)} characters")
    return time.monotonic() - began


async def sets(loop: Loop) -> float:
    """A rule set whose master and pricing take long, at full speed."""
    session = _session(family="rule_set", data="adult", thresholds=10, max_complexity=60)
    session.run()
    began: list[float] = []

    def busy() -> bool:
        if session.history and not began:
            began.append(time.monotonic())
        return not session.state.over and not (began and time.monotonic() > began[0] + _SECONDS)

    longest = await loop.follow(busy)
    _end(session)
    return longest


KINDS = {each.__name__: each for each in (compiling, mining, parsing, proving, reporting, sets)}


def main(argv: Sequence[str] = ()) -> int:
    """Print the longest stall of each kind; status 1 where one is above the goal."""
    options = argparse.ArgumentParser(prog="tests/benchmarks holding", description=(__doc__ or "").splitlines()[0])
    options.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)} (default: all)")
    options.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    args = options.parse_args(argv)
    if unknown := set(args.kinds) - set(KINDS):
        options.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    use_shared_data()
    if not args.here:
        return max([_in_process(kind) for kind in args.kinds or KINDS])
    take_short_turns()
    (kind,) = args.kinds
    used = time.process_time()
    longest = asyncio.run(KINDS[kind](Loop()))
    used = time.process_time() - used
    doc = (KINDS[kind].__doc__ or "").rstrip(".")
    load = os.getloadavg()[0]
    print(f"{kind:10s} {1000 * longest:6.0f} ms (goal 100), {used:5.1f} s of CPU, load {load:.1f}: {doc}", flush=True)
    return int(longest > GOAL_SECONDS)


def _in_process(kind: str) -> int:
    """Each in a process of its own, the first one with an empty cache of kernels."""
    with tempfile.TemporaryDirectory() as empty:
        own = {"NUMBA_CACHE_DIR": empty} if kind == compiling.__name__ else {}
        return subprocess.run(itself("holding", kind, "--here"), env=os.environ | own, check=False).returncode
