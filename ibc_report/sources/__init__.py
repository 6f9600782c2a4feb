"""Where examples come from: files on disk, built-in sets; declared tasks have none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ibc_report.errors import UsageError
from ibc_report.sources import builtin, files
from ibc_report.sources.rows import Column, Dropped, Kind, Origin, Rows

__all__ = ["BUILTIN", "Column", "Dropped", "Kind", "Origin", "Rows", "load", "revision"]

BUILTIN = "builtin:"
"""Prefix of the sets that come with scikit-learn."""


def load(source: str, *, base: Path, config: str | None = None, split: str | None = None) -> Rows:
    """Read a dataset by the name that a user gives it.

    Parameters
    ----------
    source : str
        "builtin:NAME", or the path of a file or folder.
    base : Path
        Folder that a relative path starts from.
    config, split : str, optional
        Which part to read.

    Returns
    -------
    Rows

    Raises
    ------
    UsageError
        If there is no such dataset or part.
    DataError
        If it cannot be read.

    Examples
    --------
    >>> load("builtin:wine", base=Path()).count
    178
    """
    if source.startswith(BUILTIN):
        if config or split:
            raise UsageError(f"{source} is one table: it has no configurations and no splits")
        return builtin.load(source.removeprefix(BUILTIN))
    rows = files.load(base / source, config=config, split=split)
    # the card names the source as the user does, wherever the catalog lies
    return replace(rows, origin=replace(rows.origin, source=source))


def revision(source: str, *, base: Path) -> str:
    """What pins the content of a dataset, without reading it as data.

    Parameters
    ----------
    source, base
        As for `load`.

    Returns
    -------
    str

    Raises
    ------
    UsageError
        If there is no such dataset.
    """
    if source.startswith(BUILTIN):
        return builtin.revision()
    path = base / source
    if not path.exists():
        raise UsageError(f"{path} does not exist; give a file, a folder, builtin:NAME or OWNER/NAME")
    return files.content_hash(path)
