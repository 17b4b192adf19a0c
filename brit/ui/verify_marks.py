"""How verdicts look and are said: a shape, a colour and a word for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import streamlit as st

from brit.storage import Workspace
from brit.types import SentenceVerdict, Support, Verification
from brit.ui.answer_text import Verdict
from brit.ui.wording import dotted, number, t

_ORDER: tuple[Support, ...] = ("supported", "contradicted", "unverifiable")
_LOOKS = {
    "supported": ("green", ":material/check_circle:"),
    "contradicted": ("red", ":material/cancel:"),
    "unverifiable": ("gray", ":material/help:"),
    "unsupported": ("orange", ":material/report:"),
}
_STRICT = "strict-verdicts"


def mark(support: Support, strict: bool) -> str:
    """The small sign beside a sentence, as Markdown."""
    colour, icon = _LOOKS[_shown(support, strict)]
    return f":{colour}[{icon}]"


def badge(support: Support, strict: bool) -> str:
    """Sign and word, as Markdown."""
    name = _shown(support, strict)
    colour, icon = _LOOKS[name]
    return f":{colour}-badge[{icon} {t(f'verdict.{name}')}]"


def said(support: Support, strict: bool) -> str:
    """Its word alone."""
    return t(f"verdict.{_shown(support, strict)}")


def tool_notes(verification: Verification) -> list[str]:
    """Why tools could not look."""
    return [each.note for each in verification.tools if each.note]


def summary(supports: Iterable[Support], strict: bool) -> str:
    """«3 supported · 1 contradicted»."""
    counts = Counter(supports)
    return dotted(
        *(f"{counts[each]} {t(f'verdict.{_shown(each, strict)}')}" for each in _ORDER
          if counts[each])
    )  # fmt: skip


def summary_icon(supports: Sequence[Support], strict: bool) -> str:
    """The sign of the worst."""
    worst = max(supports, key=("supported", "unverifiable", "contradicted").index)
    return _LOOKS[_shown(worst, strict)][1]


def sentence_marks(verification: Verification | None, strict: bool) -> tuple[tuple[int, str], ...]:
    """Where in the text a sign stands, and which."""
    sentences: tuple[SentenceVerdict, ...] = verification.sentences if verification else ()
    return tuple((each.end, mark(each.support, strict)) for each in sentences)


def sentence_signs(verification: Verification | None, strict: bool) -> list[Verdict]:
    """The same for what is drawn without Markdown."""
    signs = []
    for each in verification.sentences if verification else ():
        colour, icon = _LOOKS[_shown(each.support, strict)]
        symbol = icon.strip(":").removeprefix("material/")
        tint = f"var(--st-{colour}-text-color)"
        signs.append(Verdict(each.end, symbol, tint, said(each.support, strict)))
    return signs


def spent_on(made: Verification) -> str:
    """What the judge read and wrote for it; "" where nothing was spent."""
    read, written = (made.usage.get(f"{kind}_tokens", 0) for kind in ("prompt", "completion"))
    if not read + written:
        return ""
    about = t("answer.spent_about") if made.usage.get("estimated_calls") else ""
    spent = t("verify.spent", read=number(read), written=number(written))
    return f"{spent}{about}"


def _shown(support: Support, strict: bool) -> str:
    return "unsupported" if strict and support == "unverifiable" else support


def is_strict(workspace: Workspace) -> bool:
    """Whether what nothing speaks for counts as unsupported, here and on the Verify page."""
    return bool(workspace.settings.get(_STRICT, False))


def strict_switch(workspace: Workspace, key: str) -> None:
    """Changing it draws the page anew: marks stand outside of what holds the switch."""
    strict = is_strict(workspace)
    chosen = st.toggle(t("verdict.strict"), strict, key=f"{key}-{strict}",
                       help=t("verdict.strict_help"))  # fmt: skip
    if chosen != strict:
        workspace.settings.set(_STRICT, chosen)
        st.rerun()
