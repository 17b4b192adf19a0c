"""The text of scanned pages, read from their pictures before the document is built from it."""

from __future__ import annotations

import io
import time
from dataclasses import replace
from pathlib import Path

from PIL import Image as PillowImage
from PIL.Image import Image as Picture
from PIL.Image import Transpose

from brit.documents.pdf import find_on_scan
from brit.documents.render import render_page
from brit.documents.scans import (
    RecognisedLine,
    is_clear,
    mean_confidence,
    page_of_lines,
    runs_upwards,
    scan_of,
)
from brit.errors import DocumentError
from brit.models import ImageSink, SceneTextReader
from brit.pipeline.models import Models
from brit.pipeline.report import Run
from brit.storage import Workspace
from brit.types import Page

MAX_DPI = 180
SIDE = 1600
"""Pixels of the longer side at most."""
_TURNS = {1: Transpose.ROTATE_270, 2: Transpose.ROTATE_180, 3: Transpose.ROTATE_90}


def read_scans(workspace: Workspace, document: str, models: Models, run: Run) -> None:
    """Read the stored pages of `document` that are scans and were not read yet, each kept at once.

    Pictures of the file that turn out to be pictures of text leave the workspace.
    """
    scans = [page for page in workspace.content.read_pages(document) if _waits(page)]
    if not scans:
        return
    name = workspace.documents.document(document).name
    source = workspace.documents.source_path(document)
    before = workspace.documents.picture_files(document)
    for number, page in enumerate(scans):
        run.check()
        run.tell("reading scans", number, len(scans), name)
        with run.stage("scans"):
            read = _read(source, page, models, workspace.images.put)
            workspace.content.put_page(document, read)
    run.tell("reading scans", len(scans), len(scans), name)
    workspace.documents.drop_unused(before)


def _waits(page: Page) -> bool:
    return page.scan and page.confidence is None


def _read(source: Path, page: Page, models: Models, save_image: ImageSink) -> Page:
    started, config = time.perf_counter(), models.settings.reading
    dpi = min(MAX_DPI, int(SIDE / max(page.width, page.height, 1.0) * 72))
    try:
        content = render_page(source, page.number, dpi=dpi, config=config)
    except DocumentError as error:
        return replace(page, missing=f"The text is a picture, which could not be drawn: {error}")
    with PillowImage.open(io.BytesIO(content)) as picture:
        lines, quarters = read_upright(models.page_text, picture.convert("RGB"))
    missing, judged = "", False
    if scan_of(page, lines, quarters).is_prose:
        try:
            page = find_on_scan(source, page, lines, quarters, save_image, config)
            judged = True
        except DocumentError as error:
            missing = f"Pictures on the page were not looked for: {error}"
    read = page_of_lines(page, lines, quarters, judged=judged)
    seconds = round(page.seconds + time.perf_counter() - started, 3)
    return replace(read, seconds=seconds, missing=read.missing or missing)


def read_upright(reader: SceneTextReader, picture: Picture) -> tuple[list[RecognisedLine], int]:
    """The lines of a picture, and by how many clockwise quarters it was turned to read them."""
    lines = reader.read_text(picture)
    upwards = runs_upwards(lines, picture.size)
    if not lines or (is_clear(lines) and not upwards):
        return lines, 0
    tries = [(lines, 0)]
    for quarters in (1, 3) if upwards else (2,):
        turned = reader.read_text(picture.transpose(_TURNS[quarters]))
        tries.append((turned, quarters))
        if is_clear(turned):
            return turned, quarters
    return max(tries, key=lambda found: mean_confidence(found[0]))
