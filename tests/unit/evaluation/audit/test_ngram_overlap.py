"""Overlap of texts by n-grams, against the definition in sets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import InputError
from ibc_report.evaluation.audit.ngram_overlap import overlap, words
from tests.support.samples import properties

texts = st.lists(st.lists(st.sampled_from("abc"), max_size=9).map(" ".join), max_size=6)


def grams(text: str, n: int) -> set[tuple[str, ...]]:
    """The n-grams of a text by definition; a shorter text is one gram of its own length."""
    found = text.split()
    if 0 < len(found) < n:
        return {tuple(found)}
    return {tuple(found[i : i + n]) for i in range(len(found) - n + 1)}


@properties
@given(texts, texts, st.integers(1, 7), st.sampled_from([0.3, 0.5, 1.0]))
def test_shares_are_those_of_sets(mine: list[str], others: list[str], n: int, threshold: float) -> None:
    """Shares, flags and sources are those of Python's sets, for every n."""
    found = overlap(mine, others, n, threshold)
    held = [grams(text, n) for text in others]
    everything = set().union(*held)
    shares = [len(grams(text, n) & everything) / max(len(grams(text, n)), 1) for text in mine]
    assert found.shares.tolist() == pytest.approx(shares)
    assert sorted(found.flagged.tolist()) == [i for i, share in enumerate(shares) if share >= threshold]
    assert [shares[i] for i in found.flagged] == sorted((shares[i] for i in found.flagged), reverse=True)
    for text, source in zip(found.flagged.tolist(), found.sources.tolist(), strict=True):
        shared = [len(grams(mine[text], n) & other) for other in held]
        assert source == shared.index(max(shared))
    assert found.short == sum(0 < len(text.split()) < n for text in mine)
    assert found.wordless == sum(not text.split() for text in mine)


def test_a_copied_passage_is_flagged_whatever_its_case_and_marks() -> None:
    """A question that stands in a training text with other punctuation is flagged with its source; others are not."""
    question = "How many eggs does she sell at the market every day?"
    train = [
        "Nothing of the kind.",
        f"Question 7 - {question.upper().replace('?', '!')} Answer: nine.",
        "How many cars does he sell at the market on each and every other day?",
    ]
    found = overlap([question, "How many eggs are there in a dozen, if all of them are whole?"], train, n=8)
    assert (found.n, found.threshold) == (8, 0.7)
    assert found.flagged.tolist() == [0]
    assert found.sources.tolist() == [1]


def test_short_texts_match_whole_ones_only() -> None:
    """A text shorter than n is flagged where the other set has the same one, not where it is a part of a longer one."""
    found = overlap(["Card lost!", "card"], ["my card lost its colour in the wash today", "card LOST"], n=8)
    assert found.shares.tolist() == [1.0, 0.0]
    assert found.sources.tolist() == [1]
    assert found.short == 2


def test_words_of_scripts_without_spaces() -> None:
    """Chinese characters and kana are words of their own, and compatibility forms are alike."""
    assert words("猫とＡＢＣ３") == ["猫", "と", "abc3"]
    assert words("  ,;  ") == []


def test_nothing_overlaps_with_nothing() -> None:
    """Empty sets are fine on either side."""
    assert overlap([], ["a b"], 1).shares.shape == (0,)
    assert overlap(["a b"], [], 1).shares.tolist() == [0.0]
    assert overlap(["", "!"], ["", "!"], 1).flagged.tolist() == []


@pytest.mark.parametrize(("n", "threshold"), [(0, 0.5), (2, 0.0), (2, 1.5)])
def test_settings_outside_their_domain_are_refused(n: int, threshold: float) -> None:
    """No n-gram has no word, and a threshold is above 0 and at most 1."""
    with pytest.raises(InputError):
        overlap(["a"], ["a"], n, threshold)
