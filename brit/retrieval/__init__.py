"""Retrieval (§3.2): query, prune, pcst, traverse, rank.

`retrieve` is the entry; `keep_places` hands what was read of a collection on to the grown one;
`solver_name` says which tree solver this machine uses.
"""

from brit.retrieval.pcst import solver_name
from brit.retrieval.places import keep_places
from brit.retrieval.search import retrieve

__all__ = ["keep_places", "retrieve", "solver_name"]
