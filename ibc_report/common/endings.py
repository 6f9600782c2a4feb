"""Which files are read: one table of their endings, for datasets, names of tasks and answers."""

from __future__ import annotations

__all__ = ["READERS", "SEPARATORS"]

READERS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
}
"""Which reader of `datasets` takes a file by its ending; a zip goes to the image-folder reader."""

SEPARATORS = {".csv": ",", ".tsv": "\t"}
"""What stands between the columns of separated text."""
