"""Files on disk, and folders in the layout of a Hub dataset, through `datasets`."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.endings import READERS, SEPARATORS
from ibc_report.common.errors import DataError, IbcReportError, UsageError, choices
from ibc_report.common.limits import not_the_data, unwritable_cache
from ibc_report.data.sources import ragged_csv, tables
from ibc_report.data.sources.rows import Dropped, Origin, Rows
from ibc_report.data.sources.tables import rows_of, without_bars

__all__ = ["choose_split", "content_hash", "load"]

ENDINGS = frozenset({*READERS, ".zip"})
"""Endings of files that can be read."""

LONGEST_REASON = 300
"""Characters of a reader's own words that an error repeats."""

DEFAULT_SPLIT = "train"

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class _Read:
    """Splits of a source, lines that could not be read, and the numbers of those that could, where any could not."""

    splits: dict[str, Any]
    dropped: tuple[Dropped, ...] = ()
    numbers: NDArray[np.int64] | None = None


def load(path: Path, *, config: str | None = None, split: str | None = None) -> Rows:
    """Read a file or a folder.

    Parameters
    ----------
    path : Path
        A parquet, CSV, TSV, JSON or JSON Lines file, a zip of an image folder, or a folder: a Hub dataset's
        layout, an image folder, or loose data files.
    config, split : str, optional
        Which part to read. The split is "train" where there is one, or the only one.

    Raises
    ------
    UsageError
        If the path, the configuration or the split does not exist, or several would do.
    DataError
        If the files are empty or cannot be read.
    """
    if not path.exists():
        raise UsageError(f"{path} does not exist; give a file, a folder, builtin:NAME or OWNER/NAME")
    read = _read_folder(path, config) if path.is_dir() else _read_file(path)
    chosen = choose_split(str(path), read.splits, split)
    origin = Origin(
        source=str(path), revision=content_hash(path), config=config, split=chosen, splits=tuple(read.splits)
    )
    rows = rows_of(read.splits[chosen], origin, dropped=read.dropped, numbers=read.numbers)
    if rows.count == 0:
        raise DataError(f"{path} has no rows in split '{chosen}'; give a file that has some")
    if len(rows.columns) == 1 and rows.columns[0].kind == "string":
        only = rows.columns[0]
        separator = ragged_csv.other_separator(only.name, only.values[: ragged_csv.LOOKED_AT].to_pylist())
        if separator is not None:
            raise DataError(
                f"{path} has one column only, {only.name!r}: it seems to be separated by {separator}; separate it by "
                "commas, or by tabs in a .tsv file"
            )
    return rows


def choose_split(source: str, splits: dict[str, Any], wanted: str | None) -> str:
    """Pick the split to measure.

    Raises
    ------
    UsageError
        If the wanted one does not exist, or none is wanted and the choice is not plain.

    Examples
    --------
    >>> choose_split("here", {"train": ..., "test": ...}, None)
    'train'
    """
    if wanted is not None:
        if wanted not in splits:
            raise UsageError(f"{source} has no split '{wanted}'; {choices(wanted, splits)}")
        return wanted
    if DEFAULT_SPLIT in splits:
        return DEFAULT_SPLIT
    if len(splits) == 1:
        return next(iter(splits))
    raise UsageError(f"{source} has several splits; choose one with --split: {', '.join(splits)}")


def content_hash(path: Path) -> str:
    """Hash a file, or all files of a folder with their names.

    Parameters
    ----------
    path : Path
        What to hash; hidden files are left out.

    Returns
    -------
    str
        "sha256:" and 64 hexadecimal digits.
    """
    digest = hashlib.sha256()
    if path.is_dir():
        members = (member for member in path.rglob("*") if member.is_file())
        files = sorted(
            (member.relative_to(path).as_posix(), member)
            for member in members
            if not any(part.startswith(".") for part in member.relative_to(path).parts)
        )
    else:
        files = [("", path)]
    for name, file in files:
        digest.update(f"{name}\0{file.stat().st_size}\0".encode())
        with file.open("rb") as stream:
            while block := stream.read(CHUNK):
                digest.update(block)
    return f"sha256:{digest.hexdigest()}"


def _read_folder(path: Path, config: str | None) -> _Read:
    with _plain_errors(path):
        import datasets

        # a folder that is named "." only would leave the dataset without a name
        where = str(path.resolve())
        names = datasets.get_dataset_config_names(where)
        if config is None and len(names) > 1 and "default" not in names:
            raise UsageError(f"{path} has several configurations; choose one with --config: {', '.join(names)}")
        if config is not None and config not in names:
            raise UsageError(f"{path} has no configuration '{config}'; {choices(config, names)}")
        try:
            with without_bars():
                splits = dict(datasets.load_dataset(where, config, cache_dir=_cache()))
        except datasets.exceptions.DatasetGenerationError as error:
            differ = ragged_csv.other_columns(path)
            if differ is None and isinstance(
                error.__cause__ or error, datasets.table.CastError | datasets.exceptions.DatasetGenerationCastError
            ):
                differ = f"the files of {path} have not the same columns"
            if differ is None:
                raise
            raise DataError(f"{differ}; give one of the files, or a folder of files with the same columns") from error
        for file in sorted(path.rglob("*.csv")):
            if any(ragged_csv.starts_ragged(file, ",", dataset.column_names) for dataset in splits.values()):
                raise DataError(
                    f"{file}: the first line has more fields than the header; mend it or give the file alone"
                )
        return _Read(splits)


def _read_file(path: Path) -> _Read:
    if path.stat().st_size == 0:
        raise DataError(f"{path} is empty; give a file that has rows")
    suffix = path.suffix.lower()
    if suffix == ".zip":
        with _plain_errors(path):
            import datasets

            # `datasets` takes the folder of a zip for its class, so the zip is unpacked beside what `datasets` unpacks
            cache = Path(_cache() or datasets.config.EXTRACTED_DATASETS_PATH) / "ibc-report"
            images = tables.unpacked(path, content_hash(path), cache)
            with without_bars():
                return _Read(dict(datasets.load_dataset("imagefolder", data_dir=str(images), cache_dir=_cache())))
    if suffix not in READERS:
        said = f"ends in '{suffix}', which no reader takes" if suffix else "has no ending that says its form"
        raise UsageError(f"{path} {said}; {choices(suffix, [*READERS, '.zip'])}")
    reader = READERS[suffix]
    options = {"sep": SEPARATORS[suffix]} if suffix in SEPARATORS else {}
    separator = options.get("sep", ",")
    if reader == "csv" and ragged_csv.starts_ragged(path, separator):
        return _read_ragged(path, separator)
    try:
        with not_the_data():
            return _Read(_load(reader, path, **options))
    except IbcReportError:
        raise
    except Exception as error:
        # One malformed line fails the whole file: read again without such lines, and count them.
        if reader == "csv" and ragged_csv.is_ragged(path, separator):
            return _read_ragged(path, separator)
        if suffix in (".jsonl", ".ndjson"):
            return _read_json_lines(path)
        raise DataError(f"{path} cannot be read as {reader}: {_reason(error)}") from error


def _read_ragged(path: Path, separator: str) -> _Read:
    with _plain_errors(path):
        dataset, lost, numbers = ragged_csv.read_ragged(path, separator)
    return _Read({DEFAULT_SPLIT: dataset}, lost, numbers)


def _load(reader: str, path: Path, **options: Any) -> dict[str, Any]:
    import datasets

    with without_bars():
        return dict(datasets.load_dataset(reader, data_files=str(path), cache_dir=_cache(), **options))


@lru_cache(maxsize=1)
def _cache() -> str | None:
    """Where `datasets` converts local files: its own cache, or a folder that is gone with this process.

    A home that cannot be written is no reason not to read a file.
    """
    import datasets

    if unwritable_cache(Path(datasets.config.HF_DATASETS_CACHE)) is None:
        return None
    folder = tempfile.mkdtemp(prefix="ibc_report-")
    # a process that was forked runs these, and not what is registered with atexit
    Finalize(None, shutil.rmtree, (folder,), {"ignore_errors": True}, exitpriority=0)
    return folder


def _read_json_lines(path: Path) -> _Read:
    """Read the lines that are JSON objects, and count those that are not."""
    good: list[dict[str, Any]] = []
    bad: list[int] = []
    kept: list[int] = []
    with path.open(encoding="utf-8", errors="replace") as stream:
        for number, line in enumerate(line for line in stream if line.strip()):
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            if isinstance(record, dict):
                good.append(record)
                kept.append(number)
            else:
                bad.append(number)
    if not good:
        raise DataError(f"{path} has no line that is a JSON object; give JSON Lines, one object a line")
    with _plain_errors(path):
        import datasets

        keys = dict.fromkeys(key for record in good for key in record)
        table = {key: [record.get(key) for record in good] for key in keys}
        lost = (Dropped.of("lines that do not hold a JSON object", bad),) if bad else ()
        return _Read({DEFAULT_SPLIT: datasets.Dataset.from_dict(table)}, lost, np.array(kept, dtype=np.int64))


@contextmanager
def _plain_errors(path: Path) -> Iterator[None]:
    """Turn whatever a reader raises into one line that names the path."""
    try:
        with not_the_data():
            yield
    except IbcReportError:
        raise
    except Exception as error:
        raise DataError(f"{path} cannot be read: {_reason(error)}") from error


def _reason(error: BaseException) -> str:
    """The innermost cause says what is wrong; the wrappers around it only say that something is."""
    while True:
        if isinstance(error, UnicodeDecodeError):
            return f"it is not UTF-8 (byte 0x{error.object[error.start]:02x} at {error.start}); save it as UTF-8"
        cause = error.__cause__ or error.__context__
        if cause is None:
            break
        error = cause
    # what `datasets` says of a table without rows, and what pyarrow says of a parquet without any
    if "corresponds to no data" in str(error) or "BatchSize must be greater than 0" in str(error):
        return "it has no rows; give a file that has some"
    text = str(error).strip() or type(error).__name__
    line = text.splitlines()[0]
    return line if len(line) <= LONGEST_REASON else f"{line[:LONGEST_REASON]}…"
