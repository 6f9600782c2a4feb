"""What a dataset of the Hub has to choose from, without storing it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ibc_report.common import hub
from ibc_report.data import targets
from ibc_report.data.reading import prepared
from ibc_report.data.sources import hub as source
from ibc_report.data.sources.tables import without_bars

__all__ = ["Inspection", "Part", "inspect"]

HEAD_ROWS = 1000
"""Rows that are read of each configuration, to see which columns could be the target."""


@dataclass(frozen=True, slots=True)
class Part:
    """One configuration, by its name.

    Parameters
    ----------
    splits : dict of str to (int or None)
        Rows of each split; None where only loading would tell.
    columns : tuple of (str, str)
        Names and kinds.
    candidates : tuple of str
        Columns that could be the target, by the first rows.
    """

    name: str
    splits: dict[str, int | None]
    columns: tuple[tuple[str, str], ...]
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a dataset, pinned to a commit, has to choose from, and the license that its card states.

    Parameters
    ----------
    gated : str or None
        Who lets a reader in; None where it is open.
    size : int or None
        Bytes of all files.
    """

    repository: str
    sha: str
    license: str | None
    gated: str | None
    size: int | None
    parts: tuple[Part, ...]


def inspect(repository: str, *, revision: str | None = None, config: str | None = None) -> Inspection:
    """List what a dataset has to choose from.

    Parameters
    ----------
    revision : str, optional
        Branch, tag or commit; main by default.
    config : str, optional
        Look at this configuration only.

    Raises
    ------
    HubError, UsageError, DataError
        See `ibc_report.common.hub.explained`.
    """
    found = source.parts(repository, revision, config)
    parts = tuple(_part(repository, found.sha, name, splits) for name, splits in found.configs.items())
    origin = source.origin(repository, found.info, None, None)
    return Inspection(repository, found.sha, origin.license, origin.gated, _size(repository, found.sha), parts)


def _part(repository: str, sha: str, config: str, splits: list[str]) -> Part:
    first = "train" if "train" in splits else splits[0]
    rows = source.head(repository, sha, config, first, HEAD_ROWS)
    return Part(
        name=config,
        splits=_counts(repository, sha, config, splits),
        columns=tuple((column.name, column.kind) for column in rows.columns),
        candidates=tuple(column.name for column in targets.candidates(prepared(rows))),
    )


def _size(repository: str, sha: str) -> int | None:
    with hub.explained(repository, sha):
        info = hub.retried(lambda: hub.api().dataset_info(repository, revision=sha, files_metadata=True))
    sizes = [sibling.size for sibling in info.siblings or [] if sibling.size is not None]
    return sum(sizes) if sizes else None


def _counts(repository: str, sha: str, config: str, splits: list[str]) -> dict[str, int | None]:
    """Rows of each split: from the footers of parquet files, else as the dataset declares them."""
    with hub.explained(repository, sha), without_bars():
        import datasets

        builder = hub.retried(lambda: datasets.load_dataset_builder(repository, config, revision=sha))
        files = builder.config.data_files or {}
        declared: dict[str, Any] = builder.info.splits or {}
        counts: dict[str, int | None] = {}
        for split in splits:
            urls = [str(url) for url in files.get(split, [])]
            if urls and all(url.endswith(".parquet") for url in urls):
                counts[split] = sum(_parquet_rows(url) for url in urls)
            else:
                counts[split] = declared[split].num_examples if split in declared else None
    return counts


def _parquet_rows(url: str) -> int:
    import pyarrow.parquet as pq
    from huggingface_hub import HfFileSystem

    def read() -> int:
        with HfFileSystem().open(url) as stream:
            return int(pq.ParquetFile(stream).metadata.num_rows)

    return hub.retried(read)
