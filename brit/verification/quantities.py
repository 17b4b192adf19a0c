"""Numbers with their units, compared across «12 kg», «12,000 g» and «twelve kilograms»."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from brit.verification.wording import is_code, is_function, stem

_UNITS = {
    "mass": "mg 1e-6 g 1e-3 gram 1e-3 kg 1 kilogram 1 kilo 1 t 1000 ton 1000 tonne 1000 "
    "lb 0.45359237 lbs 0.45359237 pound 0.45359237 oz 0.028349523125 ounce 0.028349523125",
    "length": "nm 1e-9 µm 1e-6 μm 1e-6 mm 1e-3 millimetre 1e-3 millimeter 1e-3 cm 0.01 "
    "centimetre 0.01 centimeter 0.01 m 1 metre 1 meter 1 km 1000 kilometre 1000 kilometer 1000 "
    "inch 0.0254 inche 0.0254 ft 0.3048 feet 0.3048 foot 0.3048 yd 0.9144 mi 1609.344 "
    "mile 1609.344",
    "time": "ms 1e-3 s 1 sec 1 second 1 sekunde 1 min 60 minute 60 h 3600 hour 3600 stunde 3600 "
    "day 86400 tag 86400 week 604800 woche 604800",
    "years": "month 1 monat 1 year 12 yr 12 jahr 12",
    "power": "mw 1e-3 w 1 watt 1 kw 1000 kilowatt 1000 MW 1e6 megawatt 1e6 hp 745.69987 "
    "ps 735.49875",
    "energy": "wh 1 kwh 1000 MWh 1e6",
    "voltage": "mv 1e-3 v 1 volt 1 kv 1000",
    "current": "µa 1e-6 ma 1e-3 a 1 amp 1 ampere 1",
    "frequency": "hz 1 khz 1e3 mhz 1e6 ghz 1e9",
    "pressure": "pa 1 hpa 100 kpa 1000 mpa 1e6 bar 1e5 mbar 100 psi 6894.757293",
    "volume": "ml 1e-3 cl 0.01 l 1 litre 1 liter 1 m³ 1000 gal 3.785411784 gallon 3.785411784",
    "speed": "m/s 3.6 km/h 1 kph 1 mph 1.609344 kn 1.852 knot 1.852",
    "data": "kb 1e3 mb 1e6 gb 1e9 tb 1e12",
    "rotation": "rpm 1 u/min 1",
    "share": "% 1 percent 1 prozent 1",
    "celsius": "°c 1",
    "fahrenheit": "°f 1",
    "angle": "° 1 degree 1 grad 1",
    "dollar": "$ 1 usd 1 dollar 1",
    "euro": "€ 1 eur 1 euro 1",
    "pound": "£ 1 gbp 1",
}
_ENGLISH = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen twenty"""
_GERMAN = "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
_SPELLED = {word: n for listed in (_ENGLISH, _GERMAN) for n, word in enumerate(listed.split())}
_SCALES = {
    "hundred": 100.0,
    "hundert": 100.0,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "tausend": 1e3,
    "millionen": 1e6,
}
_TOKEN = re.compile(
    r"(?P<code>[^\W\d_][^\W_]*\d[^\W_]*)"
    r"|(?P<sign>[$€£])?(?P<number>\d[\d.,'’\u00a0\u202f]*\d|\d)"
    r"(?P<scaled>[ \u00a0]?(?:hundred|thousand|million|billion|tausend|Millionen)\b)?"
    r"(?P<unit>[ \u00a0-]?(?:°[CF]?|[kK]?m/[hs]|U/min|m³|[%$€£]|[^\W\d_]+))?"
    r"|(?P<word>[^\W\d_]+)"
)
_YEAR = re.compile(r"1\d{3}|20\d{2}")


def _unit_table() -> dict[str, tuple[str, float]]:
    table = {}
    for dimension, listed in _UNITS.items():
        parts = listed.split()
        for name, factor in zip(parts[::2], parts[1::2], strict=True):
            table[name] = (dimension, float(factor))
    return table


_TABLE = _unit_table()
MEASURE_WORDS = frozenset(stem(word) for word in (*_TABLE, *_SPELLED, *_SCALES))
"""Stems of units and spelled numbers: they are compared as quantities, not as words."""


@dataclass(frozen=True)
class Quantity:
    """`values` are all readings of the digits («1.234» is two), in the dimension's basic unit.

    `kind` is the dimension, "year", "#nimbus" for a number that belongs to a name («Nimbus 40»), or
    the stem of the noun that follows.
    """

    values: tuple[float, ...]
    kind: str
    text: str
    unit: str = ""

    @property
    def of_name(self) -> bool:
        return self.kind.startswith("#")

    @property
    def exact(self) -> bool:
        """Whether the kind is a dimension or a year, and no mere noun beside the number."""
        return self.kind in _UNITS or self.kind == "year"

    def equals(self, other: Quantity) -> bool:
        """Of one kind, and the same; within a thousandth between units, where numbers are often
        rounded."""
        if (self.exact or other.exact) and self.kind != other.kind:
            return False
        slack = 1e-9 if self.unit == other.unit else 1e-3
        return any(
            math.isclose(one, two, rel_tol=slack) for one in self.values for two in other.values
        )


def spelled_number(word: str) -> int | None:
    """«three», «3» → 3; None for anything else."""
    if word.isdigit() and word.isascii():
        return int(word[:9])
    return _SPELLED.get(word.casefold())


def quantities(text: str) -> list[Quantity]:
    """The numbers of a text, those inside codes («CX57C») left out."""
    found = []
    tokens = list(_TOKEN.finditer(text))
    for position, token in enumerate(tokens):
        after = tokens[position + 1]["word"] if position + 1 < len(tokens) else None
        before = tokens[position - 1]["word"] if position else None
        if token["number"]:
            found.append(_named(_quantity(token, after), before))
        elif (word := token["word"]) and (value := _SPELLED.get(word.casefold())) is not None:
            found.append(_spelled(value, word, tokens[position + 1 :]))
    return found


def _spelled(value: int, word: str, rest: Sequence[re.Match[str]]) -> Quantity:
    """«three», «three hundred» and what follows."""
    first, second = ([token["word"] for token in rest[:2]] + [None, None])[:2]
    if factor := _SCALES.get((first or "").casefold()):
        return _measured((value * factor,), second, f"{word} {first} {second or ''}")
    return _measured((float(value),), first, f"{word} {first or ''}")


def _named(quantity: Quantity, before: str | None) -> Quantity:
    """«Nimbus 40»: a number after a name is part of it, unless it has a unit."""
    if quantity.exact or not before or not before[0].isupper() or is_function(before):
        return quantity
    return replace(quantity, kind=f"#{stem(before)}")


def _quantity(token: re.Match[str], after: str | None) -> Quantity:
    values = _readings(token["number"])
    if token["scaled"]:
        factor = _SCALES[token["scaled"].strip(" \u00a0").casefold()]
        values = tuple(value * factor for value in values)
    unit = (token["unit"] or "").strip(" \u00a0-")
    if token["sign"]:
        return _measured(values, token["sign"], token[0])
    if not unit and _YEAR.fullmatch(token["number"]):
        return Quantity(values, "year", token[0])
    measured = _measured(values, unit or after, token[0])
    is_year = measured.kind not in _UNITS and _YEAR.fullmatch(token["number"])
    return Quantity(values, "year", token["number"]) if is_year else measured


def _measured(values: tuple[float, ...], unit: str | None, text: str) -> Quantity:
    name = unit or ""
    singular = name.casefold().rstrip("s") if len(name) > 3 else name.casefold()
    for form in (name, name.casefold(), singular):
        if form in _TABLE:
            kind, factor = _TABLE[form]
            base = tuple(value * factor for value in values)
            return Quantity(base, kind, text.strip(), f"{kind} {factor}")
    return Quantity(values, stem(name) if name and not is_code(name) else "", text.strip())


def _readings(digits: str) -> tuple[float, ...]:
    """«1.234» may be 1234 (Germany) or 1.234; «1,234.5» and «12,5» are one number each."""
    bare = re.sub("['’\u00a0\u202f]", "", digits).rstrip(".,")
    readings = set()
    for thousands, decimal in ((",", "."), (".", ",")):
        whole, _, fraction = bare.partition(decimal)
        groups = whole.split(thousands)
        grouped = len(groups) == 1 or all(len(group) == 3 for group in groups[1:])
        if grouped and fraction.isdigit() | (not fraction):
            readings.add(float("".join(groups) + "." + (fraction or "0")))
    return tuple(sorted(readings)) or (float(re.sub(r"\D", "", bare)),)
