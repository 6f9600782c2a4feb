"""Folders of sounds: classes by the names of folders, or rows of a metadata file, with the files left undecoded.

`datasets` finds the files of each split; to make a table of them it would import what decodes sounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from ibc_report.common.endings import READERS, SEPARATORS, SOUNDS, ending_of
from ibc_report.common.errors import DataError
from ibc_report.data.sources import delimited, json_tables

__all__ = ["FILE_NAME", "tables_of"]

FILE_NAME = "file_name"
"""Column of a metadata file that names the sound of each row, from the folder of that file."""

SOUND = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def tables_of(builder: Any) -> tuple[dict[str, pa.Table], dict[str, Any] | None]:
    """Make a table of the sounds of each split.

    Parameters
    ----------
    builder : datasets.DatasetBuilder
        One that goes by folders, with its files.

    Returns
    -------
    tables : dict of str to pyarrow.Table
        Column "audio" with the path of each file, and "label" or the columns of the metadata.
    declared : dict or None
        What the label is, as `datasets` says it; None where there is none.

    Raises
    ------
    DataError
        If a metadata file does not name its sounds.
    """
    files = {
        str(split): [Path(str(file)) for file in found] for split, found in (builder.config.data_files or {}).items()
    }
    sounds = {split: [file for file in found if ending_of(file) in SOUNDS] for split, found in files.items()}
    metadata = {split: [file for file in found if file.stem == "metadata"] for split, found in files.items()}
    if any(metadata.values()):
        return {split: _described(sounds[split], found) for split, found in metadata.items() if found}, None
    names = sorted({file.parent.name for found in sounds.values() for file in found})
    if len(names) < 2:
        return {split: pa.table({"audio": _paths(found)}) for split, found in sounds.items()}, None
    code = {name: number for number, name in enumerate(names)}
    tables = {
        split: pa.table({"audio": _paths(found), "label": pa.array([code[file.parent.name] for file in found])})
        for split, found in sounds.items()
    }
    return tables, {"label": {"names": names, "_type": "ClassLabel"}}


def _paths(files: Sequence[Path]) -> pa.Array:
    return pa.array([{"bytes": None, "path": str(file)} for file in files], SOUND)


def _described(sounds: Sequence[Path], metadata: Sequence[Path]) -> pa.Table:
    """The rows of metadata files, with the sounds that they name; a row whose sound is not there has none."""
    there = {str(file.resolve()) for file in sounds}
    parts = []
    for file in metadata:
        table = _metadata(file)
        if FILE_NAME not in table.column_names:
            raise DataError(f"{file} has no column '{FILE_NAME}' that names the sound of each row; add one")
        paths = [str((file.parent / str(name)).resolve()) for name in table.column(FILE_NAME).to_pylist()]
        values = [{"bytes": None, "path": path} if path in there else None for path in paths]
        place = table.schema.get_field_index(FILE_NAME)
        parts.append(table.remove_column(place).add_column(0, "audio", pa.array(values, SOUND)))
    return pa.concat_tables(parts, promote_options="permissive")


def _metadata(file: Path) -> pa.Table:
    ending = ending_of(file)
    if READERS.get(ending) == "csv":
        return delimited.read(file, SEPARATORS[ending], header=True).table
    if READERS.get(ending) == "json":
        return json_tables.read_lines(file).tables["train"]
    import pyarrow.parquet as pq

    return pq.ParquetFile(file).read()
