"""Vectors that only comparisons need: of pages as pictures, of CLIP and BLIP-2 beside the encoders
of the collection.

They are made when they are missing and kept in the collection's folder of index files, so that
they go when a document goes.
"""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from PIL import Image as PillowImage

from brit.config import Settings
from brit.documents.render import render_page
from brit.encoders.clip import OpenClipEncoder
from brit.encoders.registry import EMBEDDED
from brit.encoders.weights import REPOSITORIES
from brit.errors import DocumentError, UnknownName, WeightsMissing
from brit.evaluation.baselines import Space
from brit.evaluation.ranking import PageKey, RowIndex
from brit.models import ImageTextEncoder
from brit.pipeline.collection import OpenCollection
from brit.pipeline.models import Models
from brit.pipeline.vectors import encode_pictures
from brit.types import FloatArray, OnProgress, Progress, stable_id

PAGE_DPI = 60
BATCH = 8
SAVED_EVERY = 60.0  # seconds
Make = Callable[[Sequence[int]], FloatArray]


def find_clip(models: Models) -> ImageTextEncoder:
    """The CLIP of the settings, else the paper's, else the small one. Raises WeightsMissing."""
    if models.settings.encoders.image_encoder != EMBEDDED:
        return models.image_encoder
    for name in reversed(REPOSITORIES):
        try:
            return OpenClipEncoder(name, weights_folder(models.settings))
        except WeightsMissing:
            continue
    raise WeightsMissing(
        "No CLIP weights are on this machine: fetch some with `python -m brit models fetch`."
    )


def weights_folder(settings: Settings) -> Path:
    """Where `models fetch` puts weights."""
    return Path(settings.encoders.weights_folder or settings.workspace / "weights")


def find_space(index: OpenCollection, encoder: ImageTextEncoder, on_progress: OnProgress) -> Space:
    """The images and passages of the collection by that encoder."""
    images = [image for id in index.graph.image_ids if (image := index.image(id)).file]
    passages = index.passage_ids()

    def pictures(ats: Sequence[int]) -> FloatArray:
        files = [images[at].file for at in ats]
        return encode_pictures(index.workspace, encoder, files, [images[at].text for at in ats])

    def texts(ats: Sequence[int]) -> FloatArray:
        return encoder.encode_texts([index.passage(passages[at]).text for at in ats])

    name, ids = encoder.name, [image.id for image in images]
    files = [image.file for image in images]
    image_rows = kept_vectors(index, "images", name, files, pictures, on_progress)
    passage_rows = kept_vectors(index, "passages", name, passages, texts, on_progress)
    return Space(encoder, RowIndex(ids, image_rows), encoder, RowIndex(passages, passage_rows))


def draw_page_vectors(
    index: OpenCollection, texts: Mapping[PageKey, str], on_progress: OnProgress
) -> tuple[list[PageKey], FloatArray]:
    """Pages as the encoder at hand sees pictures: their pixels and the text in them, which for a
    page is its text. Pages that cannot be drawn are left out."""
    encoder = index.image_encoder
    keys = _pages(index)
    hints = [texts.get(key, "") for key in keys]

    def pictures(ats: Sequence[int]) -> FloatArray:
        rows = np.zeros((len(ats), encoder.dim), dtype=np.float32)
        drawn = {row: page for row, at in enumerate(ats) if (page := draw_page(index, keys[at]))}
        rows[list(drawn)] = encoder.encode_images(
            list(drawn.values()), [hints[ats[row]] for row in drawn]
        )
        return rows

    names = [stable_id(*key, hint) for key, hint in zip(keys, hints, strict=True)]
    rows = kept_vectors(index, "pages", encoder.name, names, pictures, on_progress)
    drawn = np.flatnonzero(rows.any(axis=1))
    return [keys[at] for at in drawn], rows[drawn]


def _pages(index: OpenCollection) -> list[PageKey]:
    documents = index.workspace.documents.documents(index.collection.id)
    return [
        (document.id, page)
        for document in documents
        if document.format == "pdf"
        for page in range(1, document.pages + 1)
    ]


def draw_page(index: OpenCollection, key: PageKey) -> PillowImage.Image | None:
    """A page's picture; None where it cannot be drawn."""
    try:
        path = index.workspace.documents.source_path(key[0])
        return PillowImage.open(io.BytesIO(render_page(path, key[1], dpi=PAGE_DPI)))
    except (DocumentError, UnknownName):
        return None


def kept_vectors(
    index: OpenCollection,
    what: str,
    encoder: str,
    keys: Sequence[str],
    make: Make,
    on_progress: OnProgress,
) -> FloatArray:
    """Rows (n, width) for `keys`; `make` is given positions in `keys` and encodes what is missing.

    What was made is written once a minute: an interrupted run goes on there.
    """
    home = index.workspace.folder / "indexes" / index.collection.id / "compared"
    path = home / re.sub(r"[^\w.+-]", "_", f"{what}-{encoder}-{stable_id(encoder)}.npz")
    known = _read(path)
    missing = [at for at, key in enumerate(keys) if key not in known]
    saved = time.monotonic()
    for start in range(0, len(missing), BATCH):
        on_progress(Progress(f"{what} by {encoder}", start, len(missing)))
        ats = missing[start : start + BATCH]
        known.update(zip((keys[at] for at in ats), make(ats), strict=True))
        if time.monotonic() - saved > SAVED_EVERY or ats[-1] == missing[-1]:
            _write(path, known)
            saved = time.monotonic()
    return np.stack([known[key] for key in keys]) if keys else np.zeros((0, 1), np.float32)


def _read(path: Path) -> dict[str, FloatArray]:
    try:
        with np.load(path, allow_pickle=False) as kept:
            return dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return {}  # not there yet, or damaged: it is made again


def _write(path: Path, known: dict[str, FloatArray]) -> None:
    """Aside and renamed, so that a crash leaves no half file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_name(f"{path.stem}-{id(known):x}.npz")
    np.savez(written, keys=np.array(list(known)), vectors=np.stack(list(known.values())))
    written.replace(path)
