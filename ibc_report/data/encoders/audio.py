"""Sounds to vectors: log-mel spectrograms on a fixed grid of bands and frames.

Metric: the Euclidean distance of levels in mel bands, of which the span from −80 dB to full scale is 1. The mel scale
is that of O'Shaughnessy, "Speech Communication: Human and Machine" (1987): 2595 log₁₀(1 + f / 700 Hz).
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ibc_report.common import files
from ibc_report.common.errors import DataError
from ibc_report.common.progress import Progress, silent
from ibc_report.data.encoders.base import Encoded, Options
from ibc_report.data.sources.rows import Column, Dropped

__all__ = ["encode", "spectrogram"]

BANDS = 40

FRAMES = 32

WINDOW = 0.025
"""Seconds of a window."""

HOP = 0.010
"""Seconds from one window to the next."""

RESOLUTION = 31.25
"""Hertz from one bin of the spectrum to the next, whatever the sampling rate."""

FLOOR = 80.0
"""Decibels below full scale that count as silence."""

LONGEST = 600.0
"""Seconds of a recording that is a clip; a longer one costs its row."""

MOST_COUNTED = 5

REPORT_EVERY = 200

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Header:
    """What a sound says of itself before its samples are read."""

    rate: int
    channels: int
    seconds: float


def encode(column: Column, rows: NDArray[np.int64], options: Options, *, progress: Progress = silent) -> Encoded:
    """Turn sounds into spectrograms.

    Parameters
    ----------
    column : Column
        Sounds as structs of bytes and path, or bytes: WAV, FLAC, OGG, MP3 and what else libsndfile reads.
    options : Options
        `bands` and `frames` of the grid, 40 and 32 by default, and `top`, the highest frequency in hertz; half of the
        lowest sampling rate by default, so that no sound has bands which another cannot have.

    Returns
    -------
    Encoded
        float64 vectors of bands × frames, the highest band first. Channels are averaged; the frames of each sound are
        averaged, or repeated, to the frames of the grid, whatever its length. A file that does not decode, has no
        samples, or is longer than ten minutes costs its row.

    Raises
    ------
    UsageError
        If a setting is wrong.
    DataError
        If no sound can be decoded.
    """
    options.known("bands", "frames", "top")
    places = np.argsort(rows)
    values = column.values.take(pa.array(rows[places]))
    headers = [_header(payload) for payload in _payloads(values)]
    reasons = [header if isinstance(header, str) else None for header in headers]
    sound = [header for header in headers if isinstance(header, _Header)]
    if not sound:
        raise DataError(f"column '{column.name}' has no sound that can be decoded")
    bands, frames = options.integer("bands", BANDS), options.integer("frames", FRAMES)
    top = options.integer("top", min(header.rate for header in sound) // 2)

    def fill(vectors: NDArray[Any]) -> None:
        for position, payload in enumerate(_payloads(values)):
            if position % REPORT_EVERY == 0:
                progress(position / len(rows))
            if payload is None or reasons[position] is not None:
                continue
            try:
                samples, rate = _samples(payload)
                vectors[places[position]] = spectrogram(samples, rate, bands=bands, frames=frames, top=top).ravel()
            # libsndfile finds only now that a file is cut off
            except Exception:
                reasons[position] = BROKEN

    vectors = files.filled((len(rows), bands * frames), np.float64, fill)
    back = np.argsort(places)
    why = [reasons[position] for position in back]
    good = np.array([reason is None for reason in why], dtype=bool)
    if not good.any():
        raise DataError(f"column '{column.name}' has no sound that can be decoded")
    return Encoded(
        name="audio",
        metric=f"Euclidean distance of log-mel levels, {bands} bands × {frames} frames, as parts of {FLOOR:.0f} dB",
        settings={
            "bands": str(bands),
            "frames": str(frames),
            "top": str(top),
            "window": f"{WINDOW * 1000:.0f} ms, Hann",
            "hop": f"{HOP * 1000:.0f} ms",
            "scale": f"mel; 0 is {FLOOR:.0f} dB below full scale, 1 is full scale",
        },
        inputs=(column.name,),
        vectors=vectors if good.all() else files.taken(vectors, np.flatnonzero(good)),
        unit=1.0,
        rows=rows[good],
        rounding=0.0,
        picture_shape=(bands, frames),
        dropped=tuple(
            Dropped.of(reason, rows[[one == reason for one in why]].tolist())
            for reason in (MISSING, BROKEN, EMPTY, LONG)
            if reason in why
        ),
        notes=_notes(sound, frames, top),
    )


MISSING, BROKEN = "rows without a sound", "sounds that do not decode"

EMPTY, LONG = "sounds without samples", f"sounds longer than {LONGEST / 60:.0f} minutes"


def spectrogram(samples: _Floats, rate: int, *, bands: int = BANDS, frames: int = FRAMES, top: int) -> _Floats:
    """Compute a log-mel spectrogram on a fixed grid.

    Parameters
    ----------
    samples : ndarray of float64, shape (n,)
        In [−1, 1].
    rate : int
        Samples in a second.
    top : int
        Highest frequency, in hertz.

    Returns
    -------
    ndarray of float64, shape (bands, frames)
        0 for silence and 1 for a sine of full scale in its band; the highest band first.

    Examples
    --------
    >>> tone = np.sin(2 * np.pi * 1000 * np.arange(8000) / 8000)
    >>> found = spectrogram(tone, 8000, bands=8, frames=2, top=4000)
    >>> int(found[::-1, 0].argmax()), bool(spectrogram(0 * tone, 8000, top=4000).any())
    (3, False)
    """
    width, hop = max(1, round(WINDOW * rate)), max(1, round(HOP * rate))
    size = max(width, round(rate / RESOLUTION))
    count = 1 + max(0, -(-(len(samples) - width) // hop))
    padded = np.zeros((count - 1) * hop + width)
    padded[: len(samples)] = samples
    window = np.hanning(width + 1)[:width] if width > 1 else np.ones(1)
    cut = np.lib.stride_tricks.sliding_window_view(padded, width)[::hop]
    # a sine of full scale has the power of 1 in the bin of its frequency
    power = np.abs(np.fft.rfft(cut * window, size)) ** 2 / (window.sum() / 2) ** 2
    levels = power @ _mel_filters(size, rate, bands, top)
    scaled = 1 + 10 * np.log10(np.maximum(levels, 10 ** (-FLOOR / 10))) / FLOOR
    # parts of the frames that a frame of the grid spans count by their share
    sums = np.vstack([np.zeros(bands), np.cumsum(scaled, axis=0)])
    edges = np.linspace(0, count, frames + 1)
    low = np.minimum(edges.astype(np.int64), count - 1)
    at = sums[low] + (edges - low)[:, None] * scaled[low]
    # differences of sums of zeros and ones leave these by rounding
    return np.ascontiguousarray(np.clip(np.diff(at, axis=0) * (frames / count), 0.0, 1.0).T[::-1])


@lru_cache(maxsize=16)
def _mel_filters(size: int, rate: int, bands: int, top: int) -> _Floats:
    """Triangles on the mel scale, of height 1; each has the bin nearest to its peak at least."""
    frequencies = np.arange(size // 2 + 1) * (rate / size)
    peaks = 700 * (10 ** (np.linspace(0, 2595 * np.log10(1 + top / 700), bands + 2) / 2595) - 1)
    below, peak, above = peaks[:-2], peaks[1:-1], peaks[2:]
    rising = (frequencies[:, None] - below) / (peak - below)
    falling = (above - frequencies[:, None]) / (above - peak)
    filters = np.maximum(0.0, np.minimum(rising, falling))
    nearest = np.abs(frequencies[:, None] - peak).argmin(axis=0)
    filters[nearest, np.arange(bands)] = np.maximum(filters[nearest, np.arange(bands)], 1e-3)
    return np.asarray(filters, dtype=np.float64)


def _payloads(values: pa.ChunkedArray) -> Iterator[bytes | str | None]:
    """Bytes of each sound, or the path of its file, or None."""
    for value in values:
        content = value.as_py()
        if isinstance(content, dict):
            content = content["bytes"] if content.get("bytes") is not None else content.get("path")
        yield content


def _opened(payload: bytes | str) -> Any:
    import soundfile

    return soundfile.SoundFile(io.BytesIO(payload) if isinstance(payload, bytes) else Path(payload))


def _header(payload: bytes | str | None) -> _Header | str:
    """What a sound says of itself, or why it costs its row."""
    if payload is None:
        return MISSING
    try:
        with _opened(payload) as sound:
            seconds = sound.frames / sound.samplerate
            if not sound.frames:
                return EMPTY
            return LONG if seconds > LONGEST else _Header(sound.samplerate, sound.channels, seconds)
    # soundfile raises errors of its own, of the system, and of a path that cannot be one
    except Exception:
        return BROKEN


def _samples(payload: bytes | str) -> tuple[_Floats, int]:
    with _opened(payload) as sound:
        samples = np.asarray(sound.read(dtype="float64", always_2d=True)).mean(axis=1)
        if not len(samples) or not np.isfinite(samples).all():
            raise ValueError("no samples, or some that are no numbers")
        return samples, int(sound.samplerate)


def _notes(found: Sequence[_Header], frames: int, top: int) -> tuple[str, ...]:
    notes = []
    rates = Counter(header.rate for header in found)
    if len(rates) > 1:
        notes.append(
            f"The sounds have {len(rates)} sampling rates ({_counted(rates, ' Hz')}); of all of them the bands up to "
            f"{top:,} Hz were taken."
        )
    channels = Counter(header.channels for header in found)
    if set(channels) != {1}:
        notes.append(f"Channels were averaged ({_counted(channels, ' channels').replace('1 channels', '1 channel')}).")
    seconds = np.array([header.seconds for header in found])
    if seconds.max() > seconds.min():
        low, middle, high = np.quantile(seconds, (0.0, 0.5, 1.0))
        notes.append(
            f"The sounds last {low:.2f} to {high:.2f} s, half of them no longer than {middle:.2f} s; each was brought "
            f"to {frames} frames, so that their length is no feature."
        )
    return tuple(notes)


def _counted(found: Counter[int], unit: str) -> str:
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    more = ", …" if len(ordered) > MOST_COUNTED else ""
    return ", ".join(f"{value:,}{unit}: {count:,}" for value, count in ordered[:MOST_COUNTED]) + more
