"""Overlap of texts by n-grams of words: which texts of one set stand in another."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.errors import InputError

__all__ = ["THRESHOLD", "N", "Overlap", "overlap", "words"]

N = 8
"""Words of an n-gram."""

THRESHOLD = 0.7
"""Share of a text's n-grams from which on it is flagged (Chowdhery et al., PaLM, JMLR 2023, section 8, with n = 8)."""

# Scripts without spaces, and what is a word elsewhere.
_ALONE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"

_WORD = re.compile(rf"[{_ALONE}]|[^\W{_ALONE}]+")

_Ints: TypeAlias = NDArray[np.int64]

_HALF = 32

_LOWER = (1 << _HALF) - 1


@dataclass(frozen=True, slots=True)
class Overlap:
    """Texts of one set that stand in another.

    Parameters
    ----------
    threshold : float
        Share τ from which on a text is flagged.
    shares : ndarray of float64, shape (texts,)
        Share of each text's distinct n-grams that the other set has.
    flagged : ndarray of int64, shape (flagged,)
        Texts with a share of at least the threshold, the largest shares first.
    sources : ndarray of int64, shape (flagged,)
        For each, the text of the other set that has most of its n-grams; the first of several.
    short : int
        Texts with fewer than n words: they are compared whole, with whole short texts only.
    wordless : int
        Texts without a word; never flagged.
    """

    n: int
    threshold: float
    shares: NDArray[np.float64]
    flagged: _Ints
    sources: _Ints
    short: int
    wordless: int


def words(text: str) -> list[str]:
    """Split a text into words, whatever its case, punctuation and Unicode form.

    Parameters
    ----------
    text : str
        Chinese characters and kana are words of their own.

    Examples
    --------
    >>> words("Don't STOP, café 你好!")
    ['don', 't', 'stop', 'café', '你', '好']
    """
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def overlap(texts: Sequence[str], others: Sequence[str], n: int = N, threshold: float = THRESHOLD) -> Overlap:
    """Flag the texts whose n-grams stand in another set: |G_i ∩ G_others| / |G_i| ≥ τ. Exact, no hashing.

    Parameters
    ----------
    texts : sequence of str
        What is looked up, as of a test split.
    others : sequence of str
        Where, as in a training split.
    n : int
        Words of an n-gram, at least 1.
    threshold : float
        Share τ above 0 and at most 1.

    Raises
    ------
    InputError
        If n or the threshold is outside its domain.

    Examples
    --------
    >>> found = overlap(["a b c d", "x y z"], ["so a b c d e", "q r s t"], n=3, threshold=0.5)
    >>> found.shares.tolist(), found.flagged.tolist(), found.sources.tolist()
    ([1.0, 0.0], [0], [0])
    """
    if n < 1:
        raise InputError(f"n-grams of n = {n} words are none; take 8, say")
    if not 0 < threshold <= 1:
        raise InputError(f"threshold {threshold} is not above 0 and at most 1")
    split = [words(text) for text in (*texts, *others)]
    grams, owners = _grams(split, n)
    # each text has each of its n-grams once
    held = np.sort(_pairs(owners, grams))
    held = held[np.diff(held, prepend=-1) > 0]
    owners, grams = held >> _HALF, held & _LOWER
    inside = owners < len(texts)
    other_grams, other_owners = grams[~inside], owners[~inside] - len(texts)
    order = np.lexsort((other_owners, other_grams))
    other_grams, other_owners = other_grams[order], other_owners[order]
    mine, of = grams[inside], owners[inside]
    first = np.searchsorted(other_grams, mine, side="left")
    last = np.searchsorted(other_grams, mine, side="right")
    totals = np.bincount(of, minlength=len(texts))
    hits = np.bincount(of[last > first], minlength=len(texts))
    shares = hits / np.maximum(totals, 1)
    reached = np.flatnonzero(shares >= threshold)
    flagged = reached[np.argsort(-shares[reached], kind="stable")]
    bounds = np.searchsorted(of, np.stack([flagged, flagged + 1]))
    sources = [
        _most_common(other_owners, first[start:end], last[start:end]) for start, end in zip(*bounds, strict=True)
    ]
    lengths = np.array([len(found) for found in split[: len(texts)]], dtype=np.int64)
    return Overlap(
        n=n,
        threshold=threshold,
        shares=shares,
        flagged=flagged,
        sources=np.array(sources, dtype=np.int64),
        short=int(np.count_nonzero((lengths > 0) & (lengths < n))),
        wordless=int(np.count_nonzero(lengths == 0)),
    )


def _grams(split: Sequence[Sequence[str]], n: int) -> tuple[_Ints, _Ints]:
    """Number the n-grams of all texts, equal ones alike, and say whose they are."""
    # grams of 1, 2, 4, … words are numbered by pairs of the former numbers, and the last step takes two that overlap:
    # exact, with a sort for each doubling whatever n is; a text shorter than n is one gram of its own kind
    known: dict[str, int] = {}
    tokens = np.array([known.setdefault(word, len(known)) for text in split for word in text], dtype=np.int64)
    lengths = np.array([len(text) for text in split], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if len(lengths) else lengths
    owners = np.repeat(np.arange(len(split)), lengths)
    left = np.repeat(starts + lengths, lengths) - np.arange(len(tokens))
    numbers, size = tokens, 1
    while size < n:
        step = min(size, n - size)
        ahead = np.minimum(np.arange(len(tokens)) + step, max(len(tokens) - 1, 0))
        # a gram that would pass its text's end gets no number that a whole one has
        paired = _pairs(numbers, np.where(left >= size + step, numbers[ahead] + 1, 0))
        numbers = np.unique(paired, return_inverse=True)[1].reshape(-1)
        size += step
    whole = left >= n
    whole_texts: dict[tuple[str, ...], int] = {}
    base = int(numbers.max(initial=-1)) + 1
    short = [index for index, text in enumerate(split) if 0 < len(text) < n]
    as_one = [base + whole_texts.setdefault(tuple(split[index]), len(whole_texts)) for index in short]
    return (
        np.concatenate([numbers[whole], np.array(as_one, dtype=np.int64)]),
        np.concatenate([owners[whole], np.array(short, dtype=np.int64)]),
    )


def _pairs(first: _Ints, second: _Ints) -> _Ints:
    """Two numbers below 2³¹ in one, which a sort takes as it is."""
    return (first << _HALF) | second


def _most_common(owners: _Ints, first: _Ints, last: _Ints) -> int:
    """The owner that the ranges name most often; the smallest of several."""
    named = np.concatenate([owners[start:end] for start, end in zip(first, last, strict=True)])
    found, counts = np.unique(named, return_counts=True)
    return int(found[np.argmax(counts)])
