"""The methods a collection can be measured by: BRIT under its settings, and the baselines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from brit.config import RetrievalConfig
from brit.encoders.blip2 import find_blip2
from brit.errors import ModelError
from brit.evaluation.baselines import Space, bm25, dense, page_images, rank_fusion, similarity
from brit.evaluation.methods import Found, Method
from brit.evaluation.metrics import returned_texts
from brit.evaluation.ranking import Ranker
from brit.models import TripletExtractor
from brit.pipeline.ask import open_collection
from brit.pipeline.compared_vectors import draw_page_vectors, find_clip, find_space, weights_folder
from brit.pipeline.models import Models
from brit.retrieval import retrieve
from brit.storage import Workspace
from brit.types import (
    Extraction,
    LinkKind,
    OnPart,
    OnProgress,
    Preset,
    StoredBlock,
    no_part,
    no_progress,
)

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
BASELINES = (
    "similarity", "bm25", "dense", "rank fusion", "CLIP", "BLIP-2", "page images",
)  # fmt: skip


class Comparison:
    """All methods over one collection; `config` names the encoders they share."""

    def __init__(
        self, workspace: Workspace, collection: str, models: Models, config: RetrievalConfig
    ) -> None:
        self._workspace, self._collection, self._models = workspace, collection, models
        self._config = config
        self._parser = ReadOnce(models.parser)
        self.index = open_collection(workspace, collection, models, config)
        self._ranker = Ranker(self.index)

    def own(self) -> list[Method]:
        """BRIT as configured, then the three baselines that stand beside it in every run."""
        return [self.brit(self._config), *map(self.baseline, BASELINES[:3])]

    def ablation(self, on_progress: OnProgress = no_progress) -> list[Method]:
        """`own`, then what else Table 2 of the paper compares: CLIP and BLIP-2, rank fusion, page
        images, and both presets under every combination of links.

        Vectors that only a comparison needs are made here, which may take long the first time.
        """
        presets: tuple[Preset, ...] = ("default", "paper")
        configs = [RetrievalConfig(), RetrievalConfig.paper()] + [
            RetrievalConfig.of(preset, links) for preset in presets for links in LINK_COMBINATIONS
        ]
        methods = [
            *self.own(),
            *(self.baseline(name, on_progress) for name in BASELINES[3:]),
            *map(self.brit, configs),
        ]
        return list({method.name: method for method in methods}.values())

    def baseline(self, name: str, on_progress: OnProgress = no_progress) -> Method:
        """One of `BASELINES`. Vectors that only it needs are made here."""
        index, ranker = self.index, self._ranker
        space = Space(index.image_encoder, index.images, index.text_encoder, index.passages)
        makers: dict[str, Callable[[], Method]] = {
            "similarity": lambda: Method(name, similarity(ranker, space)),
            "bm25": lambda: Method(name, bm25(ranker)),
            "dense": lambda: Method(name, dense(ranker)),
            "rank fusion": lambda: Method(name, rank_fusion(ranker)),
            "CLIP": lambda: self._over_weights(name, on_progress),
            "BLIP-2": lambda: self._over_weights(name, on_progress),
            "page images": lambda: self._page_images(on_progress),
        }
        return makers[name]()

    def brit(self, config: RetrievalConfig) -> Method:
        """BRIT under one setting; where it is not a preset's own the name says so."""
        index = open_collection(self._workspace, self._collection, self._models, config)
        links = "+".join(config.links) or "no links"

        def find(question: str, documents: Sequence[str]) -> Found:
            got = retrieve(
                index, question, extractor=self._parser, config=config, documents=documents
            )
            return Found(
                images=got.images,
                texts=returned_texts(got.passages, got.triplets),
                pages=got.pages,
                words=got.words,
                low_relevance=got.low_relevance,
                ms=got.timings_ms["total"],
                match=max((each.best for each in got.trace.components), default=None),
                retrieval=got,
            )

        usual = RetrievalConfig.of(config.preset, config.links)
        name = f"BRIT {config.preset} {links}{'' if config == usual else ', own setting'}"
        return Method(name, find, "", config.preset, config.links)

    def _over_weights(self, family: str, on_progress: OnProgress) -> Method:
        """Similarity-only over an encoder whose weights may not be here."""
        try:
            if family == "CLIP":
                encoder = find_clip(self._models)
            else:
                encoder = find_blip2(weights_folder(self._models.settings))
            space = find_space(self.index, encoder, on_progress)
        except ModelError as error:
            return Method(family, None, str(error))
        return Method(f"{family} ({encoder.name})", similarity(self._ranker, space))

    def _page_images(self, on_progress: OnProgress) -> Method:
        index = self.index
        pages, vectors = draw_page_vectors(index, self._ranker.page_texts(()), on_progress)
        find = page_images(self._ranker, index.image_encoder, pages, vectors)
        return Method("page images", find)


class ReadOnce:
    """A `TripletExtractor` that remembers the entities of a question: all settings ask for them."""

    def __init__(self, parser: TripletExtractor) -> None:
        self._parser = parser
        self.name = parser.name
        self.extract_entities = lru_cache(maxsize=256)(parser.extract_entities)

    def extract(self, blocks: Sequence[StoredBlock], on_part: OnPart = no_part) -> Extraction:
        return self._parser.extract(blocks, on_part)
