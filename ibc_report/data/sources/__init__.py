"""Where examples come from: the Hub, files on disk, built-in sets; declared tasks have none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ibc_report.common.endings import ending_of
from ibc_report.common.errors import UsageError
from ibc_report.common.hub import name_of
from ibc_report.data.sources import builtin, files
from ibc_report.data.sources.rows import EVERY_ROW, Column, Dropped, Kind, Origin, Rows, Sample

__all__ = ["BUILTIN", "Column", "Dropped", "Kind", "Origin", "Rows", "Sample", "load", "revision"]

BUILTIN = "builtin:"
"""Prefix of the sets that come with scikit-learn."""


def load(
    source: str,
    *,
    base: Path,
    config: str | None = None,
    split: str | None = None,
    revision: str | None = None,
    header: bool | None = None,
    sample: Sample = EVERY_ROW,
) -> Rows:
    """Read a dataset by the name that a user gives it.

    Parameters
    ----------
    source : str
        "builtin:NAME", the path of a file or folder, or OWNER/NAME of a dataset on the Hub.
    base : Path
        Folder that a relative path starts from.
    config, split : str, optional
        Which part to read.
    revision : str, optional
        Of a dataset on the Hub: branch, tag or commit.
    header : bool, optional
        Of files: whether the first line of a table of text has names of columns; by its looks by default.

    Raises
    ------
    UsageError
        If there is no such dataset or part.
    DataError
        If it cannot be read.
    HubError
        If the Hub cannot be reached, refuses, or fails.

    Examples
    --------
    >>> load("builtin:wine", base=Path()).count
    178
    """
    repository = _repository(source, base)
    if repository is not None:
        # the clients of the Hub are slow to import, and no local source needs them
        from ibc_report.data.sources import hub

        if header is not None:
            raise UsageError(f"{source} is a dataset of the Hub: its files have headers where its README says so")
        return hub.load(repository, revision=revision, config=config, split=split, sample=sample)
    if revision is not None or sample.streaming:
        raise UsageError(f"{source} is not a dataset of the Hub, which alone has revisions and streams")
    if source.startswith(BUILTIN):
        if config or split:
            raise UsageError(f"{source} is one table: it has no configurations and no splits")
        return builtin.load(source.removeprefix(BUILTIN))
    rows = files.load(base / source, config=config, split=split, header=header)
    # the card names the source as the user does, wherever the catalog lies
    return replace(rows, origin=replace(rows.origin, source=source))


def revision(source: str, *, base: Path, wanted: str | None = None) -> str:
    """What pins the content of a dataset, without reading it as data.

    Parameters
    ----------
    wanted : str, optional
        Of a dataset on the Hub: branch, tag or commit.

    Raises
    ------
    UsageError
        If there is no such dataset.
    """
    if source.startswith(BUILTIN):
        return builtin.revision()
    repository = _repository(source, base)
    if repository is not None:
        from ibc_report.common import hub

        return str(hub.pinned(repository, wanted).sha)
    path = base / source
    if not path.exists():
        raise UsageError(f"{path} does not exist; give a file, a folder, builtin:NAME or OWNER/NAME")
    return files.content_hash(path)


def _repository(source: str, base: Path) -> str | None:
    """The name of a dataset on the Hub; a path that exists, or looks like one, is none."""
    path = base / source
    if (
        source.startswith(BUILTIN)
        or path.exists()
        or ending_of(path) in files.ENDINGS
        or (path.parent != base and path.parent.is_dir())
    ):
        return None
    return name_of(source)
