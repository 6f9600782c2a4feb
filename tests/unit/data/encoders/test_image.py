"""Images become vectors: decoded in one mode and one size, a bad file at the cost of its row."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image, ImageOps

from ibc_report.common.errors import DataError, UsageError
from ibc_report.data.encoders import Encoded, Options, image
from ibc_report.data.sources import Column
from tests.support.tables import column, encoded_image, every, images

GREYS = np.array([[0, 51, 102], [153, 204, 255]], dtype=np.uint8)

RED, HALF = (255, 0, 0), (255, 0, 0, 128)


def encoded(given_column: Column, **given: str) -> Encoded:
    """Encode all rows of an image column."""
    return image.encode(given_column, every(given_column), Options("image", given))


def palette(colours: list[int], transparent: int | None = None) -> Image.Image:
    """A 2×1 picture of a palette's first two entries."""
    made = Image.new("P", (2, 1))
    made.putpalette(colours)
    made.putdata([0, 1])
    if transparent is not None:
        made.info["transparency"] = transparent
    return made


def solid(mode: str, colour: object) -> Image.Image:
    """One pixel."""
    return Image.new(mode, (1, 1), colour)  # type: ignore[arg-type]


MODES = [
    pytest.param(solid("1", 1), "PNG", "L", [255], id="1"),
    pytest.param(solid("L", 77), "PNG", "L", [77], id="L"),
    pytest.param(solid("LA", (0, 0)), "PNG", "L", [255], id="LA-clear-is-white"),
    pytest.param(solid("LA", (100, 255)), "PNG", "L", [100], id="LA-opaque"),
    pytest.param(palette([9, 9, 9, 200, 200, 200]), "PNG", "L", [9, 200], id="P-grey"),
    pytest.param(palette([9, 9, 9, 200, 200, 200]), "BMP", "L", [9, 200], id="P-grey-of-BMP"),
    pytest.param(palette([255, 0, 0, 0, 0, 255]), "PNG", "RGB", [255, 0, 0, 0, 0, 255], id="P-colour"),
    pytest.param(palette([255, 0, 0, 0, 0, 255]), "BMP", "RGB", [255, 0, 0, 0, 0, 255], id="P-colour-of-BMP"),
    pytest.param(palette([255, 0, 0, 0, 0, 255]), "GIF", "RGB", [255, 0, 0, 0, 0, 255], id="P-colour-of-GIF"),
    pytest.param(palette([255, 0, 0, 0, 0, 255], 1), "PNG", "RGB", [255, 0, 0, 255, 255, 255], id="P-transparent"),
    pytest.param(solid("RGB", RED), "PNG", "RGB", [255, 0, 0], id="RGB"),
    pytest.param(solid("RGBA", HALF), "PNG", "RGB", [255, 127, 127], id="RGBA-half-over-white"),
    pytest.param(solid("CMYK", (0, 255, 255, 0)), "TIFF", "RGB", [255, 0, 0], id="CMYK"),
    pytest.param(solid("I;16", 65535), "PNG", "L", [255], id="I;16-full"),
    pytest.param(solid("I;16", 257 * 100), "TIFF", "L", [100], id="I;16"),
    pytest.param(solid("I", 200), "TIFF", "L", [200], id="I-of-8-bits"),
    pytest.param(solid("I", 257 * 200), "TIFF", "L", [200], id="I-of-16-bits"),
    pytest.param(solid("F", 0.4), "TIFF", "L", [102], id="F-up-to-1"),
    pytest.param(solid("F", 102.0), "TIFF", "L", [102], id="F-up-to-255"),
]


@pytest.mark.parametrize(("made", "form", "mode", "pixels"), MODES)
def test_every_mode_becomes_grey_or_rgb(made: Image.Image, form: str, mode: str, pixels: list[int]) -> None:
    """A picture in any of Pillow's modes has its stated values: grey where it is grey, RGB where it has colour."""
    found = encoded(images([encoded_image(made, form)]))
    assert found.settings["mode"] == mode
    assert found.vectors.dtype == np.uint8
    assert found.vectors[0] == pytest.approx(pixels, abs=1)


def test_pixels_go_row_by_row_in_units_of_255() -> None:
    """A vector is the picture's rows one after the other, and 255 stands for 1."""
    found = encoded(images([encoded_image(Image.fromarray(GREYS))]))
    assert found.vectors.tolist() == [GREYS.ravel().tolist()]
    assert found.unit == 1 / 255
    assert found.picture_shape == (2, 3)
    assert found.settings == {"mode": "L", "size": "3x2", "scale": "1/255"}


def test_one_coloured_image_makes_all_rgb() -> None:
    """A mixed set is encoded in colour, grey pictures with three equal channels."""
    found = encoded(images([encoded_image(solid("L", 77)), encoded_image(solid("RGB", RED))]))
    assert found.vectors.tolist() == [[77, 77, 77], [255, 0, 0]]
    assert found.picture_shape == (1, 1, 3)


@pytest.mark.parametrize(("mode", "pixels"), [("L", [76]), ("RGB", [255, 0, 0])])
def test_the_user_chooses_the_mode(mode: str, pixels: list[int]) -> None:
    """mode=L makes colour grey, and mode=RGB keeps it."""
    assert encoded(images([encoded_image(solid("RGB", RED))]), mode=mode).vectors[0].tolist() == pixels


@pytest.mark.parametrize("form", ["JPEG", "TIFF", "WEBP"])
def test_a_picture_is_turned_as_its_exif_say(form: str) -> None:
    """A photograph that was stored lying down stands up, in its size and in its pixels."""
    lying = Image.new("RGB", (32, 16), "black")
    lying.paste("white", (0, 0, 16, 16))
    exif = Image.Exif()
    exif[274] = 6  # turned by a quarter, clockwise
    found = encoded(images([encoded_image(lying, form, exif=exif.tobytes())]), mode="L")
    assert found.settings["size"] == "16x32"
    upper, lower = found.vectors[0].reshape(32, 16)[:14], found.vectors[0].reshape(32, 16)[18:]
    assert upper.min() > 200
    assert lower.max() < 55


FORMS: dict[str, dict[str, Any]] = {"JPEG": {"quality": 100}, "PNG": {}, "WEBP": {"lossless": True}, "TIFF": {}}


@pytest.mark.parametrize("turn", range(1, 9))
@pytest.mark.parametrize("form", FORMS)
def test_every_orientation_is_undone_in_every_format(form: str, turn: int) -> None:
    """Pictures come out as Pillow would show them, whatever of the eight orientations their EXIF data name."""
    upright = np.arange(24, dtype=np.uint8).reshape(4, 6) * 10
    exif = Image.Exif()
    exif[274] = turn
    written = encoded_image(Image.fromarray(upright), form, exif=exif.tobytes(), **FORMS[form])
    expected = np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(written))).convert("L"))
    found = encoded(images([written]), mode="L")
    assert found.vectors[0].reshape(expected.shape).tolist() == expected.tolist()
    assert (expected.shape == upright.shape) is (turn < 5)
    assert found.notes == ()


def directory(kind: int, count: int, value: bytes) -> bytes:
    """EXIF data with one entry, the orientation, of any type of TIFF."""
    return b"Exif\0\0II*\0" + struct.pack("<IHHHI", 8, 1, 274, kind, count) + value + b"\0" * 4


ODD = [
    pytest.param(directory(3, 1, struct.pack("<HH", 0, 0)), id="zero"),
    pytest.param(directory(3, 1, struct.pack("<HH", 9, 0)), id="nine"),
    pytest.param(directory(2, 2, b"6\0\0\0"), id="string"),
    pytest.param(directory(5, 1, struct.pack("<I", 26)) + struct.pack("<II", 6, 1), id="rational"),
]


@pytest.mark.parametrize("exif", ODD)
@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_an_orientation_that_means_nothing_turns_nothing(form: str, exif: bytes) -> None:
    """A sound picture whose orientation is no number from 1 to 8 is taken as it is, and counted."""
    upright = encoded_image(Image.fromarray(GREYS), form)
    found = encoded(images([upright, encoded_image(Image.fromarray(GREYS), form, exif=exif)]), mode="L")
    assert found.dropped == ()
    assert found.vectors[0].tolist() == found.vectors[1].tolist()
    assert found.notes == ("Images whose EXIF orientation is no number from 1 to 8, taken as they are: 1.",)


def test_modes_are_counted() -> None:
    """Where pictures have several modes the card says how many of each, and what all were taken as."""
    greys = [encoded_image(Image.new("L", (2, 2)))] * 3
    found = encoded(images([*greys, encoded_image(Image.new("RGBA", (2, 2)))]))
    assert found.notes == ("The images have 2 modes (L: 3, RGBA: 1); all were taken as RGB.",)


GOOD = encoded_image(Image.fromarray(GREYS))

STRUCT = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def test_a_path_stands_for_its_file(tmp_path: Path) -> None:
    """An image without bytes is read from its path, and a missing file costs its row."""
    (tmp_path / "one.png").write_bytes(GOOD)
    values = [{"bytes": None, "path": str(tmp_path / name)} for name in ("one.png", "two.png")]
    found = encoded(column("image", values, storage=STRUCT))
    assert found.vectors.tolist() == [GREYS.ravel().tolist()]
    assert [(lost.reason, lost.examples) for lost in found.dropped] == [("images that do not decode", (1,))]


def test_bytes_go_before_the_path(tmp_path: Path) -> None:
    """A path beside bytes is the name of a file that need not exist here."""
    found = encoded(column("image", [{"bytes": GOOD, "path": "elsewhere.png"}], storage=STRUCT))
    assert found.rows.tolist() == [0]


def test_plain_bytes_are_images_too() -> None:
    """A binary column is decoded as a struct's bytes are."""
    assert encoded(column("image", [GOOD, GOOD], kind="image")).vectors.shape == (2, 6)


def test_bad_images_cost_their_rows() -> None:
    """Missing, corrupt, truncated and empty files cost one row each, under two reasons, and the others stay."""
    noise = np.random.default_rng(0).integers(0, 256, (2, 3), dtype=np.uint8)
    whole = encoded_image(Image.fromarray(noise))
    found = encoded(images([GOOD, None, b"no image", whole[: len(whole) // 2], b"", GOOD]))
    assert found.rows.tolist() == [0, 5]
    assert {lost.reason: lost.examples for lost in found.dropped} == {
        "rows without an image": (1,),
        "images that do not decode": (2, 3, 4),
    }


@pytest.mark.parametrize("payloads", [[b"x", None], [GOOD[:-30]]], ids=["no-header", "header-only"])
def test_no_readable_image_is_refused(payloads: list[bytes | None]) -> None:
    """A column in which nothing decodes is refused by its name."""
    with pytest.raises(DataError, match="column 'image' has no image that can be decoded"):
        encoded(images(payloads))


def sized(*sizes: tuple[int, int]) -> Column:
    """White pictures of some sizes."""
    return images([encoded_image(Image.new("L", size, 255)) for size in sizes])


BOTH = " They have 2 different sizes, from 3×2 to 4×4 (3×2: 1, 4×4: 1)."

SIZES = [
    pytest.param("5", "5x5", ("2 images were resized to 5×5." + BOTH,), id="square"),
    pytest.param("3x2", "3x2", ("1 images were resized to 3×2." + BOTH,), id="width-and-height"),
    pytest.param("3X2", "3x2", ("1 images were resized to 3×2." + BOTH,), id="capital"),
    pytest.param(
        None,
        "64x64",
        (
            "The images have 2 different sizes, from 3×2 to 4×4 (3×2: 1, 4×4: 1); all were resized to 64×64, "
            "which changes the distances.",
        ),
        id="default",
    ),
]


@pytest.mark.parametrize(("wanted", "size", "notes"), SIZES)
def test_differing_sizes_become_one(wanted: str | None, size: str, notes: tuple[str, ...]) -> None:
    """Pictures of different sizes are brought to the stated one, and the notes say how many."""
    found = encoded(sized((3, 2), (4, 4)), **({"size": wanted} if wanted else {}))
    width, height = map(int, size.split("x"))
    assert (found.settings["size"], found.vectors.shape) == (size, (2, width * height))
    assert found.notes == notes
    assert (found.vectors == 255).all()


def test_one_size_is_kept_without_a_note() -> None:
    """Pictures of one size are left as they are, with or without size=same."""
    for given in ({}, {"size": "same"}):
        found = encoded(sized((3, 2), (3, 2)), **given)
        assert (found.settings["size"], found.notes) == ("3x2", ())


def test_differing_sizes_are_refused_where_they_have_to_be_the_same() -> None:
    """size=same refuses pictures of different sizes, and says how to choose one."""
    with pytest.raises(UsageError) as caught:
        encoded(sized((3, 2), (4, 4)), size="same")
    assert str(caught.value) == (
        "column 'image' has images of 2 different sizes, from 3×2 to 4×4 (3×2: 1, 4×4: 1); choose one size, "
        "as in --encoder image:size=32"
    )


WRONG = [
    pytest.param({"size": "0"}, "image:size has to be like 32, 32x48 or same, not '0'", id="zero"),
    pytest.param({"size": "3x4x5"}, "image:size has to be like 32, 32x48 or same, not '3x4x5'", id="three-sides"),
    pytest.param({"size": "big"}, "image:size has to be like 32, 32x48 or same, not 'big'", id="word"),
    pytest.param({"mode": "CMYK"}, "image:mode has to be L or RGB, not 'CMYK'", id="mode"),
    pytest.param({"sise": "3"}, "encoder 'image' has no setting 'sise'; did you mean 'size'?", id="unknown"),
]


@pytest.mark.parametrize(("given", "message"), WRONG)
def test_a_wrong_setting_is_refused(given: dict[str, str], message: str) -> None:
    """A setting with a wrong value or name is refused by one line."""
    with pytest.raises(UsageError) as caught:
        encoded(images([GOOD]), **given)
    assert message in str(caught.value)


def test_only_the_asked_rows_are_decoded() -> None:
    """A bad image among rows that are not asked for costs nothing."""
    found = image.encode(images([b"bad", GOOD, GOOD]), np.array([2]), Options("image", {}))
    assert (found.rows.tolist(), found.dropped) == ([2], ())


def noisy(mode: str, size: tuple[int, int]) -> bytes:
    """A picture that is not readable once it is cut."""
    channels = () if mode == "L" else (3,)
    pixels = np.random.default_rng(3).integers(0, 256, (size[1], size[0], *channels), dtype=np.uint8)
    return encoded_image(Image.fromarray(pixels))


@pytest.mark.parametrize(("mode", "size"), [("RGB", (8, 8)), ("L", (30, 20)), ("RGB", (30, 20))], ids=str)
def test_a_truncated_image_changes_nothing_about_the_others(mode: str, size: tuple[int, int]) -> None:
    """A file of another mode or size that fails after its header costs its row and neither mode nor size."""
    good = [noisy("L", (8, 8)), encoded_image(Image.new("L", (8, 8), 9))]
    broken = noisy(mode, size)
    found = encoded(images([good[0], broken[: len(broken) // 2], good[1]]))
    alone = encoded(images(good))
    assert (found.settings, found.metric, found.notes) == (alone.settings, alone.metric, alone.notes)
    assert found.vectors.tobytes() == alone.vectors.tobytes()
    assert found.rows.tolist() == [0, 2]
    assert [(lost.reason, lost.examples) for lost in found.dropped] == [("images that do not decode", (1,))]


@pytest.mark.parametrize(
    ("mode", "levels", "pixels", "white"),
    [
        pytest.param("F", [0.5, 102.0], [0, 102], None, id="F-of-255"),
        pytest.param("F", [0.2, 0.8], [51, 204], "1", id="F-of-1"),
        pytest.param("I", [200, 51400], [1, 200], "65535", id="I-of-16-bits"),
        pytest.param("I", [65536, 131072], [128, 255], "131072", id="I-of-more"),
    ],
)
def test_one_white_holds_for_the_whole_dataset(
    mode: str, levels: list[float], pixels: list[int], white: str | None
) -> None:
    """Grey of 32 bits is scaled by the largest of all pictures, so that equal numbers stay equal pixels."""
    found = encoded(images([encoded_image(solid(mode, level), "TIFF") for level in levels]))
    assert found.vectors.ravel() == pytest.approx(pixels, abs=1)
    assert found.settings.get("white") == white
