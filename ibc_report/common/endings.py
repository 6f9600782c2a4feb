"""Which files are read: one table of their endings, for datasets, names of tasks and answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath

__all__ = ["PLAIN", "READERS", "SEPARATORS", "SOUNDS", "converted", "ending_of", "is_packed", "unread"]

PLAIN = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
}
"""Which reader takes a file by its ending, where it is not packed."""

PACKED = ".gz"
"""A file of text may be packed by gzip."""

READERS = PLAIN | {f"{ending}{PACKED}": reader for ending, reader in PLAIN.items() if reader != "parquet"}
"""Which reader takes a file by its ending; a zip goes to the image-folder reader."""

SEPARATORS = {".csv": ",", ".tsv": "\t", ".csv.gz": ",", ".tsv.gz": "\t"}
"""What stands between the columns of separated text."""


SOUNDS = frozenset({".wav", ".flac", ".ogg", ".opus", ".mp3", ".aiff", ".au"})
"""Files of sounds, by which a zip of them is told from one of pictures."""

CONVERSIONS = (
    ("PNG or JPEG", (".heic", ".heif", ".avif", ".jxl", ".dng", ".cr2", ".nef", ".svg", ".dcm")),
    ("CSV or parquet", (".xlsx", ".xls", ".xlsm", ".ods", ".sav", ".dta", ".arff", ".rds", ".rdata", ".xml", ".dat")),
    ("parquet", (".npy", ".npz", ".mat", ".h5", ".hdf5", ".pkl", ".pickle", ".feather", ".arrow", ".orc", ".avro")),
    ("WAV or FLAC", (".m4a", ".aac", ".wma", ".amr")),
    ("a zip or a folder", (".rar", ".7z", ".tar", ".tgz", ".tar.gz")),
)
"""What files that no reader takes can be converted to."""

DOCUMENTS = frozenset(
    {
        "",
        ".md",
        ".txt",
        ".rst",
        ".html",
        ".pdf",
        ".py",
        ".sh",
        ".ipynb",
        ".yml",
        ".yaml",
        ".toml",
        ".cfg",
        ".ini",
        ".bib",
    }
    | {".cff", ".lock", ".db", ".log", ".ds_store"}
)
"""Endings of what stands beside data."""


def converted(ending: str) -> str | None:
    """Tell what files of an ending can be converted to, so that they can be read.

    Examples
    --------
    >>> converted(".xlsx"), converted(".unheard")
    ('CSV or parquet', None)
    """
    return next((form for form, endings in CONVERSIONS if ending in endings), None)


def unread(files: Iterable[PurePath]) -> str | None:
    """Count the files that are no documents, by their endings.

    Parameters
    ----------
    files : iterable of PurePath
        Those that no reader took.

    Returns
    -------
    str or None
        A clause that says what to convert them to; None where there are none.

    Examples
    --------
    >>> unread([PurePath("a.heic"), PurePath("b.HEIC"), PurePath("README.md")])
    '2 .heic (convert to PNG or JPEG)'
    """
    counts = Counter(ending_of(file) for file in files)
    kept = sorted((ending, count) for ending, count in counts.items() if ending not in DOCUMENTS)
    said = [
        f"{count:,} {ending}" + (f" (convert to {form})" if (form := converted(ending)) else "")
        for ending, count in kept
    ]
    return ", ".join(said) or None


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
