"""Which files a workspace's database names, which of them are missing, and which nobody names."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from brit.storage.files import ROOM, in_use
from brit.storage.jobs import UPLOADS
from brit.storage.workspace import DATABASE, Workspace

STORES = ("images", "originals")
NAME = re.compile(r"(?:images|originals)/[0-9a-f]{32}(?:\.[^/\0]*)?")
"""Of a file: its store and its id."""

PICTURES = """
    SELECT document, file FROM images
    UNION SELECT document, json_extract(data, '$.file') FROM blocks WHERE kind = 'image'
"""


def place(folder: Path, name: str) -> Path:
    """Where in a workspace folder the file of that name stands: `DATABASE`, or a `NAME`."""
    if name == DATABASE:
        return folder / DATABASE
    store, id = name.split("/")
    return folder / store / id[:2] / id


def named_files(workspace: Workspace) -> set[str]:
    """The pictures and originals the database names."""
    rows = workspace.read.execute(
        f"SELECT DISTINCT 'images/' || file AS name FROM ({PICTURES}) WHERE file != ''"
        " UNION SELECT 'originals/' || file FROM documents WHERE file != ''"
    )
    return {row["name"] for row in rows}


def missing_pictures(workspace: Workspace) -> Counter[str]:
    """Document id → how many of its pictures are not there."""
    rows = workspace.read.execute(f"SELECT * FROM ({PICTURES}) WHERE file != ''").fetchall()
    images = workspace.images
    return Counter(row["document"] for row in rows if not images.path(row["file"]).is_file())


def missing_originals(workspace: Workspace) -> list[str]:
    """The names of the documents whose original is not there."""
    rows = workspace.read.execute("SELECT name, file FROM documents WHERE file != ''").fetchall()
    originals = workspace.originals
    return [row["name"] for row in rows if not originals.path(row["file"]).is_file()]


def orphans(workspace: Workspace) -> list[Path]:
    """Pictures and originals that no document names, uploads that no job names, and what a process
    that ended left half-way. While documents are being read there are none to tell: a picture
    stands before the row that names it."""
    rooms = [room for store in STORES for room in (workspace.folder / store).glob(ROOM + "*")]
    if any(map(in_use, rooms)):
        return []
    named = named_files(workspace)
    stored = [path for store in STORES for path in (workspace.folder / store).glob("[!.]*/*")]
    strays = [path for path in stored if f"{path.parts[-3]}/{path.name}" not in named]
    uploaded = set((workspace.folder / UPLOADS).glob("*")) - _awaited(workspace)
    return sorted([*rooms, *strays, *uploaded])


def _awaited(workspace: Workspace) -> set[Path]:
    """The folders of the uploads that jobs name."""
    rows = workspace.read.execute("SELECT payload FROM jobs").fetchall()
    paths = (path for row in rows for path in json.loads(row["payload"]).get("paths", ()))
    return {Path(path).parent for path in paths}
