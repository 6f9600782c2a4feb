"""Pictures are brought upright as their EXIF data say, in every format, and odd tags are said."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from ibc_report.data.encoders import Encoded, Options, image
from tests.support.tables import encoded_image, every, images

FORMATS = ["JPEG", "PNG", "WEBP", "TIFF"]

STORED = np.kron(np.array([[0, 90, 180], [250, 40, 140]], dtype=np.uint8), np.ones((16, 16), dtype=np.uint8))

UPRIGHT = {
    1: STORED,
    2: STORED[:, ::-1],
    3: STORED[::-1, ::-1],
    4: STORED[::-1],
    5: STORED.T,
    6: np.rot90(STORED, -1),
    7: np.rot90(STORED, 2).T,
    8: np.rot90(STORED),
}
"""What a viewer shows, by the tag."""

EXACT = {"JPEG": {"quality": 100}, "WEBP": {"lossless": True}, "PNG": {}, "TIFF": {}}

SHORT, ASCII, LONG, RATIONAL, DOUBLE = 3, 2, 4, 5, 12
"""Types of a tag's value."""


def encoded(*payloads: bytes) -> Encoded:
    """Encode images in grey, in one size."""
    column = images(payloads)
    return image.encode(column, every(column), Options("image", {"mode": "L"}))


def picture(form: str, exif: bytes) -> bytes:
    """A file of the stored pixels with these EXIF data."""
    return encoded_image(Image.fromarray(STORED), form, exif=exif, **EXACT[form])  # type: ignore[arg-type]


def block(kind: int, value: bytes, count: int = 1) -> bytes:
    """EXIF data of one tag, the orientation, of any type."""
    inline = len(value) <= 4
    field = value.ljust(4, b"\0") if inline else struct.pack("<I", 26)
    entries = struct.pack("<HHHI", 1, 274, kind, count) + field + struct.pack("<I", 0)
    return b"Exif\0\0II*\0" + struct.pack("<I", 8) + entries + (b"" if inline else value)


def tiff(kind: int, value: bytes, count: int = 1) -> bytes:
    """A TIFF of the stored pixels whose orientation is of any type."""
    height, width = STORED.shape
    tags = [(256, width), (257, height), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, height)]
    entries = [struct.pack("<HHII", tag, 4, 1, number) for tag, number in (*tags, (279, STORED.size))]
    start = 8 + STORED.size
    after = start + 2 + 12 * (len(entries) + 1) + 4
    field = value.ljust(4, b"\0") if len(value) <= 4 else struct.pack("<I", after)
    entries.insert(6, struct.pack("<HHI", 274, kind, count) + field)
    entries.sort(key=lambda entry: struct.unpack("<H", entry[:2]))
    folder = struct.pack("<H", len(entries)) + b"".join(entries) + struct.pack("<I", 0)
    return b"II*\0" + struct.pack("<I", start) + STORED.tobytes() + folder + value


def shown(found: Encoded) -> np.ndarray:
    """The first picture."""
    assert found.picture_shape is not None
    return np.asarray(found.vectors[0].reshape(found.picture_shape)).astype(int)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("tag", range(1, 9))
def test_each_orientation_is_turned_upright_in_each_format(form: str, tag: int) -> None:
    """All eight orientations show what a viewer shows, in size and pixels, and nothing is said."""
    found = encoded(picture(form, block(SHORT, struct.pack("<H", tag))))
    assert shown(found).shape == UPRIGHT[tag].shape
    assert np.abs(shown(found) - UPRIGHT[tag]).max() <= 3
    assert found.notes == ()


@pytest.mark.parametrize("tag", range(1, 9))
def test_a_compressed_tiff_is_turned_once(tag: int) -> None:
    """What libtiff decodes is turned as other pictures are."""
    exif = Image.Exif()
    exif[274] = tag
    payload = encoded_image(Image.fromarray(STORED), "TIFF", exif=exif, compression="tiff_lzw")
    assert shown(encoded(payload)).tolist() == UPRIGHT[tag].tolist()


@pytest.mark.parametrize("form", FORMATS)
def test_a_long_number_is_a_number(form: str) -> None:
    """Six is six in four bytes too."""
    six = struct.pack("<I", 6)
    found = encoded(tiff(LONG, six) if form == "TIFF" else picture(form, block(LONG, six)))
    assert np.abs(shown(found) - UPRIGHT[6]).max() <= 3
    assert found.notes == ()


ODD = [
    pytest.param(SHORT, struct.pack("<H", 0), 1, id="0"),
    pytest.param(SHORT, struct.pack("<H", 9), 1, id="9"),
    pytest.param(SHORT, struct.pack("<H", 65535), 1, id="65535"),
    pytest.param(ASCII, b"6\0", 2, id="string"),
    pytest.param(ASCII, b"Rotate 90 CW\0", 13, id="long-string"),
    pytest.param(RATIONAL, struct.pack("<II", 13, 2), 1, id="rational"),
    *(pytest.param(RATIONAL, struct.pack("<II", 2 * tag, 2), 1, id=f"rational-of-{tag}") for tag in range(2, 9)),
    pytest.param(DOUBLE, struct.pack("<d", 6.0), 1, id="double"),
    pytest.param(RATIONAL, struct.pack("<II", 6, 0), 1, id="rational-over-0"),
    pytest.param(DOUBLE, struct.pack("<d", float("nan")), 1, id="nan"),
]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("kind", "value", "count"), ODD)
def test_an_odd_tag_leaves_the_picture_unturned_and_is_said(form: str, kind: int, value: bytes, count: int) -> None:
    """A tag that is no number from 1 to 8 costs no row; the pictures that have one are counted."""
    odd = tiff(kind, value, count) if form == "TIFF" else picture(form, block(kind, value, count))
    good = picture(form, block(SHORT, struct.pack("<H", 1)))
    found = encoded(odd, good, odd)
    assert found.rows.tolist() == [0, 1, 2]
    assert found.dropped == ()
    assert np.abs(shown(found) - STORED).max() <= 3
    assert found.notes == ("Images whose EXIF orientation is no number from 1 to 8, taken as they are: 2.",)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_exif_data_that_cannot_be_read_leave_the_picture_unturned(form: str) -> None:
    """Broken EXIF data cost no row."""
    assert np.abs(shown(encoded(picture(form, b"Exif\0\0no tags at all"))) - STORED).max() <= 3


def test_exif_data_after_the_pixels_of_a_png_count() -> None:
    """A chunk that stands behind the pixels turns the picture too."""
    content = encoded_image(Image.fromarray(STORED))
    data = b"eXIf" + block(SHORT, struct.pack("<H", 6))[6:]
    chunk = struct.pack(">I", len(data) - 4) + data + struct.pack(">I", zlib.crc32(data))
    end = content.rindex(b"IEND") - 4
    assert shown(encoded(content[:end] + chunk + content[end:])).tolist() == UPRIGHT[6].tolist()


def test_mixed_modes_are_counted() -> None:
    """Images of several modes are counted by what they are stored as; those of one mode are not spoken of."""
    one = Image.new("RGB", (2, 2), "red")
    kinds = [one.convert(mode) for mode in ("L", "RGB", "RGBA", "P", "1", "L")] + [Image.new("I;16", (2, 2), 9)]
    column = images([encoded_image(each) for each in kinds])
    found = image.encode(column, every(column), Options("image", {}))
    assert found.notes == ("The images have 6 modes (L: 2, 1: 1, I;16: 1, P: 1, RGB: 1, …); all were taken as RGB.",)
    assert encoded(*[encoded_image(one.convert("L"))] * 2).notes == ()


def test_a_file_that_does_not_decode_is_not_counted_among_modes() -> None:
    """What is cut off after its header is in no count."""
    stream = io.BytesIO()
    Image.effect_noise((64, 64), 90).convert("RGB").save(stream, format="PNG")
    grey = encoded_image(Image.new("L", (64, 64)))
    assert encoded(stream.getvalue()[:300], grey).notes == ()
