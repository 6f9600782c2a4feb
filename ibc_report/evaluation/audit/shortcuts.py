"""Shortcuts: what should not matter, such as a file's size, and whether it tells the class."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from ibc_report.data.examples import Examples
from ibc_report.data.sources import Column, Rows
from ibc_report.evaluation.audit.baselines import CorrectAnswers
from ibc_report.evaluation.audit.joint_split import Splits
from ibc_report.evaluation.audit.leakage import texts_of
from ibc_report.evaluation.statistics.comparisons import discordant, paired_interval
from ibc_report.evaluation.statistics.multiple_testing import holm
from ibc_report.evaluation.statistics.proportions import Interval

__all__ = [
    "LEVEL",
    "MOST_LEVELS",
    "Nuisance",
    "Shortcut",
    "collect",
    "places_in_table",
    "predict_from",
    "probe_shortcuts",
]

MOST_LEVELS = 50
"""Values of a category that a probe tells apart: the most common of the training rows."""

PROBED_KINDS = ("number", "boolean", "class", "string", "date")

_Floats = NDArray[np.float64]

_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Nuisance:
    """One property of the rows of both splits.

    Parameters
    ----------
    name : str
        In words; of a column, its name.
    train, test : ndarray of float64, shape (rows, values)
        Numbers, NaN where missing; of a category, one column of 0 and 1 for each common value.
    """

    kind: Literal["column", "size", "mode", "bytes", "file", "brightness", "length", "punctuation", "order"]
    name: str
    train: _Floats
    test: _Floats

    @property
    def varies(self) -> bool:
        """Whether training rows differ in it at all."""
        return not all(np.array_equal(column, np.full_like(column, column[0]), True) for column in self.train.T)

    @property
    def is_metadata(self) -> bool:
        """Whether it is known without looking at the content, and is no matter of how the file is sorted."""
        return self.kind in ("column", "size", "mode", "bytes", "file")


def collect(splits: Splits, train_rows: Rows, test_rows: Rows, train_at: _Ints, test_at: _Ints) -> tuple[Nuisance, ...]:
    """Read the properties of some rows.

    Parameters
    ----------
    train_at, test_at : ndarray of int64
        Positions in the encoded splits of the rows to read.

    Returns
    -------
    tuple of Nuisance
        Those in which training rows differ: size, mode, bytes, file name and mean brightness of images; length and
        punctuation of texts; every column of numbers, classes, dates or strings that is neither input nor target; the
        place in the split.
    """
    train, test = splits.train, splits.test
    found: list[Nuisance] = []
    if train.encoded.name == "image":
        found += _of_images(train, test, train_at, test_at)
    if train.encoded.name == "text":
        found += _of_texts(train, test, train_at, test_at)
    first, second = places_in_table(train_rows, train, train_at), places_in_table(test_rows, test, test_at)
    known = {column.name for column in test_rows.columns}
    for column in train_rows.columns:
        if column.name in (train.target, *train.encoded.inputs) or column.name not in known:
            continue
        found += _of_column(column, test_rows.column(column.name), first, second)
    ends = first / max(1, train_rows.count - 1), second / max(1, test_rows.count - 1)
    found.append(Nuisance("order", "row order", *(one[:, None] for one in ends)))
    return tuple(nuisance for nuisance in found if nuisance.varies)


def places_in_table(rows: Rows, examples: Examples, at: _Ints) -> _Ints:
    """Where rows of the encoded split stand in the table.

    Parameters
    ----------
    at : ndarray of int64
        Their positions in the encoded split.
    """
    numbers = examples.numbers[at]
    return numbers if rows.numbers is None else np.searchsorted(rows.numbers, numbers)


def _of_images(train: Examples, test: Examples, train_at: _Ints, test_at: _Ints) -> list[Nuisance]:
    first, second = (
        [_file(examples.columns[0], int(examples.positions[place])) for place in at]
        for examples, at in ((train, train_at), (test, test_at))
    )
    sizes = [np.array([file.size for file in files], dtype=np.float64) for files in (first, second)]
    size = [np.stack([one[:, 0], one[:, 1], one[:, 0] * one[:, 1]], axis=1) for one in sizes]
    counts = [np.array([[file.bytes] for file in files], dtype=np.float64) for files in (first, second)]
    nuisances = [
        Nuisance("size", "image size", *size),
        Nuisance("mode", "image mode", *_levels([file.mode for file in first], [file.mode for file in second])),
        Nuisance("bytes", "file size", *counts),
    ]
    if all(file.name for file in (*first, *second)):
        names = [[_skeleton(file.name) for file in files] for files in (first, second)]
        nuisances.append(Nuisance("file", "file name without digits", *_levels(*names)))
    bright = [_brightness(examples, at) for examples, at in ((train, train_at), (test, test_at))]
    return [*nuisances, Nuisance("brightness", "mean brightness", *bright)]


@dataclass(frozen=True, slots=True)
class _File:
    """What an image's file says without its pixels."""

    size: tuple[float, float]
    mode: str
    bytes: float
    name: str


def _file(column: Column, position: int) -> _File:
    value: Any = column.values[position].as_py()
    content, path = (value["bytes"], value["path"] or "") if isinstance(value, dict) else (value, "")
    from PIL import Image

    nothing = float("nan")
    try:
        count = len(content) if content is not None else Path(path).stat().st_size
        with Image.open(Path(path) if content is None else io.BytesIO(content)) as image:
            return _File(image.size, image.mode, count, PurePosixPath(path).name)
    # Pillow raises whatever its decoders raise, and a row is encoded before it is read here
    except Exception:
        return _File((nothing, nothing), "", nothing, "")


def _brightness(examples: Examples, at: _Ints) -> _Floats:
    vectors = examples.encoded.vectors
    return np.array([[float(np.asarray(vectors[place]).mean())] for place in at]) * examples.encoded.unit


def _of_texts(train: Examples, test: Examples, train_at: _Ints, test_at: _Ints) -> list[Nuisance]:
    texts = [texts_of(train), texts_of(test)]
    chosen = [[texts[0][place] for place in train_at], [texts[1][place] for place in test_at]]

    def measured(measure: Callable[[str], float]) -> list[_Floats]:
        return [np.array([[measure(text)] for text in part], dtype=np.float64) for part in chosen]

    return [
        Nuisance("length", "text length", *measured(len)),
        Nuisance("punctuation", "share of punctuation", *measured(_punctuation)),
    ]


def _punctuation(text: str) -> float:
    marks = sum(not (letter.isalnum() or letter.isspace()) for letter in text)
    return marks / max(1, len(text))


def _of_column(train: Column, test: Column, first: _Ints, second: _Ints) -> list[Nuisance]:
    kinds = {train.kind, test.kind}
    if not kinds <= set(PROBED_KINDS):
        return []
    values = [column.values.take(at).to_pylist() for column, at in ((train, first), (test, second))]
    if kinds <= {"number"}:
        numbers = [np.array([[_number(value)] for value in part], dtype=np.float64) for part in values]
        return [Nuisance("column", train.name, *numbers)]
    if kinds <= {"date"}:
        days = [
            np.array([[np.nan if one is None else _days(one)] for one in part], dtype=np.float64) for part in values
        ]
        return [Nuisance("column", train.name, *days)]
    words = [[_word(column, value) for value in part] for column, part in zip((train, test), values, strict=True)]
    if len(set(words[0])) > MOST_LEVELS:
        words = [[_skeleton(word) for word in part] for part in words]
    return [Nuisance("column", train.name, *_levels(*words))]


def _number(value: Any) -> float:
    number = float("nan") if value is None else float(value)
    return number if abs(number) < 1e30 else float("nan")


def _days(value: Any) -> float:
    return float(value.toordinal()) + getattr(value, "hour", 0) / 24 + getattr(value, "minute", 0) / 1440


def _word(column: Column, value: Any) -> str:
    if value is None:
        return ""
    if column.class_names is not None and isinstance(value, int) and 0 <= value < len(column.class_names):
        return column.class_names[value]
    return str(value)


def _skeleton(text: str) -> str:
    """A name without its digits, so that numbered names fall together."""
    return re.sub(r"\d+", "", text)


def _levels(train: Sequence[str], test: Sequence[str]) -> tuple[_Floats, _Floats]:
    """One column for each of the most common values; other values have none."""
    counts = Counter(train)
    levels = sorted(counts, key=lambda level: (-counts[level], level))[:MOST_LEVELS]
    place = {level: number for number, level in enumerate(levels)}

    def coded(values: Sequence[str]) -> _Floats:
        codes = np.array([place.get(value, -1) for value in values])
        matches: _Floats = (codes[:, None] == np.arange(len(levels))).astype(np.float64)
        return matches

    return coded(train), coded(test)


LEVEL = 0.05
"""Chance, over all that was tried, to flag anything where nothing tells the class."""

LEAST_LEAF = 5

LEAVES = 64

_Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Shortcut:
    """What one property tells of the class.

    Parameters
    ----------
    scored : CorrectAnswers
        A probe that sees nothing else, on test rows.
    gain : float
        Its accuracy less that of the most common class of the test rows.
    interval : Interval
        Of the gain (that of paired differences).
    p : float
        Exact one-sided McNemar test that the probe is right no more often than that class.
    corrected : float
        The same after Holm's correction for all that was tried.
    """

    nuisance: Nuisance
    scored: CorrectAnswers
    gain: float
    interval: Interval
    p: float
    corrected: float

    @property
    def flagged(self) -> bool:
        """Whether the property tells the class beyond chance."""
        return self.corrected <= LEVEL


def predict_from(train: NDArray[np.float64], codes: _Codes, test: NDArray[np.float64]) -> _Codes:
    """Predict the class from a few properties.

    A small decision tree: it takes numbers of any scale, whatever shape the dependence has, categories as columns of
    0 and 1, and missing values as they are. Its leaves, twice the classes and 64 at least, of five rows at least,
    keep it from learning rows by heart; what it learns in vain is lost on the test rows, where alone it is scored.

    Parameters
    ----------
    train : ndarray of float64, shape (n, values)
        NaN where missing.
    codes : ndarray of int64, shape (n,)
        Classes.
    test : ndarray of float64, shape (m, values)

    Returns
    -------
    ndarray of int64, shape (m,)

    Examples
    --------
    >>> shade = np.arange(20.0)[:, None]
    >>> predict_from(shade, np.repeat([3, 8], 10), np.array([[1.5], [18.0]])).tolist()
    [3, 8]
    """
    # scikit-learn takes longer to import than a small table to measure
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(
        max_leaf_nodes=max(LEAVES, 2 * len(np.unique(codes))),
        min_samples_leaf=max(LEAST_LEAF, len(codes) // 1000),
        random_state=0,
    )
    tree.fit(train, codes)
    return np.asarray(tree.predict(test), dtype=np.int64)


def probe_shortcuts(nuisances: Sequence[Nuisance], codes: _Codes, truth: _Codes) -> tuple[Shortcut, ...]:
    """Ask a probe on each property whether it tells the class.

    Parameters
    ----------
    codes, truth : ndarray of int64
        Classes of the training and of the test rows.

    Returns
    -------
    tuple of Shortcut
        In the order of the nuisances. A probe is compared with the class that is most common among the test rows
        themselves: where nothing tells the class, nothing is right more often than that, also where the splits differ
        in their classes, so that the test holds its level.
    """
    if not nuisances:
        return ()
    base = truth == np.bincount(truth).argmax()
    found = [
        _against(nuisance, predict_from(nuisance.train, codes, nuisance.test) == truth, base) for nuisance in nuisances
    ]
    corrected = holm([one.p for one in found])
    return tuple(replace(one, corrected=float(value)) for one, value in zip(found, corrected, strict=True))


def _against(nuisance: Nuisance, right: NDArray[np.bool_], base: NDArray[np.bool_]) -> Shortcut:
    both, mine, other, neither = discordant(right, base)
    p = float(bdtrc(mine - 1, mine + other, 0.5)) if mine > 0 else 1.0
    return Shortcut(
        nuisance=nuisance,
        scored=CorrectAnswers(both + mine, len(right)),
        gain=(mine - other) / len(right),
        interval=paired_interval(both, mine, other, neither),
        p=p,
        corrected=p,
    )
