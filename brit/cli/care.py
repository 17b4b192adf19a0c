"""`models`, `doctor`, `worker`: what BRIT runs on."""

from __future__ import annotations

import argparse
from pathlib import Path

from brit.cli.commands import Add
from brit.cli.terminal import complain, plain, print_health, print_table, show, shown_progress
from brit.config import Settings
from brit.errors import InputError


def add_care_commands(add: Add) -> None:
    sub = add("models", models_command, "list the encoders, or fetch the weights of one")
    sub.add_argument("action", choices=("list", "fetch"))
    sub.add_argument("name", nargs="?", help="an open_clip model, as ViT-B-32/laion2b_s34b_b79k")
    sub.add_argument("--json", action="store_true")
    sub = add("doctor", doctor_command, "say what works here and what does not")
    sub.add_argument("--json", action="store_true")
    add("worker", worker_command, "run queued jobs (started by the app)")


def models_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.encoders.fetch import available_encoders, fetch_weights

    if options.action == "list" and options.name is not None:
        raise InputError("`models list` takes no name; `models fetch NAME` fetches one.")
    folder = Path(settings.encoders.weights_folder or settings.workspace / "weights")
    if options.action == "fetch":
        name = "ViT-B-32/laion2b_s34b_b79k" if options.name is None else options.name
        with shown_progress() as on_progress:
            fetch_weights(name, folder, on_progress=on_progress, cancelled=lambda: False)
    rows = [plain(row) for row in available_encoders(folder)]
    show({"encoders": rows}, options.json, lambda: print_table(rows))
    return 0


def doctor_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.pipeline.doctor import examine

    report = examine(settings, ask_servers=True)
    show(report, options.json, lambda: print_health(report))
    for problem in report["problems"]:
        complain(problem)
    return 1 if report["problems"] else 0


def worker_command(_: argparse.Namespace, settings: Settings) -> int:
    from brit.jobs import work
    from brit.pipeline import Models
    from brit.storage import Workspace

    workspace = Workspace.open(settings.workspace)
    work(workspace, Models(settings, workspace.calls))
    return 0
