"""Signs beyond U+FFFF that come in two halves: servers that count as JavaScript does cut between
them, and neither half can be kept or sent."""

from __future__ import annotations


def ends_halfway(text: str) -> bool:
    """Whether the first half of a sign stands at the end."""
    return "\ud800" <= text[-1:] <= "\udbff"


def whole(text: str) -> str:
    """Halves that stand together joined, others replaced by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
