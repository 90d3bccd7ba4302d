"""Take the pictures of the page: ``python tests/ui/screenshot.py [FOLDER]``.

Without a folder only the picture of the README is taken, ``apps/screenshot.png``: the first search of the page, just
certified. With a folder that picture and others go there: light, dark and phone, before, during and after the search.
"""

from __future__ import annotations

import shutil
import socket
import sys
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

import rulelab as rl

README_PICTURE = Path(__file__).parents[2] / "apps" / "screenshot.png"
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
DESKTOP = {"width": 1360, "height": 960}
KINDS: dict[str, dict[str, Any]] = {
    "light": {"viewport": DESKTOP},
    "dark": {"viewport": DESKTOP, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2},
}


def take(browser: Any, address: str, kind: str, folder: Path | None) -> None:
    """Open the page, run the search to its certificate and save pictures."""
    context = browser.new_context(**KINDS[kind])
    page = context.new_page()
    page.goto(address)
    run = page.get_by_role("button", name="Run", exact=True)
    run.wait_for()
    page.wait_for_timeout(1500)
    if folder:
        page.screenshot(path=folder / f"{kind}_ready.png")
    run.click()
    page.get_by_text("branch and bound").wait_for(timeout=120_000)
    page.wait_for_timeout(1500)
    if folder:
        page.screenshot(path=folder / f"{kind}_running.png")
    page.get_by_text("certified optimal").wait_for(timeout=120_000)
    page.mouse.move(0, 0)
    page.wait_for_timeout(1000)
    page.screenshot(path=folder / f"{kind}_certified.png" if folder else README_PICTURE)
    if folder:
        page.set_viewport_size({**KINDS[kind]["viewport"], "height": 2600 if kind == "phone" else 1100})
        page.wait_for_timeout(1000)
        page.screenshot(path=folder / f"{kind}_whole.png")
    context.close()


def main(folder: str | None = None) -> None:
    """Serve the page, and take the picture of the README or, into a folder, all pictures."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    thread = rl.views.serve(port=port, threaded=True)
    time.sleep(2)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("chromium-headless-shell"), args=OPTIONS
        )
        for kind in KINDS if folder else ["light"]:
            if folder:
                Path(folder).mkdir(parents=True, exist_ok=True)
            take(browser, f"http://127.0.0.1:{port}/?tab=Search", kind, Path(folder) if folder else None)
        browser.close()
    thread.stop()


if __name__ == "__main__":
    main(*sys.argv[1:2])
