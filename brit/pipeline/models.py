"""The models of a running BRIT, each loaded when it is first needed and then shared."""

from __future__ import annotations

import threading
from collections.abc import Callable, MutableMapping
from pathlib import Path
from typing import TypeVar, cast

from brit.config import Settings
from brit.models import (
    ImageTextEncoder,
    LanguageModel,
    ObjectDetector,
    SceneTextReader,
    TextEncoder,
    TripletExtractor,
)
from brit.types import Preset

T = TypeVar("T")


class Models:
    """Encoders, extractor, scene text reader and language model named by the settings.

    `calls` keeps the replies of the extraction model, so that nothing is paid for twice.
    Safe to share between threads.
    """

    def __init__(self, settings: Settings, calls: MutableMapping[str, str] | None = None) -> None:
        self.settings = settings
        self._calls = calls
        self._loaded: dict[str, object] = {}
        self._lock = threading.RLock()

    def _once(self, name: str, load: Callable[[], T]) -> T:
        with self._lock:
            if name not in self._loaded:
                self._loaded[name] = load()
            return cast(T, self._loaded[name])

    @property
    def text_encoder(self) -> TextEncoder:
        from brit.encoders.registry import create_text_encoder

        return self._once("text", lambda: create_text_encoder(self.settings.encoders))

    @property
    def image_encoder(self) -> ImageTextEncoder:
        from brit.encoders.registry import create_image_encoder

        cache = self.settings.workspace / "cache"
        return self._once(
            "image",
            lambda: create_image_encoder(self.settings.encoders, self.text_encoder, cache),
        )

    def encoders(self, preset: Preset) -> tuple[TextEncoder, ImageTextEncoder]:
        """Text and image encoder of a preset: the paper's uses the image encoder for everything.

        The embedded image encoder already lives in the space of the text encoder.
        """
        embedded = self.settings.encoders.image_encoder == "embedded"
        image_encoder = self.image_encoder
        text_encoder = image_encoder if preset == "paper" and not embedded else self.text_encoder
        return text_encoder, image_encoder

    @property
    def parser(self) -> TripletExtractor:
        """The extractor that needs no language model; it also reads questions at once."""
        from brit.extraction.spacy_extractor import SpacyExtractor

        return self._once("parser", SpacyExtractor)

    @property
    def extractor(self) -> TripletExtractor:
        """Triplets of the configured language model, or the parser's."""
        from brit.extraction.lmm import LmmExtractor
        from brit.lmm import open_language_model

        def load() -> TripletExtractor:
            model = open_language_model(self.settings.extraction, self._calls)
            return self.parser if model is None else LmmExtractor(model, self.parser)

        return self._once("extractor", load)

    @property
    def scene_text(self) -> SceneTextReader:
        from brit.encoders.scene_text import RapidOcrReader

        return self._once("scene text", RapidOcrReader)

    @property
    def page_text(self) -> SceneTextReader:
        """Reads scanned pages: in more pixels, and with the lines it is not sure of."""
        from brit.encoders.scene_text import PAGE_SIDE, RapidOcrReader

        return self._once("page text", lambda: RapidOcrReader(PAGE_SIDE, min_confidence=0.0))

    @property
    def language_model(self) -> LanguageModel | None:
        """The model that writes answers; None when none is configured."""
        from brit.lmm import open_language_model

        return self._once("answer", lambda: open_language_model(self.settings.answer))

    @property
    def judge(self) -> LanguageModel | None:
        """The model that checks and grades answers; None when none is configured."""
        from brit.lmm import open_language_model

        return self._once("judge", lambda: open_language_model(self.settings.judge, self._calls))

    @property
    def detector(self) -> ObjectDetector:
        """Raises WeightsMissing where the weights are not on this machine."""
        from brit.encoders.grounding import GroundingDino

        encoders = self.settings.encoders
        folder = Path(encoders.weights_folder or self.settings.workspace / "weights")
        return self._once("detector", lambda: GroundingDino(encoders.detector, folder))

    def warm(self) -> None:
        """Load what a first question needs."""
        self.text_encoder.encode_texts(["warm"], "query")
        self.parser.extract_entities("Warm")
        self.image_encoder.encode_texts(["warm"], "query")
