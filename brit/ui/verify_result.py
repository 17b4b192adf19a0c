"""What a check came to: the picture with what was found on it, each claim, the evidence, the tools.

Evidence stands in the three blocks a judge is shown; one that is empty says so.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from brit.types import Finding, Retrieval, Verdict, Verification
from brit.ui.page_view import open_evidence
from brit.ui.safe import escape_markdown
from brit.ui.state import Place
from brit.ui.verify_evidence import evidence_behind, measured
from brit.ui.verify_marks import is_strict, mark, said, spent_on, summary
from brit.ui.verify_pictures import marked_picture
from brit.ui.wording import decimal, dotted, page_of, t, t_or

_MOST = 6


def show_result(
    place: Place, made: Verification, picture: bytes | None, retrieval: Retrieval | None
) -> None:
    """The right side of the page."""
    strict = is_strict(place.workspace)
    if not made.verdicts:
        st.info(t("verify.no_claims"), icon=":material/info:")
        return
    with st.container(key="verify-result"):
        st.markdown(f"**{summary((each.support for each in made.verdicts), strict)}**")
        if any(each.judged for each in made.verdicts):
            st.caption(t("verify.by_model", name=escape_markdown(made.judge, 40)))
        for position, verdict in enumerate(made.verdicts):
            _claim(place, made, retrieval, position, verdict, strict)
        for note in filter(None, (*made.notes, spent_on(made))):
            st.caption(f":material/info: {escape_markdown(note)}")
        left_out = t("verify.unrelated") if retrieval and found_anything(retrieval) else ""
        _evidence(made, picture, left_out)
        _tools(made, left_out)


def found_anything(retrieval: Retrieval) -> bool:
    """Then documents that speak to no claim were left out, not missed."""
    return bool(retrieval.passages or retrieval.triplets or retrieval.images)


def _claim(
    place: Place,
    made: Verification,
    retrieval: Retrieval | None,
    position: int,
    verdict: Verdict,
    strict: bool,
) -> None:
    """A click opens what documents say to it; what is in the picture stands below."""
    found = evidence_behind(place, retrieval, None, made, (position,)) if retrieval else []
    text = escape_markdown(verdict.claim.text, 240)
    with st.container(key=f"verdict-claim-{position}", horizontal=True, gap="xsmall"):
        st.markdown(mark(verdict.support, strict), width=22)
        with st.container(gap=None):
            if found and st.button(text, type="tertiary", key=f"claim-{position}",
                                   help=t("verdict.open")):  # fmt: skip
                open_evidence(place, found, found[0].key, text)
            elif not found:
                st.markdown(text)
            aspects = ", ".join(t(f"aspect.{each}") for each in verdict.claim.aspects)
            st.caption(
                dotted(f"**{said(verdict.support, strict)}**", aspects,
                       escape_markdown(verdict.reason, 320))
            )  # fmt: skip


# --- the three blocks ---


def _evidence(made: Verification, picture: bytes | None, left_out: str) -> None:
    objects = [each for each in made.findings if each.kind == "object"]
    texts = [each for each in made.findings if each.kind == "scene-text" and each.box]
    boxed = [each for each in (*objects, *texts) if each.box]
    numbers = {id(each): n for n, each in enumerate(boxed, start=1)}
    used = dict.fromkeys(i for verdict in made.verdicts for i in verdict.evidence)
    order = [*used, *(i for i in range(len(made.findings)) if i not in used)]
    shown = {id(each) for each in boxed}
    known = [made.findings[i] for i in order if id(made.findings[i]) not in shown]
    st.markdown(f"**{t('verify.evidence')}**")
    if picture and boxed:
        boxes = tuple(each.box for each in boxed if each.box)
        if content := marked_picture(picture, boxes):
            with st.container(key="verify-marked"):
                st.image(content, alt=t("verify.marked_alt"))
    _block("objects", [_numbered(each, numbers) for each in objects])
    _block("scene_text", [_numbered(each, numbers) for each in texts])
    _block("knowledge_block", [_known(each) for each in known], left_out)


def _numbered(finding: Finding, numbers: dict[int, int]) -> str:
    number = numbers.get(id(finding))
    label = f":orange-badge[{number}] " if number and len(numbers) > 1 else ""
    score = "" if finding.score is None else f":gray[{decimal(finding.score)}]"
    return f"{label}{escape_markdown(finding.text, 120)} {score}"


def _known(finding: Finding) -> str:
    where = dotted(
        t_or(f"finding.{finding.kind}", finding.kind),
        escape_markdown(finding.document or finding.source, 40) if finding.document else "",
        page_of(finding.page),
    )
    text = escape_markdown(measured(finding) or finding.text, 220)
    return f"{text} :gray[{where}]"


def _block(name: str, lines: Sequence[str], none: str = "") -> None:
    with st.container(key=f"block-{name}", border=True, gap="xsmall"):
        st.markdown(f"**{t(f'verify.{name}')}**")
        if not lines:
            st.caption(none or t("verify.none"))
            return
        for line in lines[:_MOST]:
            st.markdown(line)
        if rest := lines[_MOST:]:
            with st.expander(t("verify.more", n=len(rest)), type="compact"):
                for line in rest:
                    st.markdown(line)


def _tools(made: Verification, left_out: str) -> None:
    """Which looked, and which could not and why; `left_out`: why documents have nothing to say."""
    with st.container(key="verify-tools", gap="xsmall"):
        st.markdown(f"**{t('verify.tools')}**")
        for tool in made.tools:
            name = t_or(f"tool.{tool.tool}", tool.tool)
            told = t("verify.findings", n=tool.findings)
            unrelated = tool.tool == "knowledge" and not tool.findings
            found = escape_markdown(tool.note) or dotted(told, left_out if unrelated else "")
            icon = ":material/block:" if tool.note else ":material/check:"
            st.caption(f"{icon} **{name}** · {found}")
