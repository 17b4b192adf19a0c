"""Checks on answers and pictures: the tools and the judge of the settings, joined with what was
retrieved."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from brit.documents.pictures import decode_picture
from brit.errors import InputError, ModelError, WeightsMissing
from brit.generation.evidence import to_data_url
from brit.journal import timed
from brit.models import EvidenceTool, LanguageModel
from brit.pipeline.models import Models
from brit.types import Grade, Mode, Retrieval, RetrievedImage, ToolReport, Verification
from brit.verification import (
    ColourTool,
    KnowledgeTool,
    ObjectTool,
    SceneTextTool,
    SearchTool,
    Sights,
    grade,
    verify_text,
)
from brit.verification.perception_collection import GradingRecord

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

MOST_PICTURES = 4
QUOTED = "The answer quotes: its words were compared with the documents, no picture was looked at."
NO_GRADER = (
    "Grading needs a model: set BRIT_JUDGE_MODEL, and BRIT_JUDGE_BASE_URL for one that is not "
    "OpenAI's."
)


@timed("question", stage="check")
def verify_answer(
    answer: str,
    retrieval: Retrieval,
    *,
    models: Models,
    strict: bool = False,
    quoted: bool = False,
) -> Verification:
    """Verdicts on each sentence of an answer, held against what was retrieved for it.

    `Finding.source` is the id of the passage, edge or image. Where the judge cannot be reached, a
    note says so and the checks stand. An answer that is `quoted` from the evidence is compared with
    its words alone, which takes a tenth of a second.
    """
    if quoted:
        return _verify_quotes(answer, retrieval, models, strict)
    read = {image.id: _read(image) for image in retrieval.images[:MOST_PICTURES]}
    sights = _sights({id: data for id, data in read.items() if data})
    tools, missing = _tools(models, retrieval, seeing=bool(sights.pictures))

    def verify(model: LanguageModel | None) -> Verification:
        return verify_text(
            answer,
            mode="image-to-text",
            tools=tools,
            name_phrases=models.parser.extract_entities,
            sights=sights,
            model=model,
            of_picture=False,
            missing=missing,
            strict=strict,
        )

    try:
        return verify(models.judge)
    except ModelError as error:
        checked = verify(None)
        return replace(checked, notes=(str(error), *checked.notes))


def _verify_quotes(answer: str, retrieval: Retrieval, models: Models, strict: bool) -> Verification:
    checked = verify_text(
        answer,
        mode="image-to-text",
        tools=[KnowledgeTool(retrieval)],
        name_phrases=models.parser.extract_entities,
        of_picture=False,
        strict=strict,
    )
    return replace(checked, notes=(QUOTED,))


@timed("question", stage="check")
def verify_picture(
    text: str,
    picture: bytes | None,
    *,
    models: Models,
    mode: Mode = "image-to-text",
    claims: Sequence[str] | None = None,
    retrieval: Retrieval | None = None,
    strict: bool = False,
) -> Verification:
    """Verdicts on the claims of a text about one picture, or about none (then on its facts).

    `retrieval` gives outside knowledge. Raises InputError for bytes that are no picture, ModelError
    where the judge cannot be reached.
    """
    shown = {} if picture is None else {"": _checked(picture, models)}
    if retrieval is not None and shown:  # letters in other pictures do not stand in this one
        images = tuple(replace(image, text="") for image in retrieval.images)
        retrieval = replace(retrieval, images=images)
    # Only a model can tell that a passage speaks of a claim in other words.
    related_only = models.judge is None
    tools, missing = _tools(
        models, retrieval, seeing=picture is not None, related_only=related_only
    )
    return verify_text(
        text,
        mode=mode,
        tools=tools,
        name_phrases=models.parser.extract_entities,
        sights=_sights(shown),
        model=models.judge,
        claims=claims,
        of_picture=picture is not None,
        missing=missing,
        strict=strict,
    )


def grade_answer(record: GradingRecord, picture: bytes | None, *, models: Models) -> Grade:
    """Feedback and a score from 1 to 5 by the record's rubric.

    Raises InputError where no judge is configured or the bytes are no picture, ModelError.
    """
    if (model := models.judge) is None:
        raise InputError(NO_GRADER)
    return grade(record, model, to_data_url(_checked(picture, models)) if picture else "")


def _checked(picture: bytes, models: Models) -> bytes:
    """Raises InputError for what is no picture that can be read."""
    if (pixels := decode_picture(picture, models.settings.reading.max_pixels)) is None:
        raise InputError("The picture is damaged or too large: save it anew as PNG or JPEG.")
    return pixels


def _tools(
    models: Models, retrieval: Retrieval | None, *, seeing: bool, related_only: bool = False
) -> tuple[list[EvidenceTool], list[ToolReport]]:
    """What can look, and reports on what cannot. `related_only`: see KnowledgeTool."""
    tools: list[EvidenceTool] = []
    missing: list[ToolReport] = []
    if seeing:
        try:
            tools.append(ObjectTool(models.detector))
        except WeightsMissing as error:
            missing.append(ToolReport(ObjectTool.name, note=str(error)))
        tools += [ColourTool(), SceneTextTool(models.scene_text)]
    if retrieval is not None:
        tools.append(KnowledgeTool(retrieval, related_only=related_only))
    if address := models.settings.search_engine:
        tools.append(SearchTool(address))
    return tools, missing


def _sights(pictures: Mapping[str, bytes]) -> Sights:
    return Sights(
        [_open(data) for data in pictures.values()],
        [to_data_url(data) for data in pictures.values()],
        list(pictures),
    )


def _open(data: bytes) -> Picture:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as picture:
        return picture.convert("RGBA" if picture.has_transparency_data else "RGB")


def _read(image: RetrievedImage) -> bytes | None:
    """None where the file is gone: verification then goes on without pictures."""
    try:
        with open(image.path, "rb") as stream:
            return stream.read()
    except OSError:
        return None
