"""What is known of a mark or a line, with the places it was read at: rows for the card beside the
drawing, and evidence that the page view opens."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from brit.errors import UnknownName
from brit.exploring import Admitted, Step, sentence_around
from brit.pipeline.explore import Explorer
from brit.storage.provenance import edges_by_id, link_evidence, mention_places
from brit.types import Edge, Image, LinkKind, StoredBlock, TableBlock, TextBlock
from brit.ui.evidence import Evidence
from brit.ui.explore.stage import Opened, image_name, image_of, image_path, mark_name
from brit.ui.safe import one_line
from brit.ui.wording import t


@dataclass(frozen=True)
class Relation:
    """What sentences say of a node: `relation` leads to `other`, or comes from it where it is not
    `forward`; once for each sentence."""

    other: int
    relation: str
    forward: bool
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class LinkRow:
    """A link seen from one side: the mark on the other."""

    other: int
    kind: LinkKind
    score: float
    evidence: Evidence


def mentions_of(explorer: Explorer, node: int) -> list[Evidence]:
    """Every place a node is named at, document by document, with the sentence."""
    return mentions_of_id(explorer, explorer.ties.graph.node_ids[node])


def mentions_of_id(opened: Opened, node: str, most: int | None = None) -> list[Evidence]:
    """The first `most` of these places."""
    found = []
    for place in mention_places(opened.workspace, node, opened.read.patch)[:most]:
        with suppress(UnknownName):  # its document was deleted this moment
            block = opened.workspace.content.block(place.block)
            quote = sentence_around(_text(block), place.surfaces[0])
            found.append(_evidence(opened, f"mention:{place.block}", block, quote))
    return found


def relations_of(explorer: Explorer, node: int, admitted: Admitted) -> list[Relation]:
    """What passes the filters of what sentences say of a node, better known neighbours first."""
    ties = explorer.ties
    at = dict.fromkeys(int(tie) for tie in ties.at.row(node) if tie < ties.edges)
    passing = [tie for tie in at if admitted.ties[tie]]
    known = edges_by_id(explorer.workspace, [ties.graph.edge_ids[tie] for tie in passing])
    rows: dict[tuple[int, str, bool], list[Evidence]] = {}
    for tie in passing:
        if evidence := _edge_evidence(explorer, tie, known):
            forward = int(ties.one[tie]) == node
            key = (ties.beyond(tie, node), ties.relation(tie), forward)
            rows.setdefault(key, []).append(evidence)
    found = [Relation(*key, tuple(evidence)) for key, evidence in rows.items()]
    return sorted(found, key=lambda row: -len(ties.at.row(row.other)))


def links_of(explorer: Explorer, mark: int, admitted: Admitted) -> list[LinkRow]:
    """The links of a mark that pass the filters, the strongest first."""
    ties = explorer.ties
    at = dict.fromkeys(int(tie) for tie in ties.at.row(mark) if tie >= ties.edges)
    passing = sorted((tie for tie in at if admitted.ties[tie]), key=lambda tie: -ties.strength[tie])
    return [row for tie in passing if (row := _link_row(explorer, tie, mark))]


def between(explorer: Explorer, one: int, other: int, admitted: Admitted) -> list[Evidence]:
    """What joins two marks: sentences, and links with their reason."""
    ties = explorer.ties
    passing = [tie for tie in ties.between(one, other) if admitted.ties[tie]]
    return [found for tie in passing if (found := tie_evidence(explorer, tie))]


def way_evidence(explorer: Explorer, way: Sequence[Step]) -> list[Evidence | None]:
    """Where each step of a way was read; None for what was deleted this moment."""
    return [tie_evidence(explorer, step.tie) for step in way]


def tie_evidence(explorer: Explorer, tie: int) -> Evidence | None:
    """The sentence of an edge, or the picture of a link with the reason it was linked for."""
    ties = explorer.ties
    if tie < ties.edges:
        id = ties.graph.edge_ids[tie]
        return _edge_evidence(explorer, tie, edges_by_id(explorer.workspace, [id]))
    row = _link_row(explorer, tie, int(ties.other[tie]))
    return row.evidence if row else None


def said(explorer: Explorer, tie: int) -> str:
    """A tie in words: subject, relation, object; or the name, the kind of link, the picture."""
    ties = explorer.ties
    one, other = (mark_name(explorer, int(end[tie])) for end in (ties.one, ties.other))
    kind = ties.link_kind(tie)
    if kind is None:
        return t("explore.said", one=one, relation=ties.relation(tie), other=other)
    return t(f"explore.said_{kind}", name=other, picture=one_line(one, 60))


def picture_evidence(
    opened: Opened, image: Image, why: str = "", score: float | None = None
) -> Evidence:
    """A picture where it stands; without a score where it is looked at for itself."""
    return Evidence(
        key=f"image:{image.id}", kind="image", marker=0,
        document=opened.documents.get(image.document, ""), page=image.page, bbox=image.bbox,
        label=image_name(image), text=image.caption or image.text, section=image.section_title,
        score=score or 0.0, scored=score is not None, path=image_path(opened, image), why=why,
        generated=image.description, document_id=image.document,
    )  # fmt: skip


def _link_row(explorer: Explorer, tie: int, mark: int) -> LinkRow | None:
    ties, kind = explorer.ties, explorer.ties.link_kind(tie)
    assert kind is not None, "an edge is no link"
    image, node = int(ties.one[tie]), int(ties.other[tie])
    shown = image_of(explorer, image)
    if shown is None:
        return None
    score = float(ties.graph.link_score[tie - ties.edges])
    reason = link_evidence(
        explorer.workspace, shown.id, ties.graph.node_ids[node], kind, explorer.read.patch
    )
    why = f"{said(explorer, tie)} ({reason})" if reason else said(explorer, tie)
    return LinkRow(
        ties.beyond(tie, mark), kind, score, picture_evidence(explorer, shown, why, score)
    )


def _edge_evidence(
    explorer: Explorer, tie: int, known: dict[str, tuple[Edge, str]]
) -> Evidence | None:
    found = known.get(explorer.ties.graph.edge_ids[tie])
    with suppress(UnknownName):
        if found is not None:
            edge = found[0]
            block = explorer.workspace.content.block(edge.block)
            quote = edge.sentence or sentence_around(_text(block), edge.relation)
            return _evidence(explorer, f"edge:{edge.id}", block, quote, said(explorer, tie))
    return None


def _evidence(opened: Opened, key: str, block: StoredBlock, quote: str, why: str = "") -> Evidence:
    return Evidence(
        key=key, kind="passage", marker=0, document=opened.documents.get(block.document, ""),
        page=block.page, bbox=block.block.bbox, label=one_line(quote, 80), text=quote, section="",
        score=0.0, scored=False, why=why, document_id=block.document,
    )  # fmt: skip


def _text(stored: StoredBlock) -> str:
    block = stored.block
    return block.text if isinstance(block, TextBlock | TableBlock) else block.caption
