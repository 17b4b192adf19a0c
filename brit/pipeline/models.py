"""The models of a running BRIT, each loaded when it is first needed and then shared."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TypeVar, cast

from brit.config import ModelConfig, Settings
from brit.models import (
    ImageTextEncoder,
    LanguageModel,
    ObjectDetector,
    SceneTextReader,
    TextEncoder,
    TripletExtractor,
)
from brit.storage.calls import CallStore
from brit.types import Preset

T = TypeVar("T")


class Models:
    """Encoders, extractor, scene text reader and language model named by the settings.

    `calls` keeps the replies of language models, so that nothing is paid for twice, what they cost
    and what their servers can do.
    Safe to share between threads.
    """

    def __init__(self, settings: Settings, calls: CallStore | None = None) -> None:
        self.settings = settings
        self._calls = calls
        self._loaded: dict[str, object] = {}
        self._asked: dict[str, object] = {}
        self._lock = threading.RLock()

    def beside(self, calls: CallStore) -> Models:
        """The same encoders and readers; replies of language models are kept, and counted, in
        another workspace."""
        other = Models(self.settings, calls)
        other._loaded, other._lock = self._loaded, self._lock
        return other

    def _once(self, name: str, load: Callable[[], T]) -> T:
        return self._kept(self._loaded, name, load)

    def _kept(self, held: dict[str, object], name: str, load: Callable[[], T]) -> T:
        with self._lock:
            if name not in held:
                held[name] = load()
            return cast(T, held[name])

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

        def load() -> TripletExtractor:
            model = self.extraction_model
            return self.parser if model is None else LmmExtractor(model, self.parser)

        return self._kept(self._asked, "extractor", load)

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
    def extraction_model(self) -> LanguageModel | None:
        """The model that reads triplets; None when none is configured."""
        config = self.settings.extraction
        return self._kept(self._asked, "extraction", lambda: self._open("extraction", config))

    @property
    def describer(self) -> LanguageModel | None:
        """The model that answers, looking at figures while documents are read."""
        config = self.settings.answer
        return self._kept(self._asked, "describer", lambda: self._open("description", config))

    @property
    def language_model(self) -> LanguageModel | None:
        """The model that writes answers; None when none is configured."""
        config = self.settings.answer
        return self._kept(self._asked, "answer", lambda: self._open("answer", config))

    @property
    def judge(self) -> LanguageModel | None:
        """The model that checks and grades answers; None when none is configured."""
        config = self.settings.judge
        return self._kept(self._asked, "judge", lambda: self._open("judge", config))

    def _open(self, role: str, config: ModelConfig) -> LanguageModel | None:
        """At a temperature above 0 another reply is wanted each time, but for triplets, where a
        resumed job must not pay again. Descriptions are kept with their pictures instead."""
        from brit.lmm import open_language_model
        from brit.pipeline.spending import RoleMeter

        calls = self._calls
        if calls is None:
            return open_language_model(config)
        again = role == "description" or (role != "extraction" and config.temperature > 0)
        kept = None if again else calls
        meter = RoleMeter(calls, self.settings, role, config.model)
        return open_language_model(config, kept, memory=calls.settings, meter=meter)

    @contextmanager
    def about(self, document: str, check: Callable[[], None]) -> Iterator[None]:
        """Calls of language models inside are made, and counted, for that document; they end when
        `check` raises."""
        from brit.lmm.interrupt import interruptible

        counted = nullcontext() if self._calls is None else self._calls.about(document)
        with counted, interruptible(check):
            yield

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
