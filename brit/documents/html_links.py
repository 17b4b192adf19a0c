"""Which page of its wiki a link leads to."""

from __future__ import annotations

import re
from collections.abc import Set
from urllib.parse import unquote, urlsplit

# «File:…», «Category:…», «Special:…» are no pages of text; «Dune: Part Two» is one.
_NAMESPACE = re.compile(r"^:?[^\W\d_]+([ _]talk)?:\S", re.IGNORECASE)
_PAGE_SUFFIX = re.compile(r"\.(x?html?|md|markdown)$", re.IGNORECASE)
_FILE_SUFFIX = re.compile(
    r"\.(png|jpe?g|gif|svg|webp|pdf|zip|gz|7z|txt|csv|css|js|xml|json|mp[34]|og[gv]|webm|exe|dmg)$",
    re.IGNORECASE,
)


def link_title(href: str | None, title: str | None, classes: Set[str] = frozenset()) -> str:
    """The title of the page that an address leads to, "" where it leads out of the wiki.

    A wiki writes it into the link (`title`); else it is what the address is called.
    """
    try:
        parts = urlsplit((href or "").strip())
    except ValueError:
        return ""
    outside = parts.scheme or parts.netloc or parts.query or not parts.path
    if outside or classes & {"new", "image", "mw-file-description"}:
        return ""
    path = unquote(parts.path).strip("/")
    if _FILE_SUFFIX.search(path):
        return ""
    return page_title(title or _PAGE_SUFFIX.sub("", path.rpartition("/")[2]))


def page_title(target: str) -> str:
    """A page of the main namespace as wikis write its title, "" for any other."""
    title = " ".join(target.partition("#")[0].replace("_", " ").split())
    return "" if _NAMESPACE.match(title) else title
