"""The dialog in which evidence is looked at where it stands: the page with the place marked.

Pages are drawn of PDF only; other documents show the picture, or the text of the section with the
quote emphasised.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import streamlit as st

from brit import pipeline
from brit.errors import BritError, UnknownName
from brit.types import Document, Retrieval, StoredBlock, TableBlock, TextBlock
from brit.ui.evidence import Evidence
from brit.ui.explore.link import graph_link
from brit.ui.page_pictures import page_png
from brit.ui.pictures import small_jpeg
from brit.ui.reader import close_reader, reader_stands, show_reader, start_reader
from brit.ui.safe import escape_markdown
from brit.ui.state import Place, open_dialog
from brit.ui.verify_pictures import marked_picture
from brit.ui.wording import decimal, dotted, page_of, t

_LARGE = (1400, 1400)
_AT = "evidence-at"


def with_section_titles(place: Place, retrieval: Retrieval) -> Retrieval:
    """The retrieval with each passage's section by its title instead of its id."""
    titles: dict[str, str] = {}
    for id, name in {(passage.document_id, passage.document) for passage in retrieval.passages}:
        with suppress(UnknownName):  # deleted since: its sections are gone with it
            sections = place.workspace.content.sections(document_id(place, id, name))
            titles |= {section.id: section.title for section in sections}
    passages = (replace(p, section=titles.get(p.section, "")) for p in retrieval.passages)
    return replace(retrieval, passages=tuple(passages))


def open_evidence(
    place: Place, evidence: Sequence[Evidence], key: str, title: str = "", mark: str = ""
) -> None:
    """Open the dialog on one of a row of evidence; with a link to what is around `mark`, a node or
    image of the graph, where one is given."""
    close_reader()
    keys = [each.key for each in evidence]
    st.session_state[_AT] = keys.index(key) if key in keys else 0
    dialog = open_dialog(title or t("evidence.title"), width="large")
    dialog(_show)(place, list(evidence), mark)


def _show(place: Place, evidence: list[Evidence], mark: str) -> None:
    if reader_stands():
        st.button(
            t("reader.back_evidence"), icon=":material/arrow_back:", type="tertiary",
            key="evidence-again", on_click=close_reader,
        )  # fmt: skip
        show_reader(place)
        return
    at = min(st.session_state.get(_AT, 0), len(evidence) - 1)
    _head(evidence, at)
    try:
        _body(place, evidence[at])
    except BritError as error:
        st.warning(escape_markdown(str(error)), icon=":material/info:")
        st.markdown(quote(evidence[at].text))
    with st.container(key="evidence-foot", horizontal=True, vertical_alignment="center"):
        _read_on(place, evidence[at])
        if mark:
            graph_link(place, mark)


def _read_on(place: Place, evidence: Evidence) -> None:
    """The way from a place to its whole document."""
    with suppress(UnknownName):  # deleted since
        document = document_id(place, evidence.document_id, evidence.document)
        st.button(
            t("reader.open"), icon=":material/auto_stories:", type="tertiary", key="evidence-read",
            on_click=start_reader, args=(document, evidence.page, _region(place, evidence)),
        )  # fmt: skip


def _region(place: Place, evidence: Evidence) -> str:
    """The region of its page that evidence is, as far as it is known."""
    kind, _, id = evidence.key.partition(":")
    if evidence.kind == "image":
        return f"i:{id}"
    if kind == "mention":
        return f"b:{id}"
    with suppress(UnknownName):
        blocks = place.workspace.content.passage(id).blocks
        return f"b:{blocks[0]}" if blocks else ""
    return ""


def _head(evidence: list[Evidence], at: int) -> None:
    each = evidence[at]
    with st.container(key="evidence-head", horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"{badge(each)}**{escape_markdown(each.document, 60)}** "
            f":gray[{escape_markdown(dotted(page_of(each.page), each.section)) or ' '}]",
            width="stretch",
        )
        if len(evidence) > 1:
            _step(t("evidence.previous"), ":material/chevron_left:", at - 1, at == 0)
            st.markdown(f":gray[{position(evidence, at)}]")
            _step(t("evidence.next"), ":material/chevron_right:", at + 1, at == len(evidence) - 1)


def position(evidence: Sequence[Evidence], at: int) -> str:
    """«Cited 1 of 2», «Also found 1 of 35»: what an answer cites is counted apart."""
    cited = bool(evidence[at].marker)
    alike = [i for i, each in enumerate(evidence) if bool(each.marker) == cited]
    kind = "_cited" if cited else "" if len(alike) == len(evidence) else "_found"
    return t(f"evidence.position{kind}", at=alike.index(at) + 1, of=len(alike))


def _step(label: str, icon: str, target: int, disabled: bool) -> None:
    st.button(
        label,
        icon=icon,
        disabled=disabled,
        type="tertiary",
        key=f"evidence-{icon}",
        on_click=lambda: st.session_state.update({_AT: target}),
    )


def badge(evidence: Evidence) -> str:
    """The number by which it is cited, as Markdown; "" where it is not."""
    if not evidence.marker:
        return ""
    if evidence.kind == "image":
        return f":green-badge[:material/image: {evidence.marker}] "
    return f":blue-badge[{evidence.marker}] "


def document_id(place: Place, id: str, name: str) -> str:
    """The id of the document evidence is from; chats of older versions know its name alone."""
    assert place.collection is not None, "evidence stands in a collection"
    return id or pipeline.document_id(place.workspace, place.collection.id, name)


def _body(place: Place, evidence: Evidence) -> None:
    id = document_id(place, evidence.document_id, evidence.document)
    document = place.workspace.documents.document(id)
    picture, words = st.columns([9, 10], gap="medium")
    with words, st.container(key="evidence-facts", gap="small"):
        _facts(evidence)
    with picture, st.container(key="evidence-page"):
        if evidence.boxes:
            _picture(evidence)
        elif document.format == "pdf" and evidence.page is not None:
            boxes = (evidence.bbox,) if evidence.bbox else ()
            with st.spinner(t("evidence.drawing")):
                page = page_png(place.workspace, id, evidence.page, boxes)
            st.image(page, width="stretch", alt=t("evidence.page_alt", page=evidence.page))
        elif evidence.kind == "image":
            _picture(evidence)
        else:
            _section(place, document, evidence)


def _facts(evidence: Evidence) -> None:
    if evidence.kind == "image" and evidence.path:
        small = small_jpeg(evidence.path, (480, 300))
        if small and evidence.page is not None and not evidence.boxes:
            st.image(small, alt=evidence.label)
    if evidence.text:
        st.markdown(quote(evidence.text))
    elif evidence.kind == "image":
        st.caption(t("evidence.no_caption"))
    if evidence.generated:
        st.caption(t("evidence.generated", text=escape_markdown(evidence.generated)))
    score = t("evidence.score", score=decimal(evidence.score)) if evidence.scored else ""
    facts = [evidence.why, score]
    for fact in facts:
        if fact:
            st.caption(escape_markdown(fact))


def quote(text: str) -> str:
    """As a quotation in Markdown, line by line: the rows of a table stand below each other."""
    return "  \n".join(f"> {escape_markdown(line)}" for line in text.split("\n") if line.strip())


def _picture(evidence: Evidence) -> None:
    path = evidence.path
    boxes = evidence.boxes
    content = marked_picture(path, boxes) if boxes else small_jpeg(path, _LARGE)
    if content:
        st.image(content, alt=evidence.label)
    else:
        st.caption(t("picture.missing"))


def _section(place: Place, document: Document, evidence: Evidence) -> None:
    with st.container(key="section-text", height=520, border=True):
        blocks = place.workspace.content.blocks(document.id)
        for at, stored in enumerate(_around(blocks, evidence.text)):
            text = _text(stored)
            with st.container(key=f"{'quoted' if _quoted(text, evidence.text) else 'around'}-{at}"):
                st.markdown(escape_markdown(text))


def _around(blocks: Sequence[StoredBlock], quote: str) -> list[StoredBlock]:
    """The blocks of the section in which the quote stands; some blocks around it without one."""
    texts = [block for block in blocks if _text(block)]
    at = next((i for i, block in enumerate(texts) if _quoted(_text(block), quote)), None)
    if at is None:
        return []
    section = texts[at].block.section
    if section:
        return [block for block in texts if block.block.section == section]
    return texts[max(at - 3, 0) : at + 6]


def _text(stored: StoredBlock) -> str:
    block = stored.block
    return block.text if isinstance(block, TextBlock | TableBlock) else ""


def _quoted(text: str, quote: str) -> bool:
    text, quote = (" ".join(each.split()) for each in (text, quote))
    return bool(text and quote) and (text in quote or quote in text)
