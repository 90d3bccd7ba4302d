"""What watching costs: time until the page is usable, server time and bytes per update, per viewer.

Every viewer opens the page in Chromium, starts a search that does not end soon, and watches it. The server's time is
the processor time of the thread that serves, without the threads that search.
"""

from __future__ import annotations

import argparse
import shutil
import socket
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import sync_playwright

import rulelab as rl
from rulelab.views.live.session import TICK_SECONDS

SEARCH = "?data=diabetes&quantiles=10&regularization=0.006&time_limit=600"
SPEED = "1000 per tick"
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


@dataclass
class Traffic:
    """What one viewer has received."""

    messages: int = 0
    total: int = 0
    largest: int = field(default=0)

    def follow(self, page: Any) -> None:
        page.on("websocket", lambda socket: socket.on("framereceived", self._frame))

    def _frame(self, payload: str | bytes) -> None:
        size = len(payload.encode() if isinstance(payload, str) else payload)
        self.messages += 1
        self.total += size
        self.largest = max(self.largest, size)


def main(argv: Sequence[str] = ()) -> None:
    """Print the figures."""
    options = argparse.ArgumentParser(prog="rulelab bench page", description=(__doc__ or "").splitlines()[0])
    options.add_argument("viewers", nargs="?", type=int, default=1, help="pages that are open (%(default)s)")
    options.add_argument("seconds", nargs="?", type=float, default=20.0, help="of watching (%(default)g)")
    args = options.parse_args(argv)
    viewers, seconds = args.viewers, args.seconds
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    thread = rl.views.serve(port=port, threaded=True)
    time.sleep(2)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=OPTIONS)
        pages, traffic, usable = [], [], []
        for _ in range(viewers):
            page, received = browser.new_context().new_page(), Traffic()
            received.follow(page)
            began = time.perf_counter()
            page.goto(f"http://127.0.0.1:{port}/{SEARCH}")
            page.get_by_role("button", name="Run", exact=True).wait_for()
            usable.append(time.perf_counter() - began)
            pages.append(page)
            traffic.append(received)
        for page in pages:
            page.get_by_label("Speed").select_option(SPEED)
            page.get_by_role("button", name="Run", exact=True).click()
        for page in pages:
            page.get_by_text("branch and bound").wait_for(timeout=180_000)
        pages[0].wait_for_timeout(2000)
        clock = time.pthread_getcpuclockid(thread.ident)
        cpu, wall = time.clock_gettime(clock), time.perf_counter()
        before = [t.total for t in traffic]
        pages[0].wait_for_timeout(1000 * seconds)
        cpu, wall = time.clock_gettime(clock) - cpu, time.perf_counter() - wall
        updates = viewers * wall / TICK_SECONDS
        received = sum(t.total for t in traffic) - sum(before)
        print(f"{viewers} viewer(s), {wall:.1f} s at {1 / TICK_SECONDS:.0f} updates/s each")
        print(f"usable after      {max(usable):8.2f} s (slowest)")
        print(f"server time       {1000 * cpu / updates:8.2f} ms per update (goal 8)")
        print(f"received          {received / updates / 1000:8.2f} kB per update (goal 3)")
        print(f"status            {' '.join(pages[0].get_by_role('status').inner_text().split())}")
        browser.close()
    thread.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
