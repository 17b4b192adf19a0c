"""«And how heavy is it?» → a question that can be searched for without the chat before it.

With a language model it is rewritten. Without one, or where the model fails, words of the question
before are added: its names where a pronoun stands or nothing is named, all it was about where the
question is a fragment («and the Corvid?»). Questions that name what they are about stay as they
are.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from typing import Any

from brit.errors import ModelError
from brit.generation.citations import keep_known_markers
from brit.generation.language import content_terms, detect_language, split_terms
from brit.models import LanguageModel, TripletExtractor
from brit.prompts import fill_prompt
from brit.storage.chats import Turn
from brit.types import FollowUp

TURNS = 4
ANSWER_CHARACTERS = 500
MAX_QUERY = 400
MAX_NAMES = 3
FRAGMENT_WORDS = 6
_log = logging.getLogger(__name__)

QUERY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"question": {"type": "string"}},
    "required": ["question"],
    "additionalProperties": False,
}
_PRONOUNS = {
    "en": "it its they them their theirs he him his she her hers these those this there one",
    "de": "er sie es ihn ihm ihr ihre ihren ihrem ihrer sein seine seinen seinem seiner dieser "
    "diese dieses diesem diesen dessen deren davon dazu darin damit dort",
    "fr": "il elle ils elles lui leur leurs son sa ses cela ça celui celle ceux celles y en",
    "es": "él ella ellos ellas su sus este esta estos estas ese esa eso aquel lo le",
}
_PERSONS = {
    "he",
    "him",
    "his",
    "she",
    "her",
    "hers",
    "er",
    "ihn",
    "ihm",
    "sein",
    "seine",
    "il",
    "elle",
    "lui",
    "él",
    "ella",
}
_GOES_ON = re.compile(
    r"^\W*(?:and|what about|how about|und|was ist mit|wie steht es (?:mit|um)|et|y)\b", re.I
)
_WORD = re.compile(r"[^\W_][\w.\-/]*")


def follow_up(
    question: str,
    before: Sequence[Turn],
    parser: TripletExtractor,
    model: LanguageModel | None,
) -> FollowUp | None:
    """What to search for instead of `question`, asked after `before` (oldest first); None where it
    stands for itself."""
    answered = [turn for turn in before if turn.retrieval is not None]
    if not answered or not question.strip():
        return None
    if model is None:
        return _add_words(question, answered[-1], parser)
    try:
        return _rewrite(question, answered, model)
    except ModelError as error:
        _log.warning("a follow-up question was not rewritten: %s", error)
        note = f"«{model.name}» did not rewrite the question from the chat: {error}"
    added = _add_words(question, answered[-1], parser)
    return FollowUp(added.query if added else question, "", added.added if added else (), {}, note)


# --- with a model --------------------------------------------------------------------------------


def _rewrite(question: str, before: Sequence[Turn], model: LanguageModel) -> FollowUp:
    chat = "\n".join(_told(turn) for turn in before[-TURNS:])
    reply = model.complete(
        fill_prompt("follow_up", chat=chat, question=_line(question)), QUERY_SCHEMA
    )
    query = _line(reply.data["question"])[:MAX_QUERY]
    return FollowUp(query or question, model.name, usage=reply.usage)


def _told(turn: Turn) -> str:
    answer = keep_known_markers(turn.answer.text, ()) if turn.answer else ""
    return f"Q: {_line(turn.question)}\nA: {_line(answer)[:ANSWER_CHARACTERS]}"


def _line(text: str) -> str:
    return " ".join(text.split())


# --- without -------------------------------------------------------------------------------------


def _add_words(question: str, last: Turn, parser: TripletExtractor) -> FollowUp | None:
    """The question with the words of the last one that it leans on."""
    own = parser.extract_entities(question)
    if _is_fragment(question):
        words = _topic_words(last, replaced=bool(_names(own)))
    elif not own or _refers_back(question, own):
        words = _topic(last)
    else:
        return None
    known = split_terms(question)
    added = tuple(word for word in words if not split_terms(word) <= known)
    return FollowUp(f"{question} ({', '.join(added)})", added=added) if added else None


def _is_fragment(question: str) -> bool:
    return bool(_GOES_ON.match(question)) and len(_WORD.findall(question)) <= FRAGMENT_WORDS


def _refers_back(question: str, own: Sequence[str]) -> bool:
    """Whether a pronoun stands before anything it could mean within the question itself: a name,
    or of a person any noun («the woman … she»)."""
    pronouns = _PRONOUNS.get(detect_language(question), _PRONOUNS["en"]).split()
    words = [word for word in _WORD.finditer(question) if word[0].lower() in pronouns]
    # «One stick of the Quillo» counts; «the blue one» stands for something.
    found = next((w for w in words if w[0].lower() != "one" or w.start() > 0), None)
    if found is None:
        return False
    meant = own if found[0].lower() in _PERSONS else _names(own)
    return not any(0 <= question.find(name) < found.start() for name in meant)


def _topic(last: Turn) -> list[str]:
    """What the chat is about: the names the last question inherited, or those it has itself."""
    assert last.retrieval is not None, "only turns that were searched for are asked about"
    if (went_on := last.retrieval.trace.follow_up) and went_on.added:
        return list(went_on.added)
    entities = last.retrieval.entities
    return (_names(entities) or list(entities))[:MAX_NAMES]


def _topic_words(last: Turn, *, replaced: bool) -> list[str]:
    """All that the last question asked, for a fragment; without its names where the fragment puts
    another in their place."""
    assert last.retrieval is not None, "only turns that were searched for are asked about"
    names = _topic(last)
    inside = frozenset[str]().union(*map(split_terms, names))
    terms = content_terms(last.retrieval.searched)
    words = (word.lower() for word in _WORD.findall(last.retrieval.searched))
    rest = [word for word in dict.fromkeys(words) if word in terms and word not in inside]
    return rest if replaced else [*names, *rest]


def _names(entities: Iterable[str]) -> list[str]:
    return [name for name in entities if name != name.lower()]
