"""Which files are read: one table of their endings, for datasets, names of tasks and answers."""

from __future__ import annotations

from pathlib import PurePath

__all__ = ["READERS", "SEPARATORS", "ending_of", "is_packed"]

PLAIN = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
}

PACKED = ".gz"
"""A file of text may be packed by gzip."""

READERS = PLAIN | {f"{ending}{PACKED}": reader for ending, reader in PLAIN.items() if reader != "parquet"}
"""Which reader takes a file by its ending; a zip goes to the image-folder reader."""

SEPARATORS = {".csv": ",", ".tsv": "\t", ".csv.gz": ",", ".tsv.gz": "\t"}
"""What stands between the columns of separated text."""


def ending_of(path: PurePath) -> str:
    """Tell what a file's name says of its form.

    Returns
    -------
    str
        The last part of the name, in small letters, with the one before it where the file is packed.

    Examples
    --------
    >>> ending_of(PurePath("a/Set.v2.CSV")), ending_of(PurePath("set.csv.gz")), ending_of(PurePath("set"))
    ('.csv', '.csv.gz', '')
    """
    last = path.suffix.lower()
    return f"{PurePath(path.stem).suffix.lower()}{last}" if last == PACKED else last


def is_packed(path: PurePath) -> bool:
    """Tell whether a file is packed by gzip."""
    return path.suffix.lower() == PACKED
