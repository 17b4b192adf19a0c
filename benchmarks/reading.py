"""Seconds a page of reading PDF files, beside `pymupdf4llm.to_json` alone on the same pages.

    OMP_NUM_THREADS=1 python -m benchmarks.reading [--pages N] [FILE ...]

Both run in this process with the layout model loaded, page by page in turn, so that whatever else
runs on the machine weighs on both alike. The first N pages of each file are read.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import pymupdf  # noqa: E402
import pymupdf4llm  # noqa: E402

from brit.config import ReadingConfig  # noqa: E402
from brit.documents.layout import load_model  # noqa: E402
from brit.documents.page import PageReader  # noqa: E402

DATA = ROOT.parent / "shared" / "data" / "pdf"


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds."""
    start = time.process_time()
    work()
    return time.process_time() - start


def measure(path: Path, pages: int) -> tuple[int, float, float]:
    """→ pages read, seconds of ours, seconds of to_json."""
    with pymupdf.open(path) as doc:
        reader = PageReader(doc, (), ReadingConfig())
        numbers = range(1, min(pages, len(doc)) + 1)
        mine = theirs = 0.0
        for number in numbers:
            mine += seconds(lambda n=number: reader.read(n))
            theirs += seconds(lambda n=number: to_json(path, n))
    return len(numbers), mine, theirs


def to_json(path: Path, number: int) -> str:
    return str(pymupdf4llm.to_json(str(path), pages=[number - 1], use_ocr=False))


def report(name: str, pages: int, mine: float, theirs: float) -> None:
    ratio = mine / theirs if theirs else float("nan")
    print(
        f"{name[:36]:38}{pages:5}{mine / pages:9.2f}{theirs / pages:9.2f}{ratio:8.2f}", flush=True
    )


def main(files: Sequence[str], pages: int) -> None:
    load_model()
    paths = [DATA / name for name in files] or sorted(DATA.glob("*.pdf"))
    measure(paths[0], 1)
    print(
        f"{'file':38}{'pages':>5}{'ours':>9}{'to_json':>9}{'ratio':>8}   processor seconds a page"
    )
    total = (0, 0.0, 0.0)
    for path in paths:
        one = measure(path, pages)
        total = (total[0] + one[0], total[1] + one[1], total[2] + one[2])
        report(path.name, *one)
    report("total", *total)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", type=int, default=3)
    options.add_argument("files", nargs="*")
    asked = options.parse_args()
    main(asked.files, asked.pages)
