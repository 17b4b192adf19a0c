"""Memory of reading a large wiki dump: from the file to stored blocks.

    python -m benchmarks.dump [--megabytes 200]

Writes a synthetic MediaWiki export of that size into a temporary folder, reads it into a workspace
page by page as an ingestion does (no embedding), and prints one JSON object: seconds, pages, and
the resident memory of this process and the one that reads, together, at its peak above that of both
at rest: after a dump of two pages.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import threading
import time
from pathlib import Path
from xml.sax.saxutils import escape

import psutil

from brit.config import Settings
from brit.documents.sources import find_sources
from brit.pipeline.ingestion import _Into, _read
from brit.pipeline.models import Models
from brit.pipeline.report import Run
from brit.storage import Workspace
from brit.storage.ledger import Collection
from brit.types import no_progress

WORDS = [f"word{n}" for n in range(5000)]


def write_dump(path: Path, megabytes: float) -> int:
    """→ number of pages. About 12 kB a page: sections, links, a picture, a table."""
    chance = random.Random(7)
    pages = 0
    with path.open("w", encoding="utf-8") as file:
        file.write(
            '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11">'
            "<siteinfo><sitename>W</sitename></siteinfo>"
        )
        while file.tell() < megabytes * 1_000_000:
            pages += 1
            sections = "\n".join(
                f"== Part {n} ==\n" + " ".join(chance.choices(WORDS, k=200)) + f" [[Page {n}]].\n"
                f"[[File:Picture {pages}-{n}.png|thumb|Caption {n}]]\n"
                "{|\n! a !! b\n|-\n| 1 || 2\n|}\n"
                for n in range(8)
            )
            file.write(
                f"<page><title>Page {pages}</title><ns>0</ns><id>{pages}</id><revision>"
                f"<id>{pages}</id><timestamp>2020-01-01T00:00:00Z</timestamp>"
                f"<text>{escape(sections)}</text></revision></page>"
            )
        file.write("</mediawiki>")
    return pages


class Peak:
    """Watches the resident memory of this process and its child in a thread."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self.start = self.highest = _resident()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._stop.wait(0.05):
            self.highest = max(self.highest, _resident())

    def stop(self) -> float:
        """→ megabytes on top of those at the start."""
        self._stop.set()
        self._thread.join()
        return (self.highest - self.start) / 1e6


def _resident() -> int:
    own = psutil.Process()
    return sum(int(each.memory_info().rss) for each in (own, *own.children()))


def read(dump: Path, workspace: Workspace, collection: Collection, models: Models) -> int:
    """→ the number of documents."""
    (source,) = find_sources([dump], models.settings.reading)
    assert source.reader is not None
    into = _Into(workspace, collection, models, None, Run(no_progress, lambda: False))
    return sum(1 for _ in _read(into, dump, source.reader))


def measure(megabytes: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="brit-dump-") as name:
        folder = Path(name)
        dump = folder / "dump.xml"
        pages = write_dump(dump, megabytes)
        workspace = Workspace.open(folder / "workspace")
        models = Models(Settings(workspace=workspace.folder))
        collection = workspace.documents.create_collection("c")
        write_dump(folder / "small.xml", 0.02)
        read(folder / "small.xml", workspace, collection, models)
        peak, started = Peak(), time.perf_counter()
        found = read(dump, workspace, collection, models)
        assert found == pages, (found, pages)
        seconds = time.perf_counter() - started
        return {
            "megabytes": megabytes,
            "pages": pages,
            "seconds": round(seconds, 1),
            "peak_mb_above_rest": round(peak.stop(), 1),
            "workspace_mb": round((workspace.folder / "brit.sqlite").stat().st_size / 1e6, 1)
            if (workspace.folder / "brit.sqlite").exists()
            else 0.0,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=200)
    print(json.dumps(measure(parser.parse_args().megabytes)))


if __name__ == "__main__":
    main()
