"""A chat → what its report tells: each question with its answer, what that rests on, and the path.

Nothing is asked or retrieved again: all of it stands in the stored turns.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from brit.generation.language import quotes_nothing
from brit.storage.chats import Chat, Turn
from brit.types import Retrieval
from brit.ui.evidence import Evidence, list_evidence, place
from brit.ui.graph_layout import layered
from brit.ui.graph_spec import GraphEdge, GraphNode, path_spec
from brit.ui.graph_view import cut_label
from brit.ui.pictures import CARD, small_jpeg
from brit.ui.safe import one_line
from brit.ui.steps import describe_steps, status_line
from brit.ui.wording import decimal, dotted, t

_LABEL = 18
_MARGIN = (70.0, 60.0)
_QUOTED = 600

Thumbnail = Callable[[str], str]


@dataclass(frozen=True)
class Source:
    """What a citation rests on; `picture` is a data URI, "" for text."""

    marker: int
    where: str
    text: str
    picture: str = ""
    score: str = ""
    why: str = ""


@dataclass(frozen=True)
class Drawn:
    """A node of the path, its label in at most two lines, its picture as a data URI."""

    node: GraphNode
    lines: tuple[str, ...]
    picture: str = ""


@dataclass(frozen=True)
class Path:
    """The path as it lies on the page, its lines as curves of SVG; `frame` is left, top, width and
    height in pixels."""

    nodes: tuple[Drawn, ...]
    edges: tuple[tuple[str, GraphEdge], ...]
    frame: tuple[float, float, float, float]


@dataclass(frozen=True)
class Asked:
    """One question; `answer` is Markdown as the model wrote it, "" where it never ended, `steps`
    and `summary` are our own."""

    question: str
    when: str
    answer: str
    cited: tuple[Source, ...]
    pictures: tuple[Source, ...]
    steps: tuple[tuple[str, str], ...]
    summary: str
    notes: tuple[str, ...]
    path: Path | None


@dataclass(frozen=True)
class Report:
    title: str
    collection: str
    made: str
    asked: tuple[Asked, ...]


def report_of(
    chat: Chat, collection: str, turns: Sequence[Turn], thumbnail: Callable[[Retrieval], Thumbnail]
) -> Report:
    """The report of a chat as it is now; `thumbnail` gives what draws the images of a retrieval as
    data URIs, by their ids."""
    asked = tuple(_asked(turn, thumbnail) for turn in turns)
    return Report(one_line(chat.title), one_line(collection), _time(None), asked)


def _asked(turn: Turn, thumbnail: Callable[[Retrieval], Thumbnail]) -> Asked:
    found, answer = turn.retrieval, turn.answer
    evidence = list_evidence(found, answer) if found else []
    cited = [each for each in evidence if each.marker]
    pictures = [each for each in evidence if each.kind == "image" and not each.marker]
    notes = answer.notes if answer and not quotes_nothing(answer.text) else ()
    low = (t("answer.low_relevance"),) if found and found.low_relevance else ()
    return Asked(
        question=one_line(turn.question),
        when=_time(turn.created),
        answer=answer.text if answer else "",
        cited=tuple(map(_source, cited)),
        pictures=tuple(map(_source, pictures)),
        steps=tuple((step.title, step.summary) for step in describe_steps(found)) if found else (),
        summary=status_line(found) if found else "",
        notes=(*low, *notes) if answer else (t("answer.interrupted"),),
        path=_path(turn, found, thumbnail(found)) if found else None,
    )


def _source(evidence: Evidence) -> Source:
    picture = small_jpeg(evidence.path, CARD) if evidence.path else b""
    return Source(
        marker=evidence.marker,
        where=place(evidence),
        text=one_line(evidence.text or evidence.label, _QUOTED),
        picture=f"data:image/jpeg;base64,{b64encode(picture).decode()}" if picture else "",
        score=decimal(evidence.score) if evidence.scored else "",
        why=evidence.why,
    )


def _path(turn: Turn, found: Retrieval, thumbnail: Thumbnail) -> Path:
    spec = layered(path_spec(found, turn.answer))
    nodes = {node.id: node for node in spec.nodes}
    across, down = [n.x for n in spec.nodes], [n.y for n in spec.nodes]
    left, top = min(across) - _MARGIN[0], min(down) - _MARGIN[1]
    return Path(
        nodes=tuple(
            Drawn(
                node,
                tuple(cut_label(node.label, _LABEL).split("\n")),
                thumbnail(node.id[2:]) if node.kind == "image" else "",
            )
            for node in spec.nodes
        ),
        edges=tuple((_curve(nodes[e.source], nodes[e.target], e), e) for e in spec.edges),
        frame=(left, top, max(across) + _MARGIN[0] - left, max(down) + _MARGIN[1] - top),
    )


def _curve(one: GraphNode, other: GraphNode, edge: GraphEdge) -> str:
    """From one mark to the other through the bends of the line."""
    points = [(one.x, one.y), *edge.via, (other.x, other.y)]
    drawn = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (x, y), (to_x, to_y) in pairwise(points):
        middle = (x + to_x) / 2
        drawn += f"C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"
    return drawn


def _time(seconds: float | None) -> str:
    moment = datetime.now() if seconds is None else datetime.fromtimestamp(seconds)
    return dotted(f"{moment:%Y-%m-%d}", f"{moment:%H:%M}")
