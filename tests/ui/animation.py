"""Make the moving picture of README: ``python tests/ui/animation.py [FILE]``.

The page itself is served and the first search run in a browser, at a pace that can be followed, to its certificate.
"""

import io
import shutil
import socket
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

import rulelab as rl

PICTURE = Path(__file__).parents[2] / "notebooks" / "search.gif"
SIZE = {"width": 1180, "height": 760}
WIDTH = 840
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
MOST_FRAMES, LARGEST = 26, 1_000_000
MILLISECONDS, LAST = 320, 4000


def frames(address: str) -> list[Any]:
    """Pictures of the page from the press of Run to the proof, each of another moment."""
    found: list[bytes] = []
    with sync_playwright() as playwright:
        executable = shutil.which("chromium") or shutil.which("chromium-headless-shell")
        browser = playwright.chromium.launch(executable_path=executable, args=OPTIONS)
        page = browser.new_context(viewport=SIZE).new_page()
        page.goto(address)
        run = page.get_by_role("button", name="Run", exact=True)
        run.wait_for(timeout=120_000)
        page.wait_for_timeout(1000)
        found.append(page.screenshot())
        run.click()
        page.mouse.move(0, 0)
        page.get_by_text("branch and bound").wait_for(timeout=120_000)
        proven = page.get_by_text("certified optimal")
        while not proven.count():
            found.append(page.screenshot())
        page.wait_for_timeout(1500)
        found.append(page.screenshot())
        browser.close()
    different = [found[0], *(new for old, new in pairwise(found) if new != old)]
    step = -(-len(different) // MOST_FRAMES)
    return [Image.open(io.BytesIO(each)) for each in [*different[:-1:step], different[-1]]]


def small(picture: Any) -> Any:
    """A picture of the width of README, in colours that all share."""
    height = round(picture.height * WIDTH / picture.width)
    return picture.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)


def save(pictures: list[Any], file: Path) -> None:
    """Write them one after the other, with as many colours as there is room for."""
    wanted = [small(each) for each in pictures]
    for colors in (128, 64, 48, 32):
        palette = wanted[-1].quantize(colors, method=Image.Quantize.MAXCOVERAGE)
        drawn = [each.quantize(palette=palette, dither=Image.Dither.NONE) for each in wanted]
        durations = [MILLISECONDS] * (len(drawn) - 1) + [LAST]
        drawn[0].save(file, save_all=True, append_images=drawn[1:], duration=durations, loop=0, optimize=False)
        if file.stat().st_size <= LARGEST:
            return
    raise SystemExit(f"{file} has {file.stat().st_size} bytes, more than {LARGEST}")


def main(file: str | None = None) -> None:
    """Serve the page, run its first search, and write the picture."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    thread = rl.views.serve(port=port, threaded=True)
    time.sleep(2)
    try:
        save(frames(f"http://127.0.0.1:{port}/?tab=Search&speed=100 per tick"), PICTURE if file is None else Path(file))
    finally:
        thread.stop()


if __name__ == "__main__":
    main(*sys.argv[1:2])
