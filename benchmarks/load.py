"""Twenty people ask and two add documents, for ten minutes, against a running app.

    python benchmarks/load.py WORKSPACE --collection NAME [--minutes 10] [--questions FILE.jsonl]

Each who asks is a browser's session without the browser: Streamlit's own messages over its
websocket. They open the page, ask in a chat of their own, wait until the script has ended, and come
back after one to five seconds. Each who adds puts three pages of the sample, made anew each time,
into a collection of their own, and waits until they are read. Before, every question is asked once
with nobody else there, warm: the same answers must come under load. A copy of the workspace is used
and goes at the end. Prints errors, seconds from the question to the page with its answer (p50,
p95), and the memory of all processes together.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import psutil
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
SAMPLE = ROOT / "assets" / "samples" / "nerivane.pdf"
QUESTIONS = ROOT / "assets" / "samples" / "questions.json"
PATIENCE = 180.0
MB = 1 << 20


@dataclass
class Found:
    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    answers: dict[str, set[str]] = field(default_factory=dict)
    added: list[float] = field(default_factory=list)
    peak: int = 0
    peak_app: int = 0


class Session:
    """One opened page. `boxes` are the ids of its elements by kind, `faults` what it complained."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self.box = ""
        self.faults: list[str] = []

    async def run(self, query: str, question: str = "") -> None:
        """Draw the page, with a question where one is given, until its script has ended."""
        message = BackMsg()
        message.rerun_script.query_string = query
        if question:
            widget = message.rerun_script.widget_states.widgets.add()
            widget.id, widget.chat_input_value.data = self.box, question
        await self._socket.send(message.SerializeToString())
        async with asyncio.timeout(PATIENCE):
            while not self._take(await self._socket.recv()):
                pass

    def _take(self, data: bytes) -> bool:
        """→ whether the script has ended for good."""
        message = ForwardMsg.FromString(data)
        kind = message.WhichOneof("type")
        if kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            what = element.WhichOneof("type")
            if what == "chat_input":
                self.box = element.chat_input.id
            elif what == "exception":
                self.faults.append(f"{element.exception.type}: {element.exception.message}"[:300])
            elif what == "alert" and element.alert.format == element.alert.ERROR:
                self.faults.append(element.alert.body[:300])
        return bool(
            kind == "script_finished"
            and message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
        )


class Load:
    def __init__(self, workspace: Path, port: int, collection: str) -> None:
        self.workspace, self.collection = workspace, collection
        self._address = f"ws://127.0.0.1:{port}/_stcore/stream"
        self.found = Found()

    async def ask(self, question: str) -> float:
        """→ seconds from the question to the page with its answer."""
        async with websockets.connect(
            self._address, subprotocols=["streamlit"], max_size=None, ping_interval=None
        ) as connection:
            session = Session(connection)
            await session.run(f"collection={self.collection}")
            began = time.monotonic()
            await session.run(f"collection={self.collection}", question)
            self.found.errors += session.faults
            return time.monotonic() - began

    async def person(self, questions: list[str], number: int, until: float) -> None:
        chance = random.Random(number)
        await asyncio.sleep(chance.uniform(0, 5))
        while time.monotonic() < until:
            question = chance.choice(questions)
            try:
                self.found.seconds.append(await self.ask(question))
            except (TimeoutError, OSError, websockets.WebSocketException) as error:
                self.found.errors.append(f"{type(error).__name__}: {error}")
            await asyncio.sleep(chance.uniform(1, 5))

    async def people(self, questions: list[str], many: int, seconds: float) -> None:
        until = time.monotonic() + seconds
        await asyncio.gather(*(self.person(questions, n, until) for n in range(many)))

    def add_documents(self, number: int, until: float) -> None:
        """Add one after another until the time is over; → through `found`."""
        from brit.storage import Workspace

        workspace = Workspace.open(self.workspace)
        count = 0
        while time.monotonic() < until:
            count += 1
            began = time.monotonic()
            path = write_pages(self.workspace / f"added-{number}-{count}.pdf")
            name = f"Added {number}"
            payload = {"paths": [str(path)], "collection": name, "who": f"person {number}"}
            job = workspace.jobs.add("ingest", name, payload)
            state = "queued"
            while state not in ("done", "failed", "cancelled") and time.monotonic() < until:
                time.sleep(1)
                (told,) = (each for each in workspace.jobs.jobs() if each.id == job)
                state = told.state
            if state == "done" and not told.message:
                self.found.added.append(time.monotonic() - began)
            elif state in ("done", "failed", "cancelled"):
                self.found.errors.append(f"adding {state}: {told.message}")
        workspace.close()

    def answers(self) -> dict[str, set[str]]:
        """Question → all answers it got."""
        with sqlite3.connect(self.workspace / "brit.sqlite") as database:
            rows = database.execute("SELECT question, answer FROM turns").fetchall()
        database.close()
        found: dict[str, set[str]] = {}
        for question, answer in rows:
            text = json.loads(answer)["text"] if answer else "(none)"
            found.setdefault(question, set()).add(text)
        return found

    def watch_memory(self, app: psutil.Process, ended: threading.Event) -> None:
        """Resident memory of the app, its worker and its readers, each second. Pages that they
        share are counted in each."""
        while not ended.wait(1):
            sizes = []
            for process in (app, *app.children(recursive=True)):
                try:
                    sizes.append(process.memory_info().rss)
                except psutil.NoSuchProcess:
                    continue
            self.found.peak = max(self.found.peak, sum(sizes))
            self.found.peak_app = max(self.found.peak_app, sizes[0] if sizes else 0)


def write_pages(target: Path) -> Path:
    """Three pages of the sample, as a file that was never seen before."""
    import pymupdf

    with pymupdf.open(SAMPLE) as sample:
        sample.select([2, 3, 4])
        sample.set_metadata({"subject": target.name})
        sample.save(target)
    return target


@contextmanager
def running(workspace: Path, port: int) -> Iterator[psutil.Process]:
    """The app, until it answers and as long as the context."""
    env = {
        **os.environ, "BRIT_WORKSPACE": str(workspace), "OMP_NUM_THREADS": "1",
        "BRIT_QUESTIONS_A_MINUTE": "100000",
    }  # fmt: skip
    options = ("--server.port", str(port), "--server.headless", "true")
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *options]
    with (workspace / "app.log").open("wb") as log:
        app = subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log)
    try:
        for _ in range(120):
            time.sleep(1)
            try:
                with urlopen(f"http://127.0.0.1:{port}/_stcore/health") as reply:
                    if reply.read() == b"ok":
                        break
            except OSError:
                continue
        yield psutil.Process(app.pid)
    finally:
        app.terminate()
        app.wait(60)


def read_questions(path: Path | None, most: int) -> list[str]:
    if path is None:
        return [each["question"] for each in json.loads(QUESTIONS.read_text())]
    lines = map(json.loads, path.read_text().splitlines())
    return list(dict.fromkeys(each["question"] for each in lines))[:most]


def collection_id(workspace: Path, name: str) -> str:
    with sqlite3.connect(workspace / "brit.sqlite") as database:
        (id,) = database.execute("SELECT id FROM collections WHERE name = ?", (name,)).fetchone()
        database.execute("DELETE FROM chats")
    database.close()
    return str(id)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--collection", required=True)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--asking", type=int, default=20)
    parser.add_argument("--adding", type=int, default=2)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--most", type=int, default=40, help="of the questions of the file")
    options = parser.parse_args()
    questions = read_questions(options.questions, options.most)
    with tempfile.TemporaryDirectory() as room:
        copy = Path(shutil.copytree(options.workspace, Path(room) / "workspace"))
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        load = Load(copy, port, collection_id(copy, options.collection))
        with running(copy, port) as app:
            run(load, app, questions, options)


def run(load: Load, app: psutil.Process, questions: list[str], options: argparse.Namespace) -> None:
    async def alone() -> list[float]:
        await load.ask(questions[0])
        return [await load.ask(question) for question in questions]

    took = asyncio.run(alone())
    expected = load.answers()
    print(f"alone: {len(took)} questions, p50 {middle(took, 0.5):.1f} s, "
          f"p95 {middle(took, 0.95):.1f} s; faults: {load.found.errors or 'none'}",
          flush=True)  # fmt: skip
    ended, seconds = threading.Event(), options.minutes * 60
    until = time.monotonic() + seconds
    helpers = [
        threading.Thread(target=load.watch_memory, args=(app, ended), daemon=True),
        *(threading.Thread(target=load.add_documents, args=(number, until), daemon=True)
          for number in range(1, options.adding + 1)),
    ]  # fmt: skip
    for each in helpers:
        each.start()
    asyncio.run(load.people(questions, options.asking, seconds))
    ended.set()
    for each in helpers:
        each.join(10)
    report(load, expected)


def report(load: Load, expected: dict[str, set[str]]) -> None:
    found = load.found
    differ = [q for q, texts in load.answers().items() if texts != expected.get(q)]
    print(f"under load: {len(found.seconds)} questions answered, p50 "
          f"{middle(found.seconds, 0.5):.1f} s, p95 {middle(found.seconds, 0.95):.1f} s, longest "
          f"{max(found.seconds):.1f} s")  # fmt: skip
    print(f"added: {len(found.added)} documents, p50 {middle(found.added, 0.5):.0f} s")
    print(f"questions whose answers differ from those alone: {len(differ)} {differ[:3]}")
    print(f"memory: {found.peak // MB} MB all together, {found.peak_app // MB} MB the app")
    print(f"errors: {len(found.errors)}")
    for text, times in Counter(found.errors).most_common(8):
        print(f"    {times} × {text}")


def middle(values: list[float], share: float) -> float:
    """The value below which that share of them lies; 0 of none."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


if __name__ == "__main__":
    main()
