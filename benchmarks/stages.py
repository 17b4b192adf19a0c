"""Seconds a page of adding PDF files, by stage, with one and with two processes that read.

    python -m benchmarks.stages FILE|FOLDER ... [--processes 1 2] [--runs N]

Each run adds all files to a new workspace, as the command line does, in a process of its own with
its models loaded first by a file of one page; the runs of the settings take turns. Prints the mean
over the runs, the largest memory of the worker and of its readers together, and how loaded the
machine was.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.memory import Peak  # noqa: E402
from brit.config import Settings, load_settings  # noqa: E402
from brit.pipeline import Models, ingest  # noqa: E402
from brit.storage import Workspace  # noqa: E402


def add(files: Sequence[Path], processes: int) -> dict[str, float]:
    """Seconds by stage and in all, pages and peak megabytes of adding the files once."""
    with tempfile.TemporaryDirectory(prefix="brit-stages-") as folder:
        base = replace(load_settings(), workspace=Path(folder))
        settings: Settings = replace(base, reading=replace(base.reading, processes=processes))
        workspace = Workspace.open(settings.workspace)
        models = Models(settings, workspace.calls)
        _warm_up(workspace, models, Path(folder))
        peak, started = Peak(own=True), time.perf_counter()
        report = ingest(workspace, list(files), "files", models=models)
        seconds = time.perf_counter() - started
        pages = sum(document.pages for document in report.documents)
        return {**report.stages, "all": seconds, "pages": pages, "MB": peak.stop()}


def _warm_up(workspace: Workspace, models: Models, folder: Path) -> None:
    import pymupdf

    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "The Tarn pump moves the water of Quenby.")
        document.save(folder / "warm.pdf")
    ingest(workspace, [folder / "warm.pdf"], "warm", models=models)


def run(files: Sequence[str], processes: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", "--processes", str(processes), "--"]
    done = subprocess.run([*command, *files], check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    load = os.getloadavg()[0]
    print(f"{processes} processes: {found['all']:.0f} s, load {load:.1f}", file=sys.stderr)
    return found


def show(settings: Sequence[int], found: Sequence[list[dict[str, float]]]) -> None:
    pages = found[0][0]["pages"]
    print(f"{pages:.0f} pages, {len(found[0])} runs; seconds a page")
    print(f"{'':14}" + "".join(f"{n:>9} process" + ("es" if n > 1 else "  ") for n in settings))
    for name in dict.fromkeys(name for one in found for name in one[0]):
        if name == "pages":
            continue
        means = [sum(each.get(name, 0.0) for each in one) / len(one) for one in found]
        values = [f"{mean:.0f}" if name == "MB" else f"{mean / pages:.3f}" for mean in means]
        print(f"{name:14}" + "".join(f"{value:>19}" for value in values), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(add([Path(file) for file in asked.files], asked.processes[0])))
        return
    found: list[list[dict[str, float]]] = [[] for _ in asked.processes]
    for _ in range(asked.runs):
        for at, processes in enumerate(asked.processes):
            found[at].append(run(asked.files, processes))
    show(asked.processes, found)


if __name__ == "__main__":
    main()
