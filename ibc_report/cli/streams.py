"""Standard output that cannot hold every character still gets every line."""

from __future__ import annotations

import codecs
import sys
import unicodedata

__all__ = ["write_document", "write_what_can_be"]

PLAIN = str.maketrans(
    {
        "…": "...",
        "•": "*",
        "·": "*",
        "×": "x",
        "−": "-",
        "–": "-",
        "—": "-",
        "‘": "'",
        "’": "'",
        "“": '"',
        "”": '"',
        "≤": "<=",
        "≥": ">=",
        "→": "->",
        "≈": "~",
        "α": "alpha",
        "γ": "gamma",
        "δ": "delta",
        "ε": "epsilon",
        "\u2009": " ",
        "\u202f": " ",
        "\u00a0": " ",
    }
)
"""How a character is written where it cannot be."""

NAME = "ibc_report.plain"


def write_what_can_be() -> None:
    """Let standard output and standard error replace what their encoding cannot hold, as of a pipe on Windows.

    Both stay in the encoding that they have, for who reads them expects it.
    """
    codecs.register_error(NAME, _plain)
    for stream in (sys.stdout, sys.stderr):
        encoding = getattr(stream, "encoding", None) or ""
        if hasattr(stream, "reconfigure") and encoding.replace("-", "").lower() != "utf8":
            stream.reconfigure(errors=NAME)


def write_document(text: str) -> None:
    """Write a document to standard output as UTF-8, whatever the encoding of what a person reads there."""
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        # what stands in for it holds text
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    stream.write(text.encode("utf-8"))
    stream.flush()


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Write in other characters what an encoding cannot hold: without its accents, or as a question mark."""
    assert isinstance(error, UnicodeEncodeError)
    parts = []
    for character in error.object[error.start : error.end]:
        written = character.translate(PLAIN)
        if written == character:
            written = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode() or "?"
        parts.append(written)
    return "".join(parts), error.end
