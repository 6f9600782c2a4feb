"""Where examples come from: the Hub, files on disk, built-in sets; declared tasks have none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ibc_report.common.errors import UsageError
from ibc_report.common.hub import name_of
from ibc_report.data.sources import builtin, files
from ibc_report.data.sources.rows import Column, Dropped, Kind, Origin, Rows

__all__ = ["BUILTIN", "Column", "Dropped", "Kind", "Origin", "Rows", "load", "revision"]

BUILTIN = "builtin:"
"""Prefix of the sets that come with scikit-learn."""


def load(
    source: str,
    *,
    base: Path,
    config: str | None = None,
    split: str | None = None,
    revision: str | None = None,
    max_rows: int | None = None,
    streaming: bool = False,
    seed: int = 0,
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
    max_rows : int, optional
        Keep a sample of this many rows, by a hash of (seed, row).
    streaming : bool
        Of a dataset on the Hub: keep the sample only, instead of storing all rows.
    seed : int
        Of the sample.

    Returns
    -------
    Rows

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

        rows = hub.load(
            repository,
            revision=revision,
            config=config,
            split=split,
            max_rows=max_rows,
            streaming=streaming,
            seed=seed,
        )
        return rows if streaming else rows.sampled(max_rows, seed)
    if revision is not None or streaming:
        raise UsageError(f"{source} is not a dataset of the Hub, which alone has revisions and streams")
    if source.startswith(BUILTIN):
        if config or split:
            raise UsageError(f"{source} is one table: it has no configurations and no splits")
        return builtin.load(source.removeprefix(BUILTIN)).sampled(max_rows, seed)
    rows = files.load(base / source, config=config, split=split)
    # the card names the source as the user does, wherever the catalog lies
    return replace(rows, origin=replace(rows.origin, source=source)).sampled(max_rows, seed)


def revision(source: str, *, base: Path, wanted: str | None = None) -> str:
    """What pins the content of a dataset, without reading it as data.

    Parameters
    ----------
    source, base
        As for `load`.
    wanted : str, optional
        Of a dataset on the Hub: branch, tag or commit.

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
        or path.suffix.lower() in files.ENDINGS
        or (path.parent != base and path.parent.is_dir())
    ):
        return None
    return name_of(source)
