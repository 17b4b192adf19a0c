"""The right side of an answer: the pictures found, and the graph that led to them.

A fragment, so that a click here never ends an answer that is still being written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from zlib import crc32

import streamlit as st

from brit.errors import UnknownName
from brit.generation.language import found_nothing
from brit.storage.chats import Turn
from brit.types import Answer, Retrieval
from brit.ui.choice import Choice
from brit.ui.evidence import Evidence, evidence_of_node, list_evidence
from brit.ui.explore.link import graph_link
from brit.ui.graph_layout import ASPECT, layered, spread
from brit.ui.graph_spec import GraphSpec, path_spec, subgraph_spec
from brit.ui.graph_view import draw_graph
from brit.ui.lit import mark_of_evidence
from brit.ui.page_view import open_evidence
from brit.ui.pictures import CARD, data_uri, small_jpeg
from brit.ui.safe import escape_markdown
from brit.ui.state import Place, open_dialog
from brit.ui.theme import palette, theme_name
from brit.ui.view_watch import watch_view
from brit.ui.ways import QUESTION
from brit.ui.wording import decimal, dotted, language, page_of, t, unbroken

_CARDS = 4
_LARGE_ASPECT = 1.85
Mode = str  # "path" or "subgraph"


@st.fragment
def evidence_panel(place: Place, turn: Turn, retrieval: Retrieval, answer: Answer | None) -> None:
    """Pictures over graph, while the answer is being written (then `answer` is None)."""
    panel(place, turn, retrieval, answer, None)


def panel(
    place: Place, turn: Turn, retrieval: Retrieval, answer: Answer | None, choice: Choice | None
) -> None:
    """Pictures over graph. Without a `choice` a click opens what it is on, else it lights it up."""
    evidence = list_evidence(retrieval, answer)
    with st.container(key="evidence-panel"):
        missed = answer is not None and found_nothing(answer.text)
        doubtful = retrieval.low_relevance or missed
        above = st.container(gap="small")
        mode = _graph_head(place, turn, retrieval, answer, choice)
        also = choice.lit.targets[0] if choice and choice.lit else ""
        spec = _laid_out(turn, retrieval, answer, mode, also)
        with st.container(key="graph-frame", border=True):
            clicked = draw_mode(place, f"g-{turn.id}", spec, mode, retrieval, choice=choice)
        with st.container(key="legend"):
            st.markdown(legend(spec))
        with above:
            _pictures(place, turn, evidence, doubtful, choice.pick if choice else None)
    if clicked and choice is None:
        open_clicked(place, retrieval, evidence, clicked)


def _laid_out(
    turn: Turn, retrieval: Retrieval, answer: Answer | None, mode: Mode, also: str
) -> GraphSpec:
    """The graph of a mode, kept while only what is lit up changes: it shows `also` in any case,
    but stays as it is where that is on it."""
    key, known = (turn.id, mode, answer is None, language()), st.session_state.get("graph-laid-out")
    if known and known[0] == key and (not also or also in known[2]):
        spec: GraphSpec = known[1]
        return spec
    spec = graph(retrieval, answer, mode, also=also)
    marks = {node.id for node in spec.nodes} | {also}
    st.session_state["graph-laid-out"] = (key, spec, marks)
    return spec


# --- pictures ---


def _pictures(
    place: Place,
    turn: Turn,
    evidence: list[Evidence],
    doubtful: bool,
    pick: Callable[[str], None] | None,
) -> None:
    pictures = [each for each in evidence if each.kind == "image"]
    pictures_head(pictures, doubtful)
    for start in range(0, min(len(pictures), 2 * _CARDS), _CARDS):
        columns = st.columns(_CARDS, gap="small")
        for column, each in zip(columns, pictures[start : start + _CARDS], strict=False):
            with column:
                badge = f":green-badge[{each.marker}] " if each.marker else ""
                picture_card(place, turn.id, each, evidence, badge, scored=not doubtful, pick=pick)


def pictures_head(pictures: Sequence[Evidence], doubtful: bool, badge: str = "") -> None:
    """What the pictures are, and what their order follows; `doubtful`: perhaps none belongs."""
    title = t("picture.nearest" if doubtful and pictures else "picture.found")
    cited = any(each.marker for each in pictures)
    order = t("picture.by_use" if cited else "picture.by_score") if len(pictures) > 1 else ""
    told = t("picture.doubtful") if doubtful else order
    if not pictures:
        st.markdown(f"{badge}**{title}**")
        st.caption(t("picture.none"))
        return
    quiet = f" \u2002:gray[:small[{told}]]" if told else ""
    st.markdown(f"{badge}**{title}**{quiet}", help=None if doubtful else t("picture.score_help"))


def picture_card(
    place: Place,
    key: str,
    picture: Evidence,
    evidence: list[Evidence],
    badge: str = "",
    note: str = "",
    scored: bool = True,
    pick: Callable[[str], None] | None = None,
) -> None:
    """A picture that opens its page, or is handed to `pick`; `badge` (Markdown) stands before its
    label, `note` below."""
    with st.container(key=f"card-{key}-{picture.key}", gap=None):
        content = small_jpeg(picture.path, CARD)
        if content:
            st.image(content, width="stretch", alt=picture.label)
        else:
            st.caption(t("picture.missing"))
        label = f"{badge}{escape_markdown(picture.label, 44)}"
        mark = mark_of_evidence(picture.key)
        pressed = st.button(
            label, key=f"open-{key}-{picture.key}", type="tertiary",
            on_click=pick, args=(mark,) if pick else (),
        )  # fmt: skip
        if pressed and pick is None:
            open_evidence(place, evidence, picture.key)
        where = escape_markdown(page_of(picture.page) or picture.document, 14)
        score = decimal(picture.score) if scored else ""
        st.caption(f"{unbroken(dotted(where, score))} {note}")


# --- graph ---


def graph(
    retrieval: Retrieval,
    answer: Answer | None,
    mode: Mode,
    aspect: float = ASPECT,
    also: str = "",
) -> GraphSpec:
    """The graph of a mode, laid out for a frame so much wider than high; a path also to a mark."""
    if mode == "path":
        return layered(path_spec(retrieval, answer, also), aspect)
    return spread(subgraph_spec(retrieval, answer), aspect)


def _graph_head(
    place: Place, turn: Turn, retrieval: Retrieval, answer: Answer | None, choice: Choice | None
) -> Mode:
    with st.container(
        key="graph-head",
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
    ):
        mode = st.segmented_control(
            t("graph.choose"),
            ["path", "subgraph"],
            default="path",
            required=True,
            format_func=lambda each: t(f"graph.{each}"),
            key=f"mode-{turn.id}",
            label_visibility="collapsed",
        )
        chosen = mode or "path"
        if st.button(
            t("graph.enlarge"), icon=":material/open_in_full:", type="tertiary",
            key=f"enlarge-{turn.id}",
        ):  # fmt: skip
            enlarge(place, f"g-{turn.id}", retrieval, answer, chosen, choice=choice)
    return chosen


def enlarge(
    place: Place,
    key: str,
    retrieval: Retrieval,
    answer: Answer | None,
    mode: Mode,
    side: str = "",
    choice: Choice | None = None,
) -> None:
    """Open the graph of a mode, of a side of the Lab, in a dialog, where the wheel zooms."""
    dialog = open_dialog(dotted(t(f"graph.{mode}"), side), width="large")
    dialog(_show_large)(place, key, retrieval, answer, mode, choice)


def _show_large(
    place: Place,
    key: str,
    retrieval: Retrieval,
    answer: Answer | None,
    mode: Mode,
    choice: Choice | None,
) -> None:
    also = choice.lit.targets[0] if choice and choice.lit else ""
    spec = graph(retrieval, answer, mode, _LARGE_ASPECT, also)
    with st.container(key="graph-large"):
        clicked = draw_mode(place, key, spec, mode, retrieval, large=True, choice=choice)
    with st.container(key="legend-large"):
        st.markdown(legend(spec))
    if clicked:
        _describe(place, retrieval, list_evidence(retrieval, answer), clicked)


def draw_mode(
    place: Place,
    key: str,
    spec: GraphSpec,
    mode: Mode,
    retrieval: Retrieval,
    large: bool = False,
    choice: Choice | None = None,
) -> str | None:
    """→ the id clicked since the last run, None if there was no new click. With a `choice` what is
    lit up is drawn so, and what is clicked is handed to it."""
    key = f"{key}-{mode}{'-large' if large else ''}"
    # Marks in other places are another drawing: it is fitted into its frame only when it is made.
    places = crc32(repr([(node.id, node.x, node.y) for node in spec.nodes]).encode())
    key = f"{key}-{theme_name()}-{places:x}-{watch_view(f'view-{key}')}"

    def picked() -> None:
        clicked = str(st.session_state.get(key) or "")
        if choice and clicked in {node.id for node in spec.nodes} - {QUESTION}:
            choice.pick(clicked)

    clicked = draw_graph(
        spec,
        key=key,
        palette=palette(),
        thumbnail=thumbnails(place, retrieval),
        layered=mode == "path",
        large=large,
        light=choice.light if choice else None,
        on_click=picked if choice and not large else None,
    )
    if large:
        return clicked
    handled = f"handled-{key}"
    fresh = clicked if clicked != st.session_state.get(handled) else None
    st.session_state[handled] = clicked
    return fresh


def thumbnails(place: Place, retrieval: Retrieval) -> Callable[[str], str]:
    """Image id → data URI; pictures that were looked at and dropped are found in the workspace."""
    paths = {image.id: image.path for image in retrieval.images}
    background = palette().surface

    def thumbnail(id: str) -> str:
        if id not in paths:
            with suppress(UnknownName):  # deleted since
                file = place.workspace.content.image(id).file
                paths[id] = str(place.workspace.images.path(file)) if file else ""
        return data_uri(paths[id], background) if paths.get(id) else ""

    return thumbnail


def legend(spec: GraphSpec) -> str:
    """What the marks mean, only of those that are there."""
    kinds = {node.kind for node in spec.nodes}
    states = {edge.state for edge in spec.edges}
    shown = [
        (":orange[:material/star:]", "graph.legend_question", True),
        (":blue[:material/circle:]", "graph.legend_node", "node" in kinds),
        (":blue[:material/crop_landscape:]", "graph.legend_passage", "passage" in kinds),
        (":green[:material/image:]", "graph.legend_image", "image" in kinds),
        (":orange[:material/arrow_right_alt:]", "graph.legend_used", "used" in states),
        (":gray[:material/more_horiz:]", "graph.legend_dropped", "dropped" in states),
    ]
    marks = (f"{mark}\u00a0:small[{_unbroken(t(key))}]" for mark, key, there in shown if there)
    return "\u00a0\u2002 ".join(marks)


def _unbroken(text: str) -> str:
    return text.replace(" ", "\u00a0")


# --- clicks ---


def evidence_behind(
    retrieval: Retrieval, evidence: list[Evidence], clicked: str
) -> tuple[list[Evidence], str]:
    """What a click on a node of the graph opens: a row of evidence, and the one to begin with."""
    kind, _, id = clicked.partition(":")
    if kind == "n":
        keys = evidence_of_node(retrieval, id)
        return [each for each in evidence if each.key in keys], keys[0] if keys else ""
    key = f"{'image' if kind == 'i' else 'passage'}:{id}"
    return (evidence, key) if any(each.key == key for each in evidence) else ([], "")


def open_clicked(
    place: Place, retrieval: Retrieval, evidence: list[Evidence], clicked: str
) -> None:
    if clicked == QUESTION:
        return
    found, key = evidence_behind(retrieval, evidence, clicked)
    if found:
        mark = clicked if clicked[:2] in ("n:", "i:") else ""
        open_evidence(place, found, key, _node_title(retrieval, clicked), mark)
    else:
        dialog = open_dialog(t("evidence.title"))
        dialog(_describe)(place, retrieval, evidence, clicked)


def _node_title(retrieval: Retrieval, clicked: str) -> str:
    labels = {f"n:{node.id}": node.label for node in retrieval.trace.nodes}
    return escape_markdown(labels.get(clicked, ""), 60)


def _describe(place: Place, retrieval: Retrieval, evidence: list[Evidence], clicked: str) -> None:
    """A thing of the graph in words, where no further dialog can be opened or no page shown."""
    if clicked == QUESTION:
        st.markdown(f"**{escape_markdown(retrieval.question)}**")
        return
    found, key = evidence_behind(retrieval, evidence, clicked)
    chosen = found if clicked.startswith("n:") else [each for each in found if each.key == key]
    for line in _node_facts(retrieval, clicked):
        st.markdown(line)
    for each in chosen[:4]:
        where = dotted(escape_markdown(each.document, 40), page_of(each.page))
        st.markdown(f"{escape_markdown(each.text or each.label, 240)} :gray[{where}]")
    if not chosen and not clicked.startswith("n:"):
        st.caption(t("evidence.dropped"))
    if clicked[:2] in ("n:", "i:"):
        graph_link(place, clicked)


def _node_facts(retrieval: Retrieval, clicked: str) -> list[str]:
    """How a textual node came in, from the trace."""
    id = clicked.removeprefix("n:")
    nodes = [node for node in retrieval.trace.nodes if node.id == id]
    matches = [match for match in retrieval.trace.matches if match.node == id]
    facts = [
        f"**{escape_markdown(n.label)}** :gray[{escape_markdown(n.kind)} · {decimal(n.score)}]"
        for n in nodes
    ]
    facts += [
        t(
            f"steps.match_{m.method}",
            entity=escape_markdown(m.entity, 40),
            label=escape_markdown(m.label, 40),
            score=decimal(m.score),
        )
        for m in matches
    ]
    return facts if not matches or nodes else [*facts, t("evidence.node_dropped")]
