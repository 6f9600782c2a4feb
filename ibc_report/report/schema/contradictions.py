"""What a document says twice has to agree: a saved report that was changed by hand or by chance is refused.

The records are taken as they are: the module that declares them reads reports with what is here.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
from math import isclose, isfinite, log10
from typing import Any, TypeGuard

import numpy as np

from ibc_report.common import wording
from ibc_report.common.errors import InputError, UsageError, choices
from ibc_report.common.schema import Record
from ibc_report.complexity import CONVENTIONS, FAMILIES, evaluate

__all__ = ["contradiction", "disorder", "is_png", "read"]

SHARES = frozenset({"accuracy", "level", "p", "share", "train_accuracy", "weight"})
"""Fields that lie between 0 and 1 wherever they stand."""

ENDS = (("lower", "upper"), ("low", "high"), ("true_lower", "true_upper"))

NEAR = 1e-9

PRINTED = 6e-3
"""Share by which a number that is printed with at least three digits differs from what was printed."""

PRINTED_DECADES = 0.051
"""Decades by which a power with one decimal differs from what was printed."""

SAME_BITS = 1e-3
"""Decades within which two ways to compute bits agree."""

MOST = 1e12
"""Above all that a law of an extreme is ever fitted to."""

_NUMBER = re.compile(r"(?P<sign>-?)(?P<mantissa>\d[\d,]*(?:\.\d+)?)(?: × 10\^(?P<power>-?\d+))?")

_POWER = re.compile(r"10\^(?P<power>-?\d+(?:\.\d+)?)")

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def contradiction(report: Any) -> str | None:
    """Find what a report contradicts itself in.

    Parameters
    ----------
    report : ReportDocument
        Read, and valid field by field.

    Returns
    -------
    str or None
        The first that is found, in one sentence without a full stop; None where all agrees.
    """
    found: Iterable[Iterator[str]] = (
        _headline(report),
        _bits(report),
        _numbers(report),
        *(_curve(curve) for curve in report.curves),
        _certainty(report),
        _robust(report),
        _data(report.data) if report.data is not None else iter(()),
        *(_example(one) for one in ((report.pair.first, report.pair.second) if report.pair is not None else ())),
        _repeated("the ids of 'assumptions'", [entry.id for entry in report.assumptions]),
        _repeated("the keys of 'curves'", [curve.key for curve in report.curves]),
        _repeated("the names of 'ruler'", [mark.name for mark in report.ruler]),
        disorder(report),
    )
    return next((said for part in found for said in part), None)


def disorder(record: Record, place: str = "") -> Iterator[str]:
    """Find ends of intervals in the wrong order and shares that are none, in a record and all below it.

    Parameters
    ----------
    place : str
        Path of the record in its document.

    Yields
    ------
    str
        What is wrong, in a sentence without a full stop.
    """
    fields: dict[str, Any] = dict(record)
    for first, last in ENDS:
        low, high = fields.get(first), fields.get(last)
        if _is_number(low) and _is_number(high) and low > high + NEAR * max(1.0, abs(high)):
            yield f"'{place}{first}' is {low:.6g}, above '{place}{last}', {high:.6g}"
    for name, value in fields.items():
        if name in SHARES and _is_number(value) and not -NEAR <= value <= 1 + NEAR:
            yield f"'{place}{name}' is {value:.6g}, and a share lies between 0 and 1"
        parts = value if isinstance(value, tuple) else (value,)
        for number, part in enumerate(parts):
            if isinstance(part, Record):
                at = f"{name}[{number}]" if isinstance(value, tuple) else name
                yield from disorder(part, f"{place}{at}.")


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _headline(report: Any) -> Iterator[str]:
    top = report.headline
    for key, value, text in (
        ("log10_bits", top.log10_bits, top.exponent),
        ("lower", top.lower, top.lower_exponent),
        ("upper", top.upper, top.upper_exponent),
    ):
        expected = None if value is None else wording.exponent(value)
        if text != expected:
            yield f"the headline's '{key}' is {value}, and its text says {text}"
    if top.log10_bits is None and (top.lower is not None or top.upper is not None):
        yield "the headline has 0 bits and an interval"
    if top.level is None and (top.lower is not None or top.upper is not None):
        yield "the headline has an interval without a level"


def _bits(report: Any) -> Iterator[str]:
    """Whether the headline is what its family gives for the inputs."""
    for what, name, names in (
        ("family", report.family, sorted(FAMILIES)),
        ("convention", report.convention, sorted(CONVENTIONS)),
    ):
        if name not in names:
            yield f"the {what} '{name}' is not known; {choices(name, names)}"
            return
    try:
        with np.errstate(all="ignore"):
            bits = evaluate(report.family, report.inputs, report.convention).log10_bits
    except (InputError, UsageError, TypeError, OverflowError) as error:
        yield f"the family {report.family} does not take the numbers of 'inputs': {error}"
        return
    stated = report.headline.log10_bits
    if not isfinite(bits) if stated is None else abs(bits - stated) < SAME_BITS:
        return
    yield f"'inputs' give log10 bits of {bits:.6g}, and the headline has {stated}"


def _numbers(report: Any) -> Iterator[str]:
    yield from _repeated("the keys of 'numbers'", [number.key for number in report.numbers])
    if not report.numbers:
        yield "'numbers' is empty"
    for number in report.numbers:
        given = report.inputs.get(number.key)
        if number.value is not None and not _says(number.text, number.value):
            yield f"the number '{number.key}' is {number.value:.6g}, and its text says {number.text}"
        if given is not None and (number.value is None or not isclose(number.value, given, rel_tol=NEAR)):
            yield f"'inputs' has the {number.key} {given:.6g}, and 'numbers' {number.value}"


def _says(text: str, value: float) -> bool:
    """Whether a text is of a number, as far as it is printed."""
    printed = read(text)
    if printed is None:
        # in words, such as "not finite", which has no value
        return not text.startswith("not finite")
    if printed == 0 or value == 0:
        return abs(printed - value) < 1e-5
    if (printed > 0) != (value > 0):
        return False
    if _POWER.fullmatch(text.replace("−", "-")):
        return abs(log10(printed) - log10(value)) < PRINTED_DECADES
    return isclose(printed, value, rel_tol=PRINTED)


def read(text: str) -> float | None:
    """Read a number as `ibc_report.common.wording` prints it.

    Returns
    -------
    float or None
        None where it is in words, or too large.

    Examples
    --------
    >>> read("6.979 × 10^40"), read("−1,200"), read("10^2.0"), read("0 bits")
    (6.979e+40, -1200.0, 100.0, None)
    """
    plain = text.replace("−", "-")
    try:
        if power := _POWER.fullmatch(plain):
            return float(10.0 ** float(power["power"]))
        if found := _NUMBER.fullmatch(plain):
            return float(f"{found['sign']}{found['mantissa'].replace(',', '')}e{found['power'] or 0}")
    except OverflowError:
        pass
    return None


def _curve(curve: Any) -> Iterator[str]:
    name = f"the curve '{curve.key}'"
    if len(curve.values) != len(curve.log10_bits):
        yield f"{name} has {len(curve.values)} values and {len(curve.log10_bits)} bits"
    if len(curve.values) < 2:
        yield f"{name} has fewer than two points"
    elif any(first >= second for first, second in zip(curve.values, curve.values[1:], strict=False)):
        yield f"the values of {name} do not ascend"
    elif curve.values[0] <= 0:
        yield f"{name} has a value that is not above 0"
    elif not curve.values[0] * (1 - NEAR) <= curve.present <= curve.values[-1] * (1 + NEAR):
        yield f"the present value of {name}, {curve.present:.6g}, lies outside of it"


def _certainty(report: Any) -> Iterator[str]:
    known, top = report.certainty, report.headline
    if known is None:
        return
    conventions = known.conventions
    counted = [value for value in conventions.log10_bits.values() if value is not None]
    ends = ((conventions.lower, min), (conventions.upper, max))
    for value, of in ends:
        if value is not None and counted and not isclose(value, of(counted), rel_tol=NEAR, abs_tol=NEAR):
            yield f"an end of 'certainty.conventions' is {value:.6g}, and no way of counting gives it"
    if known.sample is not None and top.log10_bits is not None:
        for one in known.sample.ends:
            if one.key == "log10_bits" and (one.lower, one.upper) != (top.lower, top.upper):
                yield "the interval of 'certainty.sample' is not the headline's"
    for name, value in (("sd", known.sd), *((f"parts of {part.key}", part.decades) for part in known.parts)):
        if value is not None and value < 0:
            yield f"'certainty' has a standard deviation below 0: {name}"
    for one in known.drift:
        if min(one.n, one.dimension, one.margin) <= 0 or one.radius < 0:
            yield "'certainty.drift' has a number that is not above 0"
    for law in (known.noise.margin, known.noise.radius) if known.noise is not None else ():
        if law is not None and not isclose(sum(term.weight for term in law.terms), 1, abs_tol=1e-6):
            yield "the weights of a law in 'certainty.noise' do not sum to 1"
        for term in law.terms if law is not None else ():
            if not 0 < term.exponent < MOST or not 0 < (term.shape or 1) < MOST or not 0 <= term.curvature < MOST:
                yield "a law in 'certainty.noise' has a number that none can have"


def _robust(report: Any) -> Iterator[str]:
    robust, bits = report.robust, report.headline.log10_bits
    if robust is None:
        return
    expected = None if robust.log10_bits is None else wording.exponent(robust.log10_bits)
    if robust.exponent != expected:
        yield f"the robust bits are 10^{expected}, and their text says {robust.exponent}"
    if robust.difference is not None and (
        bits is None or robust.log10_bits is None or abs(robust.log10_bits - bits - robust.difference) > 1e-6
    ):
        yield "the difference of the robust bits is not that of the two numbers"


def _data(data: Any) -> Iterator[str]:
    counts = {
        name: getattr(data, name)
        for name in ("rows_read", "rows_used", "distinct", "equal_rows", "coincident_rows", "conflicting_rows")
    }
    for name, count in counts.items():
        if count < 0:
            yield f"'data.{name}' is {count}"
    for name, most in (("rows_used", "rows_read"), ("distinct", "rows_used")):
        if counts[name] > counts[most]:
            yield f"'data.{name}' is {counts[name]:,}, above 'data.{most}', {counts[most]:,}"
    yield from _repeated("the names of 'data.classes'", [name for name, _ in data.classes])
    counted = sum(count for _, count in data.classes)
    if data.classes and (counted != data.rows_used or min(count for _, count in data.classes) < 0):
        yield f"the classes have {counted:,} rows, and 'data.rows_used' is {data.rows_used:,}"
    for lost in data.dropped:
        if lost.count < max(1, len(lost.rows)):
            yield f"'data.dropped' counts {lost.count} rows and names {len(lost.rows)}"
    if data.queries is not None and not 0 < data.queries <= data.rows_used:
        yield f"'data.queries' is {data.queries:,}, of {data.rows_used:,} rows used"


def _example(example: Any) -> Iterator[str]:
    if example.row < 0:
        yield f"a row of the closest pair is {example.row}"
    if example.png is not None and not is_png(example.png):
        yield f"the picture of row {example.row} is no PNG"


def is_png(text: str) -> bool:
    """Whether a text is a whole picture: base64 of a PNG whose parts have the sums that they say.

    Examples
    --------
    >>> is_png("R0lGODlh")
    False
    """
    try:
        data = b64decode(text, validate=True)
    except ValueError:
        return False
    names, at = [], len(_SIGNATURE)
    while data.startswith(_SIGNATURE) and at + 12 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        body = data[at + 4 : at + 8 + size]
        if zlib.crc32(body) != int.from_bytes(data[at + 8 + size : at + 12 + size], "big"):
            return False
        names.append(body[:4])
        at += 12 + size
    return at == len(data) and names[:1] == [b"IHDR"] and names[-1:] == [b"IEND"] and b"IDAT" in names


def _repeated(what: str, names: Sequence[str]) -> Iterator[str]:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        yield f"{what} have '{twice}' twice"
