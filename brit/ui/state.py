"""What a page stands on: the workspace, the models, and where in them the visitor is.

The workspace and the models are made once and shared by all sessions; where the settings want it,
each who signs in has a workspace of their own, and the encoders alone are shared. Where somebody is
(collection and chat) stands in the address, so that a reload and a link lead back; what an address
names is checked, for it may be old or made up.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from brit.config import Settings, load_settings
from brit.errors import BritError, UnknownName
from brit.jobs import LocalJobRunner
from brit.journal import name_visitors, open_log
from brit.pipeline import Models
from brit.storage import Workspace
from brit.storage.chats import Chat
from brit.storage.ledger import Collection
from brit.ui.safe import escape_markdown
from brit.ui.verify_work import Checks
from brit.ui.visitor import own_folder, visitor


@dataclass(frozen=True)
class Place:
    """Where the visitor is. `collection` is None while there is none, `chat` before a question."""

    workspace: Workspace
    collection: Collection | None
    chat: Chat | None

    @property
    def ready(self) -> bool:
        """Is there anything to ask? A document counts once all of it can be found."""
        collection = self.collection
        return collection is not None and bool(collection.passages or collection.images)


def refreshed(place: Place) -> Place:
    """The same place with its collection as it is now; None where that was deleted."""
    id = place.collection.id if place.collection else None
    collections = place.workspace.documents.collections()
    return replace(place, collection=next((c for c in collections if c.id == id), None))


USERS = "users"
"""Folder of the root workspace for workspaces of one visitor each."""
WARM_AFTER = 1.5
"""Seconds: importing models at once would double the time until the first page answers."""


@st.cache_resource(show_spinner=False)
def settings() -> Settings:
    """From the environment; top-level entries of .streamlit/secrets.toml count as such."""
    st.secrets.load_if_toml_exists()
    return load_settings()


def workspace_folder() -> Path:
    """Of the visitor's workspace. Raises InputError where each has one and nobody says whose this
    is."""
    chosen = settings()
    return chosen.workspace / USERS / own_folder() if chosen.own_workspaces else chosen.workspace


def workspace() -> Workspace:
    """Raises WorkspaceError."""
    return _workspace(workspace_folder())


@st.cache_resource(show_spinner=False)
def _workspace(folder: Path) -> Workspace:
    opened = Workspace.open(folder)
    _open_log()
    return opened


@st.cache_resource(show_spinner=False)
def _open_log() -> None:
    settings().workspace.mkdir(parents=True, exist_ok=True)
    open_log(settings().workspace, "app")
    name_visitors(lambda: visitor().name)


def models() -> Models:
    """The models, loading in the background once the first page stands."""
    return _models_of(workspace_folder())


@st.cache_resource(show_spinner=False)
def _models_of(folder: Path) -> Models:
    return _models().beside(_workspace(folder).calls)


@st.cache_resource(show_spinner=False)
def _models() -> Models:
    loaded = Models(settings())
    warming = threading.Timer(WARM_AFTER, loaded.warm)
    warming.daemon = True
    warming.start()
    return loaded


def forget_models() -> None:
    """They are made anew: each believes what its server could do when it was made."""
    _models_of.clear()


@st.cache_resource(show_spinner=False)
def check_encoders() -> None:
    """Raises BritError where the encoders the settings name cannot be used; loads no weights."""
    models().encoders("default")


def runner() -> LocalJobRunner:
    return _runner(workspace_folder())


@st.cache_resource(show_spinner=False)
def _runner(folder: Path) -> LocalJobRunner:
    return LocalJobRunner(_workspace(folder))


def checks() -> Checks:
    return _checks(workspace_folder())


@st.cache_resource(show_spinner=False)
def _checks(folder: Path) -> Checks:
    return Checks(_workspace(folder))


_DIALOG = "dialog-open"


def open_dialog(title: str, width: Literal["small", "large"] = "small") -> Callable[..., Any]:
    """`st.dialog`, remembered until the page is drawn anew, which closes it."""
    st.session_state[_DIALOG] = True
    return st.dialog(title, width=width)


def dialog_is_open() -> bool:
    """Or was closed since the page was drawn: nobody tells."""
    return bool(st.session_state.get(_DIALOG))


@contextmanager
def shown_errors() -> Iterator[None]:
    """What somebody can put right is said in one sentence; everything else goes its way."""
    try:
        yield
    except BritError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")


def current_place() -> Place:
    """Collection and chat from the address, or the session, or the first there is."""
    st.session_state[_DIALOG] = False
    ws = workspace()
    collections = ws.documents.collections()
    chat = _chat(ws, st.query_params.get("chat"))
    wanted = (
        chat.collection if chat else st.query_params.get("collection"),
        st.session_state.get("collection"),
    )
    by_id = {collection.id: collection for collection in collections}
    found = next((by_id[id] for id in wanted if id in by_id), None)
    collection = found or (collections[-1] if collections else None)
    st.session_state["collection"] = collection.id if collection else None
    if chat is not None:  # the way back from another page
        st.session_state["chat"] = chat.id
    return Place(ws, collection, chat if chat and chat.collection in by_id else None)


def _chat(ws: Workspace, id: str | None) -> Chat | None:
    if not id:
        return None
    try:
        return ws.chats.chat(id)
    except UnknownName:
        del st.query_params["chat"]
        return None


def address(collection: str | None = None, chat: str | None = None) -> dict[str, str]:
    """The query parameters that lead to a collection or a chat."""
    pairs = {"collection": None if chat else collection, "chat": chat}
    return {key: value for key, value in pairs.items() if value}


def enter(place: Place) -> None:
    """Write the place into the address."""
    collection = place.collection.id if place.collection else None
    wanted = address(collection, place.chat.id if place.chat else None)
    kept = {k: v for k, v in st.query_params.items() if k not in ("collection", "chat")}
    if st.query_params.to_dict() != kept | wanted:
        st.query_params.from_dict(kept | wanted)
