"""Chats: questions with the retrieval and the answer each got, and what became of its check."""

from __future__ import annotations

import sqlite3
import time
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from brit.errors import UnknownName
from brit.storage.codec import decode, encode
from brit.types import Answer, Retrieval, Verification

if TYPE_CHECKING:
    from brit.storage.workspace import Workspace


@dataclass(frozen=True)
class Chat:
    id: str
    collection: str
    title: str
    created: float
    updated: float
    questions: int = 0


@dataclass(frozen=True)
class Checked:
    """The verdicts on an answer; `wider` are the starts of the sentences more was sought for."""

    verification: Verification
    wider: tuple[int, ...] = ()


@dataclass(frozen=True)
class Turn:
    """One question; retrieval, answer and its check are None until they are there."""

    id: str
    question: str
    retrieval: Retrieval | None
    answer: Answer | None
    created: float
    checked: Checked | None = None


def _turn(row: sqlite3.Row) -> Turn:
    retrieval, answer, checked = row["retrieval"], row["answer"], row["checked"]
    return Turn(
        id=row["id"],
        question=row["question"],
        retrieval=None if retrieval is None else decode(Retrieval, retrieval),
        answer=None if answer is None else decode(Answer, answer),
        created=row["created"],
        checked=None if checked is None else decode(Checked, checked),
    )


_CHATS = "SELECT *, (SELECT count(*) FROM turns WHERE chat = chats.id) AS questions FROM chats"


class ChatStore:
    """The chats of all collections of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def chats(self, collection: str) -> list[Chat]:
        """The chats of a collection, the one used last first."""
        rows = self._workspace.read.execute(
            f"{_CHATS} WHERE collection = ? ORDER BY updated DESC, id", (collection,)
        )
        return [Chat(**row) for row in rows]

    def find(self, collection: str, text: str) -> list[Chat]:
        """The chats in whose title or questions a text stands, whatever its case, in that order."""
        wanted = text.casefold()
        rows = self._workspace.read.execute(
            "SELECT chat, question FROM turns JOIN chats ON chats.id = turns.chat"
            " WHERE collection = ?",
            (collection,),
        )
        asked = {row["chat"] for row in rows if wanted in row["question"].casefold()}
        return [
            chat
            for chat in self.chats(collection)
            if chat.id in asked or wanted in chat.title.casefold()
        ]

    def chat(self, id: str) -> Chat:
        """Raises UnknownName."""
        row = self._workspace.read.execute(f"{_CHATS} WHERE id = ?", (id,)).fetchone()
        if row is None:
            raise UnknownName("That chat is no longer there. Choose another one, or start anew.")
        return Chat(**row)

    def create(self, collection: str, title: str) -> Chat:
        """Raises UnknownName where the collection was deleted meanwhile."""
        now = time.time()
        chat = Chat(uuid.uuid4().hex[:16], collection, title, now, now)
        with self._workspace.write() as db:
            if not self._workspace.documents.has_collection(collection):
                raise UnknownName("That collection is no longer there. Choose another one.")
            db.execute(
                "INSERT INTO chats VALUES (?, ?, ?, ?, ?)",
                (chat.id, collection, title, now, now),
            )
            self._workspace.note("begin chat", chat.id)
        return chat

    def rename(self, id: str, title: str) -> None:
        with self._workspace.write() as db:
            db.execute("UPDATE chats SET title = ? WHERE id = ?", (title, id))
            self._workspace.note("rename chat", id)

    def delete(self, id: str) -> None:
        with self._workspace.write() as db:
            db.execute("DELETE FROM chats WHERE id = ?", (id,))
            self._workspace.calls.drop_unowned()
            self._workspace.note("delete chat", id)

    def turns(self, chat: str) -> list[Turn]:
        """The turns of a chat in the order they were asked."""
        rows = self._workspace.read.execute(
            "SELECT * FROM turns WHERE chat = ? ORDER BY number", (chat,)
        )
        return [_turn(row) for row in rows]

    def answered(self, collection: str) -> int:
        """How many turns of all chats of a collection have evidence."""
        (count,) = self._workspace.read.execute(
            "SELECT count(*) FROM turns t JOIN chats c ON c.id = t.chat"
            " WHERE c.collection = ? AND t.retrieval IS NOT NULL",
            (collection,),
        ).fetchone()
        return int(count)

    def used_links(self, collection: str, most: int) -> dict[tuple[str, str], int]:
        """(image, node) → in how many of the latest `most` turns their link led to the image."""
        rows = self._workspace.read.execute(
            "SELECT json_extract(h.value, '$.image'), json_extract(h.value, '$.node'),"
            " count(DISTINCT t.number) FROM"
            " (SELECT t.number, t.retrieval FROM turns t JOIN chats c ON c.id = t.chat"
            "  WHERE c.collection = ? AND t.retrieval IS NOT NULL"
            "  ORDER BY t.number DESC LIMIT ?) t,"
            " json_each(t.retrieval, '$.trace.hops') h"
            " WHERE json_extract(h.value, '$.kind') = 'text-to-image'"
            " AND json_extract(h.value, '$.kept') GROUP BY 1, 2",
            (collection, most),
        )
        return {(image, node): count for image, node, count in rows if node}

    def turn(self, id: str) -> Turn:
        """Raises UnknownName."""
        row = self._workspace.read.execute("SELECT * FROM turns WHERE id = ?", (id,)).fetchone()
        if row is None:
            raise UnknownName("That question is no longer there. Ask it again.")
        return _turn(row)

    def add_turn(self, chat: str, question: str) -> Turn:
        """Raises UnknownName where the chat was deleted meanwhile, or went with its collection."""
        now = time.time()
        turn = Turn(uuid.uuid4().hex[:16], question, None, None, now)
        with self._workspace.write() as db:
            self.chat(chat)
            db.execute(
                "INSERT INTO turns (id, chat, question, created) VALUES (?, ?, ?, ?)",
                (turn.id, chat, question, now),
            )
            db.execute("UPDATE chats SET updated = ? WHERE id = ?", (now, chat))
            self._workspace.note("ask", turn.id)
        return turn

    def save_turn(
        self,
        id: str,
        *,
        retrieval: Retrieval | None = None,
        answer: Answer | None = None,
        checked: Checked | None = None,
    ) -> None:
        """Keep what is given; what is None stays as it was."""
        with self._workspace.write() as db:
            db.execute(
                "UPDATE turns SET retrieval = coalesce(?, retrieval), answer = coalesce(?, answer),"
                " checked = coalesce(?, checked) WHERE id = ?",
                (*(each and encode(each) for each in (retrieval, answer, checked)), id),
            )
