"""Files on disk, and folders in the layout of a Hub dataset, through `datasets`."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from ibc_report.errors import DataError, UsageError, choices
from ibc_report.sources.rows import Column, Dropped, Kind, Origin, Rows, kind_of

__all__ = ["content_hash", "load", "rows_of"]

READERS = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
}
"""Which reader of `datasets` takes a file by its ending; a zip goes to the image-folder reader."""

DEFAULT_SPLIT = "train"
CHUNK = 1 << 20


def load(path: Path, *, config: str | None = None, split: str | None = None) -> Rows:
    """Read a file or a folder.

    Parameters
    ----------
    path : Path
        A parquet, CSV, TSV, JSON or JSON Lines file, a zip of an image folder, or a folder: a Hub dataset's
        layout, an image folder, or loose data files.
    config, split : str, optional
        Which part to read. The split is "train" where there is one, or the only one.

    Returns
    -------
    Rows

    Raises
    ------
    UsageError
        If the path, the configuration or the split does not exist, or several would do.
    DataError
        If the files are empty or cannot be read.
    """
    if not path.exists():
        raise UsageError(f"{path} does not exist; give a file, a folder, builtin:NAME or OWNER/NAME")
    splits, dropped = _read_folder(path, config) if path.is_dir() else _read_file(path)
    chosen = choose_split(str(path), splits, split)
    rows = rows_of(
        splits[chosen],
        Origin(source=str(path), revision=content_hash(path), config=config, split=chosen),
        dropped=dropped,
    )
    if rows.count == 0:
        raise DataError(f"{path} has no rows in split '{chosen}'; give a file that has some")
    return rows


def choose_split(source: str, splits: dict[str, Any], wanted: str | None) -> str:
    """Pick the split to measure.

    Parameters
    ----------
    source : str
        Named in errors.
    splits : dict
        What there is.
    wanted : str or None
        What the user asked for.

    Returns
    -------
    str

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


def rows_of(dataset: Any, origin: Origin, dropped: tuple[Dropped, ...] = ()) -> Rows:
    """View a `datasets.Dataset` as columns, without decoding anything.

    Parameters
    ----------
    dataset : datasets.Dataset
        Not filtered or selected: its arrow table is read as it is.
    origin : Origin
        Where it came from.
    dropped : tuple of Dropped
        What could not be read.

    Returns
    -------
    Rows
    """
    table: pa.Table = dataset.data.table
    columns = tuple(_column(name, feature, table.column(name)) for name, feature in dataset.features.items())
    return Rows(columns, table.num_rows, origin, dropped)


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


def _read_folder(path: Path, config: str | None) -> tuple[dict[str, Any], tuple[Dropped, ...]]:
    with _plain_errors(path):
        import datasets

        names = datasets.get_dataset_config_names(str(path))
        if config is None and len(names) > 1 and "default" not in names:
            raise UsageError(f"{path} has several configurations; choose one with --config: {', '.join(names)}")
        if config is not None and config not in names:
            raise UsageError(f"{path} has no configuration '{config}'; {choices(config, names)}")
        with _without_bars():
            return dict(datasets.load_dataset(str(path), config)), ()


def _read_file(path: Path) -> tuple[dict[str, Any], tuple[Dropped, ...]]:
    if path.stat().st_size == 0:
        raise DataError(f"{path} is empty; give a file that has rows")
    suffix = path.suffix.lower()
    if suffix == ".zip":
        with _plain_errors(path):
            import datasets

            with _without_bars():
                return dict(datasets.load_dataset("imagefolder", data_files=str(path))), ()
    if suffix not in READERS:
        raise UsageError(f"{path} ends in '{suffix}', which no reader takes; {choices(suffix, [*READERS, '.zip'])}")
    reader = READERS[suffix]
    options = {"sep": "\t"} if suffix == ".tsv" else {}
    try:
        return _load(reader, path, **options), ()
    except Exception as error:
        # One malformed line fails the whole file: read again without such lines, and count them.
        if reader == "csv":
            bad = _long_csv_records(path, options.get("sep", ","))
            if bad:
                return (
                    _load_plainly(reader, path, on_bad_lines="skip", **options),
                    (Dropped.of("lines with more fields than the header", bad),),
                )
        if suffix in (".jsonl", ".ndjson"):
            return _read_json_lines(path)
        raise DataError(f"{path} cannot be read as {reader}: {_first_line(error)}") from error


def _load(reader: str, path: Path, **options: Any) -> dict[str, Any]:
    import datasets

    with _without_bars():
        return dict(datasets.load_dataset(reader, data_files=str(path), **options))


def _load_plainly(reader: str, path: Path, **options: Any) -> dict[str, Any]:
    with _plain_errors(path):
        return _load(reader, path, **options)


def _long_csv_records(path: Path, separator: str) -> list[int]:
    """Line numbers, from 0 after the header, of records with more fields than the header has."""
    with path.open(encoding="utf-8", errors="replace", newline="") as stream:
        records = csv.reader(stream, delimiter=separator)
        width = len(next(records, []))
        return [number for number, record in enumerate(records) if len(record) > width]


def _read_json_lines(path: Path) -> tuple[dict[str, Any], tuple[Dropped, ...]]:
    """Read the lines that are JSON objects, and count those that are not."""
    good: list[dict[str, Any]] = []
    bad: list[int] = []
    with path.open(encoding="utf-8", errors="replace") as stream:
        for number, line in enumerate(stream):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            if isinstance(record, dict):
                good.append(record)
            else:
                bad.append(number)
    if not good:
        raise DataError(f"{path} has no line that is a JSON object; give JSON Lines, one object a line")
    with _plain_errors(path):
        import datasets

        return {DEFAULT_SPLIT: datasets.Dataset.from_list(good)}, (Dropped.of("lines that are not JSON", bad),)


@contextmanager
def _without_bars() -> Iterator[None]:
    """Keep `datasets` from drawing bars of its own, and leave its setting as it was."""
    import datasets

    hidden = datasets.are_progress_bars_disabled()
    datasets.disable_progress_bars()
    try:
        yield
    finally:
        if not hidden:
            datasets.enable_progress_bars()


@contextmanager
def _plain_errors(path: Path) -> Iterator[None]:
    """Turn whatever a reader raises into one line that names the path."""
    try:
        yield
    except (UsageError, DataError):
        raise
    except Exception as error:
        raise DataError(f"{path} cannot be read: {_first_line(error)}") from error


def _first_line(error: BaseException) -> str:
    """The innermost cause says what is wrong; the wrappers around it only say that something is."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0]


def _column(name: str, feature: Any, values: pa.ChunkedArray) -> Column:
    import datasets

    if isinstance(feature, datasets.ClassLabel):
        # YAML reads an unquoted no/yes as a boolean, and such names reach us as they are
        return Column(name, "class", values, class_names=tuple(str(label) for label in feature.names))
    if isinstance(feature, datasets.Image):
        return Column(name, "image", values)
    shape = tuple(getattr(feature, "shape", ()) or ()) or None
    storage = values.type.storage_type if isinstance(values.type, pa.BaseExtensionType) else values.type
    if isinstance(values.type, pa.BaseExtensionType):
        values = pa.chunked_array([chunk.storage for chunk in values.chunks], type=storage)
    kind: Kind = "other" if isinstance(feature, datasets.Audio | datasets.Video) else kind_of(storage)
    return Column(name, kind, values, shape=shape if kind == "vector" else None)
