"""What the page costs: opening it, and watching a search, in server time and bytes.

Every viewer opens the page in Chromium; some start a search that does not end soon, and watch it, with the tree of the
search in sight. The server's time is the processor time of the thread that serves and of the one that makes pages,
without the threads that search. Pages that were closed are thrown away together some time later, which has a row of
its own: watching begins after that. Bytes are those on the wire. With ``--undrawn`` pages watch over real websockets
and draw nothing, so that a class of them leaves the processors to the server. With ``--pairs`` the search is done bare,
as on the page with its tree in sight, and recorded, in turn, in user CPU time.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import shutil
import socket
import statistics
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from _measure import user_seconds
from _visitor import Visitor
from playwright.sync_api import Page, sync_playwright

import rulelab as rl
from rulelab.recording import Course
from rulelab.slices import Slices
from rulelab.views.live.pacing import TICK_SECONDS
from rulelab.views.live.watching import Watching
from rulelab.views.search.why import TREE, tree_of
from rulelab.views.serving.opening import GIVE_BACK_SECONDS, MAKER
from rulelab.views.serving.server import CHECK_MILLISECONDS, UNUSED_SESSION_MILLISECONDS

SEARCH = "?data=diabetes&thresholds=10&regularization=0.006&time_limit=600"
SPEED = "1000 per tick"
WORK = 4000
"""Prefixes that the search is to expand, for the cost of being watched."""
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


class Wire:
    """A way to the server that counts the bytes of its answers."""

    def __init__(self, port: int) -> None:
        self.received = 0
        self._target = port
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._start(self._accept)

    def _accept(self) -> None:
        while True:
            near, far = self._socket.accept()[0], socket.create_connection(("127.0.0.1", self._target))
            self._start(self._pass, near, far, False)
            self._start(self._pass, far, near, True)

    def _pass(self, source: socket.socket, sink: socket.socket, counted: bool) -> None:
        try:
            while data := source.recv(65536):
                self.received += len(data) if counted else 0
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            sink.close()

    @staticmethod
    def _start(work: Callable[..., None], *args: Any) -> None:
        threading.Thread(target=work, args=args, daemon=True).start()


@dataclass
class Bench:
    """The server, the browser, and what they have used."""

    browser: Any
    wire: Wire
    clock: int

    @property
    def cpu(self) -> float:
        makers = [thread.ident for thread in threading.enumerate() if thread.name.startswith(MAKER)]
        clocks = [self.clock, *(time.pthread_getcpuclockid(ident) for ident in makers if ident is not None)]
        return sum(map(time.clock_gettime, clocks))

    def page(self, context: Any = None) -> Page:
        return (context or self.browser.new_context()).new_page()

    def go(self, page: Page, query: str = "") -> None:
        page.goto(f"http://127.0.0.1:{self.wire.port}/{query}", wait_until="commit", timeout=180_000)

    def open(self, page: Page, query: str = "") -> float:
        began = time.perf_counter()
        self.go(page, query)
        usable(page)
        return time.perf_counter() - began


class Collections:
    """The processor time of full collections of what nothing refers to any more, in whatever thread."""

    def __init__(self) -> None:
        self.cpu, self._began = 0.0, 0.0
        gc.callbacks.append(self._note)

    def _note(self, phase: str, info: dict[str, int]) -> None:
        if info["generation"] == 2 and phase == "start":
            self._began = time.thread_time()
        elif info["generation"] == 2:
            self.cpu += time.thread_time() - self._began


def usable(page: Page) -> None:
    page.get_by_role("button", name="Run", exact=True).wait_for(timeout=180_000)
    page.wait_for_function("Bokeh.documents.length > 0 && Bokeh.documents[0].is_idle", timeout=180_000)


def opening(bench: Bench, times: int, collections: Collections) -> None:
    """One after the other in one browser, which keeps the files; then as many browsers at once, which have none."""
    context = bench.browser.new_context()
    costs, seconds, sizes = [], [], []
    for _ in range(times + 1):
        page, cpu, size = bench.page(context), bench.cpu, bench.wire.received
        seconds.append(bench.open(page))
        costs.append(bench.cpu - cpu)
        sizes.append((bench.wire.received - size) / 1e6)
        page.close()
    print(f"first opening     {costs[0]:8.2f} s server, {seconds[0]:6.2f} s until usable, {sizes[0]:6.3f} MB")
    later = [statistics.median(values[1:]) for values in (costs, seconds, sizes)]
    print(
        f"later ones, x{times:<4} {later[0]:8.2f} s server, {later[1]:6.2f} s until usable, {later[2]:6.3f} MB, median"
    )
    pages = [bench.page() for _ in range(times)]
    cpu, size, began = bench.cpu, bench.wire.received, time.perf_counter()
    for page in pages:
        bench.go(page)
    for page in pages:
        usable(page)
    cost, wall, sent = bench.cpu - cpu, time.perf_counter() - began, (bench.wire.received - size) / 1e6
    print(f"at once, x{times:<7} {cost / times:8.2f} s server, {wall:6.2f} s until all, {sent / times:6.3f} MB each")
    for page in pages:
        page.close()
    cpu = collections.cpu
    time.sleep(CHECK_MILLISECONDS / 1000 + UNUSED_SESSION_MILLISECONDS / 1000 + GIVE_BACK_SECONDS + 2)
    print(f"thrown away, x{times:<5}{(collections.cpu - cpu) / times:8.2f} s server, in one go")


def watching(bench: Bench, viewers: int, seconds: float) -> None:
    """Every viewer's search runs; what an update costs."""
    pages = [bench.page() for _ in range(viewers)]
    for page in pages:
        bench.open(page, SEARCH)
    for page in pages:
        page.get_by_label("Speed").select_option(SPEED)
        page.get_by_role("button", name="Run", exact=True).click()
    for page in pages:
        page.get_by_text("branch and bound").wait_for(timeout=180_000)
    pages[0].wait_for_timeout(2000)
    cpu, size, wall = bench.cpu, bench.wire.received, time.perf_counter()
    pages[0].wait_for_timeout(1000 * seconds)
    cpu, size, wall = bench.cpu - cpu, bench.wire.received - size, time.perf_counter() - wall
    updates = viewers * wall / TICK_SECONDS
    print(f"{viewers} viewer(s), {wall:.1f} s at {1 / TICK_SECONDS:.0f} updates/s each")
    print(f"server time       {1000 * cpu / updates:8.2f} ms per update (goal 8)")
    print(f"received          {size / updates / 1000:8.2f} kB per update (goal 3)")
    print(f"status            {' '.join(pages[0].get_by_role('status').inner_text().split())}")


async def undrawn(wire: Wire, clock: int, viewers: int, seconds: float) -> None:
    """Every page's search runs, with its tree in sight, and nothing is drawn."""
    pages = [Visitor(wire.port, SEARCH + "&speed=1000+per+tick") for _ in range(viewers)]
    for page in pages:
        await page.open()
    tasks = [asyncio.create_task(page.watch()) for page in pages]
    for page in pages:
        await page.press_run()
    await asyncio.sleep(3.0)
    for page in pages:
        page.arrived.clear()
    cpu, size, wall = time.clock_gettime(clock), wire.received, time.perf_counter()
    await asyncio.sleep(seconds)
    cpu, size, wall = time.clock_gettime(clock) - cpu, wire.received - size, time.perf_counter() - wall
    came = [len(page.arrived) for page in pages]
    for page in pages:
        page.close()
    await asyncio.gather(*tasks)
    ticks = viewers * wall / TICK_SECONDS
    print(f"{viewers} pages that draw nothing, {wall:.1f} s, the tree in sight")
    print(
        f"server time       {1000 * cpu / ticks:8.2f} ms per beat and page (goal 8), {100 * cpu / wall:.0f} % of a core"
    )
    print(f"received          {size / ticks / 1000:8.2f} kB per beat and page (goal 3)")
    print(f"changes           {sum(came) / wall / viewers:8.2f} a second and page, least {min(came) / wall:.2f}")


def bare(search: rl.Search) -> None:
    """Nothing but slices, as on a page."""
    slices = Slices()
    while search.work < WORK:
        slices.advance(search, min(slices.size, WORK - search.work))


def watched(search: rl.Search) -> None:
    """What the thread of a page's search does while its tree is in sight."""
    slices, course, watching = Slices(), Course(), Watching()
    watching.want(TREE, partial(tree_of, moment=None, course=course, prefix=None), 1.0)
    while search.work < WORK:
        course.look(search, slices.advance(search, min(slices.size, WORK - search.work)))
        watching.take(lambda see: see(search), search.work, False)


def recorded(search: rl.Search) -> None:
    """A recording that is kept while the search goes on."""
    slices, recording = Slices(), rl.Recording(search)
    while search.work < WORK:
        recording.observe(slices.advance(search, min(slices.size, WORK - search.work)))


def slowing(pairs: int) -> None:
    """By how much being watched slows a search: each way in turn, by the median of the pairs."""
    data = rl.datasets.load("diabetes")
    antecedents = rl.mine_antecedents(rl.Binarizer(thresholds=10).fit_transform(data.X), max_conditions=2)
    problem = rl.Problem.from_antecedents(antecedents, data.y)
    seconds: dict[Callable[[rl.Search], None], list[float]] = {bare: [], watched: [], recorded: []}
    for number in range(pairs + 1):
        for do in list(seconds) if number % 2 else list(reversed(seconds)):
            search = rl.RuleListSearch(problem, regularization=0.006)
            gc.collect()
            began = user_seconds()
            do(search)
            if number:  # the first round compiles and fills the caches
                seconds[do].append(user_seconds() - began)
    print(f"a search of {WORK} prefixes, bare: {statistics.median(seconds[bare]):.2f} s user CPU, median of {pairs}")
    for do, name in ((watched, "its tree in sight"), (recorded, "recorded")):
        more = [100 * (ours / alone - 1) for ours, alone in zip(seconds[do], seconds[bare], strict=True)]
        print(f"{name:<17} {statistics.median(more):+8.1f} % (goal 5), from {min(more):+.1f} to {max(more):+.1f}")


def main(argv: Sequence[str] = ()) -> None:
    """Print the figures."""
    options = argparse.ArgumentParser(prog="tests.benchmarks page", description=(__doc__ or "").splitlines()[0])
    options.add_argument("viewers", nargs="?", type=int, default=1, help="pages that watch a search (%(default)s)")
    options.add_argument("seconds", nargs="?", type=float, default=20.0, help="of watching (%(default)g); 0: none")
    options.add_argument("--openings", type=int, default=10, help="openings of the page (%(default)s); 0: none")
    options.add_argument("--undrawn", type=int, default=0, help="pages that watch and draw nothing (%(default)s)")
    options.add_argument(
        "--pairs", type=int, default=0, help="comparisons of a watched with a bare search (%(default)s)"
    )
    args = options.parse_args(argv)
    if args.pairs:
        slowing(args.pairs)
    if not (args.openings or args.seconds or args.undrawn):
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    wire, collections = Wire(port), Collections()
    origins = [f"127.0.0.1:{wire.port}"]
    thread = rl.views.serve(port=port, threaded=True, websocket_origin=origins)
    time.sleep(2)
    clock = time.pthread_getcpuclockid(thread.ident)
    if args.undrawn:
        asyncio.run(undrawn(wire, clock, args.undrawn, args.seconds or 20.0))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("chromium-headless-shell"), args=OPTIONS
        )
        bench = Bench(browser, wire, clock)
        if args.openings:
            opening(bench, args.openings, collections)
        if args.seconds and args.viewers:
            watching(bench, args.viewers, args.seconds)
        browser.close()
    thread.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
