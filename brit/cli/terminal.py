"""What a person reads in a terminal: names and texts of documents cannot steer it."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from brit.types import Answer, Progress, Retrieval

# Control characters but line ends and tabs, bytes of names that are no text, turns of direction.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
LINE_ENDS = re.compile("[\n\t\u2028\u2029]")
WIDEST = 60
FIRST_WORDS = 90
LONGEST = 1000
# The scores are ranks among what one question found: the best is near 1 even where nothing belongs.
LOW_RELEVANCE = (
    "What was found shares few words with this question, and nothing in it stands out: the answer "
    "is probably not in these documents. Scores only order what was found."
)
EVERY_SECONDS = 10.0


def complain(sentence: str) -> None:
    """One line on stderr; of an endless name in it, the middle is left out."""
    line = one_line(sentence)
    if len(line) > LONGEST:
        line = f"{line[: LONGEST // 2]} … {line[-LONGEST // 2 :]}"
    print(line, file=sys.stderr)


def printable(text: str) -> str:
    """Without what a document or file name could steer a terminal with."""
    return CONTROL.sub("", text)


def one_line(text: str) -> str:
    return LINE_ENDS.sub(" ", printable(text))


def plain(value: object) -> Any:
    from brit.storage.codec import to_plain

    return to_plain(value)


def show(data: object, as_json: bool, in_words: Callable[[], None]) -> None:
    """One JSON object, or what `in_words` prints."""
    if as_json:
        print(json.dumps(data, ensure_ascii=False))
    else:
        in_words()


@contextmanager
def shown_progress() -> Iterator[ProgressPrinter]:
    """What shows progress on stderr while it is entered."""
    printer = ProgressPrinter()
    try:
        yield printer
    finally:
        printer.close()


def print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows of the same keys under their names; numbers stand to the right."""
    if not rows:
        return
    cells = [[_cell(value) for value in row.values()] for row in rows]
    columns = [[name, *column] for name, column in zip(rows[0], zip(*cells, strict=True),
               strict=True)]  # fmt: skip
    widths = [min(max(map(len, column)), WIDEST) for column in columns]
    right = [all(isinstance(row[name], int | float | None) for row in rows) for name in rows[0]]
    for line in zip(*columns, strict=True):
        padded = (
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(line, widths, right, strict=True)
        )
        print("  ".join(padded).rstrip())


def print_facts(facts: Mapping[str, Any]) -> None:
    """One fact a line: its name, then what it is."""
    width = max(map(len, facts), default=0)
    for name, value in facts.items():
        print(f"{name.ljust(width)}  {_cell(value)}".rstrip())


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return one_line(str(value))


class ProgressPrinter:
    """How far long work is, on stderr: one line that changes in a terminal; elsewhere a line at
    each new stage and every `EVERY_SECONDS`."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._stage = ("", "")
        self._printed = 0.0
        self._width = 0

    def __call__(self, progress: Progress) -> None:
        stage = (progress.stage, progress.detail)
        now = time.monotonic()
        counted = f" {progress.done}/{progress.total}" if progress.total > 1 else ""
        line = one_line(f"{progress.stage}{counted} {progress.detail}".rstrip())
        if self._stream.isatty():
            self._stream.write(f"\r{line.ljust(self._width)}")
            self._width = len(line)
        elif stage != self._stage or now - self._printed >= EVERY_SECONDS:
            self._stream.write(line + "\n")
            self._printed = now
        self._stage = stage
        self._stream.flush()

    def close(self) -> None:
        """What is printed next begins on a line of its own."""
        if self._width:
            self._stream.write("\n")
            self._width = 0


def print_documents(rows: Sequence[Mapping[str, Any]]) -> None:
    """A line a document, and what is to be said of it below."""
    names = ("pages", "figures", "captions", "triplets", "nodes", "seconds", "status", "document")
    print_table([{name: row[name] for name in names} for row in rows])
    for row in rows:
        for note in filter(None, (row["reason"], *row["warnings"])):
            print(one_line(f"{row['document']}: {note}"))


def print_health(report: Mapping[str, Any]) -> None:
    """The facts of `doctor`, one a line, then the collections and the notes."""
    workspace = report["workspace"]
    lists = ("workspace", "notes", "problems", "repaired")
    facts = {name.replace("_", " "): what for name, what in report.items() if name not in lists}
    print_facts({**facts, "workspace": workspace["folder"]})
    print_table(workspace.get("collections", []))
    for note in (*report.get("repaired", ()), *report["notes"]):
        print(one_line(note))


def print_retrieval(retrieval: Retrieval) -> None:
    """The evidence, kind by kind, best first."""
    print(one_line(f"query entities: {', '.join(retrieval.entities) or 'none'}"))
    if retrieval.low_relevance:
        print(LOW_RELEVANCE)
    for image in retrieval.images:
        via = f" via “{image.via}” ({image.link})" if image.via else ""
        place = _place(image.document, image.page)
        print(one_line(f"picture  {image.score:.3f}  {place}  {image.caption}{via}"))
    for triplet in retrieval.triplets:
        words = f"{triplet.subject} – {triplet.relation} – {triplet.object}"
        place = _place(triplet.document, triplet.page)
        print(one_line(f"triplet  {triplet.score:.3f}  {place}  {words}"))
    for passage in retrieval.passages:
        place = _place(passage.document, passage.page)
        print(one_line(f"passage  {passage.score:.3f}  {place}  {passage.text}"))


def print_sources(answer: Answer, retrieval: Retrieval) -> None:
    """Below an answer, what its [1] and [2] stand for: document, page and the first words."""
    for cited in answer.citations:
        if cited.kind == "image":
            words = f"picture: {retrieval.images[cited.index].caption or 'without a caption'}"
        else:
            words = retrieval.passages[cited.index].text
        words = one_line(words)
        first = words if len(words) <= FIRST_WORDS else f"{words[:FIRST_WORDS].rstrip()} …"
        print(one_line(f"[{cited.marker}] {_place(cited.document, cited.page)}  {first}"))


def _place(document: str, page: int | None) -> str:
    return document if page is None else f"{document} p. {page}"
