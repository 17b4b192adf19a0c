"""A workspace with an invented document, and a retrieval and an answer with a full trace.

Storage is the real one; only what needs models is invented, so that pages are tested in a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pymupdf
from PIL import Image as Pictures
from PIL import ImageDraw

from brit.storage import Workspace
from brit.types import (
    Answer,
    Citation,
    ComponentVerdict,
    DocumentHead,
    Edge,
    EntityMatch,
    Hop,
    Image,
    ImageBlock,
    Mention,
    Node,
    Page,
    Passage,
    RankedPassage,
    Retrieval,
    RetrievalTrace,
    RetrievedImage,
    RetrievedPassage,
    RetrievedTriplet,
    TextBlock,
    TraceEdge,
    TraceNode,
    Verification,
)

NAME = "Alder One handbook.pdf"
QUESTION = "How do I clean the milk system, and which part goes where?"
BOX = (72.0, 90.0, 420.0, 150.0)
CAPTIONS = ("Blue container", "Plug-in adapter", "Bean hopper", "Table of intervals")
TEXTS = (
    "Clean the milk system at the end of each day with the blue container.",
    "The plug-in adapter takes the place of the milk hose while the programme runs.",
    "Hot cleaning solution runs out of the spout: keep hands away.",
)
NODES = (
    ("System cleaning", "TERM"), ("Cleaning interval", "TERM"), ("Milk system", "PRODUCT"),
    ("Blue container", "PRODUCT"), ("Plug-in adapter", "PRODUCT"), ("Scald hazard", "TERM"),
    ("Care menu", "TERM"), ("Descaling", "TERM"), ("Bean hopper", "PRODUCT"), ("Spout", "PRODUCT"),
)  # fmt: skip
EDGES = (
    (2, "is cleaned with", 3), (0, "cleans", 2), (0, "needs", 4), (6, "starts", 0),
    (1, "sets", 0), (0, "causes", 5), (7, "follows", 0), (9, "emits", 5),
)  # fmt: skip


def picture(number: int) -> bytes:
    """A PNG that differs by number."""
    colors = ("#2c66c4", "#d8a25a", "#3d8f63", "#f2f2ee")
    image = Pictures.new("RGB", (420, 300), "#eef0f6")
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((70, 50, 350, 260), 24, fill=colors[number % 4], outline="#22304f")
    draw.ellipse((160 + 20 * number, 100, 240 + 20 * number, 180), fill="#ffffff")
    stream = BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def make_pdf(path: Path, pages: int = 3) -> Path:
    """A PDF with text and a picture a page."""
    with pymupdf.open() as document:
        for number in range(pages):
            page = document.new_page()
            page.insert_text((72, 72), f"Care of the Alder One, part {number + 1}", fontsize=18)
            page.insert_textbox((72, 90, 420, 160), TEXTS[number % 3], fontsize=11)
            page.insert_image((72, 180, 352, 380), stream=picture(number))
            page.insert_text((72, 396), f"Figure {number + 1}: {CAPTIONS[number % 4]}", fontsize=9)
        document.save(path)
    return path


def fill(workspace: Workspace, folder: Path, name: str = NAME, collection: str = "Coffee") -> str:
    """Put one document with pictures and a graph into a collection; → the document's id."""
    target = workspace.documents.create_collection(collection)
    id = f"doc-{len(workspace.documents.documents(target.id))}-{target.id}"
    file = workspace.originals.put(make_pdf(folder / f"{id}.pdf").read_bytes(), ".pdf")
    workspace.documents.put_document(id, target.id, file, DocumentHead(name, name, "pdf", 3))
    files = [workspace.images.put(picture(i)) for i in range(4)]
    for number in range(3):
        blocks = (
            TextBlock(TEXTS[number], "paragraph", BOX, section="s1"),
            ImageBlock(files[number], (72.0, 180.0, 352.0, 380.0), caption=CAPTIONS[number]),
        )
        workspace.content.put_page(id, Page(number + 1, 595.0, 842.0, blocks, seconds=0.4))
    workspace.content.put_passages(
        [Passage(f"p{i}-{id}", id, i + 1, BOX, "s1", TEXTS[i], ()) for i in range(3)]
    )
    workspace.content.put_images(
        [
            Image(f"i{i}-{id}", id, files[i], min(i + 1, 3), (72.0, 180.0, 352.0, 380.0),
                  caption=CAPTIONS[i])
            for i in range(4)
        ]
    )  # fmt: skip
    _put_graph(workspace, target.id, id)
    workspace.documents.add_seconds(id, 2.5)
    workspace.documents.set_status(id, "whole", "", ready=True)
    return id


def fill_wiki(workspace: Workspace, collection: str = "Coffee") -> str:
    """A document without pages: two sections, the quoted passage in the second."""
    target = workspace.documents.create_collection(collection)
    id = f"wiki-{target.id}"
    head = DocumentHead(NAME, "export.xml", "mediawiki", 1, paged=False)
    workspace.documents.put_document(id, target.id, "", head)
    blocks = (
        TextBlock("The history of coffee is long.", "paragraph", section="s0"),
        TextBlock("Every machine wants care.", "paragraph", section="s1"),
        TextBlock(TEXTS[0], "paragraph", section="s1"),
    )
    workspace.content.put_page(id, Page(1, 0.0, 0.0, blocks))
    workspace.content.put_passages([Passage("w0", id, None, None, "s1", TEXTS[0], ())])
    workspace.documents.set_status(id, "whole", "", ready=True)
    return id


def _put_graph(workspace: Workspace, collection: str, id: str) -> None:
    block = workspace.content.blocks(id)[0].id
    nodes = [
        Node(f"n{i}-{id}", label.lower(), label, kind) for i, (label, kind) in enumerate(NODES)
    ]
    edges = [
        Edge(f"e{i}-{id}", f"n{a}-{id}", f"n{b}-{id}", relation, block, TEXTS[0])
        for i, (a, relation, b) in enumerate(EDGES)
    ]
    mentions = [Mention(node.id, block, node.label) for node in nodes]
    workspace.graph.put_nodes(collection, nodes)
    workspace.graph.put_document_graph(id, edges=edges, mentions=mentions, links=[])


def retrieval(
    workspace: Workspace | None = None, name: str = NAME, id: str = "doc", captions: Any = CAPTIONS
) -> Retrieval:
    """Two matched nodes, six of ten nodes kept, two pictures taken and one dropped."""
    paths = [""] * 4
    if workspace is not None:
        paths = [str(workspace.images.path(workspace.images.put(picture(i)))) for i in range(4)]
    images = tuple(
        RetrievedImage(f"i{i}-{id}", None, name, i + 1, (72.0, 180.0, 352.0, 380.0), paths[i],
                       captions[i], 0.79 - i / 10, "text-to-image" if i < 2 else "similarity",
                       NODES[3 + i][0] if i < 2 else None, "CA" if i < 2 else None)
        for i in range(3)
    )  # fmt: skip
    passages = tuple(
        RetrievedPassage(name, i + 1, BOX, TEXTS[i], 0.9 - i / 10, f"p{i}-{id}", "Care")
        for i in range(3)
    )
    triplets = tuple(
        RetrievedTriplet(NODES[a][0], relation, NODES[b][0], 0.7, name, 1, TEXTS[0],
                         f"e{i}-{id}", BOX)
        for i, (a, relation, b) in enumerate(EDGES[:5])
    )  # fmt: skip
    return Retrieval(
        QUESTION, "default", "embedded", ("milk system", "part"), False, triplets, images, passages,
        (), 214, {"encode": 12.0, "search": 40.0, "pcst": 9.0, "traverse": 6.0, "total": 84.0},
        _trace(id),
    )  # fmt: skip


def _trace(id: str) -> RetrievalTrace:
    def node(i: int) -> TraceNode:
        return TraceNode(f"n{i}-{id}", *NODES[i], 0.8 - i / 20, "pcst")

    return RetrievalTrace(
        entities=("milk system", "part"),
        matches=(
            EntityMatch("milk system", f"n2-{id}", "Milk system", 0.97, "lexical"),
            EntityMatch("milk system", f"n0-{id}", "System cleaning", 0.88, "dense"),
            EntityMatch("part", f"n8-{id}", "Bean hopper", 0.81, "dense"),
        ),
        components_total=4,
        components=(
            ComponentVerdict(0, 9, 0.97, True, "above 0.75"),
            ComponentVerdict(1, 1, 0.61, False, "below 0.75"),
        ),
        nodes=tuple(node(i) for i in range(7)),
        edges=tuple(
            TraceEdge(f"e{i}-{id}", f"n{a}-{id}", f"n{b}-{id}", relation, 0.7 - i / 20)
            for i, (a, relation, b) in enumerate(EDGES[:6])
        ),
        hops=(
            Hop("text-to-image", 1, f"n3-{id}", f"i0-{id}", "CA", 0.79, True, "best linked"),
            Hop("text-to-image", 1, f"n4-{id}", f"i1-{id}", "CA", 0.69, True, "second best"),
            Hop("similarity", 1, None, f"i2-{id}", None, 0.59, True, "similar"),
            Hop("text-to-image", 1, f"n0-{id}", f"i3-{id}", "LP", 0.31, False, "too weak"),
        ),
        passages=tuple(RankedPassage(f"p{i}-{id}", 0.9, {"dense": i + 1}, True) for i in range(3)),
        rounds=1,
        nodes_total=10,
        images_total=4,
        fallbacks=("pcst_fast is missing: our own solver was used",),
    )


ANSWER = (
    "Clean it in two steps.\n\n**1 · Start the programme.** It takes the blue container [1][2].\n\n"
    "- Put the *adapter* in place of the hose [3]\n- Keep hands away from the spout [4]"
)


def answer_of(found: Retrieval, text: str = ANSWER) -> Answer:
    """Markers 1 and 4 are passages, 2 and 3 pictures."""

    def cite(marker: int, kind: Any, index: int) -> Citation:
        thing = (found.passages if kind == "passage" else found.images)[index]
        return Citation(marker, kind, thing.document, thing.page, thing.bbox, index)

    return Answer(
        text,
        (cite(1, "passage", 0), cite(2, "image", 0), cite(3, "image", 1), cite(4, "passage", 2)),
        "extractive",
        notes=("No language model is configured: this answer quotes the documents.",),
    )


def nothing_stated(text: str, *_: object, **__: object) -> Verification:
    """What `verify_answer` gives of a text without statements."""
    return Verification(text, "image-to-text", (), (), (), (), "deterministic")


class FakeStream:
    """An `AnswerStream` that gives a text word by word."""

    def __init__(self, found: Retrieval, text: str = ANSWER) -> None:
        self._words = [word + " " for word in text.split(" ")]
        self._found = found
        self._text = ""

    def __iter__(self) -> Iterator[str]:
        for word in self._words:
            self._text += word
            yield word

    def close(self) -> None:
        """Nothing is open."""

    @property
    def answer(self) -> Answer:
        return answer_of(self._found, self._text.strip())
