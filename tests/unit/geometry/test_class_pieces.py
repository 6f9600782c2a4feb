"""Pieces of classes: blobs are counted, one piece is one whatever its form, also among other classes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ibc_report.geometry import Points, neighbor_graph, search
from ibc_report.geometry import class_pieces as module
from ibc_report.geometry.class_pieces import MOST_MISSING, ClassPieces, class_pieces
from ibc_report.geometry.class_pieces import _from_table as from_table


def pieces_of(vectors: NDArray[np.float64], labels: NDArray[np.int64] | None = None, k: int = 50) -> ClassPieces | None:
    """The pieces of the classes of an array."""
    points = Points(np.ascontiguousarray(vectors), 1.0, np.arange(len(vectors)), labels)
    return class_pieces(neighbor_graph(points, k=min(k, len(points) - 1)))


def blobs(n: int, dimension: int, count: int, gap: float, seed: int = 0) -> NDArray[np.float64]:
    """Normal clusters in a row."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, dimension))
    x[:, 0] += gap * rng.integers(0, count, n)
    return x


@pytest.mark.parametrize("dimension", [2, 10])
def test_blobs_are_counted(dimension: int) -> None:
    """One class of three blobs and one of one: the first is named, with the share of rows that it has."""
    x = np.concatenate([blobs(300, dimension, 3, 20), blobs(100, dimension, 1, 0) - 100])
    labels = np.repeat([0, 1], [300, 100]).astype(np.int64)
    assert pieces_of(x, labels) == ClassPieces(classes=2, share=0.75, most=3, label=0)
    assert pieces_of(x) == ClassPieces(classes=1, share=1.0, most=4, label=0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n", [30, 200])
@pytest.mark.parametrize("form", ["line", "strip", "heavy", "arc", "sphere"])
def test_one_piece_is_one(form: str, n: int, seed: int) -> None:
    """Long, thin, curved and heavy-tailed classes of few rows are in one piece."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 4, n)
    sphere = rng.standard_normal((n, 6))
    x = {
        "line": rng.random((n, 1)),
        "strip": rng.random((n, 3)) * [1, 0.05, 0.01],
        "heavy": rng.standard_t(2, (n, 4)),
        "arc": np.column_stack([np.cos(angle), np.sin(angle)]),
        "sphere": sphere / np.linalg.norm(sphere, axis=1, keepdims=True),
    }[form]
    found = pieces_of(x)
    assert found is not None
    assert found.most == 1


def test_a_class_among_others_is_searched_on_its_own() -> None:
    """Ten classes that lie in one another have few neighbours of their own: two of them in blobs are found so."""
    rng = np.random.default_rng(1)
    x, labels = rng.standard_normal((3000, 2)), rng.integers(0, 10, 3000)
    whole = pieces_of(x, labels, k=12)
    assert whole is not None
    assert (whole.classes, whole.most, whole.share) == (10, 1, 0.0)
    x[labels < 2, 0] += 30 * rng.integers(0, 2, int((labels < 2).sum()))
    found = pieces_of(x, labels, k=12)
    assert found is not None
    assert found.most == 2
    assert found.share == pytest.approx((labels < 2).mean())


def test_a_sample_of_queries_gives_the_same_pieces() -> None:
    """Where only some rows were asked, each class is searched on its own."""
    x = blobs(900, 3, 3, 20)
    points = Points(x, 1.0, np.arange(900), np.zeros(900, np.int64))
    found = class_pieces(neighbor_graph(points, points.take(np.arange(0, 900, 9)), k=20))
    assert found is not None
    assert found.most == 3


def test_stray_rows_are_no_piece() -> None:
    """A tenth of a class and less, or no more rows than a point has neighbours, is no piece of it."""
    x = blobs(400, 2, 1, 0)
    x[:40] += 50
    found = pieces_of(x)
    assert found is not None
    assert found.most == 1
    x[:41] = blobs(41, 2, 1, 0) + 50
    found = pieces_of(x)
    assert found is not None
    assert found.most == 2


def test_small_classes_are_left_out() -> None:
    """Of fewer than 30 rows nothing is said."""
    assert pieces_of(blobs(29, 2, 2, 30)) is None
    assert pieces_of(blobs(60, 2, 2, 30), np.arange(60) % 3) is None


def test_a_point_is_joined_to_ten_of_its_class() -> None:
    """Two groups on a line, of which the end of one has ten nearer neighbours in its own, are apart, and at nine one.

    The eleven points at the end of a group lie closer to one another than to the other group; of ten points the tenth
    neighbour lies in the other one.
    """
    for own, pieces in ((11, 2), (10, 1)):
        first = np.linspace(0.0, 1.0, own)
        second = 3.0 + np.linspace(0.0, 1.0, 40)
        far = np.concatenate([first, second])[:, None]
        found = pieces_of(far, k=30)
        assert found is not None
        assert found.most == pieces


@pytest.mark.parametrize(("hidden", "is_searched"), [(5, False), (6, True)])
def test_a_class_with_a_twentieth_of_rows_among_others_is_read_from_the_table(hidden: int, is_searched: bool) -> None:
    """Of a hundred points five may lack ten neighbours of their class in the table; with six the class is searched."""
    rng = np.random.default_rng(0)
    two = np.concatenate([rng.normal(size=(50 - hidden, 2)), rng.normal(60.0, 1.0, size=(50, 2))])
    # rows of the class that lie in crowds of another one, far from both of its pieces
    crowds = np.array([[0.0, 500.0 + 100.0 * place] for place in range(hidden)])
    others = np.concatenate([centre + 0.01 * rng.normal(size=(40, 2)) for centre in crowds])
    vectors = np.concatenate([two, crowds, others])
    labels = np.repeat([0, 1], [100, len(others)]).astype(np.int64)
    points = Points(np.ascontiguousarray(vectors), 1.0, np.arange(len(vectors)), labels)
    graph = neighbor_graph(points, k=20)
    complete, _ = from_table(graph, labels)
    assert (complete[labels == 0].mean() < 1 - MOST_MISSING) == is_searched
    assert MOST_MISSING == 0.05


def test_at_most_five_hundred_points_of_a_class_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class that only some points were asked of is searched among 500 of its points."""
    sizes = []

    def counted(own: Points, **options: object) -> object:
        sizes.append(len(own))
        return search(own, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "search", counted)
    points = Points(np.random.default_rng(0).normal(size=(900, 2)), 1.0, np.arange(900), np.zeros(900, np.int64))
    class_pieces(neighbor_graph(points, points.take(np.arange(0, 900, 3)), k=20))
    assert sizes == [500]
