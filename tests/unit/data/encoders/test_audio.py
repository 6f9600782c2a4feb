"""Sounds as log-mel spectrograms on a fixed grid."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pyarrow as pa
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ibc_report.common.errors import DataError, UsageError
from ibc_report.data.encoders import Encoded, Options, audio
from ibc_report.data.encoders.audio import spectrogram
from ibc_report.data.sources import Column
from ibc_report.data.sources.files import load
from tests.support.tables import column, every

SOUND = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def tone(hertz: float = 1000.0, seconds: float = 0.3, rate: int = 8000) -> NDArray[np.float64]:
    """A sine of half of full scale."""
    return np.asarray(0.5 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate))


def file(samples: Any, rate: int = 8000, form: str = "WAV", subtype: str | None = None) -> bytes:
    """The bytes of a file of sound."""
    stream = io.BytesIO()
    soundfile.write(stream, samples, rate, format=form, subtype=subtype)
    return stream.getvalue()


def sounds(*payloads: bytes | None) -> Column:
    """A column of files."""
    values = [None if payload is None else {"bytes": payload, "path": None} for payload in payloads]
    return column("audio", values, kind="audio", storage=SOUND)


def encoded(of: Column, **options: str) -> Encoded:
    """All rows encoded."""
    return audio.encode(of, every(of), Options("audio", options))


@given(
    st.integers(0, 3000),
    st.sampled_from([8000, 11025, 44100]),
    st.integers(1, 60),
    st.integers(1, 60),
    st.floats(0, 1),
)
def test_every_sound_has_the_same_grid(n: int, rate: int, bands: int, frames: int, loud: float) -> None:
    """Whatever its length, rate and loudness a sound gives finite numbers from 0 to 1 on the grid."""
    samples = loud * np.sin(np.arange(max(1, n)))
    found = spectrogram(samples, rate, bands=bands, frames=frames, top=4000)
    assert found.shape == (bands, frames)
    assert ((found >= 0) & (found <= 1)).all()


def test_a_tone_is_in_its_band_and_louder_is_higher() -> None:
    """The band of a tone has most, a tone of ten times the amplitude 20 dB more, and a full sine is 1."""
    low, high = (spectrogram(tone(hertz), 8000, top=4000).mean(axis=1).argmax() for hertz in (300, 3000))
    assert low > high
    loud, soft = (spectrogram(scale * tone(), 8000, top=4000).max() for scale in (1.0, 0.1))
    assert (loud - soft) * 80 == pytest.approx(20, abs=0.01)
    assert spectrogram(2 * tone(1000.0), 8000, top=4000).max() == pytest.approx(1, abs=0.02)


def test_the_same_sound_in_other_files_is_the_same() -> None:
    """WAV of any width without loss, FLAC and a copy in two channels give the same vector."""
    samples = np.round(tone() * 2**15) / 2**15
    forms = [("WAV", "PCM_16"), ("WAV", "PCM_24"), ("WAV", "FLOAT"), ("FLAC", "PCM_16"), ("AIFF", "PCM_16")]
    files = [file(samples, form=form, subtype=subtype) for form, subtype in forms]
    found = encoded(sounds(*files, file(np.stack([samples, samples], axis=1))))
    assert (found.vectors == found.vectors[0]).all()
    assert found.notes == ("Channels were averaged (1 channel: 5, 2 channels: 1).",)
    assert found.picture_shape == (40, 32)


def test_a_sound_at_another_rate_lies_near() -> None:
    """A tone recorded at several rates is nearly the same; the bands end where the lowest rate does, and it is said."""
    found = encoded(sounds(*(file(tone(rate=rate), rate) for rate in (8000, 16000, 44100)), file(tone(2500.0))))
    near = np.linalg.norm(found.vectors[:3] - found.vectors[0], axis=1).max()
    assert near < np.linalg.norm(found.vectors[3] - found.vectors[0]) / 5
    assert found.settings["top"] == "4000"
    assert found.notes[0] == (
        "The sounds have 3 sampling rates (8,000 Hz: 2, 16,000 Hz: 1, 44,100 Hz: 1); of all of them the bands up to "
        "4,000 Hz were taken."
    )


def test_files_that_are_no_sounds_cost_their_rows() -> None:
    """Missing, cut, empty, other and not finite files are counted by their reasons, and the others stay."""
    whole = file(tone(), form="FLAC")
    nothing, cut, empty = None, whole[: len(whole) // 2], file(np.zeros(0))
    odd = file(np.array([0.0, np.nan] * 500), subtype="FLOAT")
    found = encoded(sounds(whole, nothing, b"not a sound", cut, empty, odd, whole))
    assert found.rows.tolist() == [0, 6]
    assert {lost.reason: lost.examples for lost in found.dropped} == {
        "rows without a sound": (1,),
        "sounds that do not decode": (2, 3, 5),
        "sounds without samples": (4,),
    }


def test_without_any_sound_nothing_is_left() -> None:
    """A column of broken files is refused."""
    with pytest.raises(DataError, match="column 'audio' has no sound that can be decoded"):
        encoded(sounds(b"x", None))
    with pytest.raises(UsageError, match="has no setting 'size'"):
        encoded(sounds(file(tone())), size="3")


def test_silence_and_a_single_sample_are_sounds() -> None:
    """A clip of nothing is all 0, and one of a single sample has its grid too; lengths are said."""
    found = encoded(sounds(file(np.zeros(400)), file(np.array([0.5]))))
    assert not found.vectors[0].any()
    assert found.vectors.shape == (2, 40 * 32)
    assert "The sounds last 0.00 to 0.05 s" in found.notes[-1]


@pytest.mark.parametrize("form", ["folder", "parquet", "plain-parquet", "zip"])
def test_sounds_are_read_from_folders_and_tables(form: str, tmp_path: Path) -> None:
    """A folder of classes, its zip, and parquet with and without declared features hold sounds, undecoded."""
    import shutil

    import pyarrow.parquet as pq

    if form in ("folder", "zip"):
        for name, hertz in (("high", 3000.0), ("low", 300.0)):
            folder = tmp_path / "set" / name
            folder.mkdir(parents=True)
            for number in range(3):
                (folder / f"{number}.wav").write_bytes(file(tone(hertz + number)))
        path = tmp_path / "set"
        if form == "zip":
            path = Path(shutil.make_archive(str(path), "zip", path))
    else:
        values = [{"bytes": file(tone(300.0 + number)), "path": f"{number}.wav"} for number in range(6)]
        table = pa.table({"audio": pa.array(values, SOUND), "label": ["low", "high"] * 3})
        if form == "parquet":
            features = datasets.Features({"audio": datasets.Audio(), "label": datasets.Value("string")})
            table = table.replace_schema_metadata(features.arrow_schema.metadata)
        path = tmp_path / "set.parquet"
        pq.write_table(table, path)
    rows = load(path)
    assert {found.name: found.kind for found in rows.columns}["audio"] == "audio"
    assert encoded(rows.column("audio")).vectors.shape == (6, 1280)
    if form in ("folder", "zip"):
        assert rows.column("label").class_names == ("high", "low")
