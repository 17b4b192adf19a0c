"""Files of lines, each a JSON object, that people write: what is wrong is said by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from brit.errors import InputError


def read_text(path: Path, what: str) -> str:
    """Of a file in UTF-8, which the error calls `what`. Raises InputError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"The {what} “{path}” cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise InputError(f"The file “{path}” cannot be read: it is no text in UTF-8.") from error


def read_lines(path: Path, what: str) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, with their numbers from 1. Raises InputError."""
    # Not `splitlines`: a JSON string may hold U+2028 and other ends of lines.
    for number, line in enumerate(read_text(path, what).split("\n"), start=1):
        if line.strip():
            yield number, line


def reason(error: ValueError) -> str:
    """What is wrong with a line, in one line."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False)[0]
    # The parser sees a line at a time, and would call each the first.
    said = re.sub(r" at line 1 column (\d+)$", r" at column \1", first["msg"])
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {said}" if place else said
