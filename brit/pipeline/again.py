"""Reading pages of a document again: one that failed, or one whose picture was not readable."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from brit.documents.sources import reader_again
from brit.errors import Cancelled, InputError, UnknownName
from brit.models import ReadRequest
from brit.pipeline.build import build_document
from brit.pipeline.models import Models
from brit.pipeline.report import Run
from brit.pipeline.scans import read_scans
from brit.pipeline.scene_text import read_scene_texts
from brit.storage import Workspace
from brit.types import READABLE_AGAIN, Document, OnProgress, Page, no_progress

_MANY = ("zim",)
"""Formats that hold many documents, each known by its name."""


def read_again(
    workspace: Workspace,
    document: str,
    pages: Collection[int],
    *,
    models: Models,
    on_progress: OnProgress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> Document:
    """Read those pages of a document again from the kept file and build it anew.

    What is as it was keeps its ids. While it is built the document is out of the graph; cancelled
    then, the next ingestion of its file goes on from there. Raises InputError, Cancelled.
    """
    before = workspace.documents.document(document)
    if before.format not in READABLE_AGAIN:
        raise InputError(
            f"“{before.name}” cannot be read again without the pictures beside its file: add the "
            "files once more, and the pages that failed are read again."
        )
    if beyond := set(pages) - {*range(1, before.pages + 1)}:
        raise InputError(
            f"“{before.name}” has no page {min(beyond)}: its pages are 1 to {before.pages}."
        )
    try:
        return _read_again(workspace, before, pages, models, Run(on_progress, cancelled))
    except Exception as error:
        if workspace.documents.exists(document):
            raise
        workspace.graph.drop_unowned_vectors()
        if isinstance(error, Cancelled):
            raise
        raise UnknownName(f"“{before.name}” was deleted while it was read again.") from error


def _read_again(
    workspace: Workspace, before: Document, pages: Collection[int], models: Models, run: Run
) -> Document:
    document = before.id
    files = workspace.documents.picture_files(document)
    source = workspace.documents.source_path(document)
    replace_pages(workspace, before, _read_pages(workspace, document, source, pages, models, run))
    read_scans(workspace, document, models, run)
    collection = next(
        each for each in workspace.documents.collections() if each.id == before.collection
    )
    build_document(workspace, collection, document, models, run)
    workspace.graph.drop_orphans(before.collection)
    workspace.documents.drop_unused(files)
    read_scene_texts(workspace, collection, models, run)
    return workspace.documents.document(document)


def replace_pages(workspace: Workspace, document: Document, pages: Sequence[Page]) -> None:
    """Keep new readings of some pages: the document is out of the graph until it is built anew."""
    with workspace.write():
        for page in pages:
            workspace.content.put_page(document.id, page)
        workspace.documents.clear_content(document.id)
        workspace.documents.set_status(document.id, "partial", "", ready=False)
        workspace.documents.touch(document.collection, built=document.id)


def _read_pages(
    workspace: Workspace, document: str, source: Path, pages: Collection[int], models: Models,
    run: Run,
) -> list[Page]:  # fmt: skip
    """Some pages of a kept file."""
    head = workspace.documents.head(document)
    others = set(range(1, head.page_count + 1)) - set(pages)
    request = ReadRequest(workspace.images.put, done=lambda _: others, cancelled=run.cancelled)
    stream = reader_again(head.format, models.settings.reading).read(source, request)
    kept: list[Page] = []
    for found, read in stream:
        if found.name != head.name and head.format in _MANY:
            continue
        for page in read:
            run.tell("reading", len(kept), len(pages), head.name)
            kept.append(page)
            run.check()
    return kept
