"""Pictures of many pixels: reduced with a note, announced, or refused with the option that allows them."""

from __future__ import annotations

import io
import logging
import os
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from PIL import Image

from ibc_report.common import untrusted
from ibc_report.common.errors import DataError, LimitError
from ibc_report.data.encoders import Encoded, Options, image, image_sizes
from ibc_report.data.sources import Column
from tests.support.tables import every, images


def encoded(column: Column, **given: str) -> Encoded:
    """Encode all rows of a column."""
    return image.encode(column, every(column), Options("image", given))


def photos(*sizes: tuple[int, int]) -> Column:
    """Plain grey pictures as small files."""
    contents = []
    for size in sizes:
        stream = io.BytesIO()
        Image.new("L", size, 100).save(stream, "PNG")
        contents.append(stream.getvalue())
    return images(contents)


def test_photographs_of_one_size_are_reduced_with_a_note() -> None:
    """12 megapixels become 256 on the longer side, and the note says what they would have taken."""
    found = encoded(photos((4000, 3000), (4000, 3000)))
    assert found.settings["size"] == "256x192"
    (note,) = found.notes
    assert note.startswith("The images have 4000×3000 pixels, whose features would take up to 36.0 MB a row, 72.0 MB")
    assert "image:size=same" in note


@pytest.mark.parametrize(("wanted", "kept"), [("same", "1200x1000"), ("1200x1000", "1200x1000"), ("20", "20x20")])
def test_a_size_that_is_named_is_taken(wanted: str, kept: str) -> None:
    """What the user names is done, whatever it takes."""
    assert encoded(photos((1200, 1000)), size=wanted).settings["size"] == kept


def test_a_megapixel_is_kept() -> None:
    """Pictures up to that keep their pixels."""
    assert encoded(photos((1024, 1024))).settings["size"] == "1024x1024"


def test_large_features_are_announced(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their size is said before they are made, with how to make them smaller."""
    monkeypatch.setattr(image_sizes, "ANNOUNCED", 10**6)
    with caplog.at_level(logging.WARNING):
        encoded(photos((1100, 1000)), size="same")
    assert "the features of 1 image take 1.1 MB (1.1 MB each); image:size=64 makes them smaller" in caplog.text


@pytest.mark.filterwarnings("error")
def test_a_picture_of_too_many_pixels_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """It costs no row in silence: the line names the option, which allows it up to the size that it gives."""
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    encoded(photos((40, 40)))
    with pytest.raises(LimitError, match=r"a picture unpacks to over under 1 MB|a picture unpacks to over .*of pixels"):
        encoded(photos((40, 40), (1000, 1000)))
    monkeypatch.setenv(untrusted.VARIABLE, "2MB")
    with pytest.raises(LimitError, match=r"unpacks to 3\.0 MB of pixels, more than 2\.0 MB; .*--max-unpacked"):
        encoded(photos((40, 40), (1000, 1000)))
    monkeypatch.setenv(untrusted.VARIABLE, "3MB")
    assert len(encoded(photos((1000, 1000))).vectors) == 1
    assert Image.MAX_IMAGE_PIXELS == 1000


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_a_path_that_is_no_file_is_not_opened(tmp_path: Path) -> None:
    """A row whose picture is a pipe is a row that does not decode, and nothing waits for it."""
    os.mkfifo(tmp_path / "pipe.png")
    values = pa.array([{"bytes": None, "path": str(tmp_path / "pipe.png")}])
    column = Column("image", "image", pa.chunked_array([values]))
    with pytest.raises(DataError, match="no image that can be decoded"):
        encoded(column)
