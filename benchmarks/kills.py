"""Kills BRIT at random moments and looks at what is left.

    python benchmarks/kills.py --kills 300 [--folder DIR] [--seed 0] [--only ingest index …]

Each command runs in a process group that is killed with SIGKILL, pages' reader included; then
`doctor` looks through the workspace, and the same command is run again until it ends by itself.
What stands then must equal what an undisturbed run made. The document is three pages of the sample.
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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
SAMPLE = ROOT / "assets" / "samples" / "nerivane.pdf"
COMPARED = ("nodes", "edges", "links", "images")
HEAVY = ("torch", "sentence_transformers", "spacy", "faiss", "onnxruntime", "rapidocr", "pymupdf")
SHARES = {"ingest": 0.4, "index": 0.15, "delete": 0.15, "benchmark": 0.1, "backup": 0.1,
          "migrate": 0.1}  # fmt: skip


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
        pid = os.fork()
        if pid:
            while os.getpgid(pid) != pid:  # it can be killed as a group only once it is one
                time.sleep(0.001)
            return pid
        os.setsid()
        quiet = os.open(self.folder / "last.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        from brit.cli import main

        code = main([str(part) for part in command])
        sys.stdout.flush()
        os._exit(code)

    def run(self, *command: str | Path) -> float:
        """To its end; → seconds. Raises RuntimeError where it fails."""
        began = time.monotonic()
        _, status = os.waitpid(self.start(*command), 0)
        if status:
            raise RuntimeError(f"{command[0]}: {(self.folder / 'last.log').read_text()[-400:]}")
        return time.monotonic() - began

    def kill(self, within: float, *command: str | Path) -> bool:
        """→ whether it was killed before it ended."""
        pid = self.start(*command)
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

    def verify(self, tally: Tally, workspace: Path) -> None:
        if not (workspace / "brit.sqlite").exists():
            return
        os.waitpid(self.start("doctor", "--json", "--workspace", workspace), 0)
        told = (self.folder / "last.log").read_text()
        try:
            problems = json.loads(told[: told.rindex("}") + 1])["problems"]
        except ValueError:
            problems = [told[-400:]]
        # The next process to write sweeps what a killed one left in its room.
        tally.unsound += [each for each in problems if not each.startswith("Left over")]


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
        "ingest": ingest, "index": index, "delete": delete, "benchmark": benchmark,
        "backup": backup, "migrate": migrate,
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
    ask = ("retrieve", "Which colour is the float of the Tellune?", "--collection", "S")
    wanted = found(bench, whole, ask)
    seconds = bench.run(*ask, "--workspace", torn)
    while tally.kills < most:
        shutil.rmtree(torn / "indexes")
        bench.torn(tally, torn, seconds, ask, most)
        tally.different += found(bench, torn, ask) != wanted
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
    from brit.storage.schema import MIGRATIONS

    tally, wanted = Tally(), graph(bench, whole)
    command = ("documents", "--collection", "S")
    seconds = bench.run(*command, "--workspace", copy(bench, whole))
    while tally.kills < most:
        torn = copy(bench, whole)
        with sqlite3.connect(torn / "brit.sqlite") as database:
            database.execute("DROP TABLE descriptions")
            database.execute(f"PRAGMA user_version = {len(MIGRATIONS) - 1}")
        database.close()
        bench.torn(tally, torn, seconds, command, most)
        tally.different += graph(bench, torn) != wanted
    return tally


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
