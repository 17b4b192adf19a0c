"""Further rounds of a retrieval (the paper's agentic extension): who decides on them, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from brit.errors import ModelError
from brit.models import GraphIndex, RoundDecider
from brit.retrieval.clock import Clock
from brit.retrieval.query import Query
from brit.retrieval.scope import Scope
from brit.types import RetrievalTrace, RoundChoice, RoundDecision

MOST_NAMES = 12
TOLD_PASSAGES, TOLD_IMAGES, TOLD_TRIPLETS = 5, 4, 8
TOLD_CHARACTERS = 600
GOES_ON = "as much like the question as the nodes that got prizes"
ENDS = "nothing new was as much like the question as the nodes that got prizes"


class Rounds:
    """The decisions on the further rounds of one retrieval, and what fell back.

    `read` reads a further query as the question was read, in the same documents.
    """

    def __init__(
        self, decider: RoundDecider | None, read: Callable[[str], Query], clock: Clock
    ) -> None:
        self.read = read
        self._decider = decider
        self._clock = clock
        self._decisions: list[RoundDecision] = []
        self._notes: list[str] = []

    @property
    def by_model(self) -> bool:
        """Whether a model is asked. One that failed is not asked again."""
        return self._decider is not None

    def choose(
        self, round: int, question: str, found: Sequence[str], names: Sequence[str]
    ) -> RoundChoice | None:
        """What the model decides; None where there is none, or it fails: then the scores do."""
        if self._decider is None:
            return None
        model = self._decider.name
        try:
            with self._clock("decide"):
                choice = self._decider.decide(question, found, names)
        except ModelError as error:
            note = f"«{model}» did not decide on round {round}, the scores did: {error}"
            self._notes.append(note)
            self._decider = None
            return None
        nodes = tuple(names[at] for at in choice.names)
        self._decisions.append(
            RoundDecision(round, model, choice.reason, nodes, choice.query, choice.usage)
        )
        return choice

    def score(self, round: int, names: Sequence[str]) -> None:
        """Notes what the scores decided: on from the nodes of these labels, or not."""
        reason = GOES_ON if names else ENDS
        self._decisions.append(RoundDecision(round, "", reason, tuple(names)))

    def told_in(self, trace: RetrievalTrace) -> RetrievalTrace:
        """The trace with the decisions, and what fell back."""
        return replace(
            trace,
            decisions=tuple(self._decisions),
            fallbacks=(*trace.fallbacks, *self._notes),
        )


def tell_finds(
    index: GraphIndex,
    scope: Scope,
    passages: Iterable[str],
    images: Iterable[str],
    edges: Iterable[int],
) -> list[str]:
    """The best of what was found, a line each."""
    graph = scope.graph

    def lines() -> Iterator[str]:
        for id in [*passages][:TOLD_PASSAGES]:
            yield f"text: {index.passage(id).text}"
        for id in [*images][:TOLD_IMAGES]:
            image = index.image(id)
            parts = (image.caption, image.section_title, image.text)
            yield f"picture: {' · '.join(filter(None, parts))}"
        for at in [*edges][:TOLD_TRIPLETS]:
            ends = (graph.node_labels[end[at]] for end in (graph.edge_source, graph.edge_target))
            source, target = ends
            yield f"triplet: {source} · {graph.relations[graph.edge_relation[at]]} · {target}"

    return [" ".join(line.split())[:TOLD_CHARACTERS] for line in lines()]
