"""What a number measures: «dives to 300 m» and «300 m depth rating» measure the same."""

from __future__ import annotations

from collections.abc import Collection

from brit.verification.wording import stem

_WORDS = {
    "weight": "weigh weighs weighed weighing weight mass heavy wiegt gewicht schwer",
    "depth": "dive diving dived deep depth submerges tief tiefe taucht tauchtiefe",
    "height": "tall high height hoch höhe",
    "length": "long length lang länge",
    "width": "wide broad width breit breite",
    "speed": "fast speed schnell geschwindigkeit",
    "price": "costs cost price kostet preis",
    "duration": "lasts lasted duration endurance runtime dauert laufzeit",
}
_KINDS = {
    "weight": ("mass",),
    "depth": ("length",),
    "height": ("length",),
    "length": ("length",),
    "width": ("length",),
    "speed": ("speed",),
    "price": ("dollar", "euro", "pound"),
    "duration": ("time",),
}
_MEASURED = {stem(word): thing for thing, listed in _WORDS.items() for word in listed.split()}
_LOADS = "payload load lift lifts lifting carry carries capacity limit max per nutzlast"
_CARRIED = frozenset(stem(word) for word in _LOADS.split())


def is_said(word: str, there: Collection[str], kinds: Collection[str]) -> bool:
    """Whether a stem stands there, or another that measures the same, beside a number of a fitting
    dimension (`kinds`: those of the numbers there)."""
    if word in there:
        return True
    thing = _MEASURED.get(word)
    return (
        thing is not None
        and any(kind in _KINDS[thing] for kind in kinds)
        and any(_MEASURED.get(other) == thing for other in there)
    )


def is_weight(word: str) -> bool:
    return _MEASURED.get(word) == "weight"


def is_own_weight(there: Collection[str]) -> bool:
    """Whether a mass among these words may be the weight of the thing itself."""
    return not _CARRIED & set(there)
