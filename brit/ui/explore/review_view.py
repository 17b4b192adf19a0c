"""Review links: the queue of pairs of a picture and a name, and the one that is judged.

Which pair is looked at stands in the address; which ones are listed is the visitor's own.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from brit.errors import UnknownName
from brit.pipeline.review import Pair, ReviewQueue, State, open_review
from brit.types import LINK_KINDS, LinkKind
from brit.ui.explore.mode import mode_switch, reviewing
from brit.ui.explore.review_acts import last_said, look_at, looked_at, undo_last_button
from brit.ui.explore.review_card import review_card
from brit.ui.explore.review_list import corrections_button
from brit.ui.explore.stage import image_name
from brit.ui.safe import escape_markdown, one_line
from brit.ui.state import Place, shown_errors
from brit.ui.wording import decimal, dotted, number, t, unbroken

ROWS = 10
_STATES: tuple[State, ...] = ("open", "confirmed", "rejected", "all")


@dataclass(frozen=True)
class Listed:
    """The places in the queue that are listed, and which of them is looked at; None: none."""

    places: list[int]
    at: int | None


@st.fragment
def show_review(place: Place, collection: str) -> None:
    """All of it but for the page's frame."""
    if not reviewing():  # since the page was drawn
        st.rerun()
    with shown_errors():
        queue = open_review(place.workspace, collection)
        with st.container(key="review-bar", horizontal=True, vertical_alignment="center"):
            mode_switch()
            state, kind, document = _filters(queue)
            undo_last_button(queue)
            corrections_button(queue)
        listed = _listed(queue, state, kind, document)
        _head(queue)
        left, right = st.columns([8, 17], gap="medium")
        with left, st.container(key="review-queue", gap=None):
            _rows(queue, listed, state)
        with right, st.container(key="review-card", border=True):
            _card(place, queue, listed)


def _filters(queue: ReviewQueue) -> tuple[State, LinkKind | None, str | None]:
    state = st.selectbox(
        t("review.state"), _STATES, key="review-state", label_visibility="collapsed",
        format_func=lambda state: t(f"review.state_{state}"),
    )  # fmt: skip
    there = [kind for at, kind in enumerate(LINK_KINDS) if (queue.kinds >> at & 1).any()]
    kinds = {"": t("review.kind_all")} | {kind: t(f"link.{kind}") for kind in there}
    kind = st.selectbox(
        t("review.kind"), list(kinds), key="review-kind", label_visibility="collapsed",
        format_func=lambda kind: kinds.get(kind, kind),
    )  # fmt: skip
    names = {id: one_line(name, 60) for id, name in queue.documents.items()}
    names = {"": t("explore.documents_all")} | names
    document = st.selectbox(
        t("review.document"), list(names), key="review-document", label_visibility="collapsed",
        format_func=lambda id: names.get(id, ""),
    )  # fmt: skip
    return state, next((each for each in there if each == kind), None), document or None


def _listed(
    queue: ReviewQueue, state: State, kind: LinkKind | None, document: str | None
) -> Listed:
    """The list, and the place the address names, also where the list leaves it out."""
    places: list[int] = queue.chosen(state, kind, document).tolist()
    wanted = looked_at()
    if wanted is not None:
        at = queue.place_of(*wanted)
        if at is not None:
            return Listed(places, at)
        st.info(t("review.gone"), icon=":material/info:")
    return Listed(places, places[0] if places else None)


def _head(queue: ReviewQueue) -> None:
    done, total = queue.reviewed, queue.total
    with st.container(key="review-head"):
        counted = t("review.done", n=total, done=number(done), count=number(total))
        told = last_said() or f":gray[:small[{t('review.order')}]]"
        st.markdown(f"**{counted}** \u2002{told}")
        st.progress(done / total if total else 0.0, width="stretch")


def _rows(queue: ReviewQueue, listed: Listed, state: State) -> None:
    if not listed.places:
        st.info(t(f"review.none_{state}"), icon=":material/task_alt:")
        return
    pages = (len(listed.places) - 1) // ROWS
    page = _page(listed, pages)
    for at in listed.places[page * ROWS : (page + 1) * ROWS]:
        _row(queue, queue.pair(at), chosen=at == listed.at)
    with st.container(key="review-pager", horizontal=True, vertical_alignment="center"):
        for step, icon in ((-1, "chevron_left"), (1, "chevron_right")):
            if step == 1:
                first, last = page * ROWS + 1, min((page + 1) * ROWS, len(listed.places))
                st.markdown(
                    t("review.page", first=number(first), last=number(last),
                      count=number(len(listed.places)))
                )  # fmt: skip
            st.button(
                t("review.before" if step < 0 else "review.after"),
                icon=f":material/{icon}:",
                key=f"review-step-{step}",
                type="tertiary",
                disabled=not 0 <= page + step <= pages,
                on_click=_turn,
                args=(page + step,),
            )


def _page(listed: Listed, pages: int) -> int:
    """The page turned to; without one, that of the pair that is looked at."""
    turned = st.session_state.get("review-page")
    if turned is None:
        turned = listed.places.index(listed.at) // ROWS if listed.at in listed.places else 0
    return min(max(int(turned), 0), pages)


def _turn(page: int) -> None:
    st.session_state["review-page"] = page


def _row(queue: ReviewQueue, pair: Pair, chosen: bool) -> None:
    try:
        picture = image_name(queue.workspace.content.image(pair.image))
    except UnknownName:
        picture = t("picture.unnamed")
    told = dotted(
        t(f"review.said_{pair.said}") if pair.said else "",
        t("review.used", n=pair.used, count=number(pair.used)) if pair.used else "",
        f"{t(f'link.{pair.links[0][0]}')} {decimal(pair.links[0][1])}" if pair.links else "",
    )
    name = escape_markdown(pair.label, 60)
    label = f"**{name}** :gray[↔] {escape_markdown(picture, 60)}  \n:gray[:small[{unbroken(told)}]]"
    with st.container(key=f"review-row-{'chosen' if chosen else 'other'}-{pair.image}-{pair.node}"):
        st.button(
            label, key=f"review-look-{pair.image}-{pair.node}", type="tertiary", width="stretch",
            on_click=look_at, args=(pair.image, pair.node),
        )  # fmt: skip


def _card(place: Place, queue: ReviewQueue, listed: Listed) -> None:
    if listed.at is None:
        st.markdown(f":gray[{t('review.nothing')}]")
        return
    pair = queue.pair(listed.at)
    review_card(place, queue, pair, _next(queue, listed))


def _next(queue: ReviewQueue, listed: Listed) -> tuple[str, str] | None:
    """The pair that is looked at once this one is judged."""
    after = [at for at in listed.places if listed.at is not None and at > listed.at]
    rest = after or [at for at in listed.places if at != listed.at]
    if not rest:
        return None
    pair = queue.pair(rest[0])
    return pair.image, pair.node
