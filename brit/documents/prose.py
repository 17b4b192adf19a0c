"""Text as it comes out of files → text fit to be kept."""

from __future__ import annotations

import re
from collections.abc import Iterable

_CJK = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ue000-\uf8ff\ufffd]")


def clean_text(text: str) -> str:
    """Text without control characters, lone surrogates and private code points."""
    return re.sub(r"\s+", " ", _UNPRINTABLE.sub("", text)).strip()


def join_lines(lines: Iterable[str]) -> str:
    """Lines as running text: words cut by a hyphen joined, no spaces inside Chinese or Japanese."""
    joined = ""
    for line in filter(None, lines):
        if not joined or (_CJK.match(joined[-1]) and _CJK.match(line[0])):
            joined += line
        elif re.search(r"[^\W\d_]-$", joined) and line[0].islower():
            joined = joined[:-1] + line
        else:
            joined += " " + line
    return joined
