"""What went wrong at a model server, and the sentence a person reads about it.

Nothing that came from outside is quoted before the key has been cut out of it, and no exception of
the `openai` package is ever chained: its request and body can hold the key.
"""

from __future__ import annotations

import email.utils
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from brit.config import ModelConfig
from brit.errors import ModelError, ModelUnreachable, TooLong

if TYPE_CHECKING:
    from openai import APIError

_HIDDEN = "•••"
_SECRET = re.compile(r"\b(?:sk|key|gsk|AIza)[-_\w*]{8,}|(?<=Bearer )\S+")
_NO_MODEL = re.compile(
    r"model_not_found|model.*(?:not found|not exist)|models/\S+ is not", re.I | re.S
)
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context|context (?:size|length|window)|context the overflows"
    r"|maximum context|too many tokens|prompt is too long|maximum number of tokens",
    re.I,
)


@dataclass(frozen=True)
class Failure:
    """`status` is None when there was no reply at all; `text` holds all the server said, `message`
    the sentence in it, both unsafe to show; `retry_after` is in seconds."""

    status: int | None
    text: str
    retry_after: float | None = None
    timed_out: bool = False
    message: str = ""

    @property
    def passing(self) -> bool:
        """Whether the same request may well succeed in a moment."""
        busy = self.status in (408, 409, 429) or (self.status or 0) >= 500
        return busy and not self.too_long

    @property
    def too_long(self) -> bool:
        """Whether the request is longer than the model's context."""
        return bool(_TOO_LONG.search(self.text))


def describe(error: APIError) -> Failure:
    """Reads an exception of the `openai` package."""
    from openai import APIStatusError, APITimeoutError

    text = f"{error.code or ''} {error.message} {error.body or ''}"
    if isinstance(error, APIStatusError):
        wait = _retry_after(error.response.headers)
        told = error.body.get("message") if isinstance(error.body, dict) else None
        return Failure(error.status_code, text, wait, message=str(told or error.message))
    return Failure(None, text, timed_out=isinstance(error, APITimeoutError))


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, or the seconds until a date (RFC 9110 §10.2.3)."""
    value = headers.get("retry-after", "")
    try:
        return max(0.0, float(value))
    except ValueError:
        date = email.utils.parsedate_tz(value)
        return max(0.0, email.utils.mktime_tz(date) - time.time()) if date else None


def address_of(config: ModelConfig) -> str:
    """The server's address as it may be shown: without user, password and query."""
    parts = urlsplit(config.base_url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}" if config.base_url else "OpenAI"


def redact(text: str, config: ModelConfig) -> str:
    """The text in one line of at most 200 characters, without the key or what looks like one."""
    if config.api_key:
        text = text.replace(config.api_key, _HIDDEN)
    return " ".join(_SECRET.sub(_HIDDEN, text).split())[:200]


def explain(failure: Failure, config: ModelConfig) -> ModelError:
    """The sentence for a failure, with what to do next."""
    where = f"the model server at {address_of(config)}"
    status, text = failure.status, failure.text
    if status is None:
        return _unreachable(failure, where, config)
    if status in (401, 403) or (status == 400 and re.search(r"api key not valid", text, re.I)):
        return ModelError(f"{_capital(where)} refused the key. Check the API key of this model.")
    if _NO_MODEL.search(text) and status in (400, 404):
        return ModelError(
            f"{_capital(where)} has no model «{config.model}». Name another one in "
            f"{config.model_setting}."
        )
    if failure.too_long:
        return TooLong(
            f"What was asked is too long for «{config.model}». Give the model a longer context, or "
            "choose another one."
        )
    if status == 429:
        when = _when(failure.retry_after)
        return ModelError(f"{_capital(where)} is asked too often (429). Try again {when}.")
    return _status_error(status, failure.message or text, where, config)


def _when(seconds: float | None) -> str:
    """As the server says it, in whole minutes; it may say nothing, or what no clock reaches."""
    minutes = 1 if seconds is None else seconds / 60
    if not minutes < 60 * 48:
        return "another day"
    return "in a minute" if minutes <= 1 else f"in {math.ceil(minutes)} minutes"


def _unreachable(failure: Failure, where: str, config: ModelConfig) -> ModelUnreachable:
    if failure.timed_out:
        return ModelUnreachable(
            f"{_capital(where)} did not answer within {config.timeout:g} seconds. "
            "Check that it runs, or try again later."
        )
    return ModelUnreachable(
        f"{_capital(where)} did not answer. Start it, or set {config.address_setting} to its "
        "address."
    )


def _status_error(status: int, text: str, where: str, config: ModelConfig) -> ModelError:
    if status == 503 and "loading" in text.lower():  # llama.cpp
        return ModelError(f"{_capital(where)} is still loading its model. Try again in a minute.")
    if status >= 500:
        said = redact(text, config)
        return ModelError(f"{_capital(where)} failed ({status}: {said}). Try again, or look at it.")
    if status in (404, 405):
        return ModelError(
            f"There is no chat model at {address_of(config)} ({status}). Check the address in "
            "Settings; it mostly ends in /v1."
        )
    return ModelError(f"{_capital(where)} refused the request ({status}): {redact(text, config)}")


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        # Reading the port checks it.
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def parameters(config: ModelConfig) -> dict[str, Any]:
    """Arguments of `openai.OpenAI`. Raises ModelError for an impossible key or address."""
    key = config.api_key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ModelError("The API key holds characters that no key has. Copy it again.")
    if config.base_url and not _is_address(config.base_url):
        raise ModelError("The model's address must begin with http:// or https:// and a host.")
    return {"api_key": key or "none", "base_url": config.base_url or None}
