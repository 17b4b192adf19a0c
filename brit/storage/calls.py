"""Replies of language models by key, and what they cost."""

from __future__ import annotations

import time
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from brit.types import ModelUsage

if TYPE_CHECKING:
    from brit.storage.settings import SettingStore
    from brit.storage.workspace import Workspace

_document: ContextVar[str | None] = ContextVar("document", default=None)


class CallStore(MutableMapping[str, str]):
    """Replies by the hash of model, parameters and messages; a ledger of tokens, a row a call.

    A reply goes with the document it was asked for (`about`), all others with whatever is deleted
    next, for any document may have been in their messages. What was spent stays counted.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def settings(self) -> SettingStore:
        """Where it is remembered what model servers can do."""
        return self._workspace.settings

    @contextmanager
    def about(self, document: str) -> Iterator[None]:
        """Calls inside, on this thread, are made for that document."""
        token = _document.set(document)
        try:
            yield
        finally:
            _document.reset(token)

    # --- replies ---

    def __getitem__(self, key: str) -> str:
        row = self._workspace.read.execute(
            "SELECT reply FROM model_calls WHERE key = ?", (key,)
        ).fetchone()
        if row is None:
            raise KeyError(key)
        return str(row["reply"])

    def __setitem__(self, key: str, reply: str) -> None:
        with self._workspace.write() as db:
            db.execute(
                "INSERT OR REPLACE INTO model_calls (key, reply, created, document)"
                " VALUES (?, ?, ?, ?)",
                (key, reply, time.time(), _document.get()),
            )

    def __delitem__(self, key: str) -> None:
        with self._workspace.write() as db:
            if not db.execute("DELETE FROM model_calls WHERE key = ?", (key,)).rowcount:
                raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        rows = self._workspace.read.execute("SELECT key FROM model_calls").fetchall()
        return (str(row["key"]) for row in rows)

    def __len__(self) -> int:
        return int(self._workspace.read.execute("SELECT count(*) FROM model_calls").fetchone()[0])

    def drop_unowned(self) -> None:
        """Forget the replies that belong to no document: answers, verdicts, rewritten questions."""
        with self._workspace.write() as db:
            db.execute("DELETE FROM model_calls WHERE document IS NULL")

    # --- the ledger ---

    def record(self, usage: ModelUsage) -> None:
        """One call, for the document in hand."""
        with self._workspace.write() as db:
            db.execute(
                "INSERT INTO model_usage (role, model, document, prompt_tokens, completion_tokens,"
                " estimated, created) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (usage.role, usage.model, _document.get(), usage.prompt_tokens,
                 usage.completion_tokens, usage.estimated, time.time()),
            )  # fmt: skip

    def spent(
        self, roles: Sequence[str] | None = None, document: str | None = None
    ) -> list[ModelUsage]:
        """What was spent, by role and model: in some roles, for one document, or altogether."""
        wanted = "" if roles is None else f" AND role IN ({','.join('?' * len(roles))})"
        rows = self._workspace.read.execute(
            "SELECT role, model, count(*) AS calls, sum(prompt_tokens) AS prompt_tokens,"
            " sum(completion_tokens) AS completion_tokens, sum(estimated) AS estimated"
            f" FROM model_usage WHERE (? IS NULL OR document = ?){wanted}"
            " GROUP BY role, model ORDER BY role, model",
            (document, document, *(roles or ())),
        )
        return [ModelUsage(**row) for row in rows]
