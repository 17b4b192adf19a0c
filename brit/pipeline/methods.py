"""The methods a collection can be measured by: BRIT under its settings, and the baselines."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image as PillowImage

from brit.config import RetrievalConfig
from brit.documents.render import render_page
from brit.encoders.blip2 import find_blip2
from brit.encoders.clip import OpenClipEncoder
from brit.encoders.registry import EMBEDDED
from brit.encoders.weights import REPOSITORIES
from brit.errors import DocumentError, ModelError, UnknownName, WeightsMissing
from brit.evaluation.baselines import (
    Space,
    bm25,
    dense,
    page_images,
    rank_fusion,
    similarity,
)
from brit.evaluation.methods import Find, Found, Method
from brit.evaluation.metrics import returned_texts
from brit.evaluation.ranking import PageKey, Ranker, RowIndex
from brit.models import GraphIndex, ImageTextEncoder
from brit.pipeline.ask import open_collection
from brit.pipeline.collection import OpenCollection
from brit.pipeline.kept_vectors import kept_vectors
from brit.pipeline.models import Models
from brit.pipeline.vectors import encode_pictures
from brit.retrieval import retrieve
from brit.storage import Workspace
from brit.types import FloatArray, LinkKind, OnProgress, Preset, no_progress, stable_id

PAGE_DPI = 60
# Table 2 of the paper, in its order.
LINK_COMBINATIONS: tuple[tuple[LinkKind, ...], ...] = (
    (),
    ("CA",),
    ("LP",),
    ("LS",),
    ("SI",),
    ("CA", "LP"),
    ("CA", "LS"),
    ("CA", "SI"),
    ("LP", "SI"),
    ("LS", "SI"),
    ("CA", "LP", "SI"),
    ("CA", "LS", "SI"),
)


def own_methods(
    workspace: Workspace, collection: str, models: Models, config: RetrievalConfig
) -> list[Method]:
    """BRIT as configured, then the three baselines that stand beside it in every run."""
    ranker = Ranker(open_collection(workspace, collection, models, config))
    return [
        brit_method(workspace, collection, models, config),
        Method("similarity", similarity(ranker, _space_at_hand(ranker.index))),
        Method("bm25", bm25(ranker)),
        Method("dense", dense(ranker)),
    ]


def ablation_methods(
    workspace: Workspace,
    collection: str,
    models: Models,
    config: RetrievalConfig,
    on_progress: OnProgress = no_progress,
) -> list[Method]:
    """`own_methods`, then what else Table 2 of the paper compares: CLIP and BLIP-2, rank fusion,
    page images, and both presets under every combination of links.

    Vectors that only a comparison needs are made here, which may take long the first time.
    """
    index = open_collection(workspace, collection, models, config)
    ranker = Ranker(index)
    presets: tuple[Preset, ...] = ("default", "paper")
    configs = [RetrievalConfig(), RetrievalConfig.paper()] + [
        RetrievalConfig.of(preset, links) for preset in presets for links in LINK_COMBINATIONS
    ]
    methods = [
        *own_methods(workspace, collection, models, config),
        Method("rank fusion", rank_fusion(ranker)),
        _over_weights("CLIP", ranker, index, models, on_progress),
        _over_weights("BLIP-2", ranker, index, models, on_progress),
        Method("page images", _page_images(ranker, index, on_progress)),
        *(brit_method(workspace, collection, models, each) for each in configs),
    ]
    return list({method.name: method for method in methods}.values())


def brit_method(
    workspace: Workspace,
    collection: str,
    models: Models,
    config: RetrievalConfig,
    name: str = "",
) -> Method:
    """BRIT under one setting."""
    index = open_collection(workspace, collection, models, config)
    links = "+".join(config.links) or "no links"

    def find(question: str, documents: Sequence[str]) -> Found:
        got = retrieve(index, question, extractor=models.parser, config=config, documents=documents)
        return Found(
            images=got.images,
            texts=returned_texts(got.passages, got.triplets),
            pages=got.pages,
            words=got.words,
            low_relevance=got.low_relevance,
            ms=got.timings_ms["total"],
        )

    return Method(name or f"BRIT {config.preset} {links}", find, "", config.preset, config.links)


def _space_at_hand(index: GraphIndex) -> Space:
    return Space(index.image_encoder, index.images, index.text_encoder, index.passages)


def _over_weights(
    family: str, ranker: Ranker, index: OpenCollection, models: Models, on_progress: OnProgress
) -> Method:
    """Similarity-only over an encoder whose weights may not be here."""
    try:
        encoder = find_clip(models) if family == "CLIP" else find_blip2(_weights_folder(models))
        return Method(f"{family} ({encoder.name})", _over(encoder, ranker, index, on_progress))
    except ModelError as error:
        return Method(family, None, str(error))


def find_clip(models: Models) -> ImageTextEncoder:
    """The CLIP of the settings, else the paper's, else the small one. Raises WeightsMissing."""
    if models.settings.encoders.image_encoder != EMBEDDED:
        return models.image_encoder
    for name in reversed(REPOSITORIES):
        try:
            return OpenClipEncoder(name, _weights_folder(models))
        except WeightsMissing:
            continue
    raise WeightsMissing(
        "No CLIP weights are on this machine: fetch some with `python -m brit models fetch`."
    )


def _weights_folder(models: Models) -> Path:
    """Where `models fetch` puts weights."""
    settings = models.settings
    return Path(settings.encoders.weights_folder or settings.workspace / "weights")


def _over(
    encoder: ImageTextEncoder, ranker: Ranker, index: OpenCollection, on_progress: OnProgress
) -> Find:
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
    return similarity(
        ranker,
        Space(encoder, RowIndex(ids, image_rows), encoder, RowIndex(passages, passage_rows)),
    )


def _page_images(ranker: Ranker, index: OpenCollection, on_progress: OnProgress) -> Find:
    """Pages as the encoder at hand sees pictures: their pixels and the text in them, which for a
    page is its text. Pages that cannot be drawn are left out."""
    encoder, texts = index.image_encoder, ranker.page_texts(())
    keys = _pages(index)
    hints = [texts.get(key, "") for key in keys]

    def pictures(ats: Sequence[int]) -> FloatArray:
        rows = np.zeros((len(ats), encoder.dim), dtype=np.float32)
        drawn = {row: page for row, at in enumerate(ats) if (page := _draw(index, keys[at]))}
        rows[list(drawn)] = encoder.encode_images(
            list(drawn.values()), [hints[ats[row]] for row in drawn]
        )
        return rows

    names = [stable_id(*key, hint) for key, hint in zip(keys, hints, strict=True)]
    rows = kept_vectors(index, "pages", encoder.name, names, pictures, on_progress)
    drawn = np.flatnonzero(rows.any(axis=1))
    return page_images(ranker, encoder, [keys[at] for at in drawn], rows[drawn])


def _pages(index: OpenCollection) -> list[PageKey]:
    documents = index.workspace.documents.documents(index.collection.id)
    return [
        (document.id, page)
        for document in documents
        if document.format == "pdf"
        for page in range(1, document.pages + 1)
    ]


def _draw(index: OpenCollection, key: PageKey) -> PillowImage.Image | None:
    """A page's picture; None where it cannot be drawn."""
    try:
        path = index.workspace.documents.source_path(key[0])
        return PillowImage.open(io.BytesIO(render_page(path, key[1], dpi=PAGE_DPI)))
    except (DocumentError, UnknownName):
        return None
