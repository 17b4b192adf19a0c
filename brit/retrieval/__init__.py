"""Retrieval (§3.2): query, prune, pcst, traverse, rank.

`retrieve` is the entry; `solver_name` says which tree solver this machine uses.
"""

from brit.retrieval.pcst import solver_name
from brit.retrieval.search import retrieve

__all__ = ["retrieve", "solver_name"]
