"""Texts become vectors: n-grams, TF-IDF, a truncated SVD."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

from ibc_report.common.errors import DataError, UsageError
from ibc_report.data.encoders import Encoded, Options, text
from tests.support.tables import column, every

WORDS = ("cat", "mat", "dogs", "over", "green", "hills", "and", "rain", "fell", "into", "deep", "blue", "lakes", "sat")


def sentences(count: int) -> list[str]:
    """Sentences of six words, drawn with a fixed seed."""
    draw = np.random.default_rng(0)
    return [" ".join(draw.choice(WORDS, 6)) for _ in range(count)]


def encoded(texts: list[str | None], *, seed: int = 0, **given: str) -> Encoded:
    """Encode one column of texts."""
    strings = column("text", texts)
    return text.encode((strings,), every(strings), Options("text", given), seed=seed)


def test_the_same_texts_give_the_same_vectors() -> None:
    """Encoding twice gives the same bytes, and another seed the same vectors up to rounding."""
    texts = list[str | None](sentences(300))
    first, again, other = encoded(texts), encoded(texts), encoded(texts, seed=1)
    assert first.vectors.tobytes() == again.vectors.tobytes()
    assert np.abs(first.vectors - other.vectors).max() < 1e-10
    assert first.settings["seed"] == "0"


@pytest.mark.parametrize("components", ["3", "100", "2000"])
def test_the_order_of_rows_moves_no_vector(components: str) -> None:
    """Texts in another order keep their vectors up to rounding, signs of the axes among them."""
    texts = list[str | None](sentences(300))
    order = np.random.default_rng(1).permutation(len(texts))
    there = encoded(texts, components=components).vectors
    back = encoded([texts[row] for row in order], components=components).vectors
    assert np.abs(there[order] - back).max() < 1e-10


def test_more_texts_than_n_grams_have_every_component() -> None:
    """Where there are as many components as n-grams, products of the vectors are those of TF-IDF."""
    found = encoded(["abab", "baba", "aabb", "bbaa", "abba", "baab", "aaaa", "bbbb"] * 5, components="39")
    assert found.vectors.shape[1] < 39
    lengths = np.linalg.norm(found.vectors, axis=1)
    assert np.abs(lengths - 1).max() < 1e-12


def test_all_components_keep_the_distances_of_tf_idf() -> None:
    """Where nothing is truncated, distances are those of scikit-learn's TF-IDF vectors of the same n-grams."""
    texts = sentences(40)
    found = encoded(list(texts), components="39")
    counts = HashingVectorizer(
        analyzer="char", ngram_range=(2, 4), n_features=2**18, alternate_sign=False, norm=None
    ).transform(texts)
    weighted = TfidfTransformer().fit_transform(counts)
    # unit vectors: 39 of 40 components leave out the smallest eigenvalue of their products alone
    products = (weighted @ weighted.T).toarray()
    least = float(np.linalg.eigvalsh(products)[0])
    assert np.abs(found.vectors @ found.vectors.T - products).max() <= least + 1e-9


def test_rows_that_share_all_n_grams_coincide_up_to_the_rounding() -> None:
    """Texts that differ in case alone share every n-gram, and lie within the stated rounding of each other."""
    texts = list[str | None](sentences(200))
    texts += [str(line).upper() for line in texts[:20]]
    found = encoded(texts)
    radius = np.linalg.norm(found.vectors, axis=1).max()
    gaps = np.linalg.norm(found.vectors[:20] - found.vectors[200:], axis=1)
    assert gaps.max() <= found.rounding * radius


def test_texts_that_share_words_are_nearer_than_others() -> None:
    """A text lies nearer to its own variant than to any other text."""
    texts = list[str | None](sentences(100))
    found = encoded([*texts, f"{texts[0]}!"])
    gaps = np.linalg.norm(found.vectors[:-1] - found.vectors[-1], axis=1)
    assert int(gaps.argmin()) == 0


def test_rows_without_text_are_dropped() -> None:
    """Null, empty, blank and one-letter texts have no n-gram: they cost their rows, counted."""
    found = encoded(["hello world", None, "", "  \t", "a", "good bye"])
    assert found.rows.tolist() == [0, 5]
    assert [(lost.reason, lost.examples) for lost in found.dropped] == [
        ("texts shorter than 2 characters", (1, 2, 3, 4))
    ]


@pytest.mark.parametrize("texts", [[None, "hello"], ["", "a"]], ids=["one-text", "no-text"])
def test_fewer_than_two_texts_are_refused(texts: list[str | None]) -> None:
    """One text alone has no distance."""
    with pytest.raises(DataError, match="text: fewer than two rows have text"):
        encoded(texts)


def test_columns_are_joined() -> None:
    """Two columns are one text with a line break between them, and a null one leaves the other."""
    first, second = column("a", ["hello", "good", None]), column("b", ["world", None, "bye"])
    joined = text.encode((first, second), every(first), Options("text", {}), seed=0)
    assert joined.inputs == ("a", "b")
    assert joined.vectors.tobytes() == encoded(["hello\nworld", "good", "bye"]).vectors.tobytes()


def test_too_many_components_are_cut_and_said() -> None:
    """A set of few texts has fewer components than asked for, and the card says so."""
    found = encoded(list(sentences(5)), components="50")
    assert found.vectors.shape == (5, 4)
    assert found.settings["components"] == "4"
    assert found.notes == ("Only 4 components: the data have no more.",)
    assert encoded(list(sentences(5)), components="4").notes == ()


WRONG = [
    pytest.param({"components": "0"}, "text:components has to be a whole number from 1, not '0'", id="zero"),
    pytest.param({"components": "many"}, "text:components has to be a whole number from 1, not 'many'", id="word"),
    pytest.param({"component": "3"}, "no setting 'component'; did you mean 'components'?", id="unknown"),
]


@pytest.mark.parametrize(("given", "message"), WRONG)
def test_a_wrong_setting_is_refused(given: dict[str, str], message: str) -> None:
    """A setting with a wrong value or name is refused by one line."""
    with pytest.raises(UsageError) as caught:
        encoded(["hello world", "good bye"], seed=0, **given)
    assert message in str(caught.value)


def test_progress_is_told() -> None:
    """The encoder tells how far it is, between 0 and 1."""
    told: list[float] = []
    strings = column("text", sentences(30))
    text.encode((strings,), every(strings), Options("text", {}), seed=0, progress=told.append)
    assert told
    assert all(0 <= fraction <= 1 for fraction in told)
