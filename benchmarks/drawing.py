"""How long the Graph page takes in a real browser, by the number of marks drawn.

    python -m benchmarks.drawing WORKSPACE [--collection NAME] [--sizes 150,1000,5000]

The app is started on the workspace (a copy: opening one brings it up to date), and each size opened
by its address, four times in one browser, another page in between: «first» lays it out unless its
places are kept already, «again» is the fastest of the rest. Seconds run from the request to the
first picture of the canvas that holds more than the ground; the Library stands beside them for what
any page takes. «drag» is how many pictures a second are drawn while the ground is dragged. Needs
Debian's chromium and Playwright (requirements-test.txt).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from brit.storage import Workspace
from tests.browser.test_first_visit import CHROMIUM, FLAGS, PAINTED, serve

_TIMES = 3


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
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(120_000)
        here = f"?collection={collection.id}"
        open_graph(page, f"{address}/Graph{here}&size=50")  # imports, and files into the cache
        other = [open_library(page, f"{address}/Library{here}") for _ in range(_TIMES)]
        print(f"Library {min(other):.1f} s")
        for size in options.sizes.split(","):
            seconds = []
            for _ in range(1 + _TIMES):
                open_library(page, f"{address}/Library{here}")
                seconds.append(open_graph(page, f"{address}/Graph{here}&size={size}"))
            again = min(seconds[1:])
            print(
                f"{size:>5}  {seconds[0]:5.1f} s {again:5.1f} s {_dragged(page):4.0f}/s", flush=True
            )
        browser.close()


def open_graph(page: Page, url: str) -> float:
    """→ seconds to the drawn canvas."""
    started = time.perf_counter()
    page.goto(url, wait_until="commit")
    canvas = page.frame_locator(".st-key-explore-frame iframe").locator("canvas")
    canvas.wait_for()
    while canvas.evaluate(PAINTED) < 500:
        time.sleep(0.02)
    return time.perf_counter() - started


def open_library(page: Page, url: str) -> float:
    """→ seconds to its title: what a page without a graph takes on this machine just now."""
    started = time.perf_counter()
    page.goto(url, wait_until="commit")
    page.locator(".st-key-library h2").wait_for()
    return time.perf_counter() - started


def _dragged(page: Page) -> float:
    frame = page.locator(".st-key-explore-frame iframe").element_handle().content_frame()
    box = page.locator(".st-key-explore-frame iframe").bounding_box()
    assert frame is not None
    assert box is not None
    page.mouse.move(box["x"] + 40, box["y"] + 40)
    page.mouse.down()
    page.wait_for_timeout(1500)
    started, moves = time.perf_counter(), 40
    before = frame.evaluate("() => window.brit.drawn")
    for step in range(moves):
        page.mouse.move(box["x"] + 40 + 8 * step, box["y"] + 40 + 4 * step)
    drawn = frame.evaluate("() => window.brit.drawn") - before
    page.mouse.up()
    return float(drawn / (time.perf_counter() - started))


if __name__ == "__main__":
    main()
