"""A search engine as an evidence tool; off unless an address is set, since claims leave the
computer.

It speaks SearXNG's search API: GET <address>/search?q=…&format=json → {"results": [{"url", "title",
"content"}]}.
"""

from __future__ import annotations

import json
import urllib.parse
import urllib.request
from collections.abc import Sequence
from http.client import HTTPException
from typing import TYPE_CHECKING, Any

from brit.errors import InputError, ModelUnreachable
from brit.types import Claim, Finding, FindingKind
from brit.verification.wording import one_line

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

SECONDS = 10.0
MOST_CLAIMS = 8
RESULTS = 3
MAX_BYTES = 2_000_000
MAX_TEXT = 400


class SearchTool:
    """Asks for the first MOST_CLAIMS claims of fact. Raises InputError for a wrong address."""

    name = "search engine"
    kinds: frozenset[FindingKind] = frozenset(("search",))

    def __init__(self, address: str) -> None:
        if not address.startswith(("http://", "https://")):
            raise InputError("The search engine's address must begin with http:// or https://.")
        self._address = address.rstrip("/")

    def look(self, claims: Sequence[Claim], pictures: Sequence[Picture]) -> list[Finding]:
        del pictures
        asked = [claim.text for claim in claims if "fact" in claim.aspects][:MOST_CLAIMS]
        found = [finding for text in asked for finding in self._search(text)]
        return list(dict.fromkeys(found))

    def _search(self, text: str) -> list[Finding]:
        query = urllib.parse.urlencode({"q": text, "format": "json"})
        try:
            with urllib.request.urlopen(
                f"{self._address}/search?{query}", timeout=SECONDS
            ) as reply:
                data = json.loads(reply.read(MAX_BYTES))
        except (OSError, ValueError, RecursionError, HTTPException) as error:
            raise ModelUnreachable(
                "The search engine did not answer with JSON: check its address, and that it allows "
                "the format json."
            ) from error
        results = data.get("results") if isinstance(data, dict) else None
        rows = results[:RESULTS] if isinstance(results, list) else []
        found = (_finding(row) for row in rows if isinstance(row, dict))
        return [finding for finding in found if finding.text]


def _finding(row: dict[str, Any]) -> Finding:
    text = one_line(str(row.get("content") or ""))[:MAX_TEXT]
    title, address = one_line(str(row.get("title") or "")), str(row.get("url") or "")
    return Finding("search", text, source=address, document=title, subject=title)
