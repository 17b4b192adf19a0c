"""What one retrieval found that another did not: pictures, passages and triplets, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from brit.types import LINK_KINDS, Retrieval
from brit.ui.lab_settings import Setting
from brit.ui.lab_steps import threshold_of
from brit.ui.pictures import picture_name
from brit.ui.safe import escape_markdown
from brit.ui.wording import decimal, dotted, page_of, t

Kind = Literal["pictures", "passages", "triplets"]
_SHOWN = 3
_NAME = 48


@dataclass(frozen=True)
class Change:
    """Names gained and lost, Markdown made inert; `moved`: the same things in another order."""

    gained: tuple[str, ...]
    lost: tuple[str, ...]
    shared: int
    moved: bool


def compare(before: Mapping[str, str], after: Mapping[str, str]) -> Change:
    """What `after` has gained and lost, of names by key in order."""
    shared = [key for key in before if key in after]
    return Change(
        gained=tuple(name for key, name in after.items() if key not in before),
        lost=tuple(name for key, name in before.items() if key not in after),
        shared=len(shared),
        moved=shared != [key for key in after if key in before],
    )


def changes(before: Retrieval, after: Retrieval) -> dict[Kind, Change]:
    """Pictures, passages and triplets that the second retrieval gained and lost."""
    documents = {im.document for each in (before, after) for im in each.images}
    documents |= {p.document for each in (before, after) for p in each.passages}
    documents |= {tr.document for each in (before, after) for tr in each.triplets}
    several = len(documents) > 1
    a, b = _found(before, several), _found(after, several)
    return {kind: compare(a[kind], b[kind]) for kind in a}


def _found(retrieval: Retrieval, several: bool) -> dict[Kind, dict[str, str]]:
    def named(name: str, document: str, page: int | None) -> str:
        # Where all is from one document, its name says nothing.
        return _named(name, document if several else "", page)

    return {
        "pictures": {
            im.id: named(picture_name(im.caption, im.name), im.document, im.page)
            for im in retrieval.images
        },
        "passages": {p.id: named(p.text, p.document, p.page) for p in retrieval.passages},
        "triplets": {
            tr.edge: named(f"{tr.subject} · {tr.relation} · {tr.object}", tr.document, tr.page)
            for tr in retrieval.triplets
        },
    }


def _named(name: str, document: str, page: int | None) -> str:
    where = dotted(escape_markdown(document, 24), page_of(page))
    said = escape_markdown(name, _NAME)
    return f"{said} :gray[{where}]" if where else said


def differences(a: Setting, b: Setting, before: Retrieval, after: Retrieval) -> list[str]:
    """In which settings the two sides differ: «threshold 0.56 → 0.75»."""
    one, other = _values(a, before), _values(b, after)
    return [
        t("lab.differs", name=t(f"lab.{key}"), a=one[key], b=other[key])
        for key in one
        if one[key] != other[key]
    ]


def _values(setting: Setting, retrieval: Retrieval) -> dict[str, str]:
    config = setting.config
    links = [kind for kind in LINK_KINDS if kind in config.links]
    return {
        "preset": t(f"lab.preset_{config.preset}"),
        "links": " ".join(links) or t("lab.none"),
        "threshold": decimal(threshold_of(retrieval)),
        "k": str(config.k),
        "cost": decimal(config.edge_cost),
        "rounds": str(config.max_rounds),
        "documents": str(len(setting.documents) or t("lab.all")),
    }


# --- on the page ---


def changes_strip(a: Setting, b: Setting, before: Retrieval, after: Retrieval) -> None:
    """What B gained and lost against A, and what was set differently."""
    with st.container(border=True, key="lab-changes", gap="small"):
        told = differences(a, b, before, after)
        said = dotted(*told) or t("lab.same_settings")
        st.markdown(f"**{t('lab.changed')}** \u2002:gray[:small[{said}]]")
        for column, (kind, change) in zip(
            st.columns(3, gap="medium"), changes(before, after).items(), strict=True
        ):
            with column, st.container(gap=None):
                _change(kind, change)


def _change(kind: Kind, change: Change) -> None:
    st.markdown(f"**{t(f'lab.{kind}')}** {_counts(change)}")
    gained = [f":green[:material/add:] {name}" for name in change.gained]
    lost = [f":red[:material/remove:] {name}" for name in change.lost]
    for line in (*gained[:_SHOWN], *lost[:_SHOWN]):
        st.markdown(f":small[{line}]")
    if gained or lost:
        label = t("lab.all_changes", n=len(gained) + len(lost))
        with st.popover(label, type="tertiary"), st.container(key=f"lab-all-{kind}", gap=None):
            for line in (*gained, *lost):
                st.markdown(f":small[{line}]")


def _counts(change: Change) -> str:
    parts = [f":green-badge[+{len(change.gained)}]"] if change.gained else []
    parts += [f":red-badge[−{len(change.lost)}]"] if change.lost else []
    same = t("lab.in_both", n=change.shared)
    if change.moved:
        same = dotted(same, t("lab.moved"))
    return " ".join([*parts, f":gray[:small[{same}]]"])
