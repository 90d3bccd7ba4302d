"""A class at one server: pages opened over real websockets, a search in each, all closed; what it costs and holds up.

The server runs in a process of its own; each page pulls its document, says that it is ready, and presses Run, as a
browser does, but draws nothing. CPU is the server's, without its children; how long its loop is held is seen from how
long ``/health`` takes to answer, asked all the time; memory is resident.
"""

import argparse
import asyncio
import itertools
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

import psutil
from _measure import use_shared_data
from _visitor import PATIENCE, Visitor

from rulelab.views.serving.opening import GIVE_BACK_SECONDS

QUERIES = (
    "?data=diabetes&thresholds=10&regularization=0.006&time_limit=600&speed=full+speed",
    "?family=rule_set&data=breast_cancer&time_limit=600&speed=full+speed",
    "?family=falling_rule_list&data=diabetes&regularization=0.002&time_limit=600&speed=full+speed",
)
HEAVY = "?data=compas&max_conditions=2&regularization=0.0001&time_limit=600&speed=full+speed"
LATEST_CLOSED = 60.0


class Server:
    """The server, and what it says about itself."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [sys.executable, "-m", "rulelab", "serve", "--port", str(self.port)]
        environment = os.environ | {"RULELAB_WARMING": "0"}
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 - a pipe that nobody reads would hold up the server
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=self.log)

    def figures(self) -> dict[str, float]:
        """Of /health; waits until there are any."""
        end, address = time.monotonic() + PATIENCE, f"http://127.0.0.1:{self.port}/health"
        while True:
            try:
                with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
                    return json.load(answer)
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise
                time.sleep(0.2)

    @property
    def children(self) -> int:
        """Processes that it has begun, and that have not ended."""
        return len(psutil.Process(self.process.pid).children(recursive=True))

    def stop(self) -> tuple[int, str]:
        """Ask it to end; its status and what it has complained about."""
        self.process.terminate()
        self.process.wait(PATIENCE)
        with self.log as log:
            log.seek(0)
            return self.process.returncode, log.read().decode()


def queries(sessions: int) -> list[str]:
    """Lists, sets and falling lists in turn; one of the lists is heavy."""
    return [HEAVY if k == 0 else QUERIES[k % len(QUERIES)] for k in range(sessions)]


async def ask(server: Server, waits: list[float]) -> None:
    """Ask all the time how it stands, and note how many seconds each answer takes."""
    while True:
        at = time.perf_counter()
        await asyncio.to_thread(server.figures)
        waits.append(time.perf_counter() - at)
        await asyncio.sleep(0.05)


async def lesson(server: Server, sessions: int, seconds: float, told: bool) -> None:
    """Open, run and close pages."""
    visitors = [Visitor(server.port, query) for query in queries(sessions)]
    before, waits = server.figures()["cpu_seconds_total"], [0.0]
    asking = asyncio.create_task(ask(server, waits))
    opened = []
    for visitor in visitors:
        start = time.perf_counter()
        await visitor.open()
        opened.append(time.perf_counter() - start)
    figures, held = server.figures(), max(waits)
    if told:
        cost = (figures["cpu_seconds_total"] - before) / sessions
        print(
            f"opening a page           {cost:7.3f} s server CPU (goal 0.7), {statistics.median(opened):.2f} s, median"
        )
        print(f"longest wait meanwhile   {1000 * held:7.0f} ms (goal 100)")
        print(f"load of the machine      {os.getloadavg()[0]:7.1f}")
        print(f"memory, all open         {figures['memory_bytes'] / 1e6:7.0f} MB")
    watching = [asyncio.create_task(visitor.watch()) for visitor in visitors]
    await asyncio.sleep(0.2)
    reactions, gaps, silent = [], [], 0
    pressed = []
    for visitor in visitors:
        visitor.arrived.clear()
        pressed.append(await visitor.press_run())
        await asyncio.sleep(0.05)
    began = time.perf_counter()
    waits[:] = [0.0]
    await asyncio.sleep(seconds)
    ended = time.perf_counter()
    asking.cancel()
    running = server.figures()
    for visitor, at in zip(visitors, pressed, strict=True):
        later = [moment for moment in visitor.arrived if moment >= at]
        silent += not later
        reactions += [moment - at for moment in later[:1]]
        gaps += [b - a for a, b in itertools.pairwise(later)]
    for visitor in visitors:
        visitor.close()
    await asyncio.gather(*watching)
    if told:
        print(f"click to reaction, p95   {1000 * _p95(reactions):7.0f} ms (goal 300); {silent} pages saw nothing")
        print(f"between updates, p95     {1000 * _p95(gaps):7.0f} ms (goal 600)")
        print(f"updates                  {len(gaps) / (ended - began) / sessions:7.2f} a second and page")
        print(f"searches at the end      {running['searches']:7.0f}, of which {running['searches_waiting']:.0f} wait")
        print(f"longest wait, running    {1000 * max(waits):7.0f} ms (goal 100)")
        print(f"memory, all running      {running['memory_bytes'] / 1e6:7.0f} MB")
    end = time.monotonic() + LATEST_CLOSED
    while (left := server.figures())["sessions"] + left["searches"] and time.monotonic() < end:
        await asyncio.sleep(0.5)
    await asyncio.sleep(GIVE_BACK_SECONDS + 2.0)
    if left["sessions"] + left["searches"]:
        print(f"left after {LATEST_CLOSED:.0f} s: {left['sessions']:.0f} sessions, {left['searches']:.0f} searches")


def _p95(values: list[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))] if values else float("nan")


def main(argv: Sequence[str] = ()) -> int:
    """Print the figures."""
    options = argparse.ArgumentParser(prog="rulelab bench class", description=(__doc__ or "").splitlines()[0])
    options.add_argument("--sessions", type=int, default=30, help="pages at once (%(default)s)")
    options.add_argument("--seconds", type=float, default=20.0, help="of searching (%(default)g)")
    options.add_argument("--rounds", type=int, default=1, help="lessons one after the other (%(default)s)")
    args = options.parse_args(argv)
    if args.sessions < 1 or args.rounds < 1:
        options.error("a lesson has at least one page")
    use_shared_data()
    warm = "from rulelab import warming; warming.lists(); warming.others()"
    subprocess.run([sys.executable, "-c", warm], check=True, cwd=Path.cwd())
    server = Server()
    try:
        asyncio.run(lesson(server, 3, 3.0, False))
        first = server.figures()
        print(f"memory, after three pages{first['memory_bytes'] / 1e6:7.0f} MB, {first['threads']:.0f} threads")
        for number in range(args.rounds):
            asyncio.run(lesson(server, args.sessions, args.seconds, number == 0))
            now = server.figures()
            print(
                f"memory, all closed       {now['memory_bytes'] / 1e6:7.0f} MB, {now['threads']:.0f} threads,"
                f" {server.children} child processes, after {(number + 1) * args.sessions} pages",
                flush=True,
            )
    finally:
        status, complaints = server.stop()
    wrong = [line for line in complaints.splitlines() if line.split(" ")[1:2] == ["error"]]
    print(f"the server ended with status {status} and {len(wrong)} errors in its log")
    print("\n".join(wrong[:5]), end="")
    return int(status != 0 or bool(wrong))
