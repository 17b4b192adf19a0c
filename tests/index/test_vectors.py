"""Vectors under string ids: exact, and in cells."""

from __future__ import annotations

import numpy as np
import pytest

from brit.errors import EncoderMismatch, WorkspaceError
from brit.index import FaissIndex, vectors


@pytest.fixture
def index() -> FaissIndex:
    """Four unit vectors at 0, 30, 60 and 90 degrees."""
    angles = np.radians([0, 30, 60, 90])
    index = FaissIndex("enc", 2)
    index.add(["a", "b", "c", "d"], np.stack([np.cos(angles), np.sin(angles)], axis=1))
    return index


def ids(hits: list[tuple[str, float]]) -> list[str]:
    return [id for id, _ in hits]


EAST = np.array([[1.0, 0.0]], np.float32)


def test_search_gives_cosines_best_first(index: FaissIndex) -> None:
    (hits,) = index.search(EAST, 3)
    assert ids(hits) == ["a", "b", "c"]
    assert [score for _, score in hits] == pytest.approx([1, 0.8660254, 0.5], abs=1e-6)


def test_search_answers_each_query(index: FaissIndex) -> None:
    found = index.search(np.array([[1, 0], [0, 1]], np.float32), 1)
    assert [ids(hits) for hits in found] == [["a"], ["d"]]


def test_search_stays_within_allowed_ids(index: FaissIndex) -> None:
    assert ids(index.search(EAST, 3, ["d", "c", "unknown"])[0]) == ["c", "d"]
    assert index.search(EAST, 3, []) == [[]]


def test_nothing_to_search(index: FaissIndex) -> None:
    assert index.search(EAST, 0) == [[]]
    assert FaissIndex("enc", 2).search(EAST, 3) == [[]]
    assert index.search(np.full((1, 2), np.nan, np.float32), 3) == [[]]


def test_removed_ids_are_gone_and_the_others_keep_their_vectors(index: FaissIndex) -> None:
    index.remove(["b", "unknown"])
    assert len(index) == 3
    assert ids(index.search(EAST, 9)[0]) == ["a", "c", "d"]
    np.testing.assert_allclose(index.vectors(["d", "a"]), [[0, 1], [1, 0]], atol=1e-6)
    with pytest.raises(KeyError):
        index.vectors(["b"])


def test_adding_an_id_again_replaces_its_vector(index: FaissIndex) -> None:
    index.add(["d"], EAST)
    assert len(index) == 4
    np.testing.assert_allclose(index.vectors(["d"]), EAST)


def test_vectors_of_another_width_are_refused(index: FaissIndex) -> None:
    with pytest.raises(EncoderMismatch, match="2 numbers, not 3"):
        index.add(["e"], np.ones((1, 3), np.float32))


def test_saved_and_loaded(index: FaissIndex, tmp_path) -> None:
    path = tmp_path / "nodes.faiss"
    index.save(path)
    loaded = FaissIndex.load(path, "enc", 2)
    assert loaded.ids == ("a", "b", "c", "d")
    assert loaded.search(EAST, 2) == index.search(EAST, 2)


@pytest.mark.parametrize(("encoder", "dim"), [("other", 2), ("enc", 3)])
def test_loading_vectors_of_another_encoder_fails(index, tmp_path, encoder, dim) -> None:
    index.save(tmp_path / "nodes.faiss")
    with pytest.raises(EncoderMismatch, match="made by enc"):
        FaissIndex.load(tmp_path / "nodes.faiss", encoder, dim)


@pytest.mark.parametrize("damage", ["missing", "text", "short"])
def test_loading_a_damaged_file_says_what_to_do(index, tmp_path, damage) -> None:
    path = tmp_path / "nodes.faiss"
    index.save(path)
    if damage == "missing":
        path.unlink()
    elif damage == "text":
        path.write_text("no index")
    else:
        sidecar = path.with_name("nodes.faiss.json")
        sidecar.write_text(sidecar.read_text().replace('"a", ', ""))
    with pytest.raises(WorkspaceError, match="rebuild"):
        FaissIndex.load(path, "enc", 2)


def test_vectors_that_cannot_be_written_are_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(WorkspaceError, match="cannot be written"):
        FaissIndex("e", 2).save(tmp_path / "file" / "a.faiss")


DIM, GROUPS = 16, 20


def clustered(count: int, seed: int = 0) -> np.ndarray:
    """Unit vectors around a few centres, as those of names are."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(99).normal(size=(GROUPS, DIM))
    rows = centres[random.integers(0, GROUPS, count)] + 0.4 * random.normal(size=(count, DIM))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def celled(monkeypatch) -> FaissIndex:
    """900 vectors in cells and 50 that came later."""
    monkeypatch.setattr(vectors, "EXACT", 300)
    index = FaissIndex("enc", DIM)
    index.add([f"n{at}" for at in range(900)], clustered(900))
    assert index.settle()
    index.add([f"m{at}" for at in range(50)], clustered(50, seed=1))
    assert not index.settle()
    return index


def exact(queries: np.ndarray, k: int) -> list[list[str]]:
    rows = np.concatenate([clustered(900), clustered(50, seed=1)])
    names = [f"n{at}" for at in range(900)] + [f"m{at}" for at in range(50)]
    return [[names[at] for at in np.argsort(-line)[:k]] for line in queries @ rows.T]


def test_few_vectors_stay_exact(index: FaissIndex) -> None:
    assert not index.settle()
    assert index.recall == 1


def test_cells_find_what_a_comparison_with_all_finds(celled) -> None:
    queries = clustered(50, seed=2)
    found = [ids(hits) for hits in celled.search(queries, 10)]
    shared = [len({*one} & {*other}) for one, other in zip(found, exact(queries, 10), strict=True)]
    assert sum(shared) / 500 >= 0.95
    assert celled.recall >= 0.99
    assert any(id.startswith("m") for line in found for id in line)


def test_among_allowed_ids_cells_compare_them_all(celled) -> None:
    query = clustered(1, seed=2)
    (best,) = exact(query, 950)
    allowed = [best[-1], best[500], best[100]]
    assert ids(celled.search(query, 3, allowed)[0]) == allowed[::-1]


def test_cells_give_vectors_back_in_half_precision(celled) -> None:
    gathered = celled.vectors(["n7", "m3", "n0"])
    np.testing.assert_allclose(gathered[0], clustered(900)[7], atol=1e-3)
    np.testing.assert_array_equal(gathered[1], clustered(50, seed=1)[3])
    np.testing.assert_allclose(gathered[2], clustered(900)[0], atol=1e-3)


def test_what_is_removed_or_replaced_in_cells_is_not_found(celled) -> None:
    query = clustered(900)[:1]
    assert ids(celled.search(query, 1)[0]) == ["n0"]
    celled.add(["n0"], -query)
    assert celled.search(query, 1)[0][0][0] != "n0"
    assert ids(celled.search(-query, 1)[0]) == ["n0"]
    celled.remove(["n0"])
    assert len(celled) == 949
    assert ids(celled.search(-query, 1)[0]) != ["n0"]


def test_a_copy_grows_alone(celled) -> None:
    other = celled.copy()
    other.add(["new"], clustered(1, seed=3))
    assert ("new" in other, "new" in celled) == (True, False)
    assert ids(other.search(clustered(1, seed=3), 1)[0]) == ["new"]


def test_many_that_came_later_are_sorted_into_the_cells(celled) -> None:
    before = celled.copy()
    celled.add([f"o{at}" for at in range(300)], clustered(300, seed=4))
    assert celled.settle()
    assert ids(celled.search(clustered(300, seed=4)[5:6], 1)[0]) == ["o5"]
    assert (len(before), len(celled)) == (950, 1250)
    assert ids(before.search(clustered(300, seed=4)[5:6], 1)[0]) != ["o5"]


def test_cells_are_saved_and_loaded(celled, tmp_path) -> None:
    path = tmp_path / "node.faiss"
    celled.remove(["n1"])
    celled.save(path)
    loaded = FaissIndex.load(path, "enc", DIM)
    queries = clustered(5, seed=2)
    assert loaded.search(queries, 9) == celled.search(queries, 9)
    assert (loaded.recall, loaded.ids, loaded.saved) == (celled.recall, celled.ids, 950)
    path.with_name("node.faiss.cells").unlink()
    with pytest.raises(WorkspaceError, match="rebuild"):
        FaissIndex.load(path, "enc", DIM)
