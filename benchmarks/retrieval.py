"""Retrieval on synthetic graphs of 1,000 to 1,000,000 nodes, beside PCST on the whole graph.

    python -m benchmarks.retrieval [--sizes 1000 10000 100000] [--folder DIR]

Each size is a workspace of its own, filled with rows as ingestion leaves them (`synthetic.py`),
opened, asked, and added to by the calls the app makes; models cost nothing here, since their
vectors are made beforehand. Opening and asking run in a process of their own. There are no
passages: what is measured is the graph's part. One JSON object a size is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psutil

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from synthetic import (  # noqa: E402
    AT_ONCE,
    COLLECTION,
    Names,
    Vectors,
    add_document,
    ask_questions,
    fill,
)

from brit.config import RetrievalConfig  # noqa: E402
from brit.pipeline.collection import OpenCollection  # noqa: E402
from brit.retrieval import retrieve  # noqa: E402
from brit.retrieval.pcst import Prizes, choose_subgraph, edge_prizes, lower_cost, node_prizes  # noqa: E402
from brit.retrieval.subgraph import COST_FLOOR  # noqa: E402
from brit.storage import Workspace  # noqa: E402
from brit.types import Retrieval, positions  # noqa: E402

SIZES = (1_000, 10_000, 100_000, 1_000_000)
QUESTIONS, WARM = 60, 5
WHOLE = 20  # questions asked of the whole graph; fewer where one takes seconds
NEW_ENTITIES = 20
CONFIG = RetrievalConfig()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES[:3])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--step", choices=["build", "ask"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        step = build if options.step == "build" else measure
        print(json.dumps(step(options.folder, options.sizes[0])))
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for size in options.sizes:
            print(json.dumps(run(Path(folder) / str(size), size)), flush=True)


def run(folder: Path, size: int) -> dict[str, Any]:
    """Both steps for one size, each in a process of its own."""
    found: dict[str, Any] = {"nodes": size}
    for step in ("build", "ask"):
        command = [sys.executable, __file__, "--step", step, "--sizes", str(size)]
        command += ["--folder", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(done.stderr)
        found |= json.loads(done.stdout)
    return found


def build(folder: Path, size: int) -> dict[str, Any]:
    """Fill the workspace, then make graph and vector files out of it."""
    workspace, started = Workspace.open(folder), time.perf_counter()
    fill(workspace, size)
    filled = time.perf_counter()
    index = open_index(workspace, Vectors(size))
    return {
        "fill_s": round(filled - started, 1),
        "build_s": round(time.perf_counter() - filled, 1),
        "build_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "components": index.graph.component_count,
        "edges": len(index.graph.edge_ids),
        "relations": len(index.graph.relations),
        "files_mb": megabytes(folder / "indexes"),
    }


def measure(folder: Path, size: int) -> dict[str, Any]:
    """Open, ask, ask the whole graph, add, open again."""
    import faiss  # not part of what a collection costs

    workspace, vectors = Workspace.open(folder), Vectors(size)
    before, started = resident(), time.perf_counter()
    index = open_index(workspace, vectors)
    opened, held = time.perf_counter() - started, resident() - before
    questions = ask_questions(vectors, QUESTIONS + WARM)
    found, times, spent = ask(index, questions)
    result = {
        "open_s": round(opened, 2),
        "memory_mb": round(held / 2**20),
        "process_mb": round((before + held) / 2**20),
        "bytes_a_node": round(held / size),
        "median_ms": percentile(times, 50),
        "p95_ms": percentile(times, 95),
        "cpu_median_ms": percentile(spent, 50),
        "steps_ms": {
            name: round(float(np.median([each.timings_ms[name] for each in found])), 1)
            for name in ("encode", "search", "pcst", "traverse")
        },
        "threads": faiss.omp_get_max_threads(),
        "recall_at_build": round(index.nodes.recall, 3),
    }
    result |= compare(index, vectors, questions, found)
    return result | grow(workspace, vectors, index)


def open_index(
    workspace: Workspace, vectors: Vectors, known: OpenCollection | None = None
) -> OpenCollection:
    stamp = workspace.documents.stamp(COLLECTION)
    return OpenCollection(workspace, stamp, vectors, vectors, known)


def ask(
    index: OpenCollection, questions: Sequence[str]
) -> tuple[list[Retrieval], list[float], list[float]]:
    """→ what was found, milliseconds by the clock and of the processor."""
    found, times, spent = [], [], []
    for question in questions:
        started, busy = time.perf_counter(), time.process_time()
        found.append(retrieve(index, question, extractor=Names(), config=CONFIG))
        times.append(1000 * (time.perf_counter() - started))
        spent.append(1000 * (time.process_time() - busy))
    return found[WARM:], times[WARM:], spent[WARM:]


def compare(
    index: OpenCollection, vectors: Vectors, questions: Sequence[str], found: Sequence[Retrieval]
) -> dict[str, Any]:
    """The same nodes prized, PCST over the whole graph, and exact search for everything."""
    import faiss

    graph = index.graph
    flat, relations = faiss.IndexFlatIP(vectors.dim), faiss.IndexFlatIP(vectors.dim)
    for start in range(0, vectors.size, AT_ONCE):
        flat.add(vectors.of_nodes(start, min(start + AT_ONCE, vectors.size)))
    relations.add(vectors.of_relations(graph.relations))
    times, kept, shared, hits = [], [], [], []
    count = WHOLE if len(graph.node_ids) <= 100_000 else WHOLE // 5
    for question, answer in [*zip(questions[WARM:], found, strict=True)][:count]:
        query = vectors.encode_texts([question, *Names().extract_entities(question)], "query")
        started = time.perf_counter()
        _, near = flat.search(query, 4 * CONFIG.k)
        scores = np.full(len(graph.node_ids), -np.inf)
        for prize in answer.trace.node_prizes:
            scores[graph.node_at[prize.id]] = prize.prize
        values, order = relations.search(query[:1], relations.ntotal)
        by_relation = np.empty(relations.ntotal)
        by_relation[order[0]] = values[0]
        on_edges = edge_prizes(by_relation[graph.edge_relation], CONFIG.k)
        whole = whole_tree(index, node_prizes(scores, CONFIG.k), on_edges)
        times.append(1000 * (time.perf_counter() - started))
        ours = {graph.node_at[n.id] for n in answer.trace.nodes if n.origin in ("pcst", "prize")}
        kept.append(len(ours & whole) / max(len(whole), 1))
        same = whole_tree(index, node_prizes(scores, CONFIG.k), prizes_of(index, answer))
        shared.append(len(ours & same) / max(len(same), 1))
        own = index.nodes.search(query, 10)
        hits += [
            len({index.graph.node_at[id] for id, _ in line} & set(row[:10].tolist())) / 10
            for line, row in zip(own, near, strict=True)
        ]
    return {
        "whole_median_ms": percentile(times, 50),
        "whole_p95_ms": percentile(times, 95),
        "whole_kept": round(float(np.mean(kept)), 3),
        "whole_kept_same_prizes": round(float(np.mean(shared)), 3),
        "recall_at_10": round(float(np.mean(hits)), 3),
    }


def whole_tree(index: OpenCollection, on_nodes: Prizes, on_edges: Prizes) -> set[int]:
    graph = index.graph
    cost = lower_cost(CONFIG.edge_cost, on_edges, COST_FLOOR)
    nodes, _ = choose_subgraph(graph.edge_source, graph.edge_target, on_nodes, on_edges, cost)
    return set(nodes.tolist())


def prizes_of(index: OpenCollection, answer: Retrieval) -> Prizes:
    """The edges retrieval prized, near the prized nodes, and no others."""
    on_edges = np.zeros(len(index.graph.edge_ids))
    place = positions(index.graph.edge_ids)
    for prize in answer.trace.edge_prizes:
        on_edges[place[prize.id]] = prize.prize
    return on_edges


def grow(workspace: Workspace, vectors: Vectors, index: OpenCollection) -> dict[str, Any]:
    """A document with a few new entities: stored, and visible to the next question."""
    started = time.perf_counter()
    add_document(workspace, index.collection.id, vectors.size, NEW_ENTITIES)
    stored = time.perf_counter()
    grown = open_index(workspace, vectors, index)
    added = time.perf_counter()
    if len(grown.graph.node_ids) != vectors.size + NEW_ENTITIES:
        raise SystemExit("the new entities are not there")
    return {
        "add_store_s": round(stored - started, 3),
        "add_open_s": round(added - stored, 3),
        "add_s": round(added - started, 3),
    }


def percentile(values: Sequence[float], at: int) -> float:
    return round(float(np.percentile(values, at)), 1)


def resident() -> int:
    return int(psutil.Process(os.getpid()).memory_info().rss)


def megabytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) // 2**20


if __name__ == "__main__":
    main()
