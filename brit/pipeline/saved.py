"""A collection somebody saved in one file → its documents in a collection here."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from brit.errors import DocumentError
from brit.graph import merge_nodes
from brit.pipeline.report import Run
from brit.storage import Workspace
from brit.storage.backup import save_backup
from brit.storage.carry import carry_corrections, carry_document, open_saved
from brit.storage.ledger import Collection
from brit.types import OnProgress, Progress, no_progress

STAGE = "taking over"


def take_saved(workspace: Workspace, path: Path, collection: Collection, run: Run) -> Iterator[str]:
    """Take its documents over, one by one; → their ids. What is there already stays as it is.

    A collection that holds nothing yet takes its retrieval setting, too. Raises InputError for a
    file that is no such collection, DocumentError for what is damaged in it, Cancelled: what came
    before stays.
    """

    with workspace.originals.bring_in(path) as (copy, _), open_saved(copy, _teller(run)) as saved:
        try:
            origins = [each.id for each in saved.documents.collections()]
            listed = [
                each
                for origin in origins
                for each in saved.documents.documents(origin)
                if not each.refused
            ]
            _take_setting(saved, workspace, collection)
            for number, each in enumerate(listed):
                run.tell(STAGE, number, len(listed), each.name)
                run.check()
                with run.stage(STAGE):
                    id = carry_document(saved, each.id, workspace, collection.id, merge_nodes)
                yield id
            for origin in origins:
                carry_corrections(saved, origin, workspace, collection.id)
        except (ValueError, KeyError, TypeError, IndexError, sqlite3.DataError) as error:
            raise DocumentError(
                f"“{path.name}” is damaged, or was not written by BRIT ({type(error).__name__}): "
                "have it saved again."
            ) from error


def save_copy(
    workspace: Workspace,
    collection: str,
    target: Path,
    *,
    on_progress: OnProgress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> None:
    """Save a collection, by its id, into a file of the workspace that `ingest` then adds to
    another; a file that is there stays. Raises UnknownName, InputError, Cancelled."""
    if target.exists():
        return

    target.parent.mkdir(parents=True, exist_ok=True)
    id = workspace.documents.stamp_of(collection).id
    save_backup(workspace, target, _teller(Run(on_progress, cancelled)), collection=id)


def _teller(run: Run) -> OnProgress:
    """Progress goes out, and a cancel comes in."""

    def tell(progress: Progress) -> None:
        run.check()
        run.on_progress(progress)

    return tell


def _take_setting(saved: Workspace, workspace: Workspace, collection: Collection) -> None:
    (own,) = [each.id for each in saved.documents.collections()][:1] or [""]
    if own and not workspace.documents.documents(collection.id):
        workspace.settings.keep_retrieval(collection.id, saved.settings.retrieval(own))
