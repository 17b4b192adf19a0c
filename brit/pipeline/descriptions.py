"""A short description of each figure by a model that sees: generated, kept by the figure's pixels,
marked as generated wherever it is shown, and never taken for a caption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from brit.config import Describe
from brit.errors import MalformedReply, TooLong
from brit.generation.evidence import to_data_url
from brit.models import Message
from brit.pipeline.models import Models
from brit.pipeline.report import Run
from brit.prompts import fill_prompt
from brit.storage import Workspace
from brit.types import Image

MAX_DESCRIPTION = 700
"""Characters, with the text read in the picture."""
REPLY_TOKENS = 150
DESCRIPTION_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"description": {"type": "string"}, "text": {"type": "string"}},
    "required": ["description", "text"],
    "additionalProperties": False,
}


def files_to_describe(workspace: Workspace, images: Sequence[Image], which: Describe) -> list[str]:
    """Pixels of figures that are to be looked at and were not yet, each once."""
    if which == "none":
        return []
    wanted = dict.fromkeys(
        image.file
        for image in images
        if image.file and not image.furniture and (which == "all" or not image.caption)
    )
    known = workspace.content.descriptions(wanted)
    return [file for file in wanted if file not in known]


def ask_for_description(picture: bytes) -> list[Message]:
    """The call for one picture. Raises OSError where it cannot be read."""
    *rules, user = fill_prompt("description")
    parts = [
        {"type": "text", "text": user["content"]},
        {"type": "image_url", "image_url": {"url": to_data_url(picture)}},
    ]
    return [*rules, {**user, "content": parts}]


def describe_figures(
    workspace: Workspace, images: Sequence[Image], models: Models, run: Run, name: str
) -> tuple[tuple[Image, ...], tuple[str, ...]]:
    """The images with the descriptions there are, new ones asked for as the settings say, and
    notes for the ledger. Each is kept at once. Raises ModelError, BudgetSpent, Cancelled."""
    files = files_to_describe(workspace, images, models.settings.describe)
    notes = _describe(workspace, files, models, run, name) if files else ()
    told = workspace.content.descriptions({image.file for image in images if image.file})
    return tuple(replace(each, description=told.get(each.file, "")) for each in images), notes


def _describe(
    workspace: Workspace, files: Sequence[str], models: Models, run: Run, name: str
) -> tuple[str, ...]:
    model = models.describer
    if model is None:
        return ("Figures were to be described, but no model is configured that answers.",)
    lost = 0
    for number, file in enumerate(files):
        run.check()
        run.tell("describing", number, len(files), name)
        try:
            picture = workspace.images.path(file).read_bytes()
            reply = model.complete(ask_for_description(picture), DESCRIPTION_SCHEMA)
        except (MalformedReply, TooLong, OSError):
            lost += 1
            continue
        if not model.accepts_images:  # it has answered without having seen it
            return (f"«{model.name}» takes no pictures: figures were not described.",)
        said = " ".join(f"{reply.data['description']} {reply.data['text']}".split())
        workspace.content.put_description(file, model.name, said[:MAX_DESCRIPTION])
    return (f"{lost} of {len(files)} figures could not be described.",) if lost else ()
