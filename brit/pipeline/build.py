"""A document whose pages are read → its share of the collection's graph (§3.1).

Sections and furniture, passages, triplets from text and captions, nodes and edges, vectors, links;
then all of it becomes visible to questions in one change. Vectors are kept as they are made, the
rest is computed again after an interruption, with the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from brit.documents.furniture import keep_edge_text, mark_furniture
from brit.documents.passages import build_passages
from brit.documents.sections import build_sections
from brit.extraction.page_links import extract_links
from brit.graph import build_graph, merge_nodes
from brit.linking import caption_entities, caption_links, link_images
from brit.models import TripletExtractor
from brit.pipeline.descriptions import describe_figures
from brit.pipeline.images import collect_images
from brit.pipeline.models import Models
from brit.pipeline.report import Run
from brit.pipeline.vectors import (
    caption_texts,
    ensure_image_vectors,
    ensure_text_vectors,
    image_vectors,
    node_texts,
)
from brit.storage import Workspace
from brit.storage.ledger import Collection
from brit.types import (
    Extraction,
    FloatArray,
    Image,
    ImageBlock,
    Link,
    OnPart,
    Page,
    Passage,
    Section,
    Status,
    StoredBlock,
    TextGraph,
    no_part,
)


@dataclass(frozen=True)
class _Parts:
    """What a document is made of once its structure is known."""

    blocks: tuple[StoredBlock, ...]
    sections: tuple[Section, ...]
    passages: tuple[Passage, ...]
    images: tuple[Image, ...]


def build_document(
    workspace: Workspace, collection: Collection, document: str, models: Models, run: Run
) -> None:
    """Build what is derived from the stored pages of `document` and make it visible."""
    name = workspace.documents.document(document).name
    pages = workspace.content.read_pages(document)
    with run.stage("structure"):
        parts = _find_structure(workspace, document, pages, models)
    with run.stage("descriptions"), models.about(document, run.check):
        images, told = describe_figures(workspace, parts.images, models, run, name)
        parts = replace(parts, images=images)

    def on_part(done: int, total: int) -> None:
        run.tell("extracting", done, total, name)
        run.check()

    with run.stage("extraction"), models.about(document, run.check):
        extraction = _extract(name, parts, models.extractor, models.parser, on_part)
        graph = build_graph(collection.id, extraction)
    run.check()
    with run.stage("embedding"):
        _embed(workspace, name, parts, graph, models, run)
    with run.stage("linking"):
        links = _link(workspace, parts, graph, models)
    with run.stage("storing"), workspace.write():
        if workspace.documents.is_ready(document):  # another process was reading the same file
            return
        _store(workspace, collection, document, parts, graph, links)
        missing = workspace.documents.head(document).missing
        status, reason = _verdict(missing, pages, extraction)
        notes = (*told, *_notes(extraction, models))
        workspace.documents.set_status(document, status, reason, ready=True, notes=notes)
        workspace.corrections.forget_unnamed(collection.id)


def _find_structure(
    workspace: Workspace, document: str, pages: Sequence[Page], models: Models
) -> _Parts:
    stored = workspace.content.blocks(document)
    pages = keep_edge_text(mark_furniture(pages))
    sections, section_of = build_sections(pages, workspace.documents.head(document).outline)
    flat = [block for page in pages for block in page.blocks]
    sections_flat = [section for page in section_of for section in page]
    blocks = tuple(
        replace(each, block=replace(block, section=section))
        for each, block, section in zip(stored, flat, sections_flat, strict=True)
    )
    return _Parts(
        blocks=blocks,
        sections=tuple(sections),
        passages=tuple(build_passages(document, blocks, models.settings.passages)),
        images=tuple(_corrected(workspace, collect_images(document, blocks, sections))),
    )


def _corrected(workspace: Workspace, images: Sequence[Image]) -> list[Image]:
    """Images under the captions that people gave them."""
    captions = workspace.corrections.captions(images[0].document) if images else {}
    return [replace(each, caption=captions.get(each.id, each.caption)) for each in images]


def read_triplets(
    workspace: Workspace, document: str, models: Models, extractor: TripletExtractor
) -> tuple[Image, ...]:
    """Hand the stored pages of a document to an extractor as building it would; keep nothing.
    → its images, whose descriptions building asks for first."""
    pages = workspace.content.read_pages(document)
    parts = _find_structure(workspace, document, pages, models)
    _extract(workspace.documents.document(document).name, parts, extractor, models.parser)
    return parts.images


def _extract(
    name: str,
    parts: _Parts,
    extractor: TripletExtractor,
    parser: TripletExtractor,
    on_part: OnPart = no_part,
) -> Extraction:
    """Triplets and entities of text, captions and page links; names in generated descriptions are
    entities of their picture's place, but what a description states is no triplet."""
    text = extractor.extract(parts.blocks, on_part)
    shown = [image for image in parts.images if not image.furniture]
    captions = caption_entities(shown, extractor, parts.blocks)
    links = extract_links(name, parts.blocks)
    described = caption_entities(_by_description(shown), parser)
    return Extraction(
        triplets=(*text.triplets, *captions.triplets, *links.triplets),
        entities=(*text.entities, *captions.entities, *links.entities, *described.entities),
        skipped=text.skipped + captions.skipped,
        notes=text.notes,
    )


def _embed(
    workspace: Workspace, name: str, parts: _Parts, graph: TextGraph, models: Models, run: Run
) -> None:
    shown = [image for image in parts.images if not image.furniture]
    texts = {
        "passage": {passage.id: passage.text for passage in parts.passages},
        "node": node_texts({node.id: node.label for node in graph.nodes}),
        "relation": {edge.relation: edge.relation for edge in graph.edges},
        "caption": caption_texts(shown),
    }
    files = {image.file for image in shown if image.file}
    advance = run.counter("embedding", sum(map(len, texts.values())) + len(files), name)
    for kind, wanted in texts.items():
        ensure_text_vectors(workspace, models.text_encoder, kind, wanted, advance=advance)
    ensure_image_vectors(workspace, models.image_encoder, shown, advance=advance)


def _link(
    workspace: Workspace, parts: _Parts, graph: TextGraph, models: Models
) -> tuple[Link, ...]:
    """SI compares pictures and nodes in the space of the image encoder."""
    shown = [image for image in parts.images if not image.furniture]
    encoder, image_encoder = models.encoders("paper")
    labels = node_texts({node.id: node.label for node in graph.nodes})
    ensure_text_vectors(workspace, encoder, "node", labels)
    node_ids, node_rows = workspace.graph.vectors(encoder.name, "node", list(labels), encoder.dim)
    image_ids, image_rows = image_vectors(workspace, image_encoder, shown)
    links = link_images(
        shown,
        graph,
        parts.blocks,
        image_vectors=_aligned([image.id for image in shown], image_ids, image_rows),
        node_vectors=_aligned([node.id for node in graph.nodes], node_ids, node_rows),
        config=models.settings.linking,
    )
    return (*links, *_description_links(shown, graph, links))


def _by_description(images: Sequence[Image]) -> list[Image]:
    """Described images, with the description where captions are looked for."""
    return [replace(each, caption=each.description) for each in images if each.description]


def _description_links(
    images: Sequence[Image], graph: TextGraph, links: Sequence[Link]
) -> list[Link]:
    """Pictures to the names in their generated descriptions, where no caption leads already."""
    known = {(link.image, link.node) for link in links if link.kind == "CA"}
    return [
        replace(link, evidence=link.evidence.replace("caption", "generated description", 1))
        for link in caption_links(_by_description(images), graph)
        if (link.image, link.node) not in known
    ]


def _aligned(wanted: Sequence[str], ids: Sequence[str], rows: FloatArray) -> FloatArray:
    """Rows in the order of `wanted`; zeros where there is none (a missing picture)."""
    aligned = np.zeros((len(wanted), rows.shape[1]), dtype=np.float32)
    position = {id: at for at, id in enumerate(wanted)}
    for id, row in zip(ids, rows, strict=True):
        aligned[position[id]] = row
    return aligned


def _store(
    workspace: Workspace,
    collection: Collection,
    document: str,
    parts: _Parts,
    graph: TextGraph,
    links: Sequence[Link],
) -> None:
    workspace.content.update_blocks(parts.blocks)
    workspace.content.put_sections(document, parts.sections)
    workspace.content.put_passages(parts.passages)
    read = {s.id: s.block.caption for s in parts.blocks if isinstance(s.block, ImageBlock)}
    workspace.content.put_images([replace(each, caption=read[each.block]) for each in parts.images])
    workspace.corrections.renew_images(document)
    known = workspace.graph.nodes_by_id([node.id for node in graph.nodes])
    workspace.graph.put_nodes(collection.id, merge_nodes(known, graph.nodes))
    workspace.graph.put_document_graph(
        document, mentions=graph.mentions, edges=graph.edges, links=links
    )
    workspace.documents.touch(collection.id, built=document)


def _verdict(missing: str, pages: Sequence[Page], extraction: Extraction) -> tuple[Status, str]:
    """Whole, or partial with what is missing of the file, its pages and its triplets."""
    lacks = [(page.number, page.failure or page.missing) for page in pages]
    reasons = [f"page {number}: {reason.rstrip('.')}" for number, reason in lacks if reason]
    if len(reasons) > 3:
        reasons[3:] = [f"and {len(reasons) - 3} more pages"]
    if missing:
        reasons.insert(0, missing.rstrip("."))
    if extraction.skipped:
        reasons.append(f"no triplets from {extraction.skipped} pieces of text")
    return ("partial", "; ".join(reasons)) if reasons else ("whole", "")


def _notes(extraction: Extraction, models: Models) -> tuple[str, ...]:
    """What the models in use cannot do for the languages of this document."""
    if extraction.notes and "minilm" in models.text_encoder.name.lower():
        english = "The text encoder MiniLM is English: other languages are found by words only."
        return (*extraction.notes, english)
    return extraction.notes
