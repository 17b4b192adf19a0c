"""Settings of a workspace, by key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from brit.config import RetrievalConfig
from brit.storage.codec import decode, encode

if TYPE_CHECKING:
    from brit.storage.workspace import Workspace


class SettingStore:
    """JSON values by key. Keys of model servers are never among them."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def get(self, key: str, default: Any = None) -> Any:
        row = self._workspace.read.execute(
            "SELECT value FROM settings WHERE key = ?", (key,)
        ).fetchone()
        return default if row is None else json.loads(row["value"])

    def set(self, key: str, value: Any) -> None:
        with self._workspace.write() as db:
            db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (key, json.dumps(value)))
            self._workspace.note("set", key)

    def retrieval(self, collection: str) -> RetrievalConfig:
        """A collection's own retrieval setting, the default where none was kept."""
        kept = self.get(retrieval_key(collection))
        return RetrievalConfig() if kept is None else decode(RetrievalConfig, kept)

    def keep_retrieval(self, collection: str, config: RetrievalConfig) -> None:
        """Make a setting the collection's own; the default is kept by keeping none."""
        own = None if config == RetrievalConfig() else encode(config)
        self.set(retrieval_key(collection), own)


def retrieval_key(collection: str) -> str:
    """Under which a collection's own retrieval setting is kept."""
    return f"retrieval:{collection}"
