"""Each kind of link on a page made by hand."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from brit.config import LinkingConfig
from brit.graph import build_graph
from brit.linking import MOST, caption_entities, link_images, similarity_links
from brit.types import (
    BBox,
    Edge,
    Entity,
    Extraction,
    Image,
    ImageBlock,
    Link,
    StoredBlock,
    TextBlock,
    TextGraph,
    Triplet,
)

CONFIG = LinkingConfig()


class CapitalExtractor:
    """Every capitalised word is an entity."""

    name = "capitals"

    def extract(self, blocks: list[StoredBlock], _on_part: object = None) -> Extraction:
        entities = tuple(
            Entity(word.strip("."), "TERM", stored.id)
            for stored in blocks
            if isinstance(stored.block, TextBlock)
            for word in stored.block.text.split()
            if word[0].isupper()
        )
        return Extraction((), entities)

    def extract_entities(self, text: str) -> list[str]:
        return [word for word in text.split() if word[0].isupper()]


def text(
    id: str, page: int | None, words: str, bbox: BBox | None = None, section: str = "s1"
) -> StoredBlock:
    return StoredBlock(id, "d", page, 0, TextBlock(words, "paragraph", bbox, section=section))


def picture(
    id: str, page: int | None, bbox: BBox | None = None, section: str = "s1"
) -> StoredBlock:
    return StoredBlock(id, "d", page, 0, ImageBlock("f", bbox, section=section))


def image(block: StoredBlock, caption: str = "", furniture: bool = False) -> Image:
    return Image(
        f"i-{block.id}", "d", "f", block.page, block.block.bbox, caption=caption,
        section=block.block.section, section_title="Safety", furniture=furniture, block=block.id,
    )  # fmt: skip


def graph_of(blocks: list[StoredBlock], extra: Extraction | None = None) -> TextGraph:
    found = CapitalExtractor().extract(blocks)
    more = extra.entities if extra else ()
    return build_graph("c", Extraction((), (*found.entities, *more)))


def named(links: tuple[Link, ...], kind: str, graph: TextGraph) -> dict[str, Link]:
    labels = {node.id: node.label for node in graph.nodes}
    return {labels[link.node]: link for link in links if link.kind == kind}


PHOTO = picture("p", 1, (100, 200, 300, 400))
PAGE = [
    text("t0", 1, "Anna came", (100, 50, 300, 90)),
    text("t1", 1, "Boris came", (100, 150, 300, 190)),
    PHOTO,
    text("t2", 1, "Clara came", (100, 410, 300, 450)),
    text("t3", 2, "Dora came", (100, 50, 300, 90)),
    text("t4", 2, "Emil came", (100, 50, 300, 90), section="s2"),
]


class TestCaption:
    def test_names_of_the_caption(self) -> None:
        photo = image(PHOTO, "Boris before the Grand Pier")
        extra = Extraction((), (Entity("Grand Pier", "FAC", "p"), Entity("Pier", "TERM", "x")))
        graph = graph_of(PAGE, extra)
        found = named(link_images([photo], graph, PAGE, config=CONFIG), "CA", graph)
        assert set(found) == {"Boris", "Grand Pier"}  # not «Pier», which is inside it
        assert found["Boris"].score == 1.0
        assert found["Boris"].evidence == "in the caption “Boris before the Grand Pier”"

    def test_a_name_of_every_caption_scores_low(self) -> None:
        photos = [image(picture(f"p{i}", 1), f"Anna {i} {'Boris' if i else ''}") for i in range(8)]
        photos.append(image(picture("q", 1), "Anna and Clara"))
        graph = graph_of(PAGE)
        links = [k for k in link_images(photos, graph, PAGE, config=CONFIG) if k.image == "i-q"]
        found = named(tuple(links), "CA", graph)
        assert found["Anna"].score < 0.1 < found["Clara"].score == 1.0

    def test_aliases_count(self) -> None:
        graph = build_graph(
            "c",
            Extraction(
                (
                    Triplet(
                        Entity("Norwind Board", "ORG", "t0"), "met", Entity("Anna", "TERM", "t0"),
                        "t0", "The Norwind Board (NB) met Anna.",
                    ),
                ),
                (Entity("NB", "TERM", "t1"),),
            ),
        )  # fmt: skip
        found = link_images([image(PHOTO, "Party of the NB")], graph, PAGE, config=CONFIG)
        assert set(named(found, "CA", graph)) == {"Norwind Board"}

    def test_caption_entities_stand_in_the_block_of_the_image(self) -> None:
        photos = [image(PHOTO, "Anna with Gustav"), image(picture("l", 1), "Logo", furniture=True)]
        found = caption_entities(photos, CapitalExtractor())
        assert found.entities == (Entity("Anna", "TERM", "p"), Entity("Gustav", "TERM", "p"))

    def test_a_caption_read_as_text_is_not_read_twice(self) -> None:
        blocks = [StoredBlock("t", "d", 1, 0, TextBlock("来自工厂", "caption")), PHOTO]
        photo = image(PHOTO, "来自工厂")
        assert caption_entities([photo], CapitalExtractor(), blocks).entities == ()
        graph = build_graph("c", Extraction((), (Entity("工厂", "TERM", "t"),)))
        assert set(named(link_images([photo], graph, blocks, config=CONFIG), "CA", graph)) == {
            "工厂"
        }


class TestSimilarity:
    IMAGES = np.eye(3, 4, dtype=np.float32)
    NODES = np.array(
        [[1, 0, 0, 0], [0.6, 0.8, 0, 0], [0, 1, 0, 0], [0.8, 0, 0.6, 0], [-1, 0, 0, 0]],
        dtype=np.float32,
    )

    def test_the_nearest_three(self) -> None:
        links = list(similarity_links(["x"], self.IMAGES[:1], list("abcde"), self.NODES))
        assert [(k.node, round(k.score, 3)) for k in links] == [("a", 1.0), ("d", 0.8), ("b", 0.6)]
        assert links[1].evidence == "looks alike: number 2 of 5 names, 0.80"

    def test_blocks_of_rows_change_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        whole = list(similarity_links(["x", "y", "z"], self.IMAGES, list("abcde"), self.NODES))
        monkeypatch.setattr("brit.linking.CELLS_AT_ONCE", 1)
        assert (
            list(similarity_links(["x", "y", "z"], self.IMAGES, list("abcde"), self.NODES)) == whole
        )

    def test_equal_ones_come_by_id_whatever_order_the_nodes_are_in(self) -> None:
        same = np.repeat(self.NODES[:1], 5, axis=0)
        for names in ("abcde", "edcba", "cabed"):
            links = similarity_links(["x"], self.IMAGES[:1], list(names), same)
            assert [link.node for link in links] == ["a", "b", "c"]

    def test_nothing_to_compare(self) -> None:
        empty = np.zeros((1, 4), dtype=np.float32)
        assert list(similarity_links(["x"], empty, list("abcde"), self.NODES)) == []
        assert list(similarity_links(["x"], self.IMAGES[:1], [], self.NODES[:0])) == []

    def test_through_the_facade_without_furniture(self) -> None:
        graph = graph_of(PAGE)
        images = [image(picture("l", 1), furniture=True), image(PHOTO)]
        links = link_images(
            images, graph, PAGE,
            image_vectors=self.IMAGES[1:3], node_vectors=self.NODES,
            config=LinkingConfig(similar_nodes=1),
        )  # fmt: skip
        assert [(k.image, k.node) for k in links if k.kind == "SI"] == [("i-p", graph.nodes[3].id)]


class TestLayout:
    def test_same_page(self) -> None:
        graph = graph_of(PAGE)
        found = named(link_images([image(PHOTO)], graph, PAGE, config=CONFIG), "LP", graph)
        assert set(found) == {"Anna", "Boris", "Clara"}
        assert found["Anna"].evidence == "on page 1, 2 blocks above the picture"
        assert found["Boris"].evidence == "on page 1, 1 block above the picture"
        assert found["Clara"].evidence == "on page 1, 1 block below the picture"
        assert found["Boris"].score == found["Clara"].score > found["Anna"].score > 0

    def test_without_boxes_the_order_counts(self) -> None:
        blocks = [
            text("t0", 3, "Anna"),
            picture("p", 3),
            text("t1", 3, "so"),
            text("t2", 3, "Boris"),
        ]
        graph = graph_of(blocks)
        found = named(link_images([image(blocks[1])], graph, blocks, config=CONFIG), "LP", graph)
        assert found["Anna"].evidence == "on page 3, 1 block before the picture"
        assert (found["Anna"].score, found["Boris"].score) == (1 / 2, 1 / 3)

    def test_a_node_of_every_page_scores_low(self) -> None:
        blocks = [text(f"t{i}", i, "Anna") for i in range(1, 30)]
        blocks += [picture("p", 30), text("t", 30, "Anna met Boris")]
        graph = graph_of(blocks)
        found = named(link_images([image(blocks[29])], graph, blocks, config=CONFIG), "LP", graph)
        assert found["Anna"].score < 0.05 < found["Boris"].score

    def test_same_section(self) -> None:
        graph = graph_of(PAGE)
        found = named(link_images([image(PHOTO)], graph, PAGE, config=CONFIG), "LS", graph)
        assert set(found) == {"Anna", "Boris", "Clara", "Dora"}  # Emil is in another section
        assert found["Dora"].evidence == "in section “Safety”, 2 blocks away"
        assert found["Boris"].score > found["Dora"].score

    def test_no_section_no_link_but_artificial_pages(self) -> None:
        names = ("Anna Boris", "Clara Dora", "Emil Fritz")
        blocks = [text(f"t{i}", None, name, section="") for i, name in enumerate(names)]
        blocks.insert(1, picture("p", None, section=""))
        graph = graph_of(blocks)
        edges = tuple(
            Edge(f"e{i}", graph.nodes[0].id, graph.nodes[1].id, "r", f"t{i}", "") for i in range(3)
        )
        graph = replace(graph, edges=edges)
        config = LinkingConfig(page_triplets=2)
        links = link_images([image(blocks[1])], graph, blocks, config=config)
        assert {link.kind for link in links} == {"LP"}
        found = named(links, "LP", graph)
        assert set(found) == {"Anna", "Boris", "Clara", "Dora"}  # the third triplet is on page 2
        assert found["Clara"].evidence == "on artificial page 1, 1 block after the picture"

    def test_furniture_gets_none(self) -> None:
        graph = graph_of(PAGE)
        logo = image(PHOTO, "Anna", furniture=True)
        assert link_images([logo], graph, PAGE, config=CONFIG) == ()

    def test_links_are_bounded_and_the_work_is_linear(self) -> None:
        blocks: list[StoredBlock] = []
        for page in range(400):
            blocks += [text(f"t{page}-{i}", page, f"A{page}x{i} B{page}x{i} Z") for i in range(30)]
            blocks.append(picture(f"p{page}", page))
        images = [image(b) for b in blocks if isinstance(b.block, ImageBlock)]
        graph = graph_of(blocks)
        start = time.process_time()
        links = link_images(images, graph, blocks, config=CONFIG)
        assert time.process_time() - start < 10
        assert len(links) == 400 * 2 * MOST
        assert {link.score <= 1 for link in links} == {True}
