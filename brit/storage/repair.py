"""What is wrong with a workspace on disk, and putting right what can be."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field

from brit.errors import WorkspaceError
from brit.storage.inventory import missing_originals, missing_pictures, orphans
from brit.storage.recovery import forget_readings, recover, rescue_originals
from brit.storage.workspace import Workspace
from brit.types import OnProgress, Progress, no_progress

SEARCHED = ("passage", "image", "node")
ALONE_SECONDS = 2
SHOWN = 3
MISSING = "Some of its pictures were missing in the workspace: add the file again."


@dataclass
class Repairs:
    """Sentences: what was put right, and what could not be."""

    repaired: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def find_faults(workspace: Workspace) -> list[str]:
    """A sentence for each kind of thing that is wrong; nothing is changed."""
    if damage := find_damage(workspace):
        return [_damaged(damage)]
    pictures, originals = missing_pictures(workspace), missing_originals(workspace)
    strays = orphans(workspace)
    names = [workspace.documents.document(id).name for id in pictures]
    found = {
        f"Missing pictures: {sum(pictures.values())} of {_some(names)}. Run `python -m brit doctor "
        "--repair`, then add those files again.": pictures,
        f"Missing originals: of {_some(originals)}. Add those files again.": originals,
        f"Left over, needed by no document or job: {len(strays)} ({_some(map(str, strays))}). "
        "`python -m brit doctor --repair` removes them.": strays,
        "A worker ended without a word: what it was at goes on when the app is started.":
            _worker_died(workspace),
    }  # fmt: skip
    return [sentence for sentence, there in found.items() if there]


def find_torn_pages(workspace: Workspace) -> list[str]:
    """The first of `find_faults`, as far as it can be told at once."""
    try:
        found = str(workspace.read.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as error:
        found = str(error)
    return [] if found == "ok" else [_damaged(found)]


def _damaged(damage: str) -> str:
    return (
        f"The workspace's database is damaged ({damage}). `python -m brit doctor --repair` saves "
        "what can be read of it; `python -m brit restore` makes a new workspace of a backup."
    )


def find_damage(workspace: Workspace) -> str:
    """What is wrong inside the database, in SQLite's words or ours; nothing where all is well."""
    db = workspace.read
    try:
        found = str(db.execute("PRAGMA integrity_check(1)").fetchone()[0])
        if found != "ok":
            return found.splitlines()[-1]
        if db.execute("PRAGMA foreign_key_check").fetchone():
            return "rows whose owner is missing"
        for kind in SEARCHED:
            if not _search_fits(workspace, kind):
                return f"the search by words lacks a {kind}"
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise
        return str(error)
    except sqlite3.DatabaseError as error:
        return str(error)
    return ""


def _search_fits(workspace: Workspace, kind: str) -> bool:
    """Raises sqlite3.DatabaseError where a table is damaged itself."""
    with workspace.write() as db:
        for index in (f"{kind}_words", f"{kind}_trigrams"):
            db.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
            numbers, rows = f"SELECT number FROM {kind}s", f"SELECT rowid FROM {index}"
            for one, other in ((numbers, rows), (rows, numbers)):
                if db.execute(f"{one} EXCEPT {other}").fetchone():
                    return False
    return True


def _worker_died(workspace: Workspace) -> bool:
    row = workspace.read.execute("SELECT 1 FROM worker").fetchone()
    return row is not None and not workspace.jobs.worker_alive()


def repair(workspace: Workspace, on_progress: OnProgress = no_progress) -> Repairs:
    """Put right what can be: afterwards the workspace is sound, and what was lost is told.

    Raises WorkspaceError while anything else has the workspace open. Index files are made again
    when a collection is opened next.
    """
    done = Repairs()
    try:
        _be_alone(workspace)
        on_progress(Progress("looking for damage", 0, 1))
        if damage := find_damage(workspace):
            _recover(workspace, damage, done, on_progress)
            _be_alone(workspace)
        _forget_incomplete(workspace, done)
        _end_worker(workspace, done)
        _remove(workspace, done)
    finally:
        workspace.close()
    return done


def _be_alone(workspace: Workspace) -> None:
    """Shut all others out until the workspace is closed: a file that no row names yet may be on its
    way into it."""
    db = workspace.read
    db.execute(f"PRAGMA busy_timeout = {ALONE_SECONDS * 1000}")
    try:
        # Leaving WAL is granted to the only connection; without it no reader can slip in.
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        db.execute("COMMIT")
    except sqlite3.OperationalError as error:
        raise WorkspaceError(
            "Something else has the workspace open: stop the app and other commands, then repair."
        ) from error


def _recover(workspace: Workspace, damage: str, done: Repairs, on_progress: OnProgress) -> None:
    found = recover(workspace, on_progress)
    done.repaired.append(
        f"The database was damaged ({damage}): what could be read of it was copied into a new one, "
        f"and its search by words made again. The damaged file is kept as {found.kept.name}."
    )
    for id in found.documents:
        name, copy = workspace.documents.document(id).name, workspace.documents.source_path(id)
        done.lost.append(f"Part of “{name}” was lost: add it again (a copy of it is {copy}).")
    for table, rows in found.lost.items():
        many = "Rows" if rows is None else f"{rows} rows"
        done.lost.append(f"{many} of the table «{table}» could not be read.")
    if "documents" in found.lost:
        for path in rescue_originals(workspace):
            done.lost.append(f"A document and its name were lost; its original is {path}.")


def _forget_incomplete(workspace: Workspace, done: Repairs) -> None:
    missing = missing_pictures(workspace)
    if missing:
        forget_readings(workspace, list(missing), MISSING)
    for id, count in missing.items():
        name = workspace.documents.document(id).name
        done.lost.append(f"“{name}” lacked pictures ({count}): add it again to have it read anew.")


def _end_worker(workspace: Workspace, done: Repairs) -> None:
    with workspace.write() as db:
        row = db.execute("SELECT token FROM worker").fetchone()
        if row is not None:
            workspace.jobs.release(row["token"])
            done.repaired.append("A worker that had ended was forgotten; its jobs wait again.")


def _remove(workspace: Workspace, done: Repairs) -> None:
    strays = orphans(workspace)
    for path in strays:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    if strays:
        done.repaired.append(
            f"Removed what nothing needed: {len(strays)} ({_some(map(str, strays))})."
        )
    indexes = workspace.folder / "indexes"
    if indexes.exists():
        shutil.rmtree(indexes)
        done.repaired.append("The index files were removed: opening a collection makes them again.")


def _some(names: Iterable[str]) -> str:
    """The first of them, and how many more there are."""
    names = list(names)
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(f"“{name}”" for name in names[:SHOWN]) + more
