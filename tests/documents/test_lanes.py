"""Work side by side: results in order, an early end, and a PDF read by two processes as by one."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from brit.config import ReadingConfig
from brit.documents.lanes import in_order
from brit.documents.pdf import PdfReader
from brit.documents.process import close_idle
from brit.errors import Cancelled
from brit.models import ReadRequest
from brit.types import Page
from tests.documents.test_pdf import _brochure as make_brochure


@pytest.fixture(autouse=True, scope="module")
def _ended() -> Iterator[None]:
    yield
    close_idle()


def nothing() -> None:
    pass


def test_results_come_in_order_and_lanes_work_at_once() -> None:
    both = threading.Barrier(2)

    def slow(number: int) -> int:
        if number < 2:
            both.wait(timeout=5)
        time.sleep(0.02 * (number % 3))
        return number

    assert list(in_order([slow, slow], range(9), nothing, threading.Event())) == [*range(9)]


def test_a_lane_that_ran_out_of_time_ends_the_work() -> None:
    def late(number: int) -> int:
        raise TimeoutError(f"{number} took too long")

    with pytest.raises(TimeoutError, match="0 took too long"):
        list(in_order([late, late], range(9), nothing, threading.Event()))


def test_one_lane_works_when_it_is_asked() -> None:
    done: list[int] = []

    def work(number: int) -> int:
        done.append(number)
        return number

    results = in_order([work], range(5), nothing, threading.Event())
    assert (next(results), next(results), done) == (0, 1, [0, 1])


@pytest.mark.parametrize("cancelled", [True, False])
def test_lanes_are_told_to_end(cancelled: bool) -> None:
    stop = threading.Event()

    def work(number: int) -> int:
        if number:
            assert stop.wait(timeout=5)
        return number

    def check() -> None:
        if cancelled and started.is_set():
            raise Cancelled("enough")

    started = threading.Event()
    results = in_order([work, work], range(100), check, stop)
    assert next(results) == 0
    started.set()
    if cancelled:
        with pytest.raises(Cancelled):
            next(results)
    else:
        results.close()  # type: ignore[attr-defined]
    assert stop.is_set()


def read(
    path: Path, processes: int, cancelled: Callable[[], bool] = lambda: False
) -> tuple[list[Page], set[str]]:
    kept: set[str] = set()

    def save(data: bytes) -> str:
        kept.add(id := hashlib.sha256(data).hexdigest())
        return id

    reader = PdfReader(ReadingConfig(processes=processes))
    for _, pages in reader.read(path, ReadRequest(save, cancelled=cancelled)):
        return [replace(page, seconds=0.0) for page in pages], kept
    raise AssertionError("nothing was read")


def test_two_processes_read_what_one_does(tmp_path: Path) -> None:
    path = tmp_path / "brochure.pdf"
    with make_brochure() as document:
        document.save(path)
    assert read(path, 2) == read(path, 1)
    with pytest.raises(Cancelled):
        read(path, 2, cancelled=lambda: True)
