"""What may become a textual node: short, wordy, free of layout debris. No model, no language."""

from __future__ import annotations

import re
import unicodedata

MAX_WORDS = 8
MAX_CHARACTERS = 80

# Letters and digits mixed (CX57C), or upper-case parts joined by - or / (ViT-B/32, PCI-E).
# Every repetition is bounded and the parts share no character, so matching is linear.
CODE = re.compile(
    r"(?<![\w@./-])(?=[\w/-]{0,24}\d)(?=[\w/-]{0,24}[A-Z])[A-Za-z0-9]{1,20}(?:[-/][A-Za-z0-9]{1,12}){0,3}"
    r"(?![\w@]|[-/]\w)"
)
REFERENCE = re.compile(
    r"\b(?:Figure|Fig\.?|Table|Chart|Section|Chapter|Step|Page|Appendix|Exhibit|Abb\.|Abbildung|"
    r"Tabelle|Kapitel|Seite)\s{0,2}\d{1,4}(?:[-.–]\d{1,4}){0,3}[a-z]?\b",
    re.IGNORECASE,
)
QUOTED = re.compile(r"[\"“„«]\s?([^\"“”„«»]{2,80}?)\s?[\"”“»]")
NUMBER_WITH_UNIT = re.compile(
    r"^[~≈<>≤≥±+-]?\s?[$€£¥]?\s?\d[\d.,'   ]{0,20}\s?(?:%|[$€£¥]|°|[A-Za-zµμΩ°/²³·]{1,12})"
    r"(?:\s?\([^)]{1,20}\))?$"
)
PLAIN_NUMBER = re.compile(r"^[\W\d_]+$")
_UNITS = (
    "ft|in|mm|cm|m|km|mi|kg|g|mg|t|lbs?|oz|m[VAW]?|k?[VAW]|kWh?|hp|[kMG]?Hz|[KMGT]B|mAh|L|ml|l|gal|°C|°F|"
    "°|%|psi|bar|rpm|mph|km/h|ms|s|min|h|hours?|days?|years?|inch(?:es)?|dB|dpi|px|[µu][AFHsm]|pF|nF|"
    "kΩ|KΩ|Ω"
)
UNIT = re.compile(_UNITS)
MEASURE = re.compile(rf"^\d[\d.,/ ]{{0,15}}\s?(?:{_UNITS})\b")
# A line of a data sheet: «Operating weight 12,270 lb (5,565 kg)».
SPECIFICATION = re.compile(
    rf"^(?:[A-Z]\.\s)?([^\W\d_][^\d:|]{{2,50}}?)\s"
    rf"([~<>≤≥±]?\d[\d.,/ ]{{0,15}}\s?(?:{_UNITS})(?![^\W\d_])[^|:]{{0,30}})$"
)
YEAR = re.compile(r"^(?:1[5-9]|20)\d\d(?:\s?[-–]\s?(?:1[5-9]|20)?\d\d)?$")
MONEY = re.compile(r"^(?:[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:%|[$€£¥]))$")
ADDRESS = re.compile(r"https?:|www\.|://|\S@\S|\w\.(?:com|org|net|gov|edu)\b", re.IGNORECASE)

LIGATURE = re.compile(r"[\ufb00-\ufb06]")
# Control and bidirectional marks, soft hyphens, half characters, and the stroke that only
# stretches Arabic words.
CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u0640\u200b-\u200f\u2028-\u202e\u2060-\u2069"
    r"\ud800-\udfff\ufeff\ufffd]"
)
HYPHENATED = re.compile(r"(?<=[a-z])-[ \t]{0,3}\n\s{0,8}(?=[a-z])")
# A row of dots. It begins where no dot stands before and is taken whole (possessively), so that a
# page of dots costs one look, not one a dot.
_DOTS = r"(?<![.…·_])(?<![.…·_]\s)(?:[.…·_]\s?){4,}+"
LEADER = re.compile(_DOTS)
# In a table of contents the leader ends at a page number, and the next title may follow.
CONTENTS = re.compile(_DOTS + r"(?:\d{1,3}|[ivxl]{1,6})(?=\s+(?:[A-Z][a-z]|\d)|\s*$)")
BULLET = re.compile(r"^\s*(?:[•‣▪●○■□◆►▶*➢✓✔–—·-]+|\(?\d{1,2}[.)]|[a-z][.)])\s+")
LONG_WORD = re.compile(r"\S{61,}")
SHORT = 60
"""Characters below which a line is no column of prose, however short the others are."""
EDGES = " \t\n\r.,;:!?*•·|~^=<>_/\\-–—'\"“”„‘’«»`´[]{}"


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS = words(
    "a an the this that these those some any each every all both no not and or but nor so if then "
    "than as at by for from in into of on onto off out over to up with within without about "
    "above below under between through during before after until against per via is are was were "
    "be been being am do does did done have has had having can could may might must shall should "
    "will would i you he she it we they me him her us them my your his its our their mine yours "
    "ours theirs who whom whose which what when where why how there here also only just very more "
    "most much many few several such other others another same own one ones etc e.g i.e eg ie vs "
    "herein hereof hereby therein thereof thereby therewith therefrom"
)
# Nouns that name nothing by themselves.
VAGUE = words(
    "thing things way ways lot lots example examples case cases fact kind kinds sort sorts type "
    "types part parts number numbers use addition order term terms time times something anything "
    "everything nothing someone anyone everyone somebody anybody everybody none rest result "
    "results reason variety range rate amount following note page pages item items people place "
    "respect instance manner means effect point view figure fig fig. table chart today now first "
    "second third bit course today's majority series end side top bottom left right front back "
    "default conjunction places accordance detail details general particular advance turn purpose "
    "purposes sake"
)


def clean_text(text: str) -> str:
    """One line of plain text: no control characters, no line-end hyphens, no runs of space."""
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = LIGATURE.sub(lambda m: unicodedata.normalize("NFKC", m.group()), text)
    text = HYPHENATED.sub("", text.replace("\u00ad\n", ""))
    return " ".join(CONTROL.sub("", text).split())


def clean_prose(text: str) -> str:
    """`clean_text` made ready for an English parser: no bullets, dot leaders, endless words."""
    text = LONG_WORD.sub(" ", CONTENTS.sub(". ", clean_text(text)))
    text = LEADER.sub(": ", text)
    return BULLET.sub("", text).strip()


def split_lines(text: str) -> list[str]:
    """Prose as `clean_prose` makes it, apart where a line ends early and the next begins anew (a
    list, an address), so that the parser does not run over."""
    lines = [line for line in text.splitlines() if line.strip()]
    width = max((len(line) for line in lines), default=0)
    pieces: list[list[str]] = []
    ended = True
    for line in lines:
        if not pieces or (ended and not line.lstrip()[0].islower()):
            pieces.append([])
        pieces[-1].append(line)
        ended = len(line) < max(0.7 * width, SHORT) and not line.rstrip().endswith((",", "-"))
    return [prose for piece in pieces if (prose := clean_prose("\n".join(piece)))]


def clean_name(text: str) -> str:
    """The name without debris at its ends, or "" where it cannot be a node."""
    name = " ".join(CONTROL.sub("", text).split()).strip(EDGES)
    name = _balance(name).removesuffix("'s").removesuffix("’s").strip(EDGES)
    parts = name.split()
    if not parts or len(parts) > MAX_WORDS or len(name) > MAX_CHARACTERS:
        return ""
    return name if _is_wordy(name, parts) else ""


def _is_wordy(name: str, parts: list[str]) -> bool:
    if PLAIN_NUMBER.match(name):
        return bool(YEAR.match(name) or MONEY.match(name))
    lowered = [word.casefold().strip(EDGES) for word in parts]
    if all(word in FUNCTION_WORDS or not word for word in lowered):
        return False
    if len(lowered) == 1 and (lowered[0] in VAGUE or UNIT.fullmatch(name)):
        return False
    if _is_mojibake(name) or set(name) & set("<>|{}=\\"):
        return False
    if len(parts) > 2 and len(name) < 3.5 * len(parts) - 1 and not any(c.isdigit() for c in name):
        return False
    letters = sum(character.isalnum() for character in name)
    wide = any(character >= "\u2e80" for character in name)
    return (letters >= 2 or wide) and letters * 2 >= len(name) and not ADDRESS.search(name)


def _is_mojibake(name: str) -> bool:
    """Mostly accented letters of Latin-1: text whose font has no honest encoding."""
    accented = sum("\xa1" <= c <= "\xff" for c in name)
    return accented * 2 > sum(c.isalnum() for c in name)


def _balance(name: str) -> str:
    """Drop brackets that have no partner."""
    if name.count("(") != name.count(")"):
        name = name.split("(")[0] if name.find("(") > 0 else name.replace("(", "").replace(")", "")
    elif name.startswith("(") and name.endswith(")"):
        name = name[1:-1]
    return name.strip(EDGES)


def is_code(name: str) -> bool:
    """A product code or code word: CX57C, AP3012K, ViT-B/32."""
    return bool(CODE.fullmatch(name)) and sum(c.isalpha() for c in name) >= 1 and len(name) >= 3


def find_codes(text: str) -> list[tuple[int, int]]:
    """Where codes stand in a text, as (start, end)."""
    return [m.span() for m in CODE.finditer(text) if is_code(m.group())]


def cut(text: str, size: int) -> list[str]:
    """Pieces of at most `size` characters, cut after a sentence or a space where there is one."""
    pieces = []
    while len(text) > size:
        at = max(text.rfind(". ", size // 2, size) + 1, 0) or text.rfind(" ", size // 2, size)
        at = at if at > 0 else size
        pieces.append(text[:at].strip())
        text = text[at:].lstrip()
    return [*pieces, text] if text else pieces
