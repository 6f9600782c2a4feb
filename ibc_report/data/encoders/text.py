"""Text to vectors: hashed character n-grams, TF-IDF, a truncated SVD.

Metric: the Euclidean distance of the SVD's coordinates of TF-IDF vectors of unit norm. Texts that share
character n-grams are near; meaning is not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ibc_report.common.errors import DataError
from ibc_report.common.progress import Progress, silent
from ibc_report.data.encoders.base import Encoded, Options
from ibc_report.data.sources.rows import Column, Dropped

__all__ = ["encode"]

COMPONENTS = 100

HASH_BITS = 18

NGRAMS = (2, 4)

ROUNDING = 1e-7
"""Rows that differ as strings can share every n-gram; the SVD puts them this close, relative to the radius."""


def encode(
    columns: Sequence[Column],
    rows: NDArray[np.int64],
    options: Options,
    *,
    seed: int,
    progress: Progress = silent,
) -> Encoded:
    """Encode strings; several columns are joined by a line break.

    Parameters
    ----------
    options : Options
        `components`: dimensions of the SVD, 100 by default.
    seed : int
        Of the vector that the SVD starts from; it moves the vectors by rounding alone.

    Returns
    -------
    Encoded
        float64 vectors. Texts shorter than two characters, which have no n-gram, are dropped.

    Raises
    ------
    DataError
        If fewer than two rows have text.
    """
    options.known("components")
    from sklearn.feature_extraction.text import TfidfTransformer
    from threadpoolctl import threadpool_limits

    used, kept = _texts(columns, rows)
    if len(used) < 2:
        raise DataError(f"{', '.join(column.name for column in columns)}: fewer than two rows have text")
    counts = _counts(used)
    progress(0.4)
    weights = TfidfTransformer(sublinear_tf=False).fit(counts)
    weighted = weights.transform(counts)
    # most of the 2^18 columns hold no n-gram of these texts: without them the SVD is the same, and four times faster
    present = np.unique(weighted.indices)
    weighted = weighted[:, present]
    wanted = options.integer("components", COMPONENTS)
    components = min(wanted, len(used) - 1, weighted.shape[1])
    # sums in BLAS depend on the number of threads, and the same data give the same vectors everywhere
    with threadpool_limits(1):
        vectors, axes = _converged(weighted, components, seed)
    names = tuple(column.name for column in columns)
    low, high = NGRAMS
    return Encoded(
        name="text",
        metric=(
            f"Euclidean distance of {components} SVD coordinates of TF-IDF vectors of character {low}- to {high}-grams"
        ),
        settings={
            "ngrams": f"{low}-{high}",
            "case": "folded",
            "white space": "a run counts as one space",
            "hash": f"2^{HASH_BITS}",
            "components": str(components),
            "seed": str(seed),
        },
        inputs=names,
        vectors=np.ascontiguousarray(vectors, dtype=np.float64),
        unit=1.0,
        rows=rows[kept],
        rounding=ROUNDING,
        dropped=_short(rows[~kept]),
        notes=(f"Only {components} components: the data have no more.",) if components < wanted else (),
        transform=_Axes(names, weights, present, axes),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Axes:
    """Encodes other texts by the weights of n-grams and the axes of those that it was fitted to.

    Parameters
    ----------
    weights : sklearn.feature_extraction.text.TfidfTransformer
    present : ndarray of int64
        Columns of n-grams that those texts have.
    axes : ndarray of float64, shape (components, columns)
    """

    names: tuple[str, ...]
    weights: Any
    present: NDArray[np.int64]
    axes: NDArray[np.float64]

    def __call__(self, columns: Sequence[Column], rows: NDArray[np.int64]) -> Encoded:
        """Encode rows; see `Transform`."""
        from threadpoolctl import threadpool_limits

        given = {column.name: column for column in columns}
        used, kept = _texts([given[name] for name in self.names], rows)
        if not used:
            raise DataError(f"{', '.join(self.names)}: no row has text")
        weighted = self.weights.transform(_counts(used))[:, self.present]
        with threadpool_limits(1):
            vectors = weighted @ self.axes.T
        return Encoded(
            name="text",
            metric="that of the texts it was fitted to",
            settings={},
            inputs=self.names,
            vectors=np.ascontiguousarray(vectors, dtype=np.float64),
            unit=1.0,
            rows=rows[kept],
            rounding=ROUNDING,
            dropped=_short(rows[~kept]),
        )


def _texts(columns: Sequence[Column], rows: NDArray[np.int64]) -> tuple[list[str], NDArray[np.bool_]]:
    """The texts of rows that have one, and which rows those are."""
    index = pa.array(rows)
    parts = [column.values.take(index).to_pylist() for column in columns]
    texts = ["\n".join(piece for piece in pieces if piece) for pieces in zip(*parts, strict=True)]
    # a shorter text has no n-gram, and would be the zero vector
    kept = np.array([len(text.strip()) >= NGRAMS[0] for text in texts], dtype=bool)
    return [text for text, keep in zip(texts, kept, strict=True) if keep], kept


def _counts(texts: Sequence[str]) -> Any:
    from sklearn.feature_extraction.text import HashingVectorizer

    hashed = HashingVectorizer(
        analyzer="char", ngram_range=NGRAMS, n_features=2**HASH_BITS, alternate_sign=False, norm=None
    )
    return hashed.transform(texts)


def _short(rows: NDArray[np.int64]) -> tuple[Dropped, ...]:
    return (Dropped.of(f"texts shorter than {NGRAMS[0]} characters", rows.tolist()),) if len(rows) else ()


def _converged(weighted: Any, components: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coordinates along the first right singular vectors, each signed by its largest entry, and these vectors."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.utils.extmath import svd_flip

    if components < min(weighted.shape):
        # a randomised SVD stops before it has converged, at axes that depend on the order of the rows
        svd = TruncatedSVD(components, algorithm="arpack", random_state=seed)
        return np.asarray(svd.fit_transform(weighted), dtype=np.float64), np.asarray(svd.components_)
    # ARPACK finds all components but one
    left, lengths, right = np.linalg.svd(weighted.toarray(), full_matrices=False)
    left, right = svd_flip(left, right, u_based_decision=False)
    return np.asarray(left * lengths, dtype=np.float64), np.asarray(right)
