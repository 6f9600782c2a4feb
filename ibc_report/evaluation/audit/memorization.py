"""Bits to memorise labels, and bits that a finite domain leaves free."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, log, log2, log10

import numpy as np
import pyarrow.compute as pc
from numpy.typing import ArrayLike
from scipy.special import entr

from ibc_report.common.errors import InputError
from ibc_report.data.sources import Column
from ibc_report.evaluation.audit.joint_split import Splits

__all__ = [
    "FreeBits",
    "bits_per_parameter",
    "entropy_bits",
    "free_bits",
    "free_function_bits",
    "label_rate",
    "memorised_bits",
]


@dataclass(frozen=True, slots=True)
class FreeBits:
    """What the data leave free of a function on a finite domain.

    Parameters
    ----------
    log10_domain : float
        Decimal logarithm of the number of possible inputs.
    log10_bits : float
        Decimal logarithm of the free bits; −inf where the data hold every input.
    bits : float
        Free bits; infinite where they overflow a double.
    pinned : float
        Share of the inputs that the data hold.
    """

    log10_domain: float
    log10_bits: float
    bits: float
    pinned: float


def memorised_bits(n: float, classes: float) -> float:
    """Bits to memorise labels that may be anything: n·log2 k.

    Parameters
    ----------
    classes : float
        Classes k, at least 1.

    Raises
    ------
    InputError
        If n is negative or there is no class.

    Examples
    --------
    >>> round(memorised_bits(50_000, 10), 1)
    166096.4
    """
    _labels(n, classes)
    return n * log2(classes)


def entropy_bits(counts: ArrayLike) -> float:
    """Bits to memorise labels whose frequencies are known: n·H(Y).

    Parameters
    ----------
    counts : array_like, shape (k,)
        Labels of each class.

    Returns
    -------
    float
        At most n·log2 k, which it is for equal counts.

    Raises
    ------
    InputError
        If a count is negative, or all are 0.

    Examples
    --------
    >>> entropy_bits([50, 50]), round(entropy_bits([90, 10]), 2)
    (100.0, 46.9)
    """
    numbers = np.asarray(counts, dtype=np.float64)
    total = numbers.sum()
    if numbers.size == 0 or np.any(numbers < 0) or not 0 < total < inf:
        raise InputError("counts of classes have to be numbers from 0, not all of them 0")
    return float(total * entr(numbers / total).sum() / log(2))


def bits_per_parameter(bits: float, parameters: float) -> float:
    """Bits of labels for each parameter of a model.

    Parameters
    ----------
    bits : float
        From `memorised_bits` or `entropy_bits`.
    parameters : float
        Of the model, above 0.

    Raises
    ------
    InputError
        If there is no parameter.

    Examples
    --------
    >>> round(bits_per_parameter(memorised_bits(50_000, 10), 1_649_402), 4)
    0.1007
    """
    if not parameters > 0:
        raise InputError(f"{parameters} parameters are none")
    return bits / parameters


def free_function_bits(cardinalities: Iterable[int], distinct: int, classes: int) -> FreeBits:
    """Bits to state a function on the inputs that the data do not hold: (∏ cardinalities − distinct)·log2 k.

    Parameters
    ----------
    cardinalities : iterable of int
        How many values each input can take; runs of equal ones may be long, as of pixels.
    classes : int
        Classes k, at least 1.

    Raises
    ------
    InputError
        If a cardinality is below 1, or the data hold more inputs than there can be.

    Examples
    --------
    >>> found = free_function_bits([2] * 20, 10_000, 2)
    >>> round(found.bits), round(100 * found.pinned, 3)
    (1038576, 0.954)
    """
    _labels(distinct, classes)
    sizes: Sequence[int] = tuple(cardinalities)
    if not sizes or min(sizes) < 1:
        raise InputError("each input has to have at least 1 value")
    log10_domain = float(sum(log10(size) for size in sizes))
    domain = 1
    for size in sizes:
        domain *= size
        # beyond this the data hold a share of it that no double tells from 0
        if domain > 10**40 * max(distinct, 1):
            return _beyond(log10_domain, distinct, classes)
    if distinct > domain:
        raise InputError(f"{distinct} distinct inputs are more than the {domain} that there can be")
    bits = (domain - distinct) * log2(classes)
    return FreeBits(log10_domain, log10(bits) if bits > 0 else -inf, bits, distinct / domain)


def label_rate(n: float, classes: int, error: float) -> float:
    """Bits that n evenly spread labels need at least, when a share of them may be wrong.

    n·[log2 k − h(ε) − ε·log2(k − 1)], the rate–distortion function of a uniform source under Hamming distortion
    (Cover and Thomas, *Elements of Information Theory*, problem 10.5); 0 from ε = 1 − 1/k on.

    Parameters
    ----------
    classes : int
        Classes k, at least 1.
    error : float
        Share that may be wrong, within 0 and 1.

    Raises
    ------
    InputError
        If a number is outside its domain.

    Examples
    --------
    >>> round(label_rate(1, 10, 0.1), 4)
    2.5359
    """
    _labels(n, classes)
    if not 0 <= error <= 1:
        raise InputError(f"error {error} is not within 0 and 1")
    if error >= 1 - 1 / classes:
        return 0.0
    uncertainty = float(entr(error) + entr(1 - error)) / log(2)
    return max(0.0, n * (log2(classes) - uncertainty - error * log2(max(classes - 1, 1))))


def _beyond(log10_domain: float, distinct: int, classes: int) -> FreeBits:
    per_input = log2(classes)
    log10_bits = log10_domain + log10(per_input) if per_input > 0 else -inf
    bits = 10**log10_bits if log10_bits < 308 else inf
    log10_pinned = (log10(distinct) if distinct else -inf) - log10_domain
    return FreeBits(log10_domain, log10_bits, bits, 10**log10_pinned)


def _labels(n: float, classes: float) -> None:
    if not n >= 0:
        raise InputError(f"{n} labels are fewer than none")
    if not classes >= 1:
        raise InputError(f"{classes} classes are fewer than one")


PIXEL_LEVELS = 256

CATEGORIES = ("boolean", "class", "string")


def free_bits(splits: Splits) -> FreeBits | None:
    """Bits to state a function of the inputs that the training rows do not hold.

    Returns
    -------
    FreeBits or None
        Of pictures with 256 levels, and of tables that hold nothing but categories, whose values are those that occur,
        each in two rows on average at least; None for all else, whose possible inputs nobody has counted.
    """
    train, test = splits.train, splits.test
    encoded = train.encoded
    distinct = len(np.unique(train.identities))
    classes = len(splits.names)
    if encoded.name == "image":
        # what differs in the file only is one picture
        return free_function_bits([PIXEL_LEVELS] * encoded.vectors.shape[1], distinct, classes)
    if encoded.name != "tabular" or any(column.kind not in CATEGORIES for column in train.columns):
        return None
    sizes = [_values(column, other) for column, other in zip(train.columns, test.columns, strict=True)]
    if 2 * max(sizes) > len(train.positions):
        return None
    return free_function_bits(sizes, distinct, classes)


def _values(train: Column, test: Column) -> int:
    """How many values a category takes in both splits, a missing one among them."""
    if train.class_names is not None:
        return len(train.class_names) + int(train.values.null_count + test.values.null_count > 0)
    found = set(pc.unique(train.values).to_pylist()) | set(pc.unique(test.values).to_pylist())
    return len(found)
