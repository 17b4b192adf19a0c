"""The steps of a retrieval in words, read off its trace and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from brit.types import FollowUp, Hop, Retrieval, RetrievalTrace, RoundDecision
from brit.ui.safe import escape_markdown
from brit.ui.wording import decimal, dotted, number, seconds, t, t_or

_SHOWN = 6


@dataclass(frozen=True)
class Step:
    """One step: a title, a summary, and lines of detail; all of it Markdown made inert."""

    title: str
    summary: str
    lines: tuple[str, ...] = ()


def status_line(retrieval: Retrieval) -> str:
    """«14 of 401 nodes · 2 hops · 0.42 s», every count true."""
    trace = retrieval.trace
    return dotted(
        t("status.nodes", n=len(trace.nodes), total=number(trace.nodes_total)),
        t("status.hops", n=sum(hop.kept for hop in trace.hops)),
        t("status.pictures", n=len(retrieval.images)),
        seconds(total_seconds(retrieval)),
    )


def total_seconds(retrieval: Retrieval) -> float:
    timings = retrieval.timings_ms
    return timings.get("total", sum(timings.values())) / 1000


def describe_steps(retrieval: Retrieval) -> list[Step]:
    """What happened, in order, for a reader who has never heard of PCST."""
    trace = retrieval.trace
    steps = [
        _entities(retrieval),
        _matches(trace),
        _components(trace),
        _subgraph(trace),
        _hops(trace),
        _passages(retrieval),
        _timings(retrieval),
    ]
    if trace.follow_up:
        steps.insert(0, _follow_up(retrieval.question, trace.follow_up))
    if trace.decisions:
        steps.insert(-2, _decisions(trace))
    if trace.fallbacks:
        steps.insert(-1, Step(t("steps.fallbacks"), "", _lines(trace.fallbacks)))
    return steps


def _lines(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(escape_markdown(line, 160) for line in lines)


def _cut(lines: list[str]) -> tuple[str, ...]:
    more = len(lines) - _SHOWN
    return (*lines[:_SHOWN], t("steps.more", n=more)) if more > 0 else tuple(lines)


def _follow_up(question: str, found: FollowUp) -> Step:
    """What was searched for, who says so, and what the question was put together from."""
    how = "kept_as" if found.query == question else "rewritten" if found.model else "completed"
    told = t(
        f"steps.{how}",
        model=escape_markdown(found.model, 60),
        words=", ".join(escape_markdown(word, 40) for word in found.added),
    )
    lines = [told, *([escape_markdown(found.note, 240)] if found.note else [])]
    return Step(t("steps.follow_up"), f"“{escape_markdown(found.query, 200)}”", tuple(lines))


def _entities(retrieval: Retrieval) -> Step:
    names = ", ".join(escape_markdown(e, 60) for e in retrieval.entities)
    return Step(t("steps.entities"), names or t("steps.no_entities"))


def _matches(trace: RetrievalTrace) -> Step:
    lines = [
        t(
            f"steps.match_{match.method}",
            entity=escape_markdown(match.entity, 40),
            label=escape_markdown(match.label, 40),
            score=decimal(match.score),
        )
        for match in trace.matches
    ]
    return Step(t("steps.matches"), t("steps.matched", n=len(lines)), _cut(lines))


def _components(trace: RetrievalTrace) -> Step:
    kept = [c for c in trace.components if c.kept]
    lines = [
        t(
            "steps.component" if verdict.kept else "steps.component_dropped",
            nodes=number(verdict.nodes),
            reason=escape_markdown(verdict.reason, 90),
        )
        for verdict in trace.components
    ]
    total = number(trace.components_total)
    return Step(
        t("steps.components"), t("steps.kept_of", kept=number(len(kept)), total=total), _cut(lines)
    )


def _subgraph(trace: RetrievalTrace) -> Step:
    names = {node.id: node.label for node in trace.nodes}
    lines = [
        f"{_name(names, e.source)} · *{escape_markdown(e.relation, 40)}* · {_name(names, e.target)}"
        for e in sorted(trace.edges, key=lambda edge: -edge.score)
    ]
    summary = t(
        "steps.subgraph_size",
        nodes=number(len(trace.nodes)),
        edges=number(len(trace.edges)),
        total=number(trace.nodes_total),
    )
    return Step(t("steps.subgraph"), summary, _cut(lines))


def _name(names: dict[str, str], node: str) -> str:
    return f"**{escape_markdown(names.get(node, node), 40)}**"


def _hops(trace: RetrievalTrace) -> Step:
    names = {node.id: node.label for node in trace.nodes}
    kept = sum(hop.kept for hop in trace.hops)
    ordered = sorted(trace.hops, key=lambda hop: (not hop.kept, hop.round, -hop.score))
    lines = [_hop_line(hop, names) for hop in ordered]
    summary = t("steps.hops_taken", kept=number(kept), dropped=number(len(trace.hops) - kept))
    return Step(t("steps.hops"), summary, _cut(lines))


def _hop_line(hop: Hop, names: dict[str, str]) -> str:
    node = escape_markdown(names.get(hop.node, ""), 40) if hop.node else ""
    return dotted(
        t(f"hop.{hop.kind}", node=f"**{node}**" if node else t("hop.question")),
        t(f"link.{hop.link}") if hop.link else "",
        decimal(hop.score),
        t("steps.taken") if hop.kept else t("steps.dropped"),
        escape_markdown(hop.reason, 90),
    )


def _decisions(trace: RetrievalTrace) -> Step:
    told = map(decision_told, trace.decisions)
    lines = tuple(dotted(f"**{title}**", rest) for title, rest in told)
    return Step(t("steps.decisions"), t("steps.decided", n=len(lines)), lines)


def decision_told(decision: RoundDecision) -> tuple[str, str]:
    """Which round it was about, and who decided, why, and where it went on."""
    model = escape_markdown(decision.by, 60)
    names = ", ".join(escape_markdown(name, 40) for name in decision.nodes)
    query = escape_markdown(decision.query, 120)
    title = t("lab.decided_on" if decision.went_on else "lab.decided_end", n=decision.round)
    return title, dotted(
        t("lab.decided_by", model=model) if model else t("lab.decided_by_score"),
        t("lab.on_from", names=names) if names else "",
        t("lab.searched", query=query) if query else "",
        escape_markdown(decision.reason, 240),
    )


def _passages(retrieval: Retrieval) -> Step:
    trace = retrieval.trace
    kept = sum(p.kept for p in trace.passages) or len(retrieval.passages)
    summary = t("steps.passages_kept", n=kept, words=number(retrieval.words))
    lines = [
        dotted(
            escape_markdown(p.document, 40),
            t("page.short", page=p.page) if p.page is not None else "",
            decimal(p.score),
            f"*{escape_markdown(p.text, 80)}*",
        )
        for p in retrieval.passages
    ]
    return Step(t("steps.passages"), summary, _cut(lines))


def _timings(retrieval: Retrieval) -> Step:
    parts = [
        f"{t_or(f'steps.time_{stage}', escape_markdown(stage))} {seconds(ms / 1000)}"
        for stage, ms in retrieval.timings_ms.items()
        if stage != "total"
    ]
    return Step(t("steps.timings"), dotted(seconds(total_seconds(retrieval)), *parts))
