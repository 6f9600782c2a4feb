"""SipHash-2-4 of texts, by which rows are told apart: the values that pandas gives, without importing it for a few.

Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012, DOI 10.1007/978-3-642-34931-7_28.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["text_hashes"]

KEY = b"0123456789123456"
"""The key that pandas hashes with by default."""

MISSING = 2**64 - 1

SHORT = 20_000
"""Characters in all up to which texts are hashed here; more are handed to pandas, which is fast and slow to import."""

MASK = 2**64 - 1


def text_hashes(texts: Sequence[str | None]) -> NDArray[np.uint64]:
    """Hash texts.

    Returns
    -------
    ndarray of uint64, shape (n,)
        Of a missing text, all bits.

    Examples
    --------
    >>> first, second, missing = text_hashes(["a", "b", None])
    >>> bool(first != second), int(missing) == 2**64 - 1
    (True, True)
    """
    different = dict.fromkeys(text for text in texts if text is not None)
    if sum(map(len, different)) > SHORT:
        import pandas as pd

        return np.asarray(pd.util.hash_array(np.array(texts, dtype=object)), dtype=np.uint64)
    hashes = {text: siphash(text.encode()) for text in different}
    return np.array([MISSING if text is None else hashes[text] for text in texts], dtype=np.uint64)


def siphash(message: bytes, key: bytes = KEY) -> int:
    """Hash bytes: SipHash with two rounds for each word and four at the end.

    Parameters
    ----------
    key : bytes
        16 of them.

    Examples
    --------
    The value of the paper's appendix A.

    >>> hex(siphash(bytes(range(15)), bytes(range(16))))
    '0xa129ca6149be45e5'
    """
    low, high = (int.from_bytes(key[start : start + 8], "little") for start in (0, 8))
    state = (
        low ^ 0x736F6D6570736575,
        high ^ 0x646F72616E646F6D,
        low ^ 0x6C7967656E657261,
        high ^ 0x7465646279746573,
    )
    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for start in range(0, len(padded), 8):
        word = int.from_bytes(padded[start : start + 8], "little")
        a, b, c, d = state
        a, b, c, d = _round(*_round(a, b, c, d ^ word))
        state = (a ^ word, b, c, d)
    a, b, c, d = state
    state = (a, b, c ^ 0xFF, d)
    for _ in range(4):
        state = _round(*state)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _round(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    a, c = (a + b) & MASK, (c + d) & MASK
    b, d = _turned(b, 13) ^ a, _turned(d, 16) ^ c
    a = _turned(a, 32)
    c, a = (c + b) & MASK, (a + d) & MASK
    b, d = _turned(b, 17) ^ c, _turned(d, 21) ^ a
    return a, b, _turned(c, 32), d


def _turned(word: int, bits: int) -> int:
    return ((word << bits) | (word >> (64 - bits))) & MASK
