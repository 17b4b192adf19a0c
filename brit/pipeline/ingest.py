"""Files → documents in a collection, resumable at every page.

Pages are kept one by one as they are read; a document is built (`build.py`) when its last page is
there. Text inside pictures is read after everything else, so that questions can be asked before it
ends. Whatever was kept is not done again: the same call goes on where an interrupted one stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from brit.documents.pdf import save_unlocked
from brit.documents.sources import Source, find_sources, unpack
from brit.errors import BritError, DocumentError, InputError, PasswordNeeded
from brit.models import DocumentReader
from brit.pipeline.build import build_document
from brit.pipeline.models import Models
from brit.pipeline.report import IngestReport, Run, peak_megabytes
from brit.pipeline.scans import read_scans
from brit.pipeline.scene_text import read_scene_texts
from brit.storage import Workspace
from brit.storage.documents import Collection
from brit.types import Document, DocumentHead, OnProgress, Page, Status, no_progress, stable_id


def ingest(
    workspace: Workspace,
    paths: Sequence[Path],
    collection: str,
    *,
    models: Models,
    password: str | None = None,
    on_progress: OnProgress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> IngestReport:
    """Add files or folders to a collection, made where it is missing.

    A file that cannot be read is reported as refused (or password) and leaves nothing behind; the
    rest goes on. Files that are there already change nothing. Raises InputError where nothing is
    found at `paths`, Cancelled when `cancelled` says so: what was finished stays, and the same call
    goes on from there.
    """
    sources = find_sources(paths, models.settings.reading)
    known = {each.name for each in workspace.documents.collections()}
    target = workspace.documents.create_collection(collection)
    run = Run(on_progress, cancelled)
    found = _add_all(workspace, target, sources, models, password, run)
    read_scene_texts(workspace, target, models, run)
    if collection not in known and not any(document.id for document in found):
        workspace.documents.delete_collection(target.id)
    documents = [workspace.documents.document(d.id) if d.id else d for d in found]
    return IngestReport(tuple(documents), run.seconds, peak_megabytes())


def _add_all(
    workspace: Workspace,
    collection: Collection,
    sources: Sequence[Source],
    models: Models,
    password: str | None,
    run: Run,
    archive: str = "",
) -> list[Document]:
    """The documents in some sources; `archive` is the archive they are out of."""
    found: list[Document] = []
    for number, source in enumerate(sources, start=1):
        run.position = f"{number} of {len(sources)}" if len(sources) > 1 else ""
        path, reader = source.path, source.reader
        if reader is not None:
            found += _add(workspace, collection, path, reader, models, password, run)
        elif archive:
            error = DocumentError(f"It is an archive inside {archive}: unpack it and add it alone.")
            found.append(_refusal(collection, path, error))
        else:
            try:
                with unpack(path, models.settings.reading) as inner:
                    found += _add_all(
                        workspace, collection, inner, models, password, run, path.name
                    )
            except (DocumentError, InputError) as refused:
                found.append(_refusal(collection, path, refused))
    return found


def _add(
    workspace: Workspace,
    collection: Collection,
    path: Path,
    reader: DocumentReader,
    models: Models,
    password: str | None,
    run: Run,
) -> list[Document]:
    """The documents in one file; what could not be read of it is one more record, with the reason.

    A dump that is damaged half-way gives the documents before the damage.
    """
    ids: list[str] = []
    records: list[Document] = []
    try:
        for id in _read(workspace, collection, path, reader, models, password, run):
            ids.append(id)
    except DocumentError as error:
        records.append(_refusal(collection, path, error))
    for number, id in enumerate(ids):
        run.check()
        if not workspace.documents.is_ready(id):
            started = time.perf_counter()
            read_scans(workspace, id, models, run)
            run.tell("building", number, len(ids), workspace.documents.document(id).name)
            build_document(workspace, collection, id, models, run)
            workspace.documents.add_seconds(id, time.perf_counter() - started)
    return [*(workspace.documents.document(id) for id in ids), *records]


def _refusal(collection: Collection, path: Path, error: BritError) -> Document:
    status: Status = "password" if isinstance(error, PasswordNeeded) else "refused"
    suffix = path.suffix.lstrip(".").lower()
    return Document("", collection.id, path.name, path.name, suffix, status, str(error))


def _read(
    workspace: Workspace,
    collection: Collection,
    source: Path,
    reader: DocumentReader,
    models: Models,
    password: str | None,
    run: Run,
) -> Iterator[str]:
    """Keep the pages of a file that are not there yet; → the ids of its documents."""
    file = ""
    fingerprint = workspace.originals.identify(source)

    def id_of(head: DocumentHead) -> str:
        return stable_id("document", collection.id, fingerprint, head.name)

    stream = reader.read(
        source,
        save_image=workspace.images.put,
        password=password,
        done=lambda head: workspace.content.pages_done(id_of(head)),
        cancelled=run.cancelled,
    )
    while item := run.timed("reading", lambda: next(stream, None)):
        head, pages = item
        file = file or _keep_original(workspace, source, fingerprint, password, models)
        id = id_of(head)
        if not workspace.documents.is_ready(id):
            workspace.documents.put_document(id, collection.id, file, head)
            _keep_pages(workspace, id, head, pages, run)
        yield id


def _keep_original(
    workspace: Workspace, source: Path, fingerprint: str, password: str | None, models: Models
) -> str:
    """→ the id of the kept file.

    A PDF opened by a password is kept without its encryption, under the id of the file as it came:
    its pages are to be shown later, and the password is not kept.
    """
    if not password or source.suffix.lower() != ".pdf":
        return workspace.originals.put_file(source)

    def write(target: Path) -> None:
        save_unlocked(source, target, password, models.settings.reading)

    workspace.originals.put_under(fingerprint, write)
    return fingerprint


def _keep_pages(
    workspace: Workspace, id: str, head: DocumentHead, pages: Iterator[Page], run: Run
) -> None:
    done = len(workspace.content.pages_done(id))
    run.tell("reading", done, head.page_count, head.name)
    while True:
        started = time.perf_counter()
        page = run.timed("reading", lambda: next(pages, None))
        if page is None:
            return
        with run.stage("storing"):
            workspace.content.put_page(id, page)
            workspace.documents.add_seconds(id, time.perf_counter() - started)
        done += 1
        run.tell("reading", done, head.page_count, head.name)
        run.check()
