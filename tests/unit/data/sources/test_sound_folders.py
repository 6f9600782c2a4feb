"""Folders of sounds as tables of undecoded files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from ibc_report.common.errors import DataError
from ibc_report.data.sources.files import load


def sound(path: Path) -> None:
    """A short sound in a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.sin(np.arange(400.0)), 8000)


def test_a_metadata_file_gives_the_rows_and_their_columns(tmp_path: Path) -> None:
    """Rows are those of metadata.csv, in its order, and one whose sound is not there has none."""
    for name in "abc":
        sound(tmp_path / f"{name}.wav")
    lines = ["file_name,speaker", "c.wav,x", "missing.wav,y", "a.wav,x"]
    (tmp_path / "metadata.csv").write_text("\n".join(lines), encoding="utf-8")
    rows = load(tmp_path)
    assert [found.name for found in rows.columns] == ["audio", "speaker"]
    paths = [None if value is None else Path(value["path"]).name for value in rows.column("audio").values.to_pylist()]
    assert paths == ["c.wav", None, "a.wav"]
    assert rows.column("speaker").values.to_pylist() == ["x", "y", "x"]


def test_splits_are_folders_above_the_classes(tmp_path: Path) -> None:
    """Folders named as splits are splits, and the classes of all have the same codes."""
    for split, names in (("train", ("cat", "dog")), ("test", ("dog",))):
        for name in names:
            sound(tmp_path / split / name / "0.wav")
    train, test = (load(tmp_path, split=split).column("label") for split in ("train", "test"))
    assert train.class_names == test.class_names == ("cat", "dog")
    assert (train.values.to_pylist(), test.values.to_pylist()) == ([0, 1], [1])


def test_metadata_without_names_are_refused(tmp_path: Path) -> None:
    """A metadata file that does not say which sound a row is of is named."""
    sound(tmp_path / "a.wav")
    (tmp_path / "metadata.csv").write_text("speaker\nx\n", encoding="utf-8")
    with pytest.raises(DataError, match="has no column 'file_name'"):
        load(tmp_path)
