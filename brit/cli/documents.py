"""`ingest`, `documents`, `delete`, `export`: what is in a collection."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from brit.cli.commands import Add, named_path
from brit.cli.terminal import (
    complain,
    one_line,
    print_documents,
    printable,
    show,
    shown_progress,
)
from brit.config import Settings
from brit.errors import UnknownName
from brit.types import Document

if TYPE_CHECKING:
    from brit.pipeline import Models
    from brit.storage import Workspace
    from brit.storage.content import PageRecord
    from brit.storage.ledger import Collection


def add_document_commands(add: Add) -> None:
    sub = add("ingest", ingest_command, "add files or folders to a collection")
    sub.add_argument("paths", nargs="+", type=named_path, metavar="PATH")
    sub.add_argument("--collection", required=True)
    sub.add_argument("--password", help="of an encrypted document; never stored")
    sub.add_argument("--replace", metavar="DOCUMENT",
                     help="goes once the files are there whole")  # fmt: skip
    sub.add_argument("--estimate", action="store_true",
                     help="only read the files and say what a model would cost")  # fmt: skip
    sub.add_argument("--json", action="store_true")
    sub = add("documents", documents_command, "list the documents of a collection")
    sub.add_argument("--collection", required=True)
    sub.add_argument("--json", action="store_true")
    sub = add("delete", delete_command, "delete documents, leaving no trace")
    sub.add_argument("documents", nargs="+", metavar="DOCUMENT",
                     help="its name: all documents of that name go")  # fmt: skip
    sub.add_argument("--collection", required=True)
    sub = add("export", export_command, "write a collection, or its graph, to a file")
    sub.add_argument("--collection", required=True)
    sub.add_argument("--format", choices=("graphml", "json", "csv", "brit"), required=True,
                     help="brit: the whole collection, to be added elsewhere")  # fmt: skip
    sub.add_argument("-o", "--output", type=named_path, required=True, metavar="FILE")


def ingest_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.pipeline import Models, ingest
    from brit.storage import Workspace

    workspace = Workspace.open(settings.workspace)
    replaced = _replaced(workspace, options.collection, options.replace)
    if options.estimate:
        return _estimate(options, workspace, Models(settings, workspace.calls))
    with shown_progress() as on_progress:
        report = ingest(
            workspace,
            options.paths,
            options.collection,
            models=Models(settings, workspace.calls),
            password=options.password,
            replaces=replaced,
            on_progress=on_progress,
        )
    stages = {stage: round(seconds, 2) for stage, seconds in report.stages.items()}
    summary = {"stages": stages, "peak_mb": round(report.peak_mb)}
    rows = [document_row(each) for each in report.documents]
    # What failed is complained of below, once.
    told = [{**row, "reason": ""} if document.refused else row
            for row, document in zip(rows, report.documents, strict=True)]  # fmt: skip
    show({"documents": rows, **summary}, options.json, lambda: print_documents(told))
    for document in report.failures:
        how = " (--password)" if document.status == "password" else ""
        complain(f"{document.name}: {document.reason}{how}")
    return 1 if report.failures else 0


def _replaced(workspace: Workspace, collection: str, name: str | None) -> list[str]:
    """Ids of the documents of a name. Raises UnknownName."""
    if name is None:
        return []
    found = named_documents(workspace, workspace.documents.collection(collection), name)
    return [each.id for each in found]


def _estimate(options: argparse.Namespace, workspace: Workspace, models: Models) -> int:
    from brit.pipeline.estimate import estimate_ingestion

    with shown_progress() as on_progress:
        found = estimate_ingestion(
            workspace,
            options.paths,
            options.collection,
            models=models,
            password=options.password,
            on_progress=on_progress,
        )
    names = ("calls", "prompt_tokens", "completion_tokens", "money", "currency", "budget")
    rows = [{"document": each.document, "calls": each.calls} for each in found.documents]
    show({**{name: getattr(found, name) for name in names}, "documents": rows}, options.json,
         lambda: print(printable(found.in_words())))  # fmt: skip
    return 0


def documents_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.storage import Workspace

    workspace = Workspace.open(settings.workspace, create=False)
    documents = workspace.documents.documents(workspace.documents.collection(options.collection).id)
    rows = [
        {
            **document_row(each),
            "ledger": ledger(workspace.content.pages(each.id)),
            "usage": [asdict(used) for used in workspace.calls.spent(document=each.id)],
        }
        for each in documents
    ]
    show({"documents": rows}, options.json, lambda: print_documents(rows))
    return 0


def delete_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.storage import Workspace

    workspace = Workspace.open(settings.workspace, create=False)
    collection = workspace.documents.collection(options.collection)
    # All names are looked up before anything goes.
    named = {name: named_documents(workspace, collection, name) for name in options.documents}
    for name, documents in named.items():
        for document in documents:
            workspace.documents.delete(document.id)
        many = f" ({len(documents)} documents of that name)" if len(documents) > 1 else ""
        print(one_line(f"deleted {name}{many}"))
    return 0


def named_documents(workspace: Workspace, collection: Collection, name: str) -> list[Document]:
    """All documents of a name. Raises UnknownName."""
    found = [d for d in workspace.documents.documents(collection.id) if d.name == name]
    if not found:
        raise UnknownName(
            f"There is no document “{name}” in “{collection.name}”: `python -m brit documents "
            "--collection …` lists them."
        )
    return found


def export_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.storage import Workspace
    from brit.storage.backup import save_backup
    from brit.storage.export import export_graph

    workspace = Workspace.open(settings.workspace, create=False)
    collection = workspace.documents.collection(options.collection)
    if options.format == "brit":
        with shown_progress() as on_progress:
            save_backup(workspace, options.output, on_progress, collection=collection.id)
        print(one_line(f"wrote {options.output}"))
        return 0
    for path in export_graph(workspace, collection.id, options.format, options.output):
        print(one_line(f"wrote {path}"))
    return 0


def document_row(document: Document) -> dict[str, Any]:
    names = ("name", "source", "status", "reason", "pages", "figures", "captions", "triplets",
             "nodes", "warnings")  # fmt: skip
    row = {name: getattr(document, name) for name in names}
    return {"document": row.pop("name"), **row, "seconds": round(document.seconds, 2)}


def ledger(pages: Sequence[PageRecord]) -> list[dict[str, Any]]:
    """A row a page; `failed` is the reason or "", `missing` what a page that was read lacks, `ocr`
    the mean confidence of text read from the page's picture or None."""
    names = ("blocks", "figures", "merged", "furniture", "captions", "missing")
    return [
        {
            "page": page.number,
            **{name: getattr(page, name) for name in names},
            "failed": page.failure,
            "ocr": page.confidence,
            "seconds": round(page.seconds, 2),
        }
        for page in pages
    ]
