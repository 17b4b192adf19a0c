"""`verify` and `grade`: answers checked claim by claim, and graded by rubric."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from brit.cli.commands import Add, named_path
from brit.cli.terminal import complain, print_facts, print_table, show, shown_progress
from brit.config import Settings

if TYPE_CHECKING:
    from brit.pipeline import Models
    from brit.storage import Workspace
    from brit.types import Retrieval


def add_check_commands(add: Add) -> None:
    sub = add("verify", verify_command, "check texts claim by claim against pictures and documents")
    sub.add_argument("file", type=named_path, metavar="FILE.jsonl")
    sub.add_argument("--mode", choices=("image-to-text", "text-to-image"), default="image-to-text")
    sub.add_argument("--images", type=named_path, metavar="DIR", help="folder of the pictures")
    sub.add_argument("--collection", help="documents that serve as outside knowledge")
    sub.add_argument("--strict", action="store_true", help="what nothing speaks for is unsupported")
    sub.add_argument("--json", action="store_true")
    sub = add("grade", grade_command, "grade answers by a rubric (Perception-Collection records)")
    sub.add_argument("file", type=named_path, metavar="FILE")
    sub.add_argument("--images", type=named_path, metavar="DIR", help="folder of the pictures")
    sub.add_argument("--limit", type=positive, metavar="N", help="only the first N records")
    sub.add_argument("--json", action="store_true")


def positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"“{text[:40]}” is no whole number above 0")
    return int(text)


def verify_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.pipeline import Models
    from brit.pipeline.check_files import verify_file
    from brit.storage import Workspace

    workspace = Workspace.open(settings.workspace)
    models = Models(settings, workspace.calls)
    with shown_progress() as progress:
        result = verify_file(
            options.file,
            models=models,
            mode=options.mode,
            images=options.images,
            knowledge=_knowledge(workspace, options.collection, models),
            strict=options.strict,
            on_progress=progress,
        )
    show(result, options.json, lambda: print_verified(result))
    if not options.json:
        _complain_of_notes(result["records"])
    return _complain_of([row for row in result["records"] if "error" in row], "error")


def _knowledge(
    workspace: Workspace, collection: str | None, models: Models
) -> Callable[[str], Retrieval] | None:
    """What retrieves outside knowledge for a text. Raises UnknownName."""
    from brit.pipeline import retrieve

    if collection is None:
        return None
    workspace.documents.collection(collection)  # a wrong name is said at once
    return lambda text: retrieve(workspace, text, collection, models=models)


def grade_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.pipeline import Models
    from brit.pipeline.check_files import grade_file
    from brit.storage import Workspace

    workspace = Workspace.open(settings.workspace)
    with shown_progress() as progress:
        result = grade_file(
            options.file,
            models=Models(settings, workspace.calls),
            images=options.images,
            limit=options.limit,
            on_progress=progress,
        )
    show(result, options.json, lambda: print_graded(result))
    return _complain_of([row for row in result["records"] if row["problem"]], "problem")


def _complain_of_notes(rows: list[dict[str, Any]]) -> None:
    """What holds for all records is said once."""
    records: dict[str, list[str]] = {}
    for row in rows:
        for note in row.get("notes", ()):
            records.setdefault(note, []).append(row["id"])
    for note, ids in records.items():
        complain(note if len(ids) == len(rows) else f"{', '.join(ids)}: {note}")


def _complain_of(rows: list[dict[str, Any]], reason: str) -> int:
    for row in rows:
        complain(f"{row['id']}: {row[reason]}")
    return 1 if rows else 0


def print_verified(result: dict[str, Any]) -> None:
    print_table(
        [
            {"id": row["id"], "verdict": claim["support"], "claim": claim["claim"],
             "reason": claim["reason"]}
            for row in result["records"]
            for claim in row.get("claims", ())
        ]
    )  # fmt: skip
    totals = result["totals"]
    print()
    print_facts({"claims": totals["claims"], **totals["support"],
                 "judged by": ", ".join(totals["judges"])})  # fmt: skip
    print_facts(
        {tool: row["note"] or f"{row['findings']} findings"
         for tool, row in totals["tools"].items()}
    )  # fmt: skip
    if totals["labels"]["claims"]:
        print()
        print_table(
            [
                _score_row("all", label, totals["labels"])
                for label in ("hallucination", "non-hallucination")
            ]
            + [
                _score_row(aspect, label, scores)
                for aspect, scores in totals["by_aspect"].items()
                for label in ("hallucination", "non-hallucination")
            ]
        )


def _score_row(aspect: str, label: str, scores: dict[str, Any]) -> dict[str, Any]:
    return {"aspect": aspect, "claims": scores["claims"], "class": label, **scores[label]}


def print_graded(result: dict[str, Any]) -> None:
    print_table(
        [{name: row[name] for name in ("id", "score", "orig_score", "picture", "feedback")}
         for row in result["records"]]
    )  # fmt: skip
    totals = result["totals"]
    print()
    print_facts({"records": totals["records"], "without score": totals["without_score"],
                 "graded by": totals["judge"], **totals["agreement"]})  # fmt: skip
