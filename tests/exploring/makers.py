"""A small graph drawn by hand.

pump –designs← Oldane      lamp –lights→ coast       (alone)
pump –runs on→ water        Bild 1: CA pump, LP water, LP lamp
water –cools→ pump          Bild 2: SI coast (0.3)
"""

from __future__ import annotations

from brit.index import build_collection_graph
from brit.types import CollectionGraph

NODES = [
    ("pump", "Quandrel pump", "PRODUCT"), ("oldane", "Mira Oldane", "PERSON"),
    ("water", "rain water", "TERM"), ("lamp", "Ostrel lamp", "PRODUCT"),
    ("coast", "northern coast", "LOC"), ("alone", "奶泡系统", "TERM"),
]  # fmt: skip
EDGES = [
    ("e0", "oldane", "pump", "designs", "a"), ("e1", "pump", "water", "runs on", "a"),
    ("e2", "water", "pump", "cools", "b"), ("e3", "lamp", "coast", "lights", "b"),
]  # fmt: skip
LINKS = [
    ("p1", "pump", "CA", 1.0), ("p1", "water", "LP", 0.5), ("p1", "lamp", "LP", 0.5),
    ("p2", "coast", "SI", 0.3),
]  # fmt: skip
IMAGES = [("p1", "a"), ("p2", "b")]
MENTIONS = [("pump", "a"), ("oldane", "a"), ("water", "a"), ("pump", "b"), ("water", "b"),
            ("lamp", "b"), ("coast", "b"), ("alone", "b")]  # fmt: skip


def small_graph() -> CollectionGraph:
    return build_collection_graph(NODES, EDGES, LINKS, IMAGES, MENTIONS)  # type: ignore[arg-type]


def star_graph(leaves: int) -> CollectionGraph:
    """A hub with so many leaves."""
    nodes = [("hub", "hub", "TERM"), *((f"x{i}", f"leaf {i}", "TERM") for i in range(leaves))]
    edges = [(f"e{i}", "hub", f"x{i}", "has", "a") for i in range(leaves)]
    return build_collection_graph(nodes, edges, [], [], [(id, "a") for id, _, _ in nodes])
