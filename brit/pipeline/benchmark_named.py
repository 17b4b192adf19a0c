"""Pairs of questions without and with imaginary names (NEA, §4.3), and the collection they are
asked of: copies of the documents, each with the sentences that give the names their meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from brit.config import Budget
from brit.errors import InputError
from brit.evaluation.benchmark.by_hand import HandPair, name_by_hand
from brit.evaluation.benchmark.material import Material
from brit.evaluation.benchmark.naming import make_pairs
from brit.evaluation.benchmark.records import (
    NO_THRESHOLD,
    BenchmarkSet,
    MadeBy,
    Making,
)
from brit.extraction.loading import load_english
from brit.pipeline.benchmark import make_set
from brit.pipeline.benchmark_material import read_material
from brit.pipeline.build import build_document
from brit.pipeline.models import Models
from brit.pipeline.report import Run
from brit.storage import Workspace
from brit.storage.ledger import Collection
from brit.types import (
    Block,
    ImageBlock,
    OnProgress,
    Page,
    Progress,
    TextBlock,
    no_progress,
    stable_id,
)


def make_named_set(
    workspace: Workspace,
    collection: str,
    derived: str,
    *,
    models: Models,
    count: int,
    seed: int,
    made_by: MadeBy = "embedded",
    by_hand: Sequence[HandPair] = (),
    cap: Budget | None = None,
    begun: Path | None = None,
    on_progress: OnProgress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> BenchmarkSet:
    """At most `count` pairs, or those made `by_hand`, and the new collection `derived` that both
    questions of each are asked of: it holds a copy of every document that got a name. The original
    stays as it is.

    Raises InputError as `make_set` does, and where `derived` is there already.
    """
    if any(each.name == derived for each in workspace.documents.collections()):
        raise InputError(
            f"There is a collection “{derived}” already: choose another name, or delete it."
        )
    documents = read_material(workspace, collection)
    known = known_words(documents)
    if by_hand:
        named = name_by_hand(by_hand, documents, known)
        making = Making(collection, seed, models.text_encoder.name, NO_THRESHOLD, "hand",
                        documents=len(documents), wanted=len(by_hand))  # fmt: skip
    else:
        made = make_set(
            workspace, collection, models=models, count=count, seed=seed, made_by=made_by,
            only=("image-image", "picture"), cap=cap, begun=begun,
            on_progress=on_progress, cancelled=cancelled,
        )  # fmt: skip
        named, making = make_pairs(made.questions, known, seed), made.making
    if not named.questions:
        raise InputError(f"No question of “{collection}” has a phrase that a name could replace.")
    files = _derive(
        workspace, documents, derived, named.sentences, models, Run(on_progress, cancelled)
    )
    making = replace(making, collection=derived, rejected=making.rejected | named.rejected)
    # The pictures of the copies have ids of their own.
    return BenchmarkSet(making, tuple(
        replace(each, image=files.get((each.doc, each.image_hash), each.image), blocks=())
        for each in named.questions
    ))  # fmt: skip


def known_words(documents: list[Material]) -> set[str]:
    """Every word of the documents, and the vocabulary of the English model."""
    texts = [
        text
        for each in documents
        for text in (
            each.name,
            *(block.block.text for block in each.blocks if not isinstance(block.block, ImageBlock)),
            *(f"{image.caption} {image.text}" for image in each.images),
        )
    ]
    words = {word for text in texts for word in text.casefold().split()}
    return words | {word.casefold() for word in load_english().vocab.strings}


def _derive(
    workspace: Workspace,
    documents: list[Material],
    name: str,
    sentences: Mapping[str, str],
    models: Models,
    run: Run,
) -> dict[tuple[str, str], str]:
    """Make the collection; → (document's name, pixels) → id of the image in it. All or nothing."""
    target = workspace.documents.create_collection(name)
    try:
        for number, document in enumerate(documents):
            beside = {
                image.block: sentences[image.id] for image in document.images
                if image.id in sentences
            }  # fmt: skip
            if beside:
                run.on_progress(Progress("copying documents", number, len(documents)))
                _copy(workspace, document, target, beside, models, run)
    except BaseException:
        workspace.documents.delete_collection(target.id)
        raise
    copies = workspace.content.images(target.id)
    names = workspace.documents.names(target.id)
    return {(names[image.document], image.file): image.id for image in reversed(copies)}


def _copy(
    workspace: Workspace,
    document: Material,
    target: Collection,
    beside: Mapping[str, str],
    models: Models,
    run: Run,
) -> None:
    """The pages of a document as they were read, with sentences behind the images of `beside`
    (block id → sentence), built anew."""
    head = workspace.documents.head(document.id)
    file = workspace.documents.source_path(document.id).name
    id = stable_id("document", target.id, document.id)
    workspace.documents.put_document(id, target.id, file, head)
    ids = iter([each.id for each in document.blocks])
    for page in workspace.content.read_pages(document.id):
        blocks = tuple(_with_sentences(page, ids, beside))
        workspace.content.put_page(id, replace(page, blocks=blocks))
    build_document(workspace, target, id, models, run)


def _with_sentences(page: Page, ids: Iterator[str], beside: Mapping[str, str]) -> Iterator[Block]:
    for block in page.blocks:
        yield block
        if sentence := beside.get(next(ids), ""):
            yield TextBlock(sentence, "paragraph", block.bbox, section=block.section)
