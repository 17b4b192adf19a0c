"""What the words of a question tell: its language, what it is about, the kind of answer it wants.

Function words are spaCy's lists, so that no language is privileged; cues and framing are given for
English, German, French and Spanish, and where they are missing the rest works without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")
_LETTERS = {"de": "äöüß", "fr": "çœêèàâîôû", "es": "ñ¿¡"}
_WORD = re.compile(r"[^\W_]+")
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_VISUAL = re.compile(
    r"\b(?:picture|image|photo|figure|fig|diagram|chart|graph|drawing|logo|colou?r|shown?|look"
    r"|bild|foto|abbildung|abb|diagramm|grafik|zeichnung|farbe|farbig|zeig\w*|aussehen"
    r"|sieht|gezeigt|photographie|illustration|schéma|graphique|couleur|montre"
    r"|imagen|figura|gráfico|diagrama|dibujo|color|muestra)s?\b",
    re.IGNORECASE,
)
_NUMBER_WORDS = """one two three four five six seven eight nine ten eleven twelve hundred thousand
million zwei drei vier fünf sechs sieben acht neun zehn elf zwölf hundert tausend deux trois quatre
cinq sept huit neuf dix cent mille dos tres cuatro cinco seis siete ocho nueve diez cien mil"""
_COLOURS = """red orange yellow amber green teal turquoise blue navy violet purple pink coral
brown black white gr[ae]y silver gold beige rot gelb grün blau lila violett braun schwarz weiß grau
silbern rouge jaune vert bleu brun noir blanc gris rojo amarillo verde azul morado marrón negro
blanco"""
_PRONOUNS = """it its they them their theirs he him his she her hers this these those such
er sie ihn ihm ihr ihre ihren ihrem ihrer sein seine seinen seinem seiner es dies diese dieser
dieses il elle ils elles leur leurs sa ses ceci cela cette ces ella ellos ellas su sus esto este
esta estos estas"""
PRONOUNS = frozenset(_PRONOUNS.split())
_ASKS = {
    "number": r"\b(?:how (?!(?:do|does|did|can|could|is|are|was|were|to)\b)\w+"
    r"|(?:what|which) (?:version|percentage|price|age|number)"
    r"|wie ?viele?|wie (?:schwer|lang|lange|hoch|alt|groß|weit|tief|teuer|breit|oft)"
    r"|combien|cu[aá]nt[oa]s?|quant[oiae])\b|多少|几|幾|いくつ|몇|얼마",
    "date": r"\b(?:when|wann|quand|cu[aá]ndo|quando|year|jahr|année|año)\b|何年|いつ|何时|언제",
    "person": r"\b(?:who|whose|whom|wer|wem|wen|qui|qui[eé]n(?:es)?|chi)\b|谁|誰|누구",
    "colour": r"\b(?:colou?rs?|farben?|couleurs?|color(?:es)?|what hue)\b|颜色|顏色|何色|무슨 색",
    "place": r"\b(?:where|wo|woher|wohin|où|d[oó]nde|dove|onde)\b|哪里|哪裡|どこ|어디",
}
_ASK_PATTERNS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _ASKS.items()}
_GIVES = {
    "number": re.compile(
        rf"\d[\d.,]*|\b(?:{'|'.join(_NUMBER_WORDS.split())})\b|[一二三四五六七八九十百千万]",
        re.IGNORECASE,
    ),
    "date": re.compile(r"\b(?:1\d|20)\d\d\b|\b\d{1,2}[./:]\d{1,2}\b"),
    "person": re.compile(r"\b[A-ZÀ-Þ]\w+ (?:\w\. )?[A-ZÀ-Þ]\w+"),
    "colour": re.compile(
        rf"\b(?:{'|'.join(_COLOURS.split())})|[红紅黄黃蓝藍绿綠黑白灰橙紫]", re.IGNORECASE
    ),
    "place": re.compile(r"\b(?:in|at|near|from|im|am|bei|aus|à|en|au) (?:\w+ )?[A-ZÀ-Þ]\w+"),
}


_NUMBERED = re.compile(
    r"\b(?:fig(?:ure|ura)?|table(?:au)?|tabelle|tab|abb(?:ildung)?|page|seite|section)\.?\s*\d+",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Framing:
    """The few sentences of ours around the quotes."""

    intro: str
    nothing: str
    far: str
    look: str
    picture: str
    page: str
    quotes: str


_FRAMINGS = {
    "en": Framing(
        "The documents say:",
        "Not found in these documents.",
        "Not found in these documents. The nearest that was found:",
        "No sentence says this; it may be seen here:",
        "Picture",
        "page",
        "“”",
    ),
    "de": Framing(
        "In den Dokumenten steht:",
        "In diesen Dokumenten nicht gefunden.",
        "In diesen Dokumenten nicht gefunden. Am nächsten kommt:",
        "Kein Satz sagt es; hier ist es vielleicht zu sehen:",
        "Bild",
        "Seite",
        "„“",
    ),
    "fr": Framing(
        "Les documents disent :",
        "Introuvable dans ces documents.",
        "Introuvable dans ces documents. Le plus proche :",
        "Aucune phrase ne le dit ; à voir peut-être ici :",
        "Image",
        "page",
        "«»",
    ),
    "es": Framing(
        "Los documentos dicen:",
        "No se encuentra en estos documentos.",
        "No se encuentra en estos documentos. Lo más cercano:",
        "Ninguna frase lo dice; quizá se vea aquí:",
        "Imagen",
        "página",
        "«»",
    ),
}


def found_nothing(text: str) -> bool:
    """Does an answer that quotes begin by saying that what was asked is not there?"""
    return text.startswith(tuple(framing.nothing for framing in _FRAMINGS.values()))


def quotes_nothing(text: str) -> bool:
    """Is that all it says?"""
    return text.strip() in {framing.nothing for framing in _FRAMINGS.values()}


@cache
def function_words(language: str) -> frozenset[str]:
    """spaCy's function words of a language; only the file that lists them is run."""
    spacy = find_spec("spacy")
    if spacy is None or spacy.origin is None:
        raise ModuleNotFoundError("spaCy is not installed; run the set-up again.")
    path = Path(spacy.origin).parent / "lang" / language / "stop_words.py"
    return frozenset(run_path(str(path))["STOP_WORDS"])


def detect_language(question: str) -> str:
    """The language of `LANGUAGES` with most function words and letters in it; "en" for ties."""
    words = _WORD.findall(question.casefold())
    scores = {
        language: sum(word in function_words(language) for word in words)
        + sum(letter in _LETTERS.get(language, "") for letter in question.casefold())
        for language in LANGUAGES
    }
    return max(LANGUAGES, key=lambda language: scores[language])


def framing_for(question: str) -> Framing:
    """In the question's language, or in English."""
    return _FRAMINGS.get(detect_language(question), _FRAMINGS["en"])


def is_visual(question: str) -> bool:
    """Whether it asks about something seen."""
    return bool(_VISUAL.search(question))


def split_terms(text: str) -> frozenset[str]:
    """Words in lower case; pairs of characters where words are not spaced."""
    pairs = {run[i : i + 2] for run in UNSPACED.findall(text) for i in range(max(1, len(run) - 1))}
    return frozenset(pairs.union(_WORD.findall(UNSPACED.sub(" ", text).casefold())))


def content_terms(question: str) -> frozenset[str]:
    """The terms that are no function words; all of them if none is left."""
    terms = split_terms(question)
    return (terms - function_words(detect_language(question))) or terms


def are_alike(a: str, b: str) -> bool:
    """Whether two words are inflections of one, by their beginnings: «founded», «founding»."""
    if a == b:
        return True
    shorter, longer = sorted((len(a), len(b)))
    if shorter < 4 or a.isdigit() or b.isdigit():
        return False
    common = next((i for i in range(shorter) if a[i] != b[i]), shorter)
    if shorter < 6:
        return common == shorter and longer - shorter <= 3
    return common == shorter or (common >= shorter - 2 and longer - common <= 3)


def find_alike(term: str, terms: Iterable[str]) -> bool:
    return any(are_alike(term, other) for other in terms)


def wanted_kinds(question: str) -> list[str]:
    """Of number, date, person, colour, place: what the question asks for."""
    return [kind for kind, pattern in _ASK_PATTERNS.items() if pattern.search(question)]


def gives_kind(kind: str, text: str, question: str) -> bool:
    """Whether the text names something of that kind that the question does not name itself."""
    asked, told = question.casefold(), _NUMBERED.sub(" ", text)
    return any(found[0].casefold() not in asked for found in _GIVES[kind].finditer(told))
