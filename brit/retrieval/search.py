"""The entry to retrieval: a question and an index in, a `Retrieval` with its trace out (§3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np

from brit.config import RetrievalConfig
from brit.errors import UnknownName
from brit.models import GraphIndex, RoundDecider, TripletExtractor
from brit.retrieval.clock import Clock
from brit.retrieval.default import find_by_default
from brit.retrieval.paper import find_by_paper
from brit.retrieval.pcst import solver_name
from brit.retrieval.query import MAX_QUESTION, Query, read_question
from brit.retrieval.rank import (
    Findings,
    count_words,
    show_image,
    show_pages,
    show_passage,
    show_triplet,
    take_edges,
    take_passages,
)
from brit.retrieval.rounds import Rounds
from brit.retrieval.scope import Scope, open_scope
from brit.retrieval.subgraph import SubGraph, trace_edges, trace_nodes
from brit.retrieval.traverse import rejected_hops
from brit.types import LINK_KINDS, Retrieval, RetrievalTrace, TraceEdge, TraceNode

PASSAGE_SHARE = 0.7
MAX_PASSAGES = 8
MAX_TRIPLETS = 30


def retrieve(
    index: GraphIndex,
    question: str,
    *,
    extractor: TripletExtractor,
    config: RetrievalConfig | None = None,
    documents: Sequence[str] = (),
    decider: RoundDecider | None = None,
) -> Retrieval:
    """The sub-graph, pictures, passages and pages that belong to a question.

    `documents` (ids) restricts everything to what stands in them. With `max_rounds` above 1 the
    `decider` says whether and where to go on; without one, or where it fails, the scores do. Raises
    UnknownName when one of the documents is not in the index. An empty question finds nothing.
    """
    config = config or RetrievalConfig()
    unknown = [id for id in documents if id not in index.documents]
    if unknown:
        raise UnknownName(f"No document {unknown[0]} in this collection: list its documents.")
    clock = Clock()
    with clock("encode"):
        query = read_question(index, question, extractor, documents)
    with clock("search"):
        scope = open_scope(index.graph, documents)
    if not query.text:
        findings = Findings((), {}, {}, {}, True, RetrievalTrace())
    else:
        find = find_by_paper if config.preset == "paper" else find_by_default
        rounds = Rounds(
            decider, lambda text: read_question(index, text, extractor, documents), clock
        )
        findings = find(index, scope, query, config, clock, rounds)
        findings = replace(findings, trace=rounds.told_in(findings.trace))
    with clock("traverse"):
        shown = _show(index, scope, query, config, findings)
    return replace(shown, question=question, timings_ms=clock.timings())


def _show(
    index: GraphIndex, scope: Scope, query: Query, config: RetrievalConfig, found: Findings
) -> Retrieval:
    passages, edges = _within_budget(index, scope, config, found)
    triplets = tuple(show_triplet(index, scope, at, found.edges[at]) for at in edges)
    sentences = dict.fromkeys(triplet.text for triplet in triplets)
    texts = [*sentences, *(index.passage(id).text for id in passages)]
    return Retrieval(
        question=query.text,
        preset=config.preset,
        encoder=_encoder_name(index),
        entities=query.entities,
        low_relevance=found.low_relevance,
        triplets=triplets,
        images=tuple(show_image(index, scope, image) for image in found.images),
        passages=tuple(show_passage(index, id, found.passages[id]) for id in passages),
        pages=show_pages(index, found.pages),
        words=sum(count_words(text) for text in texts),
        timings_ms={},
        trace=_complete(index, scope, query, config, found.trace, passages, edges),
    )


def _within_budget(
    index: GraphIndex, scope: Scope, config: RetrievalConfig, found: Findings
) -> tuple[list[str], list[int]]:
    """Passages and triplets that fit into `max_words`: the paper takes triplets first, then the
    passages they came from; the default takes the best passages first."""
    words = config.max_words
    if config.preset == "paper":
        edges = take_edges(index, scope, found.edges, most=len(found.edges), words=words)
        left = words - _words_of_edges(index, scope, edges)
        return take_passages(index, found.passages, most=MAX_PASSAGES, words=left), edges
    share = int(words * PASSAGE_SHARE)
    passages = take_passages(
        index, found.passages, most=MAX_PASSAGES, words=share, surely=found.beside
    )
    left = words - sum(count_words(index.passage(id).text) for id in passages)
    return passages, take_edges(index, scope, found.edges, most=MAX_TRIPLETS, words=left)


def _words_of_edges(index: GraphIndex, scope: Scope, edges: Sequence[int]) -> int:
    texts = {show_triplet(index, scope, at, 0.0).text for at in edges}
    return sum(count_words(text) for text in texts)


def _complete(
    index: GraphIndex,
    scope: Scope,
    query: Query,
    config: RetrievalConfig,
    trace: RetrievalTrace,
    passages: Sequence[str],
    edges: Sequence[int],
) -> RetrievalTrace:
    """The trace with what is the same for both presets, and the way to every returned triplet."""
    nodes, ways = _ways_to(index, scope, query, trace, edges)
    threshold = index.text_encoder.same_entity if config.threshold is None else config.threshold
    return replace(
        trace,
        parameters={
            **asdict(config),
            "threshold": threshold,
            "solver": solver_name(),
            "documents": list(scope.documents or ()),
            "references": [
                f"{reference.kind} {reference.number}" for reference in query.references
            ],
            "named_documents": [index.documents[id] for id in query.named_documents],
        },
        hops=(*trace.hops, *rejected_hops(scope, trace.hops)),
        passages=tuple(replace(row, kept=row.passage in passages) for row in trace.passages),
        nodes=nodes,
        edges=ways,
        entities=query.entities,
        components_total=scope.component_count,
        nodes_total=scope.node_count,
        images_total=len(scope.images),
        fallbacks=(*trace.fallbacks, *_notes(index, config, query, threshold)),
    )


def _notes(index: GraphIndex, config: RetrievalConfig, query: Query, threshold: float) -> list[str]:
    """What is not as it should be on this machine or with these settings, in words."""
    notes = []
    if len(query.text) == MAX_QUESTION:
        notes.append(f"The question is long: its first {MAX_QUESTION} characters were read.")
    if "PG" in config.links and LINK_KINDS.index("PG") not in index.graph.link_kind:
        notes.append("This collection holds no pages as images: the link PG led nowhere.")
    encoder = index.text_encoder
    if threshold < encoder.same_entity:
        notes.append(
            f"Threshold {threshold:.2f} is low for {encoder.name}, in whose space names mean one "
            f"thing from {encoder.same_entity:.2f}: little was pruned."
        )
    if solver_name() == "fallback":
        notes.append("pcst_fast is missing or gives wrong trees here: BRIT's own solver was used.")
    return notes


def _ways_to(
    index: GraphIndex, scope: Scope, query: Query, trace: RetrievalTrace, edges: Sequence[int]
) -> tuple[tuple[TraceNode, ...], tuple[TraceEdge, ...]]:
    """Nodes and edges of the trace, with those of triplets that came in over images."""
    shown = {edge.id for edge in trace.edges}
    more = np.array([at for at in edges if scope.graph.edge_ids[at] not in shown], np.int32)
    ends = np.union1d(scope.graph.edge_source[more], scope.graph.edge_target[more])
    known = [scope.node_at[node.id] for node in trace.nodes]
    new = np.setdiff1d(ends, np.array(known, np.int32)).astype(np.int32)
    added = SubGraph(new, more, dict.fromkeys(new.tolist(), "triplet"))
    return (
        (*trace.nodes, *trace_nodes(index, scope, query, added)),
        (*trace.edges, *trace_edges(index, scope, query, added)),
    )


def _encoder_name(index: GraphIndex) -> str:
    names = dict.fromkeys((index.text_encoder.name, index.image_encoder.name))
    return " + ".join(names)
