"""The workspace's one SQLite file: its tables and the steps from one version to the next.

`MIGRATIONS[i]` takes a file from version i to i + 1; `PRAGMA user_version` holds the version.
Documents own pages, blocks, sections, passages, images, mentions, edges and links (foreign keys
cascade); nodes belong to a collection and go with their last mention. Vectors are kept by what they
stand for (node, relation, passage, caption, image) and by encoder. A model's reply belongs to the
document that was read with it, if any; what it cost stays counted when that goes. A document's
`version` and `pictures` are those of its collection when it was built, and when text in its
pictures was last read; `missing` is what its file as a whole lacks. Corrections are only added and
marked as undone; one that names an image goes with its document. An image that was corrected keeps
beside its caption and furniture what was read (`read_caption`, `read_furniture`). Everything in
`*_fts` tables can be rebuilt from the others: `*_words` splits at word borders with English stems,
`*_trigrams` finds what lies inside Chinese or Japanese sentences and product codes. In tables
WITHOUT ROWID the primary key's columns come first: SQLite before 3.41 reports them damaged
otherwise. Later versions keep the tables and columns there are, so that a file can be told from
another program's.
"""

import json
import sqlite3
from functools import cache

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE collections (
        id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, created REAL NOT NULL,
        version INTEGER NOT NULL DEFAULT 0, components INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE documents (
        id TEXT PRIMARY KEY,
        collection TEXT NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
        name TEXT NOT NULL, source TEXT NOT NULL, file TEXT NOT NULL, format TEXT NOT NULL,
        status TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '', ready INTEGER NOT NULL DEFAULT 0,
        page_count INTEGER NOT NULL DEFAULT 0, paged INTEGER NOT NULL DEFAULT 1,
        outline TEXT NOT NULL DEFAULT '[]', warnings TEXT NOT NULL DEFAULT '[]',
        notes TEXT NOT NULL DEFAULT '[]',
        extractor TEXT NOT NULL DEFAULT '', seconds REAL NOT NULL DEFAULT 0,
        created REAL NOT NULL);
    CREATE INDEX documents_collection ON documents(collection);
    CREATE TABLE pages (
        document TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
        number INTEGER NOT NULL, width REAL NOT NULL, height REAL NOT NULL,
        rotation INTEGER NOT NULL, seconds REAL NOT NULL, failure TEXT NOT NULL,
        scan INTEGER NOT NULL, confidence REAL, missing TEXT NOT NULL, merged INTEGER NOT NULL,
        PRIMARY KEY (document, number)) WITHOUT ROWID;
    CREATE TABLE blocks (
        id TEXT PRIMARY KEY,
        document TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
        page INTEGER NOT NULL, ordinal INTEGER NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL);
    CREATE INDEX blocks_document ON blocks(document, page, ordinal);
    CREATE TABLE sections (
        id TEXT PRIMARY KEY,
        document TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
        title TEXT NOT NULL, level INTEGER NOT NULL, path TEXT NOT NULL, ordinal INTEGER NOT NULL);
    CREATE INDEX sections_document ON sections(document);
    CREATE TABLE passages (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
        document TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
        page INTEGER, bbox TEXT, section TEXT NOT NULL, text TEXT NOT NULL, blocks TEXT NOT NULL);
    CREATE INDEX passages_document ON passages(document);
    CREATE TABLE images (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
        document TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
        file TEXT NOT NULL, page INTEGER, bbox TEXT, name TEXT, caption TEXT NOT NULL,
        caption_bbox TEXT, section TEXT NOT NULL, section_title TEXT NOT NULL,
        furniture INTEGER NOT NULL, block TEXT NOT NULL);
    CREATE INDEX images_document ON images(document);
    CREATE INDEX images_file ON images(file);
    CREATE TABLE scene_texts (
        file TEXT PRIMARY KEY, reader TEXT NOT NULL, text TEXT NOT NULL, lines TEXT NOT NULL);
    CREATE TABLE nodes (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
        collection TEXT NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
        name TEXT NOT NULL, label TEXT NOT NULL, kind TEXT NOT NULL, aliases TEXT NOT NULL);
    CREATE INDEX nodes_collection ON nodes(collection);
    CREATE TABLE mentions (
        node TEXT NOT NULL REFERENCES nodes(id) ON DELETE CASCADE,
        block TEXT NOT NULL, surface TEXT NOT NULL,
        document TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
        PRIMARY KEY (node, block, surface)) WITHOUT ROWID;
    CREATE INDEX mentions_document ON mentions(document);
    CREATE TABLE edges (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
        document TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
        source TEXT NOT NULL REFERENCES nodes(id), target TEXT NOT NULL REFERENCES nodes(id),
        relation TEXT NOT NULL, block TEXT NOT NULL, sentence TEXT NOT NULL);
    CREATE INDEX edges_document ON edges(document);
    CREATE INDEX edges_source ON edges(source);
    CREATE INDEX edges_target ON edges(target);
    CREATE TABLE links (
        image TEXT NOT NULL, node TEXT NOT NULL REFERENCES nodes(id) ON DELETE CASCADE,
        kind TEXT NOT NULL, score REAL NOT NULL, evidence TEXT NOT NULL,
        document TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
        PRIMARY KEY (image, node, kind)) WITHOUT ROWID;
    CREATE INDEX links_document ON links(document);
    CREATE INDEX links_node ON links(node);
    CREATE TABLE vectors (
        encoder TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, vector BLOB NOT NULL,
        PRIMARY KEY (encoder, kind, key)) WITHOUT ROWID;
    CREATE VIRTUAL TABLE passage_words USING fts5(
        text, tokenize = 'porter unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE passage_trigrams USING fts5(text, tokenize = 'trigram');
    CREATE VIRTUAL TABLE image_words USING fts5(
        text, tokenize = 'porter unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE image_trigrams USING fts5(text, tokenize = 'trigram');
    CREATE VIRTUAL TABLE node_words USING fts5(
        text, tokenize = 'porter unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE node_trigrams USING fts5(text, tokenize = 'trigram');
    CREATE TABLE jobs (
        id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, collection TEXT NOT NULL,
        payload TEXT NOT NULL, state TEXT NOT NULL, stage TEXT NOT NULL DEFAULT '',
        done INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL DEFAULT 0,
        detail TEXT NOT NULL DEFAULT '', message TEXT NOT NULL DEFAULT '',
        cancel INTEGER NOT NULL DEFAULT 0, stage_started REAL,
        created REAL NOT NULL, started REAL, finished REAL);
    CREATE TABLE worker (
        one INTEGER PRIMARY KEY CHECK (one = 1), pid INTEGER NOT NULL, token TEXT NOT NULL,
        heartbeat REAL NOT NULL);
    CREATE TABLE chats (
        id TEXT PRIMARY KEY,
        collection TEXT NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
        title TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL);
    CREATE TABLE turns (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
        chat TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
        question TEXT NOT NULL, retrieval TEXT, answer TEXT, created REAL NOT NULL);
    CREATE INDEX turns_chat ON turns(chat);
    CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE model_calls (key TEXT PRIMARY KEY, reply TEXT NOT NULL, created REAL NOT NULL);
    """,
    """
    ALTER TABLE documents ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE documents ADD COLUMN pictures INTEGER NOT NULL DEFAULT 0;
    """,
    """
    ALTER TABLE documents ADD COLUMN missing TEXT NOT NULL DEFAULT '';
    """,
    """
    ALTER TABLE turns ADD COLUMN checked TEXT;
    """,
    """
    ALTER TABLE model_calls ADD COLUMN document TEXT REFERENCES documents(id) ON DELETE CASCADE;
    CREATE INDEX model_calls_document ON model_calls(document);
    CREATE TABLE model_usage (
        number INTEGER PRIMARY KEY, role TEXT NOT NULL, model TEXT NOT NULL,
        document TEXT REFERENCES documents(id) ON DELETE SET NULL,
        prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
        estimated INTEGER NOT NULL, created REAL NOT NULL);
    CREATE INDEX model_usage_document ON model_usage(document);
    """,
    """
    CREATE TABLE descriptions (file TEXT PRIMARY KEY, model TEXT NOT NULL, text TEXT NOT NULL);
    """,
    """
    CREATE TABLE corrections (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        collection TEXT NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
        document TEXT REFERENCES documents(id) ON DELETE CASCADE,
        kind TEXT NOT NULL, image TEXT NOT NULL, node TEXT NOT NULL, other TEXT NOT NULL,
        value TEXT NOT NULL, created REAL NOT NULL, undone INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX corrections_collection ON corrections(collection);
    CREATE INDEX corrections_document ON corrections(document);
    ALTER TABLE images ADD COLUMN read_caption TEXT;
    ALTER TABLE images ADD COLUMN read_furniture INTEGER;
    """,
)

COLUMNS = """
    SELECT json_group_array(t.name || '.' || c.name)
    FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'
"""
"""«table.column» of all tables of a file, as one JSON list."""


@cache
def columns_at(version: int) -> frozenset[str]:
    """What `COLUMNS` gives for a file of that version, without what SQLite made for searching."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(";".join(MIGRATIONS[:version]))
        (names,) = connection.execute(f"{COLUMNS} AND t.name NOT GLOB '*_*_*'").fetchone()
    finally:
        connection.close()
    return frozenset(json.loads(names))
