"""Kills BRIT at random moments and looks at what is left.

    python benchmarks/kills.py --kills 300 [--folder DIR] [--seed 0] [--only ingest index …]

Each command runs in a process group that is killed with SIGKILL, pages' reader included; then
`doctor` looks through the workspace, and the same command is run again until it ends by itself.
What stands then must equal what an undisturbed run made. The document is three pages of the sample.
`ask` and `app` run the pages themselves (Streamlit's AppTest): of `ask` every answer that was shown
must still be there; of `app` either the app is killed, and its worker must end by itself, or the
worker, and the app must replace it.
Prints a table of kills, workspaces that did not verify, and results that differ. Linux and macOS:
processes are forked from one that has imported everything, so that kills fall into the work and not
into the imports.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
SAMPLE = ROOT / "assets" / "samples" / "nerivane.pdf"
COMPARED = ("nodes", "edges", "links", "images")
HEAVY = ("torch", "sentence_transformers", "spacy", "faiss", "onnxruntime", "rapidocr", "pymupdf")
SHARES = {"ingest": 0.3, "ask": 0.12, "app": 0.08, "index": 0.1, "delete": 0.1, "benchmark": 0.1,
          "backup": 0.1, "migrate": 0.1}  # fmt: skip
QUESTION = "Which colour is the float of the Tellune?"
PAGES_SECONDS = 240
ENDS_SECONDS = 12.0
"""So long a worker may go on after its app is gone (`brit.jobs.GRACE_SECONDS`, and waiting)."""


@dataclass
class Tally:
    kills: int = 0
    ended: int = 0
    unsound: list[str] = field(default_factory=list)
    different: int = 0


class Bench:
    """Runs commands of the command line in forked processes and kills them."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.document = some_pages(folder / "some.pdf")
        self.random = random.Random(seed)

    def start(self, *command: str | Path) -> int:
        return self.fork(lambda: run_command(command))

    def fork(self, work: Callable[[], int]) -> int:
        """→ the id of a process, and of its group, that does the work."""
        pid = os.fork()
        if pid:
            while os.getpgid(pid) != pid:  # it can be killed as a group only once it is one
                time.sleep(0.001)
            return pid
        os.setsid()
        quiet = os.open(self.folder / "last.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        code = 1
        try:
            code = work()
            sys.stdout.flush()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    def run(self, *command: str | Path) -> float:
        """To its end; → seconds. Raises RuntimeError where it fails."""
        began = time.monotonic()
        self.wait(self.start(*command), str(command[0]))
        return time.monotonic() - began

    def wait(self, pid: int, name: str) -> None:
        """Until it ends by itself. Raises RuntimeError where it fails."""
        _, status = os.waitpid(pid, 0)
        if status:
            raise RuntimeError(f"{name}: {(self.folder / 'last.log').read_text()[-400:]}")

    def kill(self, within: float, *command: str | Path) -> bool:
        """→ whether it was killed before it ended."""
        return self.kill_process(self.start(*command), within)

    def kill_process(self, pid: int, within: float) -> bool:
        end = time.monotonic() + self.random.uniform(0, within)
        while time.monotonic() < end:
            if os.waitpid(pid, os.WNOHANG)[0]:
                return False
            time.sleep(0.002)
        os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return True

    def torn(
        self,
        tally: Tally,
        workspace: Path,
        within: float,
        command: Sequence[str | Path],
        most: int,
    ) -> None:
        """The command killed again and again until it ends, or was killed `most` times in all; then
        once more to its end."""
        while tally.kills < most and self.kill(within, *command, "--workspace", workspace):
            tally.kills += 1
            self.verify(tally, workspace)
        self.run(*command, "--workspace", workspace)
        self.verify(tally, workspace)
        tally.ended += 1

    def disturb(self, tally: Tally, workspace: Path, within: float) -> bool:
        """Kill app or worker, once; → False where the job was done before."""
        pid = self.fork(lambda: watch_job(workspace, self.document))
        moment = time.monotonic() + self.random.uniform(0, 2 * within)
        while time.monotonic() < moment:
            if os.waitpid(pid, os.WNOHANG)[0]:
                return False
            time.sleep(0.01)
        worker = worker_of(workspace)
        if worker is not None and self.random.random() < 0.5:
            os.kill(worker, signal.SIGKILL)
            tally.kills += 1
            self.wait(pid, "app")  # which replaces it
            return False
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        tally.kills += 1
        end = time.monotonic() + ENDS_SECONDS
        while worker_of(workspace) is not None and time.monotonic() < end:
            time.sleep(0.1)
        if worker_of(workspace) is not None:
            tally.unsound.append("a worker outlived its app")
        return True

    def verify(self, tally: Tally, workspace: Path) -> None:
        if not (workspace / "brit.sqlite").exists():
            return
        os.waitpid(self.start("doctor", "--json", "--workspace", workspace), 0)
        told = (self.folder / "last.log").read_text()
        try:
            problems = json.loads(told[: told.rindex("}") + 1])["problems"]
        except ValueError:
            problems = [told[-400:]]
        # The next process sweeps what a killed one left in its room, and goes on with its job.
        expected = ("Left over", "A worker ended without a word")
        tally.unsound += [each for each in problems if not each.startswith(expected)]


def run_command(command: Sequence[str | Path]) -> int:
    from brit.cli import main

    return main([str(part) for part in command])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--folder", type=Path, default=Path("kills"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=SHARES, default=[*SHARES])
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    for module in HEAVY:
        importlib.import_module(module)
    options.folder.mkdir(parents=True)
    bench = Bench(options.folder.resolve(), options.seed)
    whole = bench.folder / "whole"
    seconds = bench.run("ingest", bench.document, "--collection", "S", "--workspace", whole)
    print(f"undisturbed: {seconds:.1f} s", flush=True)
    scenes: dict[str, Callable[[Bench, Path, float, int], Tally]] = {
        "ingest": ingest, "ask": ask, "app": app, "index": index, "delete": delete,
        "benchmark": benchmark, "backup": backup, "migrate": migrate,
    }  # fmt: skip
    print(f"{'command':10} {'kills':>6} {'ended':>6} {'unsound':>8} {'different':>10}")
    for name in options.only:
        scene = scenes[name]
        tally = scene(bench, whole, seconds, round(options.kills * SHARES[name]))
        print(
            f"{name:10} {tally.kills:6} {tally.ended:6} {len(tally.unsound):8} "
            f"{tally.different:10}",
            flush=True,
        )
        for complaint in tally.unsound[:3]:
            print("   ", complaint[-300:].replace("\n", " "), flush=True)


def some_pages(target: Path) -> Path:
    import pymupdf

    with pymupdf.open(SAMPLE) as sample:
        sample.select([2, 3, 4])
        sample.save(target)
    return target


def ingest(bench: Bench, whole: Path, seconds: float, most: int) -> Tally:
    tally, wanted = Tally(), graph(bench, whole)
    while tally.kills < most:
        torn = fresh(bench)
        bench.torn(tally, torn, seconds, ("ingest", bench.document, "--collection", "S"), most)
        tally.different += graph(bench, torn) != wanted
    return tally


def index(bench: Bench, whole: Path, _: float, most: int) -> Tally:
    """Opening a collection whose index files are gone makes them anew."""
    tally, torn = Tally(), copy(bench, whole)
    command = ("retrieve", QUESTION, "--collection", "S")
    wanted = found(bench, whole, command)
    seconds = bench.run(*command, "--workspace", torn)
    while tally.kills < most:
        shutil.rmtree(torn / "indexes")
        bench.torn(tally, torn, seconds, command, most)
        tally.different += found(bench, torn, command) != wanted
    return tally


def delete(bench: Bench, whole: Path, _: float, most: int) -> Tally:
    """A deleted document that is read again is what it was."""
    tally, wanted = Tally(), graph(bench, whole)
    command = ("delete", bench.document.name, "--collection", "S")
    seconds = bench.run(*command, "--workspace", copy(bench, whole))
    while tally.kills < most:
        torn = copy(bench, whole)
        while tally.kills < most and bench.kill(seconds, *command, "--workspace", torn):
            tally.kills += 1
            bench.verify(tally, torn)
        bench.run("ingest", bench.document, "--collection", "S", "--workspace", torn)
        bench.verify(tally, torn)
        tally.ended += 1
        tally.different += graph(bench, torn) != wanted
    return tally


def benchmark(bench: Bench, whole: Path, _: float, most: int) -> Tally:
    tally, torn = Tally(), copy(bench, whole)
    questions = bench.folder / "set.jsonl"
    bench.run("benchmark", "make", "--collection", "S", "-o", questions, "--workspace", torn)

    def command(run: Path) -> tuple[str | Path, ...]:
        methods = ("--methods", "default,bm25")
        return ("benchmark", "run", questions, "--collection", "S", "-o", run, *methods)

    once = bench.folder / "once.json"
    seconds = bench.run(*command(once), "--workspace", torn)
    while tally.kills < most:
        run = bench.folder / f"run{tally.ended}.json"
        bench.torn(tally, torn, seconds, command(run), most)
        tally.different += recall(run) != recall(once)
    return tally


def backup(bench: Bench, whole: Path, _: float, most: int) -> Tally:
    """A backup that stands under its name, killed after that or not, restores to the same graph."""
    tally, wanted = Tally(), graph(bench, whole)
    saved = bench.folder / "saved.brit"
    seconds = bench.run("backup", saved, "--workspace", whole)
    while tally.kills < most:
        saved.unlink()
        killed = bench.kill(seconds, "backup", saved, "--workspace", whole)
        tally.kills += killed
        tally.ended += not killed
        bench.verify(tally, whole)
        if not saved.exists():
            bench.run("backup", saved, "--workspace", whole)
        torn = fresh(bench)
        bench.run("restore", saved, "--workspace", torn)
        tally.different += graph(bench, torn) != wanted
    return tally


def migrate(bench: Bench, whole: Path, _: float, most: int) -> Tally:
    """A workspace of the version before, opened by this one."""
    tally, wanted = Tally(), graph(bench, whole)
    command = ("documents", "--collection", "S")
    seconds = bench.run(*command, "--workspace", copy(bench, whole))
    while tally.kills < most:
        torn = copy(bench, whole)
        make_older(torn / "brit.sqlite")
        bench.torn(tally, torn, seconds, command, most)
        tally.different += graph(bench, torn) != wanted
    return tally


def make_older(path: Path) -> None:
    """What the newest step of the schema brought is taken out again."""
    from brit.storage.schema import MIGRATIONS, columns_at

    before = len(MIGRATIONS) - 1
    names = [name.split(".") for name in columns_at(len(MIGRATIONS)) - columns_at(before)]
    known = {name.split(".")[0] for name in columns_at(before)}
    with sqlite3.connect(path) as database:
        for table in {table for table, _ in names} - known:
            database.execute(f"DROP TABLE {table}")
        for table, column in names:
            if table in known:
                database.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        database.execute(f"PRAGMA user_version = {before}")
    database.close()


def ask(bench: Bench, whole: Path, _: float, most: int) -> Tally:
    """Questions asked on the page; an answer that was shown is there ever after, and is the one an
    undisturbed page gives."""
    tally, torn, shown = Tally(), copy(bench, whole), bench.folder / "shown"
    shown.write_text("")
    began = time.monotonic()
    bench.wait(bench.fork(lambda: ask_once(torn, shown)), "ask")
    seconds = time.monotonic() - began
    (wanted,) = set(answers(torn))
    while tally.kills < most:
        killed = bench.kill_process(bench.fork(lambda: ask_once(torn, shown)), seconds)
        tally.kills += killed
        tally.ended += not killed
        bench.verify(tally, torn)
        kept = answers(torn)
        tally.different += sum(each != wanted for each in kept)
        if len(kept) < len(shown.read_text()):
            tally.unsound.append(f"{len(shown.read_text()) - len(kept)} answers were lost")
    return tally


def page(workspace: Path, name: str) -> Any:
    from streamlit.testing.v1 import AppTest

    os.environ["BRIT_WORKSPACE"] = str(workspace)
    os.chdir(ROOT)
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PAGES_SECONDS)
    if name != "app.py":
        test.switch_page(name)
    return test.run()


def ask_once(workspace: Path, shown: Path) -> int:
    test = page(workspace, "app.py")
    test.chat_input(key="ask-box").set_value(QUESTION).run()
    if not test.exception and "Tellune" in str([each.value for each in test.markdown]):
        with shown.open("a") as stream:
            stream.write(".")
    return len(test.exception)


def answers(workspace: Path) -> list[str]:
    """The texts of all answers that are kept."""
    with sqlite3.connect(workspace / "brit.sqlite") as database:
        rows = database.execute("SELECT answer FROM turns WHERE answer IS NOT NULL").fetchall()
    database.close()
    return [json.loads(answer)["text"] for (answer,) in rows]


def app(bench: Bench, whole: Path, seconds: float, most: int) -> Tally:
    """A job of the Library, with its app or its worker killed until it is done."""
    tally, wanted = Tally(), graph(bench, whole)
    while tally.kills < most:
        torn = fresh(bench)
        while tally.kills < most and bench.disturb(tally, torn, seconds):
            bench.verify(tally, torn)
        bench.wait(bench.fork(lambda: watch_job(torn, bench.document)), "app")  # noqa: B023
        bench.verify(tally, torn)
        tally.ended += 1
        tally.different += graph(bench, torn) != wanted
    return tally


def watch_job(workspace: Path, document: Path) -> int:
    """The Library open until its job, begun by the first to come, is done."""
    from brit.ui import state
    from brit.ui.uploads import submit_ingestion

    test = page(workspace, "pages/1_Library.py")
    jobs = state.workspace().jobs
    if not jobs.jobs():
        submit_ingestion([str(document)], "S")
    while jobs.jobs(active=True):
        time.sleep(0.5)
        test.run()
    state.runner().close()
    (job,) = jobs.jobs()
    return int(job.state != "done" or bool(job.message))


def worker_of(workspace: Path) -> int | None:
    """The process that works there, while it does."""
    for process in psutil.process_iter(["cmdline"]):
        if {"worker", str(workspace)} <= set(process.info["cmdline"] or ()):
            return process.pid
    return None


def fresh(bench: Bench) -> Path:
    target = bench.folder / "torn"
    shutil.rmtree(target, ignore_errors=True)
    return target


def copy(bench: Bench, whole: Path) -> Path:
    return Path(shutil.copytree(whole, fresh(bench)))


def graph(bench: Bench, workspace: Path) -> Any:
    target = bench.folder / "graph.json"
    command = ("export", "--collection", "S", "--format", "json", "-o", target)
    bench.run(*command, "--workspace", workspace)
    return by_content(json.loads(target.read_text()))


def by_content(data: dict[str, list[dict[str, Any]]]) -> dict[str, list[str]]:
    """The graph without its ids, which differ from one collection to the next."""
    names = {node["id"]: f"{node['label']} ({node['kind']})" for node in data["nodes"]}
    names |= {image["id"]: f"{image['page']} {image['bbox']}" for image in data["images"]}
    dropped = ("id", "document", "documents")

    def told(row: dict[str, Any]) -> str:
        return json.dumps(
            {
                key: names.get(value, value) if isinstance(value, str) else value
                for key, value in row.items()
                if key not in dropped
            },
            sort_keys=True,
        )

    return {kind: sorted(map(told, rows)) for kind, rows in data.items() if kind in COMPARED}


def found(bench: Bench, workspace: Path, ask: Sequence[str]) -> list[Any]:
    bench.run(*ask, "--json", "--workspace", workspace)
    told = json.loads((bench.folder / "last.log").read_text().splitlines()[-1])
    for image in told["images"]:
        image.pop("path")  # which holds the workspace's folder
    return [told["images"], told["passages"], told["triplets"]]


def recall(run: Path) -> Any:
    """All that a run measured but how long it took."""
    results = json.loads(run.read_text())["results"]
    for each in results:
        each["measures"].pop("ms", None)
    return sorted(results, key=lambda each: (each["method"], each["question"]))


if __name__ == "__main__":
    main()
