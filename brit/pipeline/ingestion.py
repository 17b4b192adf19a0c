"""Files → documents in a collection, resumable at every page.

Pages are kept one by one as they are read; a document is built (`build.py`) when its last page is
there. Text inside pictures is read after everything else, so that questions can be asked before it
ends. Whatever was kept is not done again: the same call goes on where an interrupted one stopped.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from brit.documents.pdf import save_unlocked
from brit.documents.sources import Source, find_sources, unpack
from brit.errors import (
    BritError,
    Cancelled,
    DocumentError,
    InputError,
    PasswordNeeded,
    UnknownName,
)
from brit.models import DocumentReader, ReadRequest
from brit.pipeline.again import replace_pages
from brit.pipeline.build import build_document
from brit.pipeline.collection import OpenCollection
from brit.pipeline.memory import end_reading, give_back, peak_megabytes
from brit.pipeline.models import Models
from brit.pipeline.report import IngestReport, Run, end_if_deleted
from brit.pipeline.saved import take_saved
from brit.pipeline.scans import read_scans
from brit.pipeline.scene_text import read_scene_texts
from brit.storage import Workspace
from brit.storage.carry import SAVED
from brit.storage.ledger import Collection
from brit.types import Document, DocumentHead, OnProgress, Page, Status, no_progress, stable_id

logger = logging.getLogger(__name__)


def ingest(
    workspace: Workspace,
    paths: Sequence[Path],
    collection: str,
    *,
    models: Models,
    password: str | None = None,
    replaces: Sequence[str] = (),
    on_progress: OnProgress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> IngestReport:
    """Add files or folders to a collection, made where it is missing.

    A file that cannot be read is reported as refused (or password) and leaves a line in the ledger,
    until it is read or deleted; the rest goes on. Files that are there already change nothing, but
    their pages that failed are read again. Once all files can be asked about, the documents
    `replaces` names by id are deleted.
    Raises InputError where nothing is found at `paths`, Cancelled when `cancelled` says so: what
    was finished stays, and the same call goes on from there.
    """
    sources = find_sources(paths, models.settings.reading)
    # A model that is misnamed or missing ends the run here, before anything is kept.
    _ = models.image_encoder, models.extractor
    known = {each.id for each in workspace.documents.collections()}
    target = workspace.documents.create_collection(collection)
    into = _Into(workspace, target, models, password, Run(on_progress, cancelled))
    with end_if_deleted(workspace, target):
        found = _add_all(into, sources)
        end_reading()
        into.run.position = ""
        _replace(into, replaces, [_latest(workspace, each) for each in found])
        _index(into)
        read_scene_texts(workspace, target, models, into.run)
        _index(into)
    if target.id not in known:
        workspace.documents.drop_if_empty(target.id)
    documents = [_latest(workspace, each) for each in found]
    return IngestReport(tuple(documents), into.run.seconds, peak_megabytes())


def read_files(
    workspace: Workspace,
    paths: Sequence[Path],
    collection: str,
    *,
    models: Models,
    password: str | None = None,
    on_progress: OnProgress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Document]:
    """The first half of `ingest`: pages and scans are read and kept, nothing is built of them yet.
    Raises as it does."""
    sources = find_sources(paths, models.settings.reading)
    target = workspace.documents.create_collection(collection)
    run = Run(on_progress, cancelled)
    into = _Into(workspace, target, models, password, run, build=False)
    with end_if_deleted(workspace, target):
        found = _add_all(into, sources)
        for each in found:
            if workspace.documents.exists(each.id) and not each.ready:
                read_scans(workspace, each.id, models, run)
    end_reading()
    return found


def _replace(into: _Into, replaced: Sequence[str], found: Sequence[Document]) -> None:
    """The old stays where the new is not there whole, or is the same."""
    if found and all(each.ready for each in found):
        for id in set(replaced) - {each.id for each in found}:
            with suppress(UnknownName):  # deleted by somebody else meanwhile
                into.workspace.documents.delete(id)


def _index(into: _Into) -> None:
    """Writes the files of graph and vectors: the first question then reads what else it would have
    to make."""
    workspace, encoders = into.workspace, into.models.encoders("default")
    # A document that goes meanwhile ends it: the files only save time.
    with into.run.stage("indexing"), suppress(UnknownName):
        stamp = workspace.documents.stamp_of(into.collection.id)
        opened = OpenCollection(workspace, stamp, *encoders, check=into.run.check)
        workspace.documents.set_components(stamp.id, opened.graph.component_count)


def _latest(workspace: Workspace, document: Document) -> Document:
    """As it is now; as it was read where it was deleted since, or is no record."""
    there = workspace.documents.exists(document.id)
    return workspace.documents.document(document.id) if there else document


@dataclass(frozen=True)
class _Into:
    """Where one call of `ingest` puts what it reads, and with what; whether it builds from it."""

    workspace: Workspace
    collection: Collection
    models: Models
    password: str | None
    run: Run
    build: bool = True
    mended: set[str] = field(default_factory=set)
    """Documents that were built before and of which failed pages are read now."""


def _add_all(into: _Into, sources: Sequence[Source], archive: str = "") -> list[Document]:
    """The documents in some sources; `archive` is the archive they are out of."""
    found: list[Document] = []
    for number, source in enumerate(sources, start=1):
        into.run.position = f"{number} of {len(sources)}" if len(sources) > 1 else ""
        path, reader = source.path, source.reader
        if source.fault:
            found.append(_refusal(into, path, DocumentError(source.fault), kept=True))
        elif path.suffix.lower() == SAVED:
            found += _take(into, path)
        elif reader is not None:
            found += _add(into, path, reader)
        elif archive:
            error = DocumentError(f"It is an archive inside {archive}: unpack it and add it alone.")
            found.append(_refusal(into, path, error))
        else:
            try:
                with unpack(path, into.models.settings.reading) as inner:
                    into.workspace.documents.drop_refusal(into.collection.id, path.name)
                    found += _add_all(into, inner, path.name)
            except (DocumentError, InputError) as refused:
                found.append(_refusal(into, path, refused))
    return found


def _add(into: _Into, path: Path, reader: DocumentReader) -> list[Document]:
    """The documents in one file; what could not be read of it is one more record, with the reason.

    A dump that is damaged half-way gives the documents before the damage.
    """
    ids: list[str] = []
    records: list[Document] = []
    try:
        for id in _read(into, path, reader):
            ids.append(id)
    except DocumentError as error:
        records.append(_refusal(into, path, error))
    else:
        into.workspace.documents.drop_refusal(into.collection.id, path.name)
    documents = into.workspace.documents
    for number, id in enumerate(ids):
        into.run.check()
        if into.build and documents.exists(id) and not documents.is_ready(id):
            _build(into, id, number, len(ids))
    return [*(documents.document(id) for id in ids if documents.exists(id)), *records]


def _take(into: _Into, path: Path) -> list[Document]:
    """The documents of a saved collection, as they were made."""
    documents, ids, records = into.workspace.documents, [], []
    try:
        for id in take_saved(into.workspace, path, into.collection, into.run):
            ids.append(id)
    except (DocumentError, InputError) as error:
        records.append(_refusal(into, path, error))
    else:
        documents.drop_refusal(into.collection.id, path.name)
    return [*(documents.document(id) for id in ids if documents.exists(id)), *records]


def _build(into: _Into, id: str, number: int, total: int) -> None:
    """Build one document. A fault of ours costs that document, not the rest of the batch: it is
    logged, said in the ledger, and tried again when the file is added again. One that is deleted
    meanwhile leaves no trace."""
    documents = into.workspace.documents
    started = time.perf_counter()
    try:
        into.run.tell("building", number, total, documents.document(id).name)
        read_scans(into.workspace, id, into.models, into.run)
        build_document(into.workspace, into.collection, id, into.models, into.run)
        if id in into.mended:
            into.workspace.graph.drop_orphans(into.collection.id)
    except Exception as error:
        if _was_deleted(into, id, error):
            return
        if isinstance(error, BritError | sqlite3.Error | OSError | MemoryError):
            raise
        logger.exception("building a document failed")
        reason = f"Building its graph failed ({type(error).__name__}): add it again to retry."
        documents.set_status(id, "refused", reason, ready=False)
    documents.add_seconds(id, time.perf_counter() - started)
    give_back()


def _was_deleted(into: _Into, id: str, error: Exception) -> bool:
    """Whether the document was deleted while it was worked on and the run goes on without it; what
    was made for it since is dropped. A cancel, and a collection that is gone, end the run."""
    workspace = into.workspace
    if workspace.documents.exists(id):
        return False
    workspace.graph.drop_unowned_vectors()
    there = workspace.documents.has_collection(into.collection.id)
    return there and not isinstance(error, Cancelled)


def _refusal(into: _Into, path: Path, error: BritError, *, kept: bool = False) -> Document:
    """A path that leads to no file is told, but no document to be remembered, unless `kept`."""
    status: Status = "password" if isinstance(error, PasswordNeeded) else "refused"
    suffix, collection = path.suffix.lstrip(".").lower(), into.collection.id
    if not kept and not path.is_file():
        return Document("", collection, path.name, path.name, suffix, status, str(error))
    documents = into.workspace.documents
    return documents.put_refusal(collection, path.name, suffix, status, str(error))


def _read(into: _Into, source: Path, reader: DocumentReader) -> Iterator[str]:
    """Keep the pages of a file that are not there yet; → the ids of its documents.

    A copy is read, so that a file that changes meanwhile does not become a mixture.
    """
    workspace, run = into.workspace, into.run
    pictures: set[str] = set()

    def save_image(content: bytes) -> str:
        pictures.add(id := workspace.images.put(content))
        return id

    with workspace.originals.bring_in(source) as (copy, fingerprint):

        def id_of(head: DocumentHead) -> str:
            return stable_id("document", into.collection.id, fingerprint, head.name)

        request = ReadRequest(
            save_image,
            password=into.password,
            home=source.parent,
            done=lambda head: workspace.content.pages_done(id_of(head)),
            cancelled=run.cancelled,
        )
        stream = reader.read(copy, request)
        while item := run.timed("reading", lambda: next(stream, None)):
            head, pages = item
            id, file = id_of(head), _keep_original(into, copy, fingerprint)
            try:
                if workspace.documents.is_ready(id):
                    _mend(into, id, pages)
                else:
                    workspace.documents.put_document(id, into.collection.id, file, head)
                    _keep_pages(workspace, id, head, pages, run)
            except sqlite3.IntegrityError as error:
                workspace.documents.drop_unused(pictures)
                if not _was_deleted(into, id, error):
                    raise
            else:
                yield id
            pictures.clear()


def _keep_original(into: _Into, copy: Path, fingerprint: str) -> str:
    """→ the id of the kept file.

    A PDF opened by a password is kept without its encryption, under the id of the file as it came:
    its pages are to be shown later, and the password is not kept.
    """
    originals, password = into.workspace.originals, into.password
    if password and copy.suffix.lower() == ".pdf":
        reading = into.models.settings.reading
        originals.put_under(
            fingerprint, lambda target: save_unlocked(copy, target, password, reading)
        )
    else:
        originals.keep(copy, fingerprint)
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


def _mend(into: _Into, id: str, pages: Iterator[Page]) -> None:
    """Take what can now be read of a built document's pages that failed."""
    read: list[Page] = []
    while page := into.run.timed("reading", lambda: next(pages, None)):
        into.run.check()
        if not page.failure:
            read.append(page)
    if read:
        replace_pages(into.workspace, into.workspace.documents.document(id), read)
        into.mended.add(id)
