"""Walking through a collection's graph by hand: neighbourhoods, filters, ways, places.

Pure functions of a `CollectionGraph`, whose nodes and images are walked alike as marks, and whose
edges and links as ties (`ties.py`).
"""

from brit.exploring.filters import Admitted, GraphFilter, admit
from brit.exploring.labels import zoom_levels
from brit.exploring.layout import place_marks
from brit.exploring.parts import Part, Parts, find_parts
from brit.exploring.paths import Step, shortest_path
from brit.exploring.quotes import sentence_around
from brit.exploring.search import Hit, NameIndex
from brit.exploring.ties import Ties, join_ties
from brit.exploring.views import View, around, overview, within_part

__all__ = [
    "Admitted",
    "GraphFilter",
    "Hit",
    "NameIndex",
    "Part",
    "Parts",
    "Step",
    "Ties",
    "View",
    "admit",
    "around",
    "find_parts",
    "join_ties",
    "overview",
    "place_marks",
    "sentence_around",
    "shortest_path",
    "within_part",
    "zoom_levels",
]
