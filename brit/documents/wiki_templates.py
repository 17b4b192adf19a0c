"""Templates of a wiki page → readable text, without the wiki's own template pages.

A few that most wikis share are rendered as they would read; of any other the arguments that read as
text are kept, for a number or a name must not leave a hole in its sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

_CHARACTERS = {
    "!": "|", "=": "=", "(": "{", ")": "}", "((": "{{", "))": "}}", "snd": " – ", "spnd": " – ",
    "ndash": "–", "mdash": "—", "nbsp": " ", "·": " · ", "dot": " · ", "•": " • ", "bull": " • ",
    "'": "'", '"': '"', "-": "", "clear": "", "br": " ", "sic": "", "'s": "'s",
}  # fmt: skip
_SILENT = re.compile(
    r"(reflist|references|refn?|sfn\w*|efn|notelist|cn|citation needed|fact|when|who|which|anchor"
    r"|coord|toc\w*|pp-?\w*|use \w+ (dates|english)|short description|defaultsort|displaytitle"
    r"|commons( category)?|commonscat|authority control|portal\w*|navbox\w*|stub|\w+-stub"
    r"|languages(/.*)?|flagicon|icon|webarchive|dead link|good article|featured article"
    r"|documentation|delete|incomplete|uselang|namespace|basepagename|subpagename|audio|ipa\w*|rp)\b",
    re.IGNORECASE,
)
_INFOBOX = re.compile(r"infobox|taxobox|speciesbox|chembox|drugbox|automatic taxobox", re.I)
_RANGES = {"to": "to", "and": "and", "or": "or", "-": "–", "–": "–", "by": "by", "x": "×", "×": "×"}
_CITE_FIELDS = ("last", "author", "title", "work", "website", "publisher", "date", "year")
_LETTER = re.compile(r"[^\W\d_]")

Arguments = Sequence[str]


@dataclass(frozen=True)
class TemplateCall:
    """A template with its arguments as plain text; `name` is in small letters."""

    name: str
    positional: tuple[str, ...]
    named: Mapping[str, str]


def is_infobox(call: TemplateCall) -> bool:
    """A box of facts on the page's subject: its named arguments are a table."""
    return bool(_INFOBOX.search(call.name)) or ("box" in call.name and len(call.named) >= 3)


def render_template(call: TemplateCall, page_title: str) -> str:
    """What a reader would see of a template, as plain text; "" where there is nothing to see."""
    if call.name in _CHARACTERS:
        return _CHARACTERS[call.name]
    if call.name in ("pagename", "fullpagename"):
        return page_title
    magic, _, rest = call.name.partition(":")
    if rest or call.name.startswith("#"):
        keeps = magic in ("lc", "uc", "lcfirst", "ucfirst", "formatnum")
        return rest if keeps else ""
    if _SILENT.fullmatch(call.name):
        return ""
    if call.name.startswith(("cite", "citation", "literatur", "internetquelle")):
        return _render_citation(call)
    render = _RENDERERS.get(call.name)
    return render(call.positional) if render and call.positional else _render_unknown(call)


def _render_unknown(call: TemplateCall) -> str:
    """Arguments that read as text: a single one with a letter, of several the phrases."""
    texts = [text for text in call.positional if _LETTER.search(text)]
    phrases = [text for text in texts if " " in text] or texts[-1:]
    kept = phrases or [text for text in call.positional[:1] if re.search(r"\d", text)]
    spoken = [call.named[key] for key in ("text", "content", "quote") if call.named.get(key)]
    return " ".join([*kept, *spoken])


def _render_citation(call: TemplateCall) -> str:
    return ". ".join(call.named[key] for key in _CITE_FIELDS if call.named.get(key))


def _render_conversion(arguments: Arguments) -> str:
    """{{convert|5|to|10|km|mi}} → «5 to 10 km»: all up to the first unit."""
    words: list[str] = []
    for argument in arguments:
        words.append(_RANGES.get(argument, argument))
        if _LETTER.search(argument) and argument not in _RANGES:
            break
    return " ".join(words)


def _first(arguments: Arguments) -> str:
    return arguments[0]


def _last(arguments: Arguments) -> str:
    return arguments[-1]


def _date(arguments: Arguments) -> str:
    return "-".join(part for part in arguments[:3] if part.isdigit())


def _enumeration(arguments: Arguments) -> str:
    return ", ".join(filter(None, arguments))


def _hatnote(prefix: str) -> Callable[[Arguments], str]:
    return lambda arguments: f"{prefix} {_enumeration(arguments)}."


_RENDERERS: dict[str, Callable[[Arguments], str]] = {
    **dict.fromkeys(("convert", "cvt"), _render_conversion),
    **dict.fromkeys(("abbr", "tooltip", "nihongo", "val", "nowrap", "small", "big", "em"), _first),
    **dict.fromkeys(("ill", "interlanguage link", "ill2", "flag", "flagcountry"), _first),
    **dict.fromkeys(("w", "wp", "link", "lang", "transl", "color", "colour", "font color"), _last),
    **dict.fromkeys(("circa", "c."), lambda arguments: f"c. {arguments[0]}"),
    **dict.fromkeys(("start date", "end date", "birth date", "death date"), _date),
    **dict.fromkeys(("birth date and age", "start date and age", "film date"), _date),
    **dict.fromkeys(("plainlist", "flatlist", "hlist", "ubl", "unbulleted list"), _enumeration),
    "main": _hatnote("Main article:"),
    "see also": _hatnote("See also:"),
    "sortname": lambda arguments: " ".join(arguments[:2]),
    "fraction": lambda arguments: "/".join(arguments),
    "frac": lambda arguments: "/".join(arguments),
}
