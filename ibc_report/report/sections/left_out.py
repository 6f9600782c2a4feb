"""What single rows decide: the bits without them, and the warning that comes first where they decide the number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite

import numpy as np

from ibc_report.common import wording
from ibc_report.complexity import FAMILIES, Complexity, evaluate
from ibc_report.geometry.measurement import Measurement
from ibc_report.geometry.robust import DECADE
from ibc_report.geometry.target_range import TargetsLeftOut
from ibc_report.report.schema.document import Headline
from ibc_report.report.schema.sections import RobustRecord

__all__ = ["TARGETS", "LeftOut", "first_warnings", "left_out", "merged_warning"]

STRETCHED = 2.0
"""Far targets that widen the range by this factor or more are told first, whatever they are worth."""

MOST_NAMED = 5
"""Rows that a sentence names."""

PAIR, TARGETS = "pair", "targets"
"""Keys of the closest pair, and of the rows whose targets set the range."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The bits without some rows.

    Parameters
    ----------
    key : str
        "pair", "radius", "targets" or "class".
    name, without : str
        What they are, as part of a sentence, and as they are named ("row 7, which …").
    change : float
        Decades by which the bits move; infinite to or from 0 bits, 0 where both are.
    decides : bool
        Whether they decide the number.
    """

    key: str
    rows: tuple[int, ...]
    name: str
    without: str
    log10_bits: float
    change: float
    decides: bool


def left_out(found: Complexity, measured: Measurement) -> tuple[LeftOut, ...]:
    """Leave out the rows that may decide the number: each extreme that the bits hang on, and the rows behind it.

    Returns
    -------
    tuple of LeftOut
        Those that could be left out, in no order.
    """
    return tuple(_left_out(found, measured))


def first_warnings(
    found: Complexity, out: Sequence[LeftOut], headline: Headline, robust: RobustRecord | None
) -> tuple[str, ...]:
    """Say what comes before every other warning: what few rows decide, and a robust value outside of the interval.

    Parameters
    ----------
    out : sequence of LeftOut
        As `left_out` gives them.
    """
    by_row = {row for one in out if one.decides and one.key != PAIR for row in one.rows}
    deciding = [one for one in out if one.decides and not (one.key == PAIR and by_row & set(one.rows))]
    # a wrong target changes what is told apart everywhere, the closest pair too
    deciding.sort(key=lambda one: (one.key != TARGETS, -abs(one.change)))
    said = [_decides(found, one) for one in deciding]
    outside = robust is not None and _outside(headline, robust)
    if robust is None or not (said or outside):
        return tuple(said)
    if said:
        beside = _beside(robust, outside=outside)
        left = abs(robust.difference or 0.0) - sum(abs(one.change) for one in deciding)
        more = f" {robust.said.partition('headline. ')[2]}" if left > DECADE else ""
        return (f"{said[0]} {beside}{more}", *said[1:])
    interval = f"10^{headline.lower_exponent} to 10^{headline.upper_exponent}"
    where = f", outside of the headline's interval of {interval}" if headline.lower_exponent else ""
    said_of = robust.said.replace("The robust value is", "It is", 1)
    return (f"The robust value, from quantiles instead of extremes, is {robust.bits}{where}. {said_of}",)


def merged_warning(found: Complexity, measured: Measurement) -> tuple[str, ...]:
    """Say which classes may be one by their names, and the bits if they are; nothing where none may."""
    merged = measured.merged
    if merged is None:
        return ()
    log10_bits = -inf
    if merged.facts is not None:
        facts = merged.facts
        geometry = {"n": facts.n, "radius": facts.norms.radius, "dimension": facts.dimension}
        inputs = {**found.inputs, **geometry, "classes": merged.classes, "margin": facts.margin.distance}
        log10_bits = evaluate(found.family, inputs, found.convention).log10_bits
    shown = "; ".join(" and ".join(f"'{name}'" for name in group) for group in merged.groups[:MOST_NAMED])
    more = ", among others," if len(merged.groups) > MOST_NAMED else ""
    one = "one class" if len(merged.groups) == 1 else "one class each"
    return (
        f"Classes {shown}{more} differ only by case or space: as {one}, the bits are {_bits(log10_bits)} instead of "
        f"{_bits(found.log10_bits)}. Give them one name if they are one.",
    )


def _left_out(found: Complexity, measured: Measurement) -> Iterator[LeftOut]:
    margin = FAMILIES[found.family].sampled_margin or "margin"
    facts, thinned = measured.facts, measured.variants.thinned

    def bits(**moved: float) -> float:
        return evaluate(found.family, {**found.inputs, **moved}, found.convention).log10_bits

    differ = "of different classes" if measured.examples.values is None else "with different targets"
    value = -inf if thinned.without_pair is None else bits(**{margin: thinned.without_pair})
    named = f"{_rows(facts.margin.rows)}, the closest pair {differ}"
    yield _one(found, (PAIR, "the closest pair", named), facts.margin.rows, value)
    # the rows that the verdict on the radius names; of others the largest norm is what its law allows
    far, radius = measured.diagnostics.far, measured.variants.next_radius
    rows = far.rows if far is not None and far.count else (facts.norms.radius_row,)
    if radius > 0:
        named = f"{_rows(rows)}, which {'has' if len(rows) == 1 else 'have'} the largest norm"
        if far is not None and far.count:
            named += f" and set{'s' if len(rows) == 1 else ''} the radius"
        yield _one(found, ("radius", _some(len(rows), "of the largest norm"), named), rows, bits(radius=radius))
    if measured.targets is not None and measured.targets.facts is not None:
        yield _targets(found, measured.targets, margin)
    counts = np.array(facts.class_counts)
    if len(counts) == 2 and counts.min() == 1:
        codes = measured.examples.codes
        assert codes is not None
        lone = int(counts.argmin())
        rows = (int(measured.examples.numbers[np.flatnonzero(codes == lone)[0]]),)
        named = (
            f"{_rows(rows)}, the only one of class '{measured.examples.names[lone]}', without which one class is left"
        )
        yield _one(found, ("class", "the only row of a class", named), rows, -inf)


def _targets(found: Complexity, out: TargetsLeftOut, margin: str) -> LeftOut:
    """The bits of the other rows, measured again: their range is another, and all that follows from it."""
    assert out.facts is not None
    numbers: Mapping[str, float] = {
        "n": out.facts.n,
        "radius": out.facts.norms.radius,
        "dimension": out.facts.dimension,
        margin: out.facts.margin.distance,
    }
    value = evaluate(found.family, {**found.inputs, **numbers}, found.convention).log10_bits
    one = len(out.rows) == 1
    whose = "whose target of" if one else "whose targets, such as"
    far = "lies far from the others and sets" if one else "lie far from the others and set"
    does = far if out.far else "sets"
    named = (
        f"{_rows(out.rows)}, {whose} {wording.number(out.target)}, {does} the range of the targets (the others lie "
        f"from {wording.number(out.low)} to {wording.number(out.high)})"
    )
    found_out = _one(found, (TARGETS, _some(len(out.rows), "of the most extreme target"), named), out.rows, value)
    return replace(found_out, decides=found_out.decides or (out.far and out.stretch >= STRETCHED))


def _one(found: Complexity, words: tuple[str, str, str], rows: tuple[int, ...], value: float) -> LeftOut:
    key, name, without = words
    before = found.log10_bits
    change = 0.0 if not isfinite(value) and not isfinite(before) else value - before
    return LeftOut(key, rows, name, without, value, change, decides=abs(change) > DECADE)


def _some(count: int, which: str) -> str:
    return f"the row {which}" if count == 1 else f"the {wording.count(count)} rows {which}"


def _rows(rows: Sequence[int]) -> str:
    """Rows by their numbers, as many as are named."""
    if len(rows) > MOST_NAMED:
        return f"rows {', '.join(str(row) for row in sorted(rows[:MOST_NAMED]))}, …"
    *most, last = (str(row) for row in sorted(rows))
    return f"rows {', '.join(most)} and {last}" if most else f"row {last}"


def _decides(found: Complexity, one: LeftOut) -> str:
    is_one = one.key == PAIR or len(one.rows) == 1
    who = "One pair of rows" if one.key == PAIR else "One row" if is_one else f"{wording.count(len(one.rows))} rows"
    s = "s" if is_one else ""
    if abs(one.change) <= DECADE:
        makes = f"set{s} a scale that all else is measured by"
    elif isfinite(one.change):
        makes = f"{'make' if one.change < 0 else 'hide'}{s} {abs(one.change):.1f} decades of the bits"
    else:
        makes = f"decide{s} the number"
    before, after = _bits(found.log10_bits), _bits(one.log10_bits)
    return f"{who} {makes}: without {one.without}, the bits are {after} instead of {before}."


def _bits(log10_bits: float) -> str:
    return f"10^{wording.exponent(log10_bits)}" if isfinite(log10_bits) else "0"


def _outside(headline: Headline, robust: RobustRecord) -> bool:
    """Whether the robust value lies outside of the headline's interval."""
    value = -inf if robust.log10_bits is None else robust.log10_bits
    if headline.log10_bits is None:
        return robust.log10_bits is not None
    lower = -inf if headline.lower is None else headline.lower
    upper = inf if headline.upper is None else headline.upper
    return headline.level is not None and not lower <= value <= upper


def _beside(robust: RobustRecord, *, outside: bool) -> str:
    far = ""
    if robust.difference is not None:
        side = "below" if robust.difference < 0 else "above"
        far = f", {abs(robust.difference):.1f} decades {side} the headline"
    beyond = " and outside of its interval" if outside and far else ""
    return f"The robust value, from quantiles instead of extremes, is {robust.bits}{far}{beyond}."
