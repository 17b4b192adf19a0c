"""The first call of every page: its frame, its side bar, and where the visitor is."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from brit.config import RetrievalConfig
from brit.errors import BritError, WeightsMissing
from brit.storage.chats import Chat
from brit.ui import state
from brit.ui.safe import escape_markdown, one_line
from brit.ui.sign_in import let_in, sign_out_button
from brit.ui.state import Place, address
from brit.ui.wording import KEPT, begin_language, dotted, number, t

ASSETS = Path(__file__).parents[2] / "assets"
SIDEBAR_WIDTH = 256
_RECENT, _OLDEST = 6, 60
_SHORT = 44  # a shorter question stands whole on its two lines
_PAGES = (
    ("app.py", "nav.ask", ":material/forum:"),
    ("pages/1_Library.py", "nav.library", ":material/library_books:"),
    ("pages/2_Graph.py", "nav.graph", ":material/hub:"),
    ("pages/3_Retrieval_Lab.py", "nav.lab", ":material/science:"),
    ("pages/4_Verify.py", "nav.verify", ":material/fact_check:"),
    ("pages/5_Benchmark.py", "nav.benchmark", ":material/leaderboard:"),
    ("pages/6_Settings.py", "nav.settings", ":material/tune:"),
)


def setup(title: str) -> Place:
    """Frame, style, side bar; → where the visitor is. Ends the page if the workspace is broken."""
    st.set_page_config(
        page_title=f"{title} · BRIT",
        page_icon=str(ASSETS / "icon.svg"),
        layout="wide",
        initial_sidebar_state=SIDEBAR_WIDTH,
    )
    st.html(Path(__file__).with_name("style.css"))
    st.logo(str(ASSETS / "logo.svg"), size="large")  # it follows the page's color-scheme itself
    try:
        let_in()
        place = state.current_place()
    except BritError as error:  # the workspace, or a setting in the environment
        st.error(escape_markdown(str(error)), icon=":material/error:")
        st.stop()
    if begin_language(place.workspace.settings.get(KEPT, "")):
        st.rerun()  # the title and what came before are of another language
    state.runner().ensure_worker()
    state.models()  # they load while the visitor reads
    _check_encoders()
    with st.sidebar:
        _navigation(place)
        place = _collection_picker(place)
        _recent_chats(place)
        _models_in_use()
        sign_out_button()
    state.enter(place)
    return place


def _check_encoders() -> None:
    """Named wrongly, or without weights: said before the first question."""
    try:
        state.check_encoders()
    except WeightsMissing as error:  # says itself what to do
        st.error(escape_markdown(str(error)), icon=":material/error:")
    except BritError as error:
        told = escape_markdown(f"{error} {t('nav.wrong_encoder')}")
        st.error(told, icon=":material/error:")


def _navigation(place: Place) -> None:
    collection = place.collection.id if place.collection else None
    chat = place.chat.id if place.chat else st.session_state.get("chat")
    for page, label, icon in _PAGES:
        params = address(collection, chat if page == "app.py" else None)
        st.page_link(page, label=t(label), icon=icon, width="stretch", query_params=params)


def _collection_picker(place: Place) -> Place:
    collections = place.workspace.documents.collections()
    if not collections or place.collection is None:
        return place
    names = {collection.id: collection.name for collection in collections}
    chosen = st.selectbox(
        t("nav.collection"),
        list(names),
        index=list(names).index(place.collection.id),
        format_func=lambda id: one_line(names.get(id, ""), 60),
        key=f"collection-{place.collection.id}-{len(names)}",
    )
    if chosen != place.collection.id:
        st.session_state["collection"] = chosen
        st.session_state.pop("chat", None)
        st.query_params.from_dict(address(chosen))
        st.rerun()
    st.caption(_counts(place))
    return place


def _counts(place: Place) -> str:
    collection = place.collection
    if collection is None or not place.ready:
        return t("nav.nothing")
    counts = (
        t("count.documents", n=collection.documents),
        t("count.passages", n=collection.passages, count=number(collection.passages)),
        t("count.images", n=collection.images, count=number(collection.images)),
    )
    own = place.workspace.settings.retrieval(collection.id) != RetrievalConfig()
    told = (*counts, t("nav.own_setting") if own else "")
    return dotted(*(count.replace(" ", "\u00a0") for count in told))


def _recent_chats(place: Place) -> None:
    if place.collection is None:
        return
    chats = place.workspace.chats.chats(place.collection.id)
    with st.container(key="recent", gap=None):
        head = st.container(
            key="recent-head", horizontal=True, vertical_alignment="center",
            horizontal_alignment="distribute",
        )  # fmt: skip
        if chats:
            head.markdown(f"**{t('nav.recent')}**")
        if chats and head.button(
            t("nav.new_chat"), icon=":material/add:", type="tertiary", key="new-chat"
        ):
            st.session_state.pop("chat", None)
            st.switch_page("app.py", query_params=address(place.collection.id))
        for chat in chats[:_RECENT]:
            _chat_button(place, chat)
        if older := chats[_RECENT:]:
            with st.expander(t("nav.older", n=len(older)), type="compact"):
                _older(place, place.collection.id, older)


def _older(place: Place, collection: str, older: list[Chat]) -> None:
    """Chats of earlier days; looked for by a word, newer ones too."""
    given = st.text_input(
        t("chat.find"),
        placeholder=t("chat.find"),
        key="find-chat",
        label_visibility="collapsed",
        icon=":material/search:",
    )
    wanted = one_line(given)
    shown = place.workspace.chats.find(collection, wanted) if wanted else older
    if not shown:
        st.caption(t("chat.none_found"))
    for chat in shown[:_OLDEST]:
        _chat_button(place, chat, "found-" if wanted else "")


def _chat_button(place: Place, chat: Chat, where: str = "") -> None:
    current = place.chat is not None and chat.id == place.chat.id
    count = t("nav.questions", n=chat.questions).replace(" ", "\u00a0")
    several = f" :gray[·\u00a0{count}]" if chat.questions > 1 else ""
    if st.button(
        f"{escape_markdown(chat.title, _SHORT if several else 90)}{several}",
        key=f"{where}chat-{chat.id}{'-current' if current else ''}",
        type="tertiary",
        width="stretch",
        help=escape_markdown(chat.title) if len(chat.title) > _SHORT else None,
    ):
        st.switch_page("app.py", query_params=address(chat=chat.id))


def _models_in_use() -> None:
    with st.container(key="in-use"):
        st.page_link(
            "pages/6_Settings.py",
            label=models_line(),
            icon=":material/memory:",
            help=t("nav.models_help"),
        )


def models_line() -> str:
    """«Embedded encoder · no language model»."""
    chosen = state.settings()
    encoder = chosen.encoders.image_encoder
    embedded = t("models.embedded") if encoder == "embedded" else escape_markdown(encoder, 28)
    model = escape_markdown(chosen.answer.model, 28) or t("models.none")
    return dotted(embedded, model)
