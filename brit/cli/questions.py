"""`retrieve`, `ask`, `evaluate`: what a collection says to a question, and how well."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from brit.cli.commands import Add, named_path
from brit.cli.documents import named_documents
from brit.cli.terminal import (
    complain,
    plain,
    print_retrieval,
    print_sources,
    printable,
    show,
    shown_progress,
)
from brit.config import RetrievalConfig, Settings
from brit.errors import InputError
from brit.types import LINK_KINDS, LinkKind, Retrieval

if TYPE_CHECKING:
    from brit.storage import Workspace


def add_question_commands(add: Add) -> None:
    for name, command, help in (
        ("retrieve", retrieve_command, "show the evidence for a question"),
        ("ask", ask_command, "answer a question with citations"),
    ):
        sub = add(name, command, help)
        sub.add_argument("question", metavar="QUESTION")
        sub.add_argument("--document", action="append", default=[], metavar="NAME")
        _add_retrieval_options(sub)
    sub = add("evaluate", evaluate_command, "measure retrieval on a file of questions")
    sub.add_argument("file", type=named_path, metavar="FILE.jsonl")
    sub.add_argument("--ablation", action="store_true", help="every baseline and link combination")
    sub.add_argument("--format", choices=("text", "csv", "json"), default="text")
    sub.add_argument("--among", choices=("own", "all"),
                     help="ask every question of its own document, or of all")  # fmt: skip
    sub.add_argument("--half", choices=("A", "B"), help="only every other document's questions")
    _add_retrieval_options(sub)


def _add_retrieval_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--collection", required=True)
    sub.add_argument("--preset", choices=("default", "paper"),
                     help="instead of the collection's own setting")  # fmt: skip
    sub.add_argument("--links", type=parse_links, metavar="CA,SI,LP,LS,PG")
    sub.add_argument("--json", action="store_true")


def parse_links(text: str) -> tuple[LinkKind, ...]:
    """« CA,LS » → ("CA", "LS"); nothing → no links at all."""
    names = [part.strip().upper() for part in text.split(",") if part.strip()]
    if unknown := [name for name in names if name not in LINK_KINDS]:
        raise argparse.ArgumentTypeError(
            f"unknown link {', '.join(unknown)}; links: {', '.join(LINK_KINDS)}"
        )
    return tuple(kind for kind in LINK_KINDS if kind in names)


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
        print_sources(given, retrieval)
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

    if not any(sign.isprintable() and not sign.isspace() for sign in options.question):
        raise InputError("The question is empty: ask something.")
    workspace = Workspace.open(settings.workspace, create=False)
    # Wrong names are said at once, before models are loaded.
    collection = workspace.documents.collection(options.collection)
    for name in options.document:
        named_documents(workspace, collection, name)
    models = Models(settings, workspace.calls)
    models.warm()  # so that the timings are those of the retrieval
    retrieval = retrieve(
        workspace,
        options.question,
        options.collection,
        models=models,
        config=_setting(options, workspace),
        documents=options.document,
    )
    return retrieval, models


def _setting(options: argparse.Namespace, workspace: Workspace) -> RetrievalConfig:
    """What the options name; the rest is the preset's, or the collection's own without a preset."""
    if options.preset:
        return RetrievalConfig.of(options.preset, options.links)
    own = workspace.settings.retrieval(workspace.documents.stamp(options.collection).id)
    return own if options.links is None else replace(own, links=options.links)


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
            config=_setting(options, workspace),
            ablation=options.ablation,
            among=options.among,
            on_progress=on_progress,
        )
    if result.skipped:
        complain(f"{result.skipped} of the questions are about documents that are not in the "
                 "collection: they were not asked.")  # fmt: skip
    if options.format == "csv" and not options.json:
        print(as_csv(result.rows), end="")
    else:
        show(result.summary(ablation=options.ablation), options.json or options.format == "json",
             lambda: print(printable(as_text(result.rows, result.about))))  # fmt: skip
    return 0
