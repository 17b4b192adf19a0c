"""A question's way: open the collection, retrieve, answer; and the page that is the evidence."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

from brit.config import RetrievalConfig
from brit.documents.render import page_places as find_page_places
from brit.documents.render import render_page
from brit.errors import DocumentError, ModelError, UnknownName
from brit.generation import AnswerStream, answer_question
from brit.journal import tell, timed
from brit.pipeline.collection import OpenCollection
from brit.pipeline.follow_up import follow_up
from brit.pipeline.models import Models
from brit.pipeline.rounds import ModelDecider
from brit.retrieval import retrieve as retrieve_evidence
from brit.storage import Workspace
from brit.storage.chats import Turn
from brit.types import BBox, Retrieval, RetrievedImage

KEPT_OPEN = 4
_open: dict[tuple[str, str, str, str], OpenCollection] = {}
_lock = threading.Lock()


def open_collection(
    workspace: Workspace,
    name: str,
    models: Models,
    config: RetrievalConfig,
) -> OpenCollection:
    """The collection as it is now; kept open until its content changes. Raises UnknownName."""
    stamp = workspace.documents.stamp(name)
    text_encoder, image_encoder = models.encoders(config.preset)
    key = (str(workspace.folder), stamp.id, text_encoder.name, image_encoder.name)
    with _lock:
        found = _open.get(key)
        if found is None or found.collection.version != stamp.version:
            found = OpenCollection(workspace, stamp, text_encoder, image_encoder, found)
            _open.pop(key, None)
            _open[key] = found
            while len(_open) > KEPT_OPEN:
                _open.pop(next(iter(_open)))
    return found


@timed("question", stage="retrieval")
def retrieve(
    workspace: Workspace,
    question: str,
    collection: str,
    *,
    models: Models,
    config: RetrievalConfig | None = None,
    documents: Sequence[str] = (),
    before: Sequence[Turn] = (),
    ask_model: bool = True,
) -> Retrieval:
    """Evidence for a question (§3.2), out of the named documents or of all.

    Without a `config` the collection's own setting is used. `before` are the earlier turns of its
    chat: a question that leans on them is searched for by what it stands for. The model that
    answers decides on further rounds where `max_rounds` allows them, unless `ask_model` is false.
    Raises UnknownName for a collection or document that is not there.
    """
    config = config or workspace.settings.retrieval(workspace.documents.stamp(collection).id)
    index = open_collection(workspace, collection, models, config)
    ids = document_ids(index, documents)
    unread = unread_files(workspace, index)
    model = models.language_model if ask_model else None
    meant = follow_up(question, before, models.parser, model)
    found = retrieve_evidence(
        index,
        meant.query if meant else question,
        extractor=models.parser,
        config=config,
        documents=ids,
        decider=ModelDecider(model) if model else None,
    )
    for step, ms in found.timings_ms.items():
        if step != "total":  # told by itself, with what is around it
            tell("question", stage=f"retrieval: {step}", seconds=ms / 1000, outcome="ok")
    trace = replace(found.trace, unread=unread, follow_up=meant)
    return replace(found, question=question, trace=trace)


def unread_files(workspace: Workspace, index: OpenCollection) -> tuple[str, ...]:
    """Names of the files of the collection that are still being read."""
    names, done = workspace.documents.reading(index.collection.id)
    for job in workspace.jobs.jobs(index.collection.name, active=True):
        names += [name for name in job.unread if name not in done]
    return tuple(dict.fromkeys(names))


def document_ids(index: OpenCollection, names: Sequence[str]) -> list[str]:
    """Ids of the documents of these names. Raises UnknownName, which lists some there are."""
    by_name: dict[str, list[str]] = {}
    for id, name in index.documents.items():
        by_name.setdefault(name, []).append(id)
    for name in names:
        if name not in by_name:
            known = ", ".join(f"“{each}”" for each in list(by_name)[:5]) or "none yet"
            raise UnknownName(
                f"There is no document “{name}” in “{index.collection.name}”. Documents: {known}."
            )
    return [id for name in names for id in by_name[name]]


def answer(
    question: str,
    retrieval: Retrieval,
    *,
    models: Models,
    history: Sequence[tuple[str, str]] = (),
) -> AnswerStream:
    """The answer from retrieved evidence (§3.3), piece by piece; `.answer` holds what is there."""
    return answer_question(
        question,
        retrieval,
        models.language_model,
        history=history,
        read_image=_read_image,
        text_encoder=models.text_encoder,
    )


def quote(retrieval: Retrieval, *, models: Models, failure: ModelError) -> AnswerStream:
    """What the documents say, where the model that was to answer failed."""
    return answer_question(
        retrieval.question,
        retrieval,
        None,
        read_image=_read_image,
        text_encoder=models.text_encoder,
        why_none=f"{failure} This answer quotes the documents instead.",
    )


def _read_image(image: RetrievedImage) -> bytes:
    with open(image.path, "rb") as stream:
        return stream.read()


def page_image(
    workspace: Workspace,
    document: str,
    page: int,
    boxes: Sequence[BBox] = (),
    dpi: int = 110,
    around: bool = False,
) -> bytes:
    """A page as PNG with the places marked, of its height only what is `around` them if wanted.
    Raises DocumentError where it cannot be drawn."""
    if workspace.documents.document(document).format != "pdf":
        raise DocumentError("Only pages of PDF files can be drawn; look at its pictures and text.")
    path = workspace.documents.source_path(document)
    return render_page(path, page, boxes, dpi=dpi, around=around)


def page_places(
    workspace: Workspace, document: str, page: int, boxes: Sequence[BBox], words: Sequence[str]
) -> tuple[list[BBox], list[list[BBox]]]:
    """Where boxes and words stand on a page as it is seen, in fractions of its sides. Raises
    DocumentError where it cannot be drawn."""
    path = workspace.documents.source_path(document)
    return find_page_places(path, page, boxes, words)


def document_id(workspace: Workspace, collection: str, name: str) -> str:
    """The id of the document of that name. Raises UnknownName."""
    for each in workspace.documents.documents(collection):
        if each.name == name:
            return each.id
    raise UnknownName(f"There is no document “{name}” in this collection.")
