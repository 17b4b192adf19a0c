"""One document of the Library: its pictures with captions, the ledger of its pages, deletion."""

from __future__ import annotations

import streamlit as st

from brit.storage.content import PageRecord
from brit.types import READABLE_AGAIN, Document, Image
from brit.ui import state
from brit.ui.asides import aside, close, deletion
from brit.ui.compare_view import compare_view
from brit.ui.jobs_panel import active_jobs, reading
from brit.ui.page_pictures import page_png
from brit.ui.pictures import CARD, small_jpeg
from brit.ui.reader import open_reader
from brit.ui.safe import escape_markdown, one_line
from brit.ui.state import Place, shown_errors
from brit.ui.unlock import unlock_form
from brit.ui.uploads import spool, submit_ingestion
from brit.ui.wording import dotted, number, page_of, seconds, t

STATUS_COLORS = {"whole": "#0d9488", "partial": "#e98a10", "password": "#7b8094",
                 "refused": "#c8404f", "reading": "#7b8094", "unfinished": "#e98a10"}  # fmt: skip
_BADGES = {"whole": "green", "partial": "orange", "password": "gray", "refused": "red",
           "reading": "gray", "unfinished": "orange"}  # fmt: skip
_COLUMNS, _MOST = 5, 60


def shown_status(document: Document, at_work: bool) -> str:
    """How a document ended; where it has not yet: is somebody at work on it?"""
    if document.ready or document.status != "partial":
        return document.status
    return "reading" if at_work else "unfinished"


def shown_reason(document: Document, at_work: bool) -> str:
    """Why it ended so; of a document in hand there is nothing to say."""
    return "" if shown_status(document, at_work) == "reading" else document.reason


def show_document(place: Place, document: Document) -> None:
    """Below the table, in a frame of its own."""
    at_work = reading(place)
    with st.container(border=True, key="document"):
        _head(place, document, shown_status(document, at_work))
        notes = [shown_reason(document, at_work), *document.warnings]
        for note in dict.fromkeys(note for note in notes if note):
            st.caption(f":material/info: {escape_markdown(note)}")
        if document.status == "password":
            unlock_form(place, document, "document")
        if document.refused:  # nothing can be said of what was not opened
            return
        pictures = place.workspace.content.document_images(document.id)
        shown = [image for image in pictures if not image.furniture]
        names = [t("document.tab_pictures", count=number(len(shown)))]
        if document.paged:
            names.append(t("document.tab_pages", count=number(document.pages)))
        tabs = st.tabs([*names, t("compare.tab")])
        with tabs[0]:
            _pictures(place, shown)
        if document.paged:
            with tabs[1]:
                _pages(place, document)
        with tabs[-1]:
            compare_view(place, document)


def _head(place: Place, document: Document, status: str) -> None:
    with st.container(
        key="document-head", horizontal=True, horizontal_alignment="distribute",
        vertical_alignment="center",
    ):  # fmt: skip
        badge = f":{_BADGES[status]}-badge[{t(f'document.{status}')}]"
        with st.container(gap=None, width="content"):
            st.markdown(f"**{escape_markdown(document.name, 80)}** {badge}")
            if not document.refused:
                st.caption(_counts(document))
        with st.container(width="content", horizontal=True, gap="medium"):
            if not document.refused and st.button(
                t("reader.read"), icon=":material/auto_stories:", type="tertiary",
                key=f"read-{document.id}",
            ):  # fmt: skip
                open_reader(place, document.id, None)
            if document.ready:
                _replace(place, document)
            _delete(place, document)


def _counts(document: Document) -> str:
    return dotted(
        t("count.pages", n=document.pages) if document.paged else "",
        t("count.images", n=document.figures, count=number(document.figures)),
        t("count.captions", n=document.captions, count=number(document.captions)),
        t("count.triplets", n=document.triplets, count=number(document.triplets)),
        t("count.nodes", n=document.nodes, count=number(document.nodes)),
        seconds(document.seconds) if document.ready else "",
    )


@st.fragment
def _replace(place: Place, document: Document) -> None:
    """By a newer file: the old one answers until that is read."""
    assert place.collection is not None, "a document is in a collection"
    key = f"aside-replace-{document.id}"
    with aside(t("document.replace"), ":material/published_with_changes:", key):
        round_ = st.session_state.get("replace-round", 0)
        file = st.file_uploader(t("document.replace_by"), key=f"replace-{document.id}-{round_}")
        st.caption(t("document.replace_hint"))
    if file:
        st.session_state["replace-round"] = round_ + 1
        paths = spool(place.workspace.folder, [file])
        submit_ingestion(paths, place.collection.name, replaces=[document.id])
        close(key)
        st.rerun()


@st.fragment
def _delete(place: Place, document: Document) -> None:
    name = escape_markdown(document.name, 60)
    if deletion(
        document.id, name, t("document.delete"), t("document.delete_sure", name=name),
        t("document.delete_yes"), place.workspace.documents.delete,
    ):  # fmt: skip
        st.query_params.pop("doc", None)
        st.rerun()


def _pictures(place: Place, images: list[Image]) -> None:
    if not images:
        st.caption(t("document.no_pictures"))
    for start in range(0, min(len(images), _MOST), _COLUMNS):
        columns = st.columns(_COLUMNS, gap="small")
        for column, image in zip(columns, images[start : start + _COLUMNS], strict=False):
            with column, st.container(key=f"thumb-{image.id}", gap=None):
                _picture(place, image)
    if len(images) > _MOST:
        st.caption(t("document.more_pictures", count=number(len(images) - _MOST)))


def _picture(place: Place, image: Image) -> None:
    path = place.workspace.images.path(image.file) if image.file else None
    content = small_jpeg(str(path), CARD) if path else b""
    if content:
        st.image(content, width="stretch", alt=one_line(image.caption or image.name or "", 80))
    else:
        st.caption(t("picture.missing"))
    caption = escape_markdown(image.caption or image.name or "", 90)
    st.markdown(caption or f":gray[{t('picture.no_caption')}]")
    where = page_of(image.page) or escape_markdown(image.section_title, 40)
    if where:
        st.caption(where)


def _pages(place: Place, document: Document) -> None:
    records = place.workspace.content.pages(document.id)
    st.caption(ledger_summary(records))
    left, right = st.columns([7, 5], gap="medium")
    with left:
        chosen = _page_table(document, [page_row(record) for record in records])
        if document.format not in READABLE_AGAIN:
            if any(record.failure for record in records):
                st.caption(t("document.again_files"))
        elif records and not active_jobs(place, "read-again"):
            _again(place, document, records, records[chosen].number)
    if records:
        with right, shown_errors():
            _page(place, document, records[chosen].number)
            if remark := records[chosen].failure or records[chosen].missing:
                st.caption(f":material/info: {escape_markdown(remark)}")


def _again(place: Place, document: Document, records: list[PageRecord], page: int) -> None:
    """Pages can be read anew: the one that is shown, or all that were not read whole."""
    poor = [record.number for record in records if record.failure or record.missing]
    choices = {t("document.again", page=page): [page]}
    if poor and poor != [page]:
        choices[t("document.again_poor", n=len(poor))] = poor
    with st.container(horizontal=True):
        for number, (label, pages) in enumerate(choices.items()):
            if st.button(
                label, icon=":material/refresh:", type="tertiary", key=f"read-again-{number}"
            ):
                assert place.collection is not None, "a document is in a collection"
                payload = {"document": document.id, "pages": pages, "name": document.name,
                           "collection": place.collection.name}  # fmt: skip
                state.runner().submit("read-again", payload)
                st.rerun()


def _page_table(document: Document, rows: list[dict[str, object]]) -> int:
    """→ the place of the row chosen, of the first where none is."""
    names = ("page", "texts", "figures", "captions")
    event = st.dataframe(
        rows,
        hide_index=True,
        width="stretch",
        height=min(38 + 36 * max(len(rows), 1), 560),
        row_height=36,
        placeholder="",
        on_select="rerun",
        selection_mode="single-row",
        key=f"pages-{document.id}",
        column_order=filled_columns(rows),
        column_config={
            **{k: st.column_config.NumberColumn(t(f"document.{k}"), width=64) for k in names},
            "state": st.column_config.MultiselectColumn(
                t("document.status"),
                width=84,
                options=[t("document.missing"), t("document.failed")],
                color=[STATUS_COLORS["partial"], STATUS_COLORS["refused"]],
            ),
            "confidence": st.column_config.NumberColumn(
                t("document.confidence"),
                help=t("document.confidence_help"),
                width=84,
                format="percent",
            ),
            "remarks": st.column_config.TextColumn(t("document.reason"), width="medium"),
            "seconds": st.column_config.TextColumn(
                t("document.seconds"), width=84, alignment="right"
            ),
        },
    )
    return event.selection.rows[0] if event.selection.rows else 0


def _page(place: Place, document: Document, page: int) -> None:
    """A page with the pictures found on it marked."""
    images = place.workspace.content.document_images(document.id)
    boxes = [im.bbox for im in images if im.page == page and im.bbox and not im.furniture]
    with st.container(key="document-page"):
        st.image(
            page_png(place.workspace, document.id, page, tuple(boxes)),
            width="stretch",
            alt=t("evidence.page_alt", page=page),
        )
    marked = t("document.page_marked", n=len(boxes), page=page) if boxes else ""
    st.caption(marked or t("document.page_plain", page=page))
    if st.button(
        t("reader.open"), icon=":material/auto_stories:", type="tertiary",
        key=f"read-page-{document.id}",
    ):  # fmt: skip
        open_reader(place, document.id, page)


def ledger_summary(records: list[PageRecord]) -> str:
    """«98 pages read whole · 2 in part · 1 failed · 3 read from their pictures»."""
    counts = {
        "whole": sum(not (record.failure or record.missing) for record in records),
        "partial": sum(bool(record.missing and not record.failure) for record in records),
        "failed": sum(bool(record.failure) for record in records),
        "scanned": sum(record.confidence is not None for record in records),
    }
    return dotted(*(t(f"document.pages_{name}", n=n) for name, n in counts.items() if n))


def page_row(record: PageRecord) -> dict[str, object]:
    """A line of the ledger; reasons stay plain text in cells."""
    merged = t("document.merged", n=record.merged) if record.merged else ""
    state = "failed" if record.failure else "missing" if record.missing else ""
    return {
        "page": record.number,
        "state": [t(f"document.{state}")] if state else None,
        "remarks": one_line(record.failure or dotted(record.missing, merged)),
        "texts": record.texts,
        "figures": record.figures,
        "captions": record.captions,
        "confidence": record.confidence,
        "seconds": seconds(record.seconds),
    }


def filled_columns(rows: list[dict[str, object]]) -> list[str]:
    """Without the columns that would be empty."""
    names = rows[0] if rows else {}
    return [key for key in names if any(row[key] not in ("", None) for row in rows)]
