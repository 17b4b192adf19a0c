"""Two documents side by side: the names and pictures they share, and what only one of them has."""

from __future__ import annotations

from dataclasses import dataclass

from brit.storage.workspace import Workspace

_NAMES = """
    SELECT n.id, n.label, n.kind, count(*) FILTER (WHERE m.document = :one) AS one,
           count(*) FILTER (WHERE m.document = :other) AS other,
           (SELECT count(DISTINCT document) FROM mentions WHERE node = n.id) AS documents
    FROM mentions m JOIN nodes n ON n.id = m.node WHERE m.document IN (:one, :other)
    GROUP BY n.id
"""
_PICTURES = """
    SELECT file FROM images WHERE document = ? AND file != '' AND NOT furniture
    INTERSECT SELECT file FROM images WHERE document = ? AND file != '' AND NOT furniture
"""


@dataclass(frozen=True)
class NameCount:
    """A node, how often each of the two documents mentions it, and how many documents do."""

    node: str
    label: str
    kind: str
    one: int
    other: int
    documents: int


@dataclass(frozen=True)
class Comparison:
    """`shared`: what few other documents mention first; the others: what is mentioned most first.
    `pictures` are the files of pictures that both have."""

    shared: tuple[NameCount, ...]
    only_one: tuple[NameCount, ...]
    only_other: tuple[NameCount, ...]
    pictures: tuple[str, ...]


def compare(workspace: Workspace, one: str, other: str) -> Comparison:
    """Compare two documents of a collection, by their ids."""
    rows = workspace.read.execute(_NAMES, {"one": one, "other": other}).fetchall()
    names = [NameCount(*row) for row in rows]

    def most(each: NameCount) -> tuple[int, str]:
        return -(each.one + each.other), each.label

    shared = [each for each in names if each.one and each.other]
    files = workspace.read.execute(_PICTURES, (one, other)).fetchall()
    return Comparison(
        shared=tuple(sorted(shared, key=lambda each: (each.documents, *most(each)))),
        only_one=tuple(sorted((each for each in names if not each.other), key=most)),
        only_other=tuple(sorted((each for each in names if not each.one), key=most)),
        pictures=tuple(row["file"] for row in files),
    )
