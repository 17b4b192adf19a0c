"""What works on this machine and what does not, in plain words."""

from __future__ import annotations

import sqlite3
from typing import Any

from brit.config import ModelConfig, Settings
from brit.errors import BritError
from brit.journal import find_log_faults
from brit.pipeline.models import Models
from brit.retrieval.pcst import solver_name
from brit.storage import Workspace
from brit.storage.repair import find_faults, find_torn_pages, repair
from brit.types import OnProgress, no_progress


def examine(settings: Settings, *, thorough: bool = False) -> dict[str, Any]:
    """The facts of the command-line contract; `problems` is empty where all is well.

    `thorough`: each configured language model is asked for a word, which may cost something, and
    the whole workspace is looked through, which may take a minute.
    """
    problems: list[str] = [*settings.notices]
    models = Models(settings)

    def name_of(what: str) -> str | None:
        try:
            return str(getattr(models, what).name)
        except BritError as error:
            problems.append(str(error))
            return None

    if thorough:
        for role in {settings.answer, settings.extraction, settings.judge}:
            _test_connection(role, problems)
    solver = solver_name()
    report: dict[str, Any] = {
        "encoder": name_of("image_encoder"),
        "text_encoder": name_of("text_encoder"),
        "language_model": settings.answer.model or None,
        "extractor": name_of("extractor"),
        "pcst": solver,
        "ocr": name_of("scene_text"),
        "workspace": _examine_workspace(settings, problems, thorough),
    }
    notes = (
        [] if settings.answer.configured else ["No language model is configured: answers quote."]
    )
    if solver == "fallback":
        notes.append(
            "pcst_fast is missing or computes wrongly here, so BRIT's own solver is used: results "
            "are as good, large graphs take longer. Install a C++ compiler, then `make solver`."
        )
    return {**report, "notes": notes, "problems": list(dict.fromkeys(problems))}


def _test_connection(role: ModelConfig, problems: list[str]) -> None:
    from brit.lmm import OpenAICompatible

    if role.configured:
        try:
            OpenAICompatible(role).test_connection()
        except BritError as error:
            problems.append(str(error))


def mend(settings: Settings, on_progress: OnProgress = no_progress) -> dict[str, Any]:
    """Put right in the workspace what can be, then `examine` it: `repaired` says what was done, and
    what was lost stands first among the problems. Raises WorkspaceError while others use it."""
    done = repair(Workspace.open(settings.workspace, create=False), on_progress)
    report = examine(settings, thorough=True)
    return {**report, "repaired": done.repaired, "problems": [*done.lost, *report["problems"]]}


def _examine_workspace(settings: Settings, problems: list[str], thorough: bool) -> dict[str, Any]:
    try:
        workspace = Workspace.open(settings.workspace)
    except BritError as error:
        problems.append(str(error))
        return {"folder": str(settings.workspace)}
    folder = {"folder": str(workspace.folder)}
    try:
        problems.extend(find_faults(workspace) if thorough else find_torn_pages(workspace))
        problems.extend(find_log_faults(workspace.folder))
        collections = workspace.documents.collections()
    except sqlite3.DatabaseError as error:
        problems.append(f"The workspace's database cannot be read ({error}).")
        return folder
    rows = [
        {"name": c.name, "documents": c.documents, "nodes": c.nodes, "images": c.images}
        for c in collections
    ]
    return {**folder, "collections": rows}
