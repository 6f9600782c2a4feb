"""Files on disk, and folders in the layout of a Hub dataset, which `datasets` finds its way in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from yaml import YAMLError

from ibc_report.common.endings import READERS, SEPARATORS, SOUNDS, converted, ending_of, is_packed, unread
from ibc_report.common.errors import DataError, IbcReportError, UsageError, choices
from ibc_report.common.limits import not_the_data
from ibc_report.common.untrusted import refuse_large_gzip, refuse_special
from ibc_report.data.sources import delimited, json_tables, ragged_csv, sound_folders, tables
from ibc_report.data.sources.rows import EXAMPLES, Dropped, Origin, Rows, license_of_folder
from ibc_report.data.sources.storage import columns_of
from ibc_report.data.sources.tables import FOLDERS, cache_folder, with_whole_names, without_bars

__all__ = ["choose_split", "content_hash", "load"]

ENDINGS = frozenset({*READERS, ".zip"})
"""Endings of files that can be read."""

LONGEST_REASON = 300
"""Characters of a reader's own words that an error repeats."""

DEFAULT_SPLIT = "train"

CHUNK = 1 << 20

STRINGS = ({"dtype": "string", "_type": "Value"}, {"dtype": "large_string", "_type": "Value"})
"""How a README declares a column of strings."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A table, the lines that were lost, the numbers of those that were not where any were, and how it was taken."""

    table: pa.Table
    dropped: tuple[Dropped, ...] = ()
    numbers: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()

    @property
    def lines(self) -> int:
        """How many lines there were."""
        return int(self.table.num_rows) + sum(lost.count for lost in self.dropped)


@dataclass(frozen=True, slots=True)
class _Read:
    """Splits of a source by their names.

    Parameters
    ----------
    declared : dict, optional
        What the columns are, where that is said beside the tables.
    in_folders : bool
        Whether the classes are names of folders.
    """

    splits: dict[str, _Part]
    declared: dict[str, Any] | None = None
    in_folders: bool = False


def load(path: Path, *, config: str | None = None, split: str | None = None, header: bool | None = None) -> Rows:
    """Read a file or a folder.

    Parameters
    ----------
    path : Path
        A parquet, CSV, TSV, JSON or JSON Lines file, those of text packed by gzip or not, a zip of an image folder, or
        a folder: a Hub dataset's layout, an image folder, or loose data files.
    config, split : str, optional
        Which part to read. The split is "train" where there is one, or the only one.
    header : bool, optional
        Whether the first line of a table of text has the names of its columns; by its looks by default.

    Raises
    ------
    UsageError
        If the path, the configuration or the split does not exist, or several would do.
    DataError
        If the files are empty or cannot be read.
    """
    refuse_special(path)
    if not path.exists():
        raise UsageError(f"{path} does not exist; give a file, a folder, builtin:NAME or OWNER/NAME")
    read = _read_folder(path, config, header) if path.is_dir() else _read_file(path, header)
    chosen = choose_split(str(path), read.splits, split)
    origin = Origin(
        source=str(path),
        revision=content_hash(path),
        config=config,
        split=chosen,
        splits=tuple(read.splits),
        license=license_of_folder(path),
    )
    part = read.splits[chosen]
    columns = columns_of(part.table, read.declared)
    if read.in_folders:
        columns = with_whole_names(columns)
    rows = Rows(columns, part.table.num_rows, origin, part.dropped, numbers=part.numbers, notes=part.notes)
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
    refuse_special(path)
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


def _read_folder(path: Path, config: str | None, header: bool | None) -> _Read:
    with _plain_errors(path):
        import datasets

        # a folder that is named "." only would leave the dataset without a name
        where = str(path.resolve())
        with without_bars():
            names = datasets.get_dataset_config_names(where)
        if config is None and len(names) > 1 and "default" not in names:
            raise UsageError(f"{path} has several configurations; choose one with --config: {', '.join(names)}")
        if config is not None and config not in names:
            raise UsageError(f"{path} has no configuration '{config}'; {choices(config, names)}")
        with without_bars():
            builder = datasets.load_dataset_builder(where, config, cache_dir=cache_folder())
            files = _own_files(builder)
            # what another configuration takes is not left out
            others = [datasets.load_dataset_builder(where, name) for name in names if name != builder.config.name]
            notes = _left_out(Path(where), [builder, *others])
            if files is None:
                return _of_builder(builder, notes) or _of_datasets(
                    datasets.load_dataset(where, config, cache_dir=cache_folder()), notes
                )
        return _joined(path, files, builder.info.features, header, notes)


def _own_files(builder: Any) -> dict[str, list[Path]] | None:
    """Files of each split where all are tables that are read here, and nothing special is said of how."""
    config = builder.config
    if getattr(config, "field", None) or getattr(config, "columns", None):
        return None
    found = {str(split): [Path(str(file)) for file in files] for split, files in (config.data_files or {}).items()}
    every = [file for files in found.values() for file in files]
    usual = all(getattr(config, "sep", ",") == "," or ending_of(file) == ".tsv" for file in every)
    return found if every and usual and all(ending_of(file) in READERS for file in every) else None


def _left_out(path: Path, builders: Sequence[Any]) -> tuple[str, ...]:
    """A note on the files of a folder that no reader takes."""
    taken = {file.resolve() for builder in builders for file in _taken(builder)}
    said = unread(file for file in _visible(path) if file.resolve() not in taken)
    return (f"Files that no reader takes, left out: {said}.",) if said else ()


def _taken(builder: Any) -> Iterator[Path]:
    """The files of one configuration."""
    # one that goes by folders lists all files, and takes those of its endings and what describes them
    known = getattr(builder, "EXTENSIONS", None)
    for listed in (builder.config.data_files or {}).values():
        for file in map(Path, map(str, listed)):
            if known is None or file.suffix.lower() in known or file.stem == "metadata":
                yield file


def _visible(path: Path) -> Iterator[Path]:
    """The files of a folder, at any depth, but hidden ones."""
    for member in path.rglob("*"):
        if member.is_file() and not any(part.startswith((".", "__")) for part in member.relative_to(path).parts):
            yield member


def _joined(
    path: Path, files: dict[str, list[Path]], features: Any, header: bool | None, notes: tuple[str, ...]
) -> _Read:
    """One table of all files of each split, with what the README declares of the columns."""
    declared = {} if features is None else features.to_dict()
    texts = frozenset(name for name, feature in declared.items() if feature in STRINGS)
    splits: dict[str, _Part] = {}
    for split, parts in files.items():
        read = [part for file in parts for part in _read_table(file, header, texts).splits.values()]
        found = [part.table for part in read]
        try:
            if len({frozenset(table.column_names) for table in found}) > 1:
                raise pa.ArrowInvalid("other names")
            table = pa.concat_tables(found, promote_options="permissive")
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            differ = ragged_csv.other_columns(path) or f"the files of {path} have not the same columns"
            raise DataError(f"{differ}; give one of the files, or a folder of files with the same columns") from error
        said = dict.fromkeys(note for part in read for note in part.notes)
        splits[split] = _Part(table, *_lost(read), (*said, *notes))
    return _Read(splits, declared or None)


def _lost(parts: list[_Part]) -> tuple[tuple[Dropped, ...], NDArray[np.int64] | None]:
    """What was lost of several files that are read one after the other, and the numbers of what was not."""
    if not any(part.dropped for part in parts):
        return (), None
    dropped: dict[str, Dropped] = {}
    numbers, start = [], 0
    for part in parts:
        for lost in part.dropped:
            before = dropped.get(lost.reason, Dropped(lost.reason, 0))
            rows = (*before.examples, *(start + row for row in lost.examples))[:EXAMPLES]
            dropped[lost.reason] = replace(before, count=before.count + lost.count, examples=rows)
        numbers.append(start + (np.arange(part.table.num_rows) if part.numbers is None else part.numbers))
        start += part.lines
    return tuple(dropped.values()), np.concatenate(numbers)


def _of_builder(builder: Any, notes: tuple[str, ...]) -> _Read | None:
    """A folder of sounds; None for others."""
    if builder.name != "audiofolder" and type(builder).__name__ != "AudioFolder":
        return None
    found, declared = sound_folders.tables_of(builder)
    return _Read({split: _Part(table, notes=notes) for split, table in found.items()}, declared, in_folders=True)


def _of_datasets(found: Any, notes: tuple[str, ...] = ()) -> _Read:
    """Splits as `datasets` gives them, undecoded."""
    sets = dict(found)
    first = next(iter(sets.values()))
    return _Read(
        {split: _Part(dataset.data.table, notes=notes) for split, dataset in sets.items()},
        declared=first.features.to_dict(),
        in_folders=first.info.builder_name in FOLDERS,
    )


def _read_file(path: Path, header: bool | None) -> _Read:
    if path.stat().st_size == 0:
        raise DataError(f"{path} is empty; give a file that has rows")
    suffix = ending_of(path)
    if suffix == ".zip":
        with _plain_errors(path):
            import datasets

            # `datasets` takes the folder of a zip for its class, so the zip is unpacked beside what `datasets` unpacks
            cache = Path(cache_folder() or datasets.config.EXTRACTED_DATASETS_PATH) / "ibc-report"
            images = tables.unpacked(path, content_hash(path), cache)
            with without_bars():
                sounds = sum(file.suffix.lower() in SOUNDS for file in _visible(images))
                reader = FOLDERS[2 * sounds > sum(1 for _ in _visible(images))]
                builder = datasets.load_dataset_builder(reader, data_dir=str(images), cache_dir=cache_folder())
                notes = _left_out(images, [builder])
                return _of_builder(builder, notes) or _of_datasets(
                    datasets.load_dataset(reader, data_dir=str(images), cache_dir=cache_folder()), notes
                )
    if suffix not in READERS:
        said = f"ends in '{suffix}', which no reader takes" if suffix else "has no ending that says its form"
        form = converted(suffix)
        if form is not None:
            raise UsageError(f"{path} {said}; convert it to {form}")
        raise UsageError(f"{path} {said}; {choices(suffix, [*READERS, '.zip'])}")
    return _read_table(path, header)


def _read_table(path: Path, header: bool | None, texts: frozenset[str] = frozenset()) -> _Read:
    """Read one file that is a table; `texts` names columns that hold strings, whatever they look like."""
    ending = ending_of(path)
    reader = READERS[ending]
    refuse_special(path)
    try:
        with not_the_data():
            return _table_of(path, ending, header, texts)
    except IbcReportError:
        raise
    except Exception as error:
        raise DataError(f"{path} cannot be read as {reader}: {_reason(error)}") from error


def _table_of(path: Path, ending: str, header: bool | None, texts: frozenset[str]) -> _Read:
    if is_packed(path):
        refuse_large_gzip(path)
    reader = READERS[ending]
    if reader == "csv":
        found = delimited.read(path, SEPARATORS[ending], header=header, texts=texts)
        return _Read({DEFAULT_SPLIT: _Part(found.table, found.dropped, found.numbers, found.notes)})
    if reader == "json":
        lines = ending.startswith((".jsonl", ".ndjson"))
        read = json_tables.read_lines(path) if lines else json_tables.read_document(path)
        return _Read(
            {split: _Part(table, read.dropped, read.numbers, read.notes) for split, table in read.tables.items()}
        )
    import pyarrow.parquet as pq

    return _Read({DEFAULT_SPLIT: _Part(pq.ParquetFile(path).read())})


@contextmanager
def _plain_errors(path: Path) -> Iterator[None]:
    """Turn whatever a reader raises into one line that names the path."""
    try:
        with not_the_data():
            yield
    except IbcReportError:
        raise
    except Exception as error:
        if isinstance(error, YAMLError) and path.is_dir():
            raise DataError(f"{path / 'README.md'}: its front matter is no YAML ({_reason(error)}); mend it") from error
        # where there is something to read, it is not what fails that no reader takes
        nothing = isinstance(error, FileNotFoundError) and path.is_dir()
        others = unread(_visible(path)) if nothing else None
        beside = f"; it has files that no reader takes: {others}" if others else ""
        raise DataError(f"{path} cannot be read: {_reason(error)}{beside}") from error


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
