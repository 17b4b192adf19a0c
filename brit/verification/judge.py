"""A model judges claims beside three blocks of evidence; its reply is read strictly.

Messages: the rules, two examples as finished turns, then the material inside a fence, then the
pictures. What a reply says beyond «hallucination» or «non-hallucination» for each claim decides
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from brit.errors import MalformedReply, TooLong
from brit.models import LanguageModel, Message
from brit.prompts import read_family
from brit.types import Finding, Label, Mode, Support, Verdict, stable_id
from brit.verification.wording import one_line

NOTHING = "none information"
BATCH = 8
"""Claims a request: their reasons fit into the shortest usual limit of a reply, 1,024 tokens."""
ATTEMPTS = 3
MOST_KNOWLEDGE = 24
KNOWLEDGE_BYTES = 6000
TOKEN_BYTES = 3
"""At least so many bytes a token, in any script."""
PICTURE_TOKENS = 1500
MAX_REASON = 600
_KEY = re.compile(r"claim\s*_?(\d{1,3})", re.IGNORECASE)
_HALLUCINATION = re.compile(r"\s*(non|no|not)?[\s_-]*hallucinat(?:ion|ed)\s*", re.IGNORECASE)
_INNER = str.maketrans("«»", "‹›")
_VISUAL = frozenset(("object", "attribute", "scene-text"))

Ruling = tuple[Label, str]


def judge_claims(
    verdicts: Sequence[Verdict],
    findings: Sequence[Finding],
    model: LanguageModel,
    mode: Mode,
    *,
    urls: Sequence[str] = (),
) -> tuple[list[Verdict], list[str]]:
    """The verdicts with the judge's word in them, and notes.

    `verdicts` are those of the deterministic checker; they stand where the judge's replies could
    not be used. `urls` are the pictures as data URLs. Raises ModelError.
    """
    judged: list[Verdict] = []
    notes: list[str] = []
    for start in range(0, len(verdicts), BATCH):
        batch = verdicts[start : start + BATCH]
        room, shown = _room(batch, findings, mode, len(urls), model)
        notes += _left_out(batch, findings, room, model.name)
        if shown < len(urls):
            notes.append(f"{shown or 'None'} of {len(urls)} pictures fitted into «{model.name}».")
        messages = build_messages(batch, findings, mode, urls[:shown], room)
        try:
            rulings = _ask(model, messages, len(batch))
        except MalformedReply as error:
            notes.append(str(error))
            judged += batch
            continue
        except TooLong as error:
            notes.append(f"{error} These claims were checked without it.")
            judged += batch
            continue
        sighted = bool(shown) and model.accepts_images
        judged += [apply(*pair, sighted=sighted) for pair in zip(batch, rulings, strict=True)]
    return judged, list(dict.fromkeys(notes))


def _room(
    verdicts: Sequence[Verdict],
    findings: Sequence[Finding],
    mode: Mode,
    pictures: int,
    model: LanguageModel,
) -> tuple[int, int]:
    """Bytes of knowledge and pictures that fit into the model's context, knowledge first."""
    if (limit := model.prompt_limit) is None:
        return KNOWLEDGE_BYTES, pictures
    bare = build_messages(verdicts, findings, mode, (), 0)
    left = TOKEN_BYTES * limit - sum(
        len(message["content"].encode("utf-8", "replace")) for message in bare
    )
    room = max(0, min(left, KNOWLEDGE_BYTES))
    return room, min(pictures, max(0, left - room) // (TOKEN_BYTES * PICTURE_TOKENS))


def _left_out(
    verdicts: Sequence[Verdict], findings: Sequence[Finding], room: int, judge: str
) -> list[str]:
    """A note on knowledge that a short context has no room for."""
    most = len(_knowledge(verdicts, findings, KNOWLEDGE_BYTES))
    missing = most - len(_knowledge(verdicts, findings, room))
    told = f"{missing} of {most} passages and facts did not fit into the context of «{judge}»."
    return [told] if missing else []


def apply(verdict: Verdict, ruling: Ruling, *, sighted: bool) -> Verdict:
    """No conflict supports a claim only where some evidence speaks to it: a finding, or the picture
    itself for what can be seen. `sighted`: whether the judge was shown the pictures."""
    label, reason = ruling
    seen = sighted and bool(_VISUAL & set(verdict.claim.aspects))
    spoken = verdict.checked != "unverifiable" or bool(verdict.evidence) or seen
    support: Support = "supported" if spoken else "unverifiable"
    if label == "hallucination":
        support = "contradicted"
    return replace(verdict, support=support, reason=reason or verdict.reason, judged=True)


def build_messages(
    verdicts: Sequence[Verdict],
    findings: Sequence[Finding],
    mode: Mode,
    urls: Sequence[str] = (),
    room: int = KNOWLEDGE_BYTES,
) -> list[Message]:
    """System, rules with the first example, its reply, second example, its reply, the material
    with `room` bytes of knowledge."""
    knowledge = "\n".join(_knowledge(verdicts, findings, room)) or NOTHING
    family = read_family("verification")[mode]
    material = "\n\n".join(
        (
            f"Object detection:\n{_objects(findings, len(urls))}",
            f"Scene text:\n{_scene_text(findings, len(urls))}",
            f"External knowledge:\n{knowledge}",
            "Claims:\n" + "\n".join(f"claim{n}: {one_line(each.claim.text)}"
                                    for n, each in enumerate(verdicts, start=1)),
        )
    )  # fmt: skip
    fence = f"material {stable_id(material)}"
    fenced = f"----- {fence} begins -----\n{material}\n----- {fence} ends -----\n\nOutput:"
    first, second = _example(family["example1"]), _example(family["example2"])
    return [
        {"role": "system", "content": family["system"].replace("{fence}", fence)},
        {"role": "user", "content": f"{family['user']}\n\n{first[0]}"},
        {"role": "assistant", "content": first[1]},
        {"role": "user", "content": second[0]},
        {"role": "assistant", "content": second[1]},
        {"role": "user", "content": _with_pictures(fenced, urls)},
    ]


def read_rulings(text: str, count: int) -> list[Ruling]:
    """The reply's list, repaired. ValueError, whose text says what was wrong, unless there is
    exactly one clear verdict for each of the `count` claims."""
    import json_repair

    try:
        data = json_repair.loads(text)
    except RecursionError as error:
        raise ValueError("it nests too deep") from error
    found: dict[int, Ruling] = {}
    for item in _items(data):
        for key, value in item.items():
            if number := _KEY.fullmatch(str(key).strip()):
                position = int(number[1])
                if position in found or not 1 <= position <= count:
                    raise ValueError(f"«claim{position}» is there twice, or there is no such claim")
                found[position] = (_label(value), _reason(item.get("reason")))
    if missing := [n for n in range(1, count + 1) if n not in found]:
        raise ValueError(f"no verdict on {', '.join(f'claim{n}' for n in missing)}")
    return [found[n] for n in range(1, count + 1)]


def _ask(model: LanguageModel, messages: list[Message], count: int) -> list[Ruling]:
    """Malformed replies are shown to the model with what was wrong. Raises ModelError."""
    asked = messages
    for _ in range(ATTEMPTS):
        reply = model.complete(asked).text
        try:
            return read_rulings(reply, count)
        except ValueError as error:
            wrong = f"That reply cannot be used: {error}. Reply with the JSON list of all claims."
            said = [{"role": "assistant", "content": reply}] if reply.strip() else []
            asked = [*messages, *said, {"role": "user", "content": wrong}]
    raise MalformedReply(
        f"«{model.name}» gave no usable verdicts in {ATTEMPTS} attempts: those claims were checked "
        "without it."
    )


def _items(data: Any) -> list[dict[str, Any]]:
    """The list, also where it was wrapped into an object, or is one object of all claims."""
    if isinstance(data, dict):
        inner = next((value for value in data.values() if isinstance(value, list)), None)
        data = [data] if inner is None else inner
    return [item for item in data if isinstance(item, dict)] if isinstance(data, list) else []


def _label(value: object) -> Label:
    found = _HALLUCINATION.fullmatch(str(value))
    if not found:
        raise ValueError('a verdict is neither "hallucination" nor "non-hallucination"')
    return "non-hallucination" if found[1] else "hallucination"


def _reason(value: object) -> str:
    return one_line(value)[:MAX_REASON] if isinstance(value, str) else ""


def _objects(findings: Sequence[Finding], pictures: int) -> str:
    lines = (
        f"{_which(each, pictures)}{each.text} {_box(each)}"
        for each in findings
        if each.kind == "object"
    )
    return "\n".join(lines) or NOTHING


def _scene_text(findings: Sequence[Finding], pictures: int) -> str:
    lines = (
        f"{_which(each, pictures)}{_quoted(each.text)} {_box(each)}"
        for each in findings
        if each.kind == "scene-text" and each.box
    )
    return "\n".join(lines) or NOTHING


def _knowledge(verdicts: Sequence[Verdict], findings: Sequence[Finding], left: int) -> list[str]:
    """First what the checker found to bear on these claims, then the rest by rank, as it fits."""
    bearing = dict.fromkeys(i for verdict in verdicts for i in verdict.evidence)
    order = [*bearing, *(i for i in range(len(findings)) if i not in bearing)]
    lines: list[str] = []
    for finding in (findings[i] for i in order):
        boxed = finding.kind in ("object", "colour") or finding.box is not None
        line = f"{len(lines) + 1}. {_quoted(finding.text)}"
        size = len(line.encode("utf-8", "replace")) + 1
        if not boxed and size <= left and len(lines) < MOST_KNOWLEDGE:
            left -= size
            lines.append(line)
    return lines


def _quoted(text: str) -> str:
    """In marks that it cannot close itself."""
    return f"«{one_line(text).translate(_INNER)}»"


def _which(finding: Finding, pictures: int) -> str:
    """Which picture a line is about, where there are several."""
    if pictures < 2 or finding.picture is None:
        return ""
    return f"picture {finding.picture + 1}: "


def _box(finding: Finding) -> str:
    return f"[{', '.join(f'{value:.3f}' for value in finding.box or ())}]"


def _example(text: str) -> tuple[str, str]:
    asked, _, answered = text.partition("Output:\n")
    return f"{asked}Output:", answered.strip()


def _with_pictures(text: str, urls: Sequence[str]) -> str | list[dict[str, Any]]:
    if not urls:
        return text
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
    for number, url in enumerate(urls, start=1):
        parts.append({"type": "text", "text": f"Picture {number}:"})
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return parts
