"""Vectors and flat arrays: what retrieval searches."""

from brit.index.arrays import build_collection_graph, extend_graph
from brit.index.files import load_graph, save_graph
from brit.index.patched import patch_graph
from brit.index.vectors import FaissIndex

__all__ = [
    "FaissIndex",
    "build_collection_graph",
    "extend_graph",
    "load_graph",
    "patch_graph",
    "save_graph",
]
