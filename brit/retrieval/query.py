"""A question, read: its entities, the places it names, and its vectors."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from brit.models import GraphIndex, TripletExtractor
from brit.retrieval.stopwords import STOP_WORDS, keywords
from brit.types import FloatArray

MAX_ENTITIES = 8
MAX_QUESTION = 2000
"""Characters of a question that are read: more takes seconds and says nothing new."""
FIRST_PAGE, LAST_PAGE = "first", "last"

ReferenceKind = Literal["page", "figure", "table"]
# fmt: off
_WORDS = ("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
          "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth")
_CARDINALS = ("one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
              "fifteen sixteen seventeen eighteen nineteen twenty")
# fmt: on
_NUMBERS = {word: at for words in (_WORDS, _CARDINALS) for at, word in enumerate(words.split(), 1)}
_PAGE = r"(?:pages?|slides?|p\.|pp\.|seiten?|folien?|diapositives?|páginas?|pagina|صفحة)"
_NUMBER = r"(\d{1,4}|" + _CARDINALS.replace(" ", "|") + r")"
_PAGES = (
    re.compile(rf"\b{_PAGE}\s*(?:no\.?|number|nr\.?)?\s*{_NUMBER}\b", re.I),
    re.compile(r"第\s*(\d{1,4})\s*[页頁張张]"),
    re.compile(r"(\d{1,4})\s*(?:ページ|頁|쪽|페이지)"),
    re.compile(r"\b(\d{1,4})(?:st|nd|rd|th|\.)\s+(?:page|slide|seite|folie)\b", re.I),
    re.compile(rf"\b({_WORDS.replace(' ', '|')})(?<!first)\s+(?:page|slide)\b", re.I),
)
_FIRST = re.compile(
    r"\b(?:first|front|erste[nr]?)\s+(?:page|slide|seite)|\bcover\b|\btitelseite\b", re.I
)
_LAST = re.compile(r"\b(?:last|final|letzte[nr]?)\s+(?:page|slide|seite)\b", re.I)
_NAMED: dict[ReferenceKind, str] = {
    "figure": r"(?:fig(?:ures?|s)?\.?|abb(?:ildung)?\.?|figura|图|圖|図|그림)",
    "table": r"(?:tab(?:les?|elle)?\.?|tableau|tabla|表|표)",
}
_LABEL = r"\s*(\d{1,3}(?:[.\-]\d{1,3})*(?:[a-z](?![a-z]))?)(?!\d)"


@dataclass(frozen=True)
class Reference:
    """A place the question names: page 7, Figure 3, Table 2. The cover is page `FIRST_PAGE`."""

    kind: ReferenceKind
    number: str


@dataclass(frozen=True, eq=False)
class Query:
    """`keywords` are the words to search by. `vector` (d,) and `entity_vectors` (m, d) live in the
    space of the text encoder, `image_vector` in that of the image encoder."""

    text: str
    keywords: str
    entities: tuple[str, ...]
    references: tuple[Reference, ...]
    named_documents: Mapping[str, float]
    vector: FloatArray
    entity_vectors: FloatArray
    image_vector: FloatArray

    @property
    def clearly_named(self) -> tuple[str, ...]:
        """The documents more than half of whose name stands in the question."""
        return tuple(id for id, share in self.named_documents.items() if share > 0.5)


def read_question(
    index: GraphIndex, question: str, extractor: TripletExtractor, documents: Sequence[str]
) -> Query:
    """Entities, references, named documents and vectors of a question's first characters."""
    text = question.strip()[:MAX_QUESTION]
    entities = find_entities(text, extractor) if text else ()
    texts, pictures = index.text_encoder, index.image_encoder
    # Two batches: in one, every short entity would be padded to the length of the question.
    vector = texts.encode_texts([text], "query")[0]
    shared = pictures.name == texts.name
    return Query(
        text=text,
        keywords=keywords(text),
        entities=entities,
        references=find_references(text),
        named_documents=find_documents(text, _names_of(index), set(documents)),
        vector=vector,
        entity_vectors=texts.encode_texts(entities, "query"),
        image_vector=vector if shared else pictures.encode_texts([text], "query")[0],
    )


def find_entities(text: str, extractor: TripletExtractor) -> tuple[str, ...]:
    """The question's entities, each once whatever its case."""
    names = (" ".join(name.split()) for name in extractor.extract_entities(text))
    unique: dict[str, str] = {}
    for name in filter(None, names):
        unique.setdefault(name.casefold(), name)
    return tuple(unique.values())[:MAX_ENTITIES]


def find_references(text: str) -> tuple[Reference, ...]:
    """Pages, figures and tables the question names, in English, German and by CJK signs."""
    found = [
        Reference("page", str(_NUMBERS.get(match.lower(), match)))
        for pattern in _PAGES
        for match in pattern.findall(text)
    ]
    found += [Reference("page", FIRST_PAGE)] if _FIRST.search(text) else []
    found += [Reference("page", LAST_PAGE)] if _LAST.search(text) else []
    for kind, name in _NAMED.items():
        labels = re.findall(rf"(?<![^\W\u3000-\uffff]){name}{_LABEL}", text, re.I)
        found += [Reference(kind, label.lower()) for label in labels]
    return tuple(dict.fromkeys(found))


def names_place(reference: Reference, text: str) -> bool:
    """Whether a caption or passage is the figure or table referred to: its text begins so."""
    if reference.kind == "page":
        return False
    number = re.escape(reference.number)
    pattern = rf"\W{{0,3}}{_NAMED[reference.kind]}\s*{number}(?![\w]|[.\-]\d)"
    return re.match(pattern, text, re.I) is not None


@dataclass(frozen=True, eq=False)
class DocumentNames:
    """The words of the names of a collection's documents, without their suffixes."""

    holders: Mapping[str, Sequence[str]]
    sizes: Mapping[str, int]

    @classmethod
    def read(cls, documents: Mapping[str, str]) -> DocumentNames:
        names = {id: set(_plain(name.rsplit(".", 1)[0]).split()) for id, name in documents.items()}
        holders = defaultdict(list)
        for id, words in names.items():
            for word in words:
                holders[word].append(id)
        return cls(dict(holders), {id: len(words) for id, words in names.items()})


def find_documents(text: str, names: DocumentNames, among: Collection[str]) -> dict[str, float]:
    """Document id → how far the question names it, above 0 to 1: the share of the words of its
    name that stand in the question. Words of several documents' names do not count, nor do stop
    words and short ones. `among` (none: all) are the documents that are asked about."""
    found: Counter[str] = Counter()
    for word in set(_plain(text).split()):
        if len(word) > 3 and word not in STOP_WORDS:
            holders = [id for id in names.holders.get(word, ()) if not among or id in among]
            found.update(holders if len(holders) == 1 else ())
    return {id: found[id] / names.sizes[id] for id in names.sizes if id in found}


def _names_of(index: GraphIndex) -> DocumentNames:
    """Read at the first question and kept with the graph."""
    known: DocumentNames | None = index.graph.derived.get("names")
    if known is None:
        known = index.graph.derived["names"] = DocumentNames.read(index.documents)
    return known


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))
