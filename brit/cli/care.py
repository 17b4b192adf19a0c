"""`models`, `doctor`, `backup`, `restore`, `password`, `worker`: what BRIT runs on, kept well."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getpass
from pathlib import Path

from brit.cli.commands import Add, named_path
from brit.cli.terminal import (
    complain,
    plain,
    print_facts,
    print_health,
    print_table,
    show,
    shown_progress,
)
from brit.config import Settings
from brit.errors import Cancelled, InputError


def add_care_commands(add: Add) -> None:
    sub = add("models", models_command, "list the encoders, or fetch the weights of one")
    sub.add_argument("action", choices=("list", "fetch"))
    sub.add_argument("name", nargs="?", help="an open_clip model, as ViT-B-32/laion2b_s34b_b79k")
    sub.add_argument("--json", action="store_true")
    sub = add("doctor", doctor_command, "say what works here and what does not")
    sub.add_argument("--json", action="store_true")
    sub.add_argument("--repair", action="store_true", help="put right what can be (app stopped)")
    sub = add("backup", backup_command, "save the whole workspace in one file, also while it runs")
    sub.add_argument("file", type=named_path)
    sub.add_argument("--json", action="store_true")
    sub = add("restore", restore_command, "make a new workspace of a backup")
    sub.add_argument("file", type=named_path)
    sub.add_argument("--json", action="store_true")
    sub = add("password", password_command, "hash the password that lets people in")
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
    from brit.pipeline.doctor import examine, mend

    if options.repair:
        with shown_progress() as on_progress, told_if_stopped("Stopped. Repair it again."):
            report = mend(settings, on_progress)
    else:
        report = examine(settings, thorough=True)
    show(report, options.json, lambda: print_health(report))
    for problem in report["problems"]:
        complain(problem)
    return 1 if report["problems"] else 0


def backup_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.storage import Workspace
    from brit.storage.backup import save_backup

    workspace = Workspace.open(settings.workspace, create=False)
    with shown_progress() as on_progress, told_if_stopped("Stopped: no backup was made."):
        saved = save_backup(workspace, options.file, on_progress)
    for note in saved.notes:
        complain(note)
    if saved.missing:
        complain(
            f"{saved.missing} files are missing or damaged in the workspace, so they are not in "
            "the backup: see `python -m brit doctor`."
        )
    facts = {"file": str(options.file), **plain(saved)}
    show(facts, options.json, lambda: print_facts({**facts, "notes": len(saved.notes)}))
    return 1 if saved.missing else 0


def restore_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.storage.restore import restore_backup

    with shown_progress() as on_progress, told_if_stopped("Stopped: nothing was restored."):
        saved = restore_backup(options.file, settings.workspace, on_progress)
    facts = {"workspace": str(settings.workspace), **plain(saved)}
    facts.pop("notes")
    show(facts, options.json, lambda: print_facts(facts))
    return 0


@contextmanager
def told_if_stopped(sentence: str) -> Iterator[None]:
    """Of work that is done whole or not at all."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise Cancelled(sentence) from error


def password_command(options: argparse.Namespace, _: Settings) -> int:
    from brit.ui.passwords import hash_password

    given = getpass("Password: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\r\n")
    if not given:
        raise InputError("No password was given. Type one, or send it on a line of its own.")
    if sys.stdin.isatty() and getpass("Again: ") != given:
        raise InputError("The two passwords differ. Try again.")
    hashed = hash_password(given)
    show({"hash": hashed}, options.json, lambda: print(f"BRIT_PASSWORD_HASH='{hashed}'"))
    return 0


def worker_command(_: argparse.Namespace, settings: Settings) -> int:
    from brit.jobs import work
    from brit.journal import open_log
    from brit.pipeline import Models
    from brit.storage import Workspace

    workspace = Workspace.open(settings.workspace)
    open_log(workspace.folder, "worker")
    work(workspace, Models(settings, workspace.calls))
    return 0
