"""`python -m brit …`: the same core as the page (command-line contract of DESIGN.md).

`--json` prints one JSON object on stdout; progress goes to stderr. Exit 0: ok; 1: the user's input
was at fault, one line a fault on stderr; 2: usage.
"""

from __future__ import annotations

import argparse
import io
import os
import sqlite3
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brit.cli_checks import add_check_commands
from brit.config import RetrievalConfig, Settings, load_settings
from brit.errors import BritError, InputError
from brit.terminal import (
    complain,
    print_documents,
    print_health,
    print_retrieval,
    print_table,
    printable,
    show,
    shown_progress,
)
from brit.types import LINK_KINDS, Document, LinkKind, Retrieval

if TYPE_CHECKING:
    from brit.storage.content import PageRecord

Command = Callable[[argparse.Namespace, Settings], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; → exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # JSON is UTF-8 (RFC 8259) whatever the locale.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    options = parse(sys.argv[1:] if arguments is None else arguments)
    command: Command = options.command
    try:
        settings = load_settings()
        if options.workspace is not None:
            settings = replace(settings, workspace=named_folder(options.workspace))
        code = command(options, settings)
        sys.stdout.flush()
        return code
    except BritError as error:
        complain(str(error))
    except BrokenPipeError:
        complain("Whoever read the output has closed it.")
        # Python writes out what is left at exit, and would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (sqlite3.Error, OSError) as error:
        complain(f"The workspace cannot be read or written ({error}): see `python -m brit doctor`.")
    except KeyboardInterrupt:
        complain("Stopped. What was finished stays; run the same command to go on.")
    return 1


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Raises SystemExit(2) on wrong usage."""
    parser = build_parser()
    for each in arguments:
        if each.encode("utf-8", "replace") != each.encode("utf-8", "surrogatepass"):
            parser.error(f"{each!a} is not valid UTF-8: type it again or rename the file")
    return parser.parse_args(arguments)


def named_folder(name: str) -> Path:
    if not name.strip():
        raise InputError("--workspace is empty: name a folder, or leave it out.")
    return Path(name)


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m brit", description="Ask documents, see why.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Command, help: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=help, description=help)
        sub.add_argument("--workspace", metavar="DIR", help="the workspace folder")
        sub.set_defaults(command=command)
        return sub

    _add_document_commands(add)
    _add_question_commands(add)
    add_check_commands(add)
    _add_care_commands(add)
    return parser


Add = Callable[[str, Command, str], argparse.ArgumentParser]


def _add_document_commands(add: Add) -> None:
    sub = add("ingest", ingest_command, "add files or folders to a collection")
    sub.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    sub.add_argument("--collection", required=True)
    sub.add_argument("--password", help="of an encrypted document; never stored")
    sub.add_argument("--json", action="store_true")
    sub = add("documents", documents_command, "list the documents of a collection")
    sub.add_argument("--collection", required=True)
    sub.add_argument("--json", action="store_true")
    sub = add("delete", delete_command, "delete documents, leaving no trace")
    sub.add_argument("documents", nargs="+", metavar="DOCUMENT")
    sub.add_argument("--collection", required=True)
    sub = add("export", export_command, "write a collection's graph to a file")
    sub.add_argument("--collection", required=True)
    sub.add_argument("--format", choices=("graphml", "json", "csv"), required=True)
    sub.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")


def _add_question_commands(add: Add) -> None:
    for name, command, help in (
        ("retrieve", retrieve_command, "show the evidence for a question"),
        ("ask", ask_command, "answer a question with citations"),
    ):
        sub = add(name, command, help)
        sub.add_argument("question", metavar="QUESTION")
        sub.add_argument("--document", action="append", default=[], metavar="NAME")
        _add_retrieval_options(sub)
    sub = add("evaluate", evaluate_command, "measure retrieval on a file of questions")
    sub.add_argument("file", type=Path, metavar="FILE.jsonl")
    sub.add_argument("--ablation", action="store_true", help="every baseline and link combination")
    sub.add_argument("--format", choices=("text", "csv", "json"), default="text")
    sub.add_argument("--among", choices=("own", "all"),
                     help="ask every question of its own document, or of all")  # fmt: skip
    sub.add_argument("--half", choices=("A", "B"), help="only every other document's questions")
    _add_retrieval_options(sub)


def _add_retrieval_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--collection", required=True)
    sub.add_argument("--preset", choices=("default", "paper"), default="default")
    sub.add_argument("--links", type=parse_links, metavar="CA,SI,LP,LS,PG")
    sub.add_argument("--json", action="store_true")


def _add_care_commands(add: Add) -> None:
    sub = add("models", models_command, "list the encoders, or fetch the weights of one")
    sub.add_argument("action", choices=("list", "fetch"))
    sub.add_argument("name", nargs="?", help="an open_clip model, as ViT-B-32/laion2b_s34b_b79k")
    sub.add_argument("--json", action="store_true")
    sub = add("doctor", doctor_command, "say what works here and what does not")
    sub.add_argument("--json", action="store_true")
    add("worker", worker_command, "run queued jobs (started by the app)")


def parse_links(text: str) -> tuple[LinkKind, ...]:
    """« CA,LS » → ("CA", "LS"); nothing → no links at all."""
    names = [part.strip().upper() for part in text.split(",") if part.strip()]
    if unknown := [name for name in names if name not in LINK_KINDS]:
        raise argparse.ArgumentTypeError(
            f"unknown link {', '.join(unknown)}; links: {', '.join(LINK_KINDS)}"
        )
    return tuple(kind for kind in LINK_KINDS if kind in names)


# --- documents ---


def ingest_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.pipeline import Models, ingest
    from brit.storage import Workspace

    workspace = Workspace.open(settings.workspace)
    with shown_progress() as on_progress:
        report = ingest(
            workspace,
            options.paths,
            options.collection,
            models=Models(settings, workspace.calls),
            password=options.password,
            on_progress=on_progress,
        )
    stages = {stage: round(seconds, 2) for stage, seconds in report.stages.items()}
    summary = {"stages": stages, "peak_mb": round(report.peak_mb)}
    show({"documents": [document_row(d) for d in report.documents], **summary}, options.json,
         lambda: print_documents([document_row(d) for d in report.documents]))  # fmt: skip
    for document in report.failures:
        complain(f"{document.name}: {document.reason}")
    return 1 if report.failures else 0


def documents_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.storage import Workspace

    workspace = Workspace.open(settings.workspace, create=False)
    documents = workspace.documents.documents(workspace.documents.collection(options.collection).id)
    rows = [
        {**document_row(each), "ledger": ledger(workspace.content.pages(each.id))}
        for each in documents
    ]
    show({"documents": rows}, options.json, lambda: print_documents(rows))
    return 0


def delete_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.pipeline import document_id
    from brit.storage import Workspace

    workspace = Workspace.open(settings.workspace, create=False)
    collection = workspace.documents.collection(options.collection)
    ids = [document_id(workspace, collection.id, name) for name in options.documents]
    for id in dict.fromkeys(ids):
        workspace.documents.delete(id)
    return 0


def export_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.storage import Workspace
    from brit.storage.export import export_graph

    workspace = Workspace.open(settings.workspace, create=False)
    collection = workspace.documents.collection(options.collection)
    export_graph(workspace, collection.id, options.format, options.output)
    return 0


# --- questions ---


def retrieve_command(options: argparse.Namespace, settings: Settings) -> int:
    retrieval = _retrieve(options, settings)[0]
    show(plain(retrieval), options.json, lambda: print_retrieval(retrieval))
    _complain_of_unread(retrieval)
    return 0


def ask_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.pipeline import answer, verify_answer
    from brit.pipeline.check_files import claim_rows

    retrieval, models = _retrieve(options, settings)
    stream = answer(options.question, retrieval, models=models)
    for piece in stream:
        if not options.json:
            print(printable(piece), end="", flush=True)
    given = stream.answer
    if options.json:
        asked = {
            "answer": given.text,
            "citations": [
                {key: value for key, value in plain(each).items() if key != "index"}
                for each in given.citations
            ],
            "claims": claim_rows(verify_answer(given.text, retrieval, models=models)),
            "model": given.model,
            "usage": given.usage,
            "notes": given.notes,
        }
        show({**plain(retrieval), **asked}, True, lambda: None)
    else:
        print()
        for note in given.notes:
            complain(note)
    _complain_of_unread(retrieval)
    return 0


def _complain_of_unread(retrieval: Retrieval) -> None:
    if unread := retrieval.trace.unread:
        complain(f"Not read to the end, so not searched: {', '.join(unread)}.")


def _retrieve(options: argparse.Namespace, settings: Settings) -> tuple[Retrieval, Any]:
    from brit.pipeline import Models, retrieve
    from brit.storage import Workspace

    if not options.question.strip():
        raise InputError("The question is empty: ask something.")
    workspace = Workspace.open(settings.workspace, create=False)
    workspace.documents.collection(options.collection)  # a wrong name is said at once
    models = Models(settings, workspace.calls)
    models.warm()  # so that the timings are those of the retrieval
    retrieval = retrieve(
        workspace,
        options.question,
        options.collection,
        models=models,
        config=RetrievalConfig.of(options.preset, options.links),
        documents=options.document,
    )
    return retrieval, models


def evaluate_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.evaluation.questions import half_of, read_questions
    from brit.evaluation.tables import as_csv, as_text
    from brit.pipeline import Models
    from brit.pipeline.evaluate import evaluate
    from brit.storage import Workspace

    questions = read_questions(options.file)
    workspace = Workspace.open(settings.workspace, create=False)
    with shown_progress() as on_progress:
        result = evaluate(
            workspace,
            half_of(questions, options.half) if options.half else questions,
            options.collection,
            models=Models(settings, workspace.calls),
            config=RetrievalConfig.of(options.preset, options.links),
            ablation=options.ablation,
            among=options.among,
            on_progress=on_progress,
        )
    if options.format == "csv" and not options.json:
        print(as_csv(result.rows), end="")
    else:
        show(result.summary(ablation=options.ablation), options.json or options.format == "json",
             lambda: print(printable(as_text(result.rows))))  # fmt: skip
    return 0


# --- care ---


def models_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.encoders.fetch import available_encoders, fetch_weights

    folder = Path(settings.encoders.weights_folder or settings.workspace / "weights")
    if options.action == "fetch":
        name = options.name or "ViT-B-32/laion2b_s34b_b79k"
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


# --- output ---


def plain(value: object) -> Any:
    from brit.storage.codec import to_plain

    return to_plain(value)


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
