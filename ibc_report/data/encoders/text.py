"""Text to vectors: hashed character n-grams, TF-IDF, a truncated SVD.

Metric: the Euclidean distance of the SVD's coordinates of TF-IDF vectors of unit norm. Texts that share
character n-grams are near; meaning is not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
    from threadpoolctl import threadpool_limits

    index = pa.array(rows)
    parts = [column.values.take(index).to_pylist() for column in columns]
    texts = ["\n".join(piece for piece in pieces if piece) for pieces in zip(*parts, strict=True)]
    # a shorter text has no n-gram, and would be the zero vector
    kept = np.array([len(text.strip()) >= NGRAMS[0] for text in texts], dtype=bool)
    if kept.sum() < 2:
        raise DataError(f"{', '.join(column.name for column in columns)}: fewer than two rows have text")
    used = [text for text, keep in zip(texts, kept, strict=True) if keep]
    counts = HashingVectorizer(
        analyzer="char", ngram_range=NGRAMS, n_features=2**HASH_BITS, alternate_sign=False, norm=None
    ).transform(used)
    progress(0.4)
    weighted = TfidfTransformer(sublinear_tf=False).fit_transform(counts)
    # most of the 2^18 columns hold no n-gram of these texts: without them the SVD is the same, and four times faster
    weighted = weighted[:, np.unique(weighted.indices)]
    wanted = options.integer("components", COMPONENTS)
    components = min(wanted, len(used) - 1, weighted.shape[1])
    # sums in BLAS depend on the number of threads, and the same data give the same vectors everywhere
    with threadpool_limits(1):
        vectors = _converged(weighted, components, seed)
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
        dropped=(Dropped.of(f"texts shorter than {NGRAMS[0]} characters", rows[~kept].tolist()),)
        if not kept.all()
        else (),
        notes=(f"Only {components} components: the data have no more.",) if components < wanted else (),
    )


def _converged(weighted: Any, components: int, seed: int) -> NDArray[np.float64]:
    """Coordinates along the first right singular vectors, each signed by its largest entry."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.utils.extmath import svd_flip

    if components < min(weighted.shape):
        # a randomised SVD stops before it has converged, at axes that depend on the order of the rows
        found = TruncatedSVD(components, algorithm="arpack", random_state=seed).fit_transform(weighted)
        return np.asarray(found, dtype=np.float64)
    # ARPACK finds all components but one
    left, lengths, right = np.linalg.svd(weighted.toarray(), full_matrices=False)
    left, _ = svd_flip(left, right, u_based_decision=False)
    return np.asarray(left * lengths, dtype=np.float64)
