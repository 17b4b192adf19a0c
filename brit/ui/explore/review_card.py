"""One pair under review: the picture on one side, the name on the other, what links them between,
and the buttons that put things right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from brit.errors import UnknownName
from brit.pipeline.corrections import (
    Form,
    confirm_link,
    fix_caption,
    forms_of,
    mark_furniture,
    merge_names,
    move_link,
    reject_link,
    split_name,
)
from brit.pipeline.review import Pair, ReviewQueue
from brit.storage.corrected import names_like
from brit.storage.provenance import link_evidence
from brit.types import Image, LinkKind
from brit.ui.explore.facts import mentions_of_id, picture_evidence
from brit.ui.explore.find import kind_name
from brit.ui.explore.link import graph_link
from brit.ui.explore.review_acts import act
from brit.ui.page_view import open_evidence
from brit.ui.pictures import small_jpeg
from brit.ui.safe import escape_markdown
from brit.ui.state import Place
from brit.ui.wording import decimal, dotted, number, page_of, t

_PICTURE = (640, 400)
_MENTIONS, _HITS, _FORMS = 3, 6, 12
Following = tuple[str, str] | None


def review_card(place: Place, queue: ReviewQueue, pair: Pair, following: Following) -> None:
    """Both sides of a pair; `following` is looked at once it is judged."""
    try:
        image = queue.workspace.content.image(pair.image)
    except UnknownName:
        st.info(t("review.gone"), icon=":material/info:")
        return
    _judging(queue, pair, following)
    left, right = st.columns(2, gap="medium")
    with left, st.container(key="review-picture", gap="small"):
        _picture(place, queue, image)
    with right, st.container(key="review-name", gap="small"):
        _name(place, queue, pair)


# --- the link ---


def _judging(queue: ReviewQueue, pair: Pair, following: Following) -> None:
    with st.container(key="review-link", gap="small"):
        st.markdown(f"**{t('review.question', name=escape_markdown(pair.label, 60))}**")
        for kind, score in pair.links:
            _link(queue, pair, kind, score)
        st.caption(_why(pair))
        with st.container(key="review-judging", horizontal=True, gap="small"):
            _button(queue, pair, "confirm", confirm_link, following, "primary", "y")
            _button(queue, pair, "reject", reject_link, following, "secondary", "n")
            with st.popover(t("review.move"), icon=":material/move_down:", key="review-move"):
                st.caption(t("review.move_hint"))
                _choice(queue, pair, "move", partial(_move, queue, pair, following))


def _link(queue: ReviewQueue, pair: Pair, kind: LinkKind, score: float) -> None:
    reason = link_evidence(queue.workspace, pair.image, pair.node, kind, queue.read.patch)
    told = escape_markdown(reason, 160)
    said = (
        t("review.certain") if pair.said == "confirmed" else t("review.score", score=decimal(score))
    )
    st.markdown(f":blue-badge[{t(f'link.{kind}')}] {said} \u2002:gray[:small[{told}]]")


def _why(pair: Pair) -> str:
    """Why it stands where it stands in the queue."""
    if pair.said:
        return t(f"review.is_{pair.said}")
    used = (
        t("review.used", n=pair.used, count=number(pair.used)) if pair.used else t("review.unused")
    )
    return dotted(used, t("review.hangs", n=pair.ties, count=number(pair.ties)))


def _strongest(pair: Pair) -> LinkKind:
    return pair.links[0][0] if pair.links else "LP"


def _button(
    queue: ReviewQueue,
    pair: Pair,
    name: str,
    judge: Callable[..., int],
    following: Following,
    type: str,
    key: str,
) -> None:
    done = {"confirm": "confirmed", "reject": "rejected"}[name]
    said = t(f"review.now_{done}", name=escape_markdown(pair.label, 60))
    work = partial(
        judge, queue.workspace, queue.collection.id, pair.image, pair.node, _strongest(pair)
    )
    st.button(
        t(f"review.{name}"),
        icon=":material/check:" if name == "confirm" else ":material/close:",
        key=f"review-{name}",
        type="primary" if type == "primary" else "secondary",
        shortcut=key,
        disabled=pair.said == done,
        on_click=act,
        args=(work, said, following),
    )


def _move(queue: ReviewQueue, pair: Pair, following: Following, other: str, label: str) -> None:
    work = partial(
        move_link, queue.workspace, queue.collection.id, pair.image, pair.node, other,
        _strongest(pair),
    )  # fmt: skip
    act(work, t("review.moved", name=escape_markdown(label, 60)), following)


def _choice(queue: ReviewQueue, pair: Pair, name: str, take: Callable[[str, str], None]) -> None:
    """A box to find a name by a part of it; `take` gets its id and label."""
    key = f"review-{name}-{pair.image}-{pair.node}"
    query = st.text_input(
        t("explore.search"), key=key, max_chars=120, icon=":material/search:",
        placeholder=t("explore.search_hint"), label_visibility="collapsed", live=True,
    ).strip()  # fmt: skip
    if not query:
        return
    hits = names_like(queue.workspace, queue.collection.id, query, _HITS + 1)
    found = [node for node in hits if node.id != pair.node][:_HITS]
    with st.container(key=f"review-choice-{name}", gap=None):
        for node in found:
            st.button(
                f"{escape_markdown(node.label, 60)} \u2002:gray[:small[{kind_name(node.kind)}]]",
                key=f"{key}-{node.id}",
                type="tertiary",
                width="stretch",
                on_click=take,
                args=(node.id, node.label),
            )
    if not found:
        st.caption(t("explore.no_hit", query=escape_markdown(query, 40)))


# --- the picture ---


def _picture(place: Place, queue: ReviewQueue, image: Image) -> None:
    evidence = picture_evidence(queue, image)
    if content := small_jpeg(evidence.path, _PICTURE) if evidence.path else b"":
        st.image(content, width="stretch", alt=evidence.label)
    else:
        st.caption(t("picture.missing"))
    st.markdown(escape_markdown(image.caption, 400) or f":gray[{t('review.no_caption')}]")
    st.caption(dotted(escape_markdown(evidence.document, 60), page_of(evidence.page)))
    with st.container(key="review-picture-acts", horizontal=True, gap="small"):
        if st.button(t("explore.open_page"), icon=":material/menu_book:", key="review-open"):
            open_evidence(place, [evidence], evidence.key)
        with st.popover(t("review.fix_caption"), icon=":material/edit:", key="review-caption"):
            _caption(queue, image)
        st.button(
            t("review.furniture"),
            icon=":material/hide_image:",
            key="review-furniture",
            help=t("review.furniture_help"),
            on_click=act,
            args=(
                partial(mark_furniture, queue.workspace, queue.collection.id, image.id),
                t("review.now_furniture"),
            ),
        )


def _caption(queue: ReviewQueue, image: Image) -> None:
    with st.form(f"review-caption-form-{image.id}", border=False):
        key = f"review-caption-{image.id}-{queue.collection.version}"
        st.text_area(t("review.caption"), value=image.caption, key=key, max_chars=2000, height=120)

        def save() -> None:
            work = partial(
                fix_caption, queue.workspace, queue.collection.id, image.id,
                st.session_state.get(key, ""),
            )  # fmt: skip
            act(work, t("review.now_caption"))

        st.form_submit_button(t("review.save"), type="primary", on_click=save)


# --- the name ---


def _name(place: Place, queue: ReviewQueue, pair: Pair) -> None:
    st.markdown(f"#### {escape_markdown(pair.label, 120)}", anchors=False)
    st.markdown(f":gray[:small[{kind_name(pair.kind)}]]")
    forms = forms_of(queue.workspace, queue.collection.id, pair.node)
    others = [form for form in forms if form.text != pair.label]
    if others:
        told = ", ".join(f"“{escape_markdown(form.text, 40)}”" for form in others[:6])
        st.caption(t("explore.also", names=told))
    mentions = mentions_of_id(queue, pair.node, _MENTIONS)
    for each in mentions:
        where = dotted(escape_markdown(each.document, 32), page_of(each.page))
        with st.container(key=f"review-mention-{each.key}", gap=None):
            label = f"{escape_markdown(each.text, 180)}  \n:gray[:small[{where}]]"
            if st.button(
                label, key=f"review-mention-open-{each.key}", type="tertiary", width="stretch"
            ):
                open_evidence(place, mentions, each.key, escape_markdown(pair.label, 60))
    if not mentions:
        st.caption(t("explore.no_mentions"))
    with st.container(key="review-name-acts", horizontal=True, gap="small"):
        with st.popover(t("review.merge"), icon=":material/merge:", key="review-merge"):
            st.caption(t("review.merge_hint", name=escape_markdown(pair.label, 40)))
            _choice(queue, pair, "merge", partial(_merge, queue, pair))
        if others:
            with st.popover(t("review.split"), icon=":material/call_split:", key="review-split"):
                _forms(queue, pair, others[:_FORMS])
    graph_link(place, f"n:{pair.node}")


def _forms(queue: ReviewQueue, pair: Pair, forms: Sequence[Form]) -> None:
    st.caption(t("review.split_hint", name=escape_markdown(pair.label, 40)))
    with st.container(key="review-choice-split", gap=None):
        for at, form in enumerate(forms):
            _form(queue, pair, at, form.text, form.count)


def _form(queue: ReviewQueue, pair: Pair, at: int, form: str, count: int) -> None:
    work = partial(split_name, queue.workspace, queue.collection.id, pair.node, form)
    said = t("review.now_split", name=escape_markdown(form, 60))
    told = t("review.times", n=count, count=number(count))
    st.button(
        f"{escape_markdown(form, 60)} \u2002:gray[:small[{told}]]",
        key=f"review-split-{pair.node}-{at}",
        type="tertiary",
        width="stretch",
        on_click=act,
        args=(work, said),
    )


def _merge(queue: ReviewQueue, pair: Pair, other: str, label: str) -> None:
    work = partial(merge_names, queue.workspace, queue.collection.id, pair.node, other)
    said = t("review.now_merged", name=escape_markdown(pair.label, 60),
             other=escape_markdown(label, 60))  # fmt: skip
    act(work, said, (pair.image, other))
