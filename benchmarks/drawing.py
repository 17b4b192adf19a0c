"""How long the Graph page takes in a real browser, by the number of marks drawn.

    python benchmarks/drawing.py WORKSPACE [--collection NAME] [--sizes 150,1000,5000]

The app is started on the workspace (a copy: opening one brings it up to date) and each size opened
by its address three times in a browser of its own: «first» lays it out, «again» finds its places
kept. Seconds run from the request to the first picture of the canvas that holds more than the
ground; «drag» is how many pictures a second are drawn while the ground is dragged. Needs Debian's
chromium and Playwright (requirements-test.txt).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from brit.storage import Workspace
from tests.browser.test_first_visit import CHROMIUM, FLAGS, PAINTED, serve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--collection")
    parser.add_argument("--sizes", default="150,1000,5000")
    options = parser.parse_args()
    workspace = Workspace.open(options.workspace, create=False)
    collections = workspace.documents.collections()
    name = options.collection or collections[-1].name
    collection = workspace.documents.collection(name)
    print(f"{name}: {collection.nodes:,} nodes, {collection.edges:,} edges")
    print("marks   first   again   drag")
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(options.workspace.resolve(), Path(folder) / "app.log") as address,
    ):
        open_once(f"{address}/Graph?collection={collection.id}&size=50")  # imports
        for size in options.sizes.split(","):
            url = f"{address}/Graph?collection={collection.id}&size={size}"
            seconds, frames = zip(*(open_once(url) for _ in range(3)), strict=True)
            again, drag = statistics.median(seconds[1:]), statistics.median(frames)
            print(f"{size:>5}  {seconds[0]:5.1f} s {again:5.1f} s {drag:4.0f}/s", flush=True)


def open_once(url: str) -> tuple[float, float]:
    """→ seconds to the drawn canvas, pictures a second while it is dragged."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(120_000)
        started = time.perf_counter()
        page.goto(url, wait_until="commit")
        canvas = page.frame_locator(".st-key-explore-frame iframe").locator("canvas")
        canvas.wait_for()
        while canvas.evaluate(PAINTED) < 500:
            time.sleep(0.02)
        seconds = time.perf_counter() - started
        page.wait_for_timeout(1500)
        frames = _dragged(page)
        browser.close()
    return seconds, frames


def _dragged(page: Page) -> float:
    frame = page.locator(".st-key-explore-frame iframe").element_handle().content_frame()
    box = page.locator(".st-key-explore-frame iframe").bounding_box()
    assert frame is not None
    assert box is not None
    page.mouse.move(box["x"] + 40, box["y"] + 40)
    page.mouse.down()
    started, moves = time.perf_counter(), 40
    before = frame.evaluate("() => window.brit.drawn")
    for step in range(moves):
        page.mouse.move(box["x"] + 40 + 8 * step, box["y"] + 40 + 4 * step)
    drawn = frame.evaluate("() => window.brit.drawn") - before
    page.mouse.up()
    return float(drawn / (time.perf_counter() - started))


if __name__ == "__main__":
    main()
