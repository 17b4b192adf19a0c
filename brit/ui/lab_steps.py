"""The steps of a retrieval as rows with bars, read off its trace and nothing else.

Storage only lends names to pictures and passages that the trace knows by their ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from brit.types import (
    ComponentVerdict,
    EntityMatch,
    Hop,
    Prize,
    RankedPassage,
    Retrieval,
    RoundDecision,
)
from brit.ui.safe import escape_markdown
from brit.ui.steps import decision_told, total_seconds
from brit.ui.wording import decimal, dotted, number, seconds, t, t_or

Step = Literal[
    "path", "names", "components", "prizes", "subgraph", "links", "passages", "time"
]  # fmt: skip
STEPS: tuple[Step, ...] = (
    "path", "names", "components", "prizes", "subgraph", "links", "passages", "time"
)  # fmt: skip
GRAPHS: tuple[Step, ...] = ("path", "subgraph")
_NAME, _REASON, _FOLLOWED = 60, 120, 4


@dataclass(frozen=True)
class Row:
    """One thing that was weighed. `name` and `note` are Markdown made inert, `value` from 0 to 1
    the length of its bar, `shown` what stands at its end, `image` the id of its picture."""

    name: str
    note: str
    value: float
    shown: str
    kept: bool = True
    image: str = ""


@dataclass(frozen=True)
class Group:
    """Rows under a title ("" for none); `mark` is where the bars meet a threshold."""

    title: str
    rows: tuple[Row, ...]
    mark: float | None = None


@dataclass(frozen=True)
class Look:
    """A step: a line that sums it up, and its rows."""

    summary: str
    groups: tuple[Group, ...] = ()


@dataclass(frozen=True)
class Names:
    """What pictures and passages are called, by id; Markdown made inert."""

    picture: Callable[[str], str]
    passage: Callable[[str], str]


def look_at(step: Step, retrieval: Retrieval, names: Names, longest_ms: float) -> Look:
    """A step of a retrieval; bars of time are as long as their share of `longest_ms`."""
    if step == "names":
        return _names(retrieval)
    if step == "components":
        return _components(retrieval)
    if step == "prizes":
        return _prizes(retrieval)
    if step == "links":
        return _links(retrieval, names)
    if step == "passages":
        return _passages(retrieval, names)
    if step == "time":
        return _time(retrieval, longest_ms)
    return _graph(retrieval, step)


def threshold_of(retrieval: Retrieval) -> float:
    """The threshold that pruned, as the trace has it."""
    return float(retrieval.trace.parameters["threshold"])


def _name(label: str) -> str:
    return f"**{escape_markdown(label, _NAME)}**"


# --- names and components ---


def _names(retrieval: Retrieval) -> Look:
    trace = retrieval.trace
    entities = " ".join(f":violet-badge[{escape_markdown(e, 40)}]" for e in retrieval.entities)
    inside = {node.id for node in trace.nodes}
    rows = tuple(_match(match, match.node in inside) for match in trace.matches)
    title = t("steps.matched", n=len(rows))
    summary = entities or t("steps.no_entities")
    return Look(summary, (Group(title, rows, threshold_of(retrieval)),))


def _match(match: EntityMatch, kept: bool) -> Row:
    said = t(f"lab.match_{match.method}", entity=escape_markdown(match.entity, 40))
    note = said if kept else dotted(said, t("lab.not_in_subgraph"))
    return Row(_name(match.label), note, match.score, decimal(match.score), kept)


def _components(retrieval: Retrieval) -> Look:
    trace = retrieval.trace
    kept = sum(verdict.kept for verdict in trace.components)
    unseen = trace.components_total - len(trace.components)
    summary = t("steps.kept_of", kept=number(kept), total=number(trace.components_total))
    if unseen > 0:
        summary = dotted(summary, t("lab.unseen", n=unseen, count=number(unseen)))
    rows = tuple(map(_verdict, trace.components))
    return Look(summary, (Group(t("lab.judged"), rows, threshold_of(retrieval)),))


def _verdict(verdict: ComponentVerdict) -> Row:
    name = f"**{t('lab.component', n=verdict.nodes, count=number(verdict.nodes))}**"
    reason = escape_markdown(verdict.reason, _REASON)
    return Row(name, _told(verdict.kept, reason), verdict.best, decimal(verdict.best), verdict.kept)


def _told(kept: bool, reason: str) -> str:
    return dotted(t("steps.taken") if kept else t("steps.dropped"), reason)


# --- prizes and the sub-graph ---


def _prizes(retrieval: Retrieval) -> Look:
    trace = retrieval.trace
    solver = escape_markdown(str(trace.parameters.get("solver", "")), 40)
    summary = dotted(t("lab.edge_cost", cost=decimal(trace.edge_cost)), solver)
    return Look(
        summary,
        (
            Group(t("lab.node_prizes"), _prized(trace.node_prizes)),
            Group(t("lab.edge_prizes"), _prized(trace.edge_prizes)),
        ),
    )


def _prized(prizes: Iterable[Prize]) -> tuple[Row, ...]:
    """Best first; an edge's prize counts for all edges of the same name, which are told once."""
    known: Counter[tuple[str, float, float]] = Counter(
        (prize.label, prize.prize, prize.score) for prize in prizes if prize.prize > 0
    )
    best = max((prize for _, prize, _ in known), default=1.0)
    ordered = sorted(known.items(), key=lambda item: (-item[0][1], -item[0][2]))
    return tuple(
        Row(
            _name(label) + (f" :gray[× {number(times)}]" if times > 1 else ""),
            t("lab.prized_for", score=decimal(score)),
            prize / best,
            decimal(prize).rstrip("0").rstrip(".,"),
        )
        for (label, prize, score), times in ordered
    )


def _graph(retrieval: Retrieval, step: Step) -> Look:
    trace = retrieval.trace
    if step == "path":
        return Look(t("lab.path_hint"))
    origins = Counter(node.origin for node in trace.nodes)
    counted = (
        t(f"lab.origin_{origin}", n=number(count)) for origin, count in origins.most_common()
    )
    size = t(
        "steps.subgraph_size", nodes=number(len(trace.nodes)), edges=number(len(trace.edges)),
        total=number(trace.nodes_total),
    )  # fmt: skip
    return Look(dotted(size, *counted))


# --- links ---


def _links(retrieval: Retrieval, names: Names) -> Look:
    trace = retrieval.trace
    labels = {match.node: match.label for match in trace.matches}
    labels |= {node.id: node.label for node in trace.nodes}
    kept = sum(hop.kept for hop in trace.hops)
    to_images = [hop for hop in trace.hops if hop.kind != "image-to-text"]
    decided = tuple(map(_decision, trace.decisions))
    return Look(
        t("steps.hops_taken", kept=number(kept), dropped=number(len(trace.hops) - kept)),
        (
            *([Group(t("lab.decisions"), decided)] if decided else []),
            Group(t("lab.to_pictures"), tuple(_to_image(hop, labels, names) for hop in to_images)),
            Group(t("lab.to_text"), _to_text(trace.hops, labels, names)),
        ),
    )


def _decision(decision: RoundDecision) -> Row:
    """Whether there was a further round: who decided, why, and on from where."""
    title, told = decision_told(decision)
    return Row(f"**{title}**", told, float(decision.went_on), "", decision.went_on)


def _to_image(hop: Hop, labels: dict[str, str], names: Names) -> Row:
    source = _name(labels.get(hop.node, "")) if hop.node in labels else t("hop.question")
    note = dotted(
        "" if hop.kept else t("steps.dropped"),
        t(f"link.{hop.link}") if hop.link else "",
        _round(hop.round),
        escape_markdown(hop.reason, _REASON),
    )
    name = f"{source} → {names.picture(hop.image)}"
    return Row(name, note, hop.score, decimal(hop.score), hop.kept, hop.image)


def _to_text(hops: Iterable[Hop], labels: dict[str, str], names: Names) -> tuple[Row, ...]:
    """The names a picture leads to, all in one row for each round and reason."""
    found: dict[tuple[str, int, bool, str], list[Hop]] = {}
    for hop in hops:
        if hop.kind == "image-to-text" and hop.node:
            found.setdefault((hop.image, hop.round, hop.kept, hop.reason), []).append(hop)
    rows = []
    for (image, round, kept, reason), steps in found.items():
        nodes = list(dict.fromkeys(_name(labels.get(step.node or "", "")) for step in steps))
        shown = ", ".join(nodes[:_FOLLOWED])
        if more := len(nodes) - _FOLLOWED:
            shown += f" :gray[{t('lab.more_names', n=more)}]" if more > 0 else ""
        kinds = dict.fromkeys(t(f"link.{step.link}") for step in steps if step.link)
        note = dotted(", ".join(kinds), _round(round), escape_markdown(reason, _REASON))
        best = max(step.score for step in steps)
        rows.append(
            Row(f"{names.picture(image)} → {shown}", note, best, decimal(best), kept, image)
        )
    return tuple(rows)


def _round(round: int) -> str:
    return t("lab.round", n=round) if round > 1 else ""


# --- passages, triplets, time ---


def _passages(retrieval: Retrieval, names: Names) -> Look:
    trace = retrieval.trace
    rows = tuple(_passage(ranked, names) for ranked in trace.passages)
    triplets = tuple(
        Row(
            escape_markdown(f"{tr.subject} · {tr.relation} · {tr.object}", _NAME),
            escape_markdown(tr.text, _REASON),
            max(tr.score, 0.0),
            decimal(tr.score),
        )
        for tr in retrieval.triplets
    )
    summary = t("steps.passages_kept", n=len(retrieval.passages), words=number(retrieval.words))
    return Look(
        summary,
        (
            Group(t("lab.passages"), rows),
            Group(t("lab.triplets"), triplets),
        ),
    )  # fmt: skip


def _passage(ranked: RankedPassage, names: Names) -> Row:
    ranks = (
        f"{t_or(f'lab.channel_{channel}', escape_markdown(channel, 20))} {rank}"
        for channel, rank in sorted(ranked.ranks.items(), key=lambda item: item[1])
    )
    note = dotted("" if ranked.kept else t("steps.dropped"), t("lab.ranks", ranks=", ".join(ranks)))
    return Row(
        names.passage(ranked.passage), note, ranked.score, decimal(ranked.score), ranked.kept
    )


def _time(retrieval: Retrieval, longest_ms: float) -> Look:
    rows = tuple(
        Row(f"**{t_or(f'lab.time_{stage}', escape_markdown(stage))}**", "", ms / longest_ms,
            seconds(ms / 1000))
        for stage, ms in retrieval.timings_ms.items()
        if stage != "total"
    )  # fmt: skip
    notes = tuple(
        Row(escape_markdown(note, 200), "", 0.0, "") for note in retrieval.trace.fallbacks
    )
    return Look(
        dotted(seconds(total_seconds(retrieval)), t("lab.time_hint")),
        (Group("", rows), Group(t("steps.fallbacks"), notes)) if notes else (Group("", rows),),
    )


def longest(retrievals: Iterable[Retrieval]) -> float:
    """The longest step of all, in milliseconds; never 0."""
    return max(
        [ms for r in retrievals for stage, ms in r.timings_ms.items() if stage != "total"] + [1e-6]
    )
