"""The place in a document on which a step of a path rests: shown where it stands, marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from brit.errors import BritError
from brit.types import Retrieval
from brit.ui.evidence import Evidence, evidence_of_node
from brit.ui.lit import Lit, evidence_key
from brit.ui.page_pictures import page_part
from brit.ui.page_view import badge, document_id, quote
from brit.ui.path_words import PathStep
from brit.ui.pictures import small_jpeg
from brit.ui.safe import escape_markdown
from brit.ui.state import Place
from brit.ui.wording import dotted, page_of, t

_SIZE = (900, 420)


def path_evidence(
    retrieval: Retrieval, evidence: Sequence[Evidence], lit: Lit, steps: Sequence[PathStep]
) -> list[Evidence]:
    """The places a path rests on, its ends first; of a name also where else it is said."""
    keys = [evidence_key(target) for target in lit.targets]
    if lit.chosen.startswith("n:"):
        keys = [*evidence_of_node(retrieval, lit.chosen[2:]), *keys]
    known = {each.key: each for each in evidence}
    wanted = dict.fromkeys([*keys, *(step.evidence for step in steps)])
    return [known[key] for key in wanted if key in known]


def place_strip(
    place: Place,
    row: Sequence[Evidence],
    at: int,
    key: str,
    on_show: Callable[[int], None],
    on_open: Callable[[], None],
) -> None:
    """One of a row of places, with the way to the others and to its whole page."""
    each = row[at]
    with st.container(key="evidence-place", gap="small"):
        with st.container(key="evidence-place-head", horizontal=True, vertical_alignment="center"):
            # The page first: what does not fit is cut at the end.
            where = escape_markdown(dotted(page_of(each.page), each.document), 80)
            st.markdown(f"{badge(each)}**{where}**", width="stretch")
            if len(row) > 1:
                _turn(t("evidence.previous"), "chevron_left", f"{key}-before", at == 0,
                      lambda: on_show(at - 1))  # fmt: skip
                st.markdown(f":gray[{at + 1}\u00a0/\u00a0{len(row)}]", width="content")
                _turn(t("evidence.next"), "chevron_right", f"{key}-after", at == len(row) - 1,
                      lambda: on_show(at + 1))  # fmt: skip
            st.button(
                t("evidence.whole_page"), icon=":material/menu_book:", type="tertiary",
                key=f"{key}-whole", on_click=on_open,
            )  # fmt: skip
        try:
            _shown(place, each)
        except BritError as error:  # deleted since, or a damaged page
            st.caption(f":material/info: {escape_markdown(str(error))}")
            st.markdown(quote(each.text))


def _turn(label: str, icon: str, key: str, off: bool, act: Callable[[], None]) -> None:
    st.button(
        label, icon=f":material/{icon}:", type="tertiary", key=key, disabled=off, on_click=act
    )


def _shown(place: Place, each: Evidence) -> None:
    id = document_id(place, each.document_id, each.document)
    pdf = place.workspace.documents.document(id).format == "pdf"
    if pdf and each.page is not None and each.bbox:
        part = page_part(place.workspace, id, each.page, each.bbox)
        st.image(part, width="stretch", alt=t("evidence.part_alt", page=each.page))
    elif each.kind == "image" and (small := small_jpeg(each.path, _SIZE)):
        st.image(small, alt=each.label)
    else:
        st.markdown(quote(each.text or each.label))
