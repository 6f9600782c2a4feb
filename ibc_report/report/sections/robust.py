"""The robust convention in words, beside the released one, and what is to blame where the two differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from ibc_report.common import wording
from ibc_report.complexity import FAMILIES, Complexity, evaluate
from ibc_report.geometry.measurement import Measurement
from ibc_report.geometry.robust import BoundInputs, Influence, RobustGeometry, influences
from ibc_report.report.schema.sections import BlameRecord, RobustNumber, RobustRecord
from ibc_report.report.sections.left_out import TARGETS, LeftOut
from ibc_report.report.sections.numbers import TERMS

__all__ = ["STATEMENT", "robust_section"]

STATEMENT = (
    "The released formula on numbers that no single row can move: distinct rows whose neighbours bear out their label, "
    "the radius about the median from quantiles of the norms, the dimension winsorised over points, and the margin at "
    "which one pair is expected, from the law of the nearest distances to another class."
)

ORIGINS = {
    "n": "distinct rows that are neither outvoted nor far out",
    "radius": "largest norm about the median that is expected of so many points, from quantiles",
    "dimension": "maximum likelihood at k = 5, winsorised over points",
    "margin": "distance within which one pair of different classes is expected",
    "resolution": "distance within which one pair of different targets is expected",
}

CAUSES = {
    "origin": "the origin (about their median the rows lie closer together than about 0)",
    "radius": "the radius",
    "dimension": "the dimension, which a few points move",
    "margin": "the closest pair",
    "range": "the range of the targets, which few rows set",
    "n": "repeated or outvoted rows",
}


def robust_section(
    found: Complexity, measured: Measurement, robust: RobustGeometry, out: Sequence[LeftOut]
) -> RobustRecord:
    """Word the robust convention.

    Parameters
    ----------
    found : Complexity
        The released bits, which the robust ones stand beside.
    out : sequence of LeftOut
        The bits without single rows.
    """
    facts = measured.facts
    family = FAMILIES[found.family]
    margin_key = family.sampled_margin or "margin"

    def log10_bits(of: BoundInputs) -> float:
        moved = {"n": of.n, "radius": of.radius, "dimension": of.dimension, margin_key: of.margin}
        return evaluate(found.family, {**found.inputs, **moved}, found.convention).log10_bits

    value = log10_bits(BoundInputs(robust.n, robust.radius, robust.dimension, robust.margin))
    released = BoundInputs(
        found.inputs["n"], found.inputs["radius"], found.inputs["dimension"], found.inputs[margin_key]
    )
    guilty = influences(robust, released, log10_bits, margin_rows=facts.margin.rows)
    targets = measured.targets
    if guilty is not None and guilty.setting == "margin" and targets is not None and targets.far:
        guilty = replace(guilty, setting="range", rows=targets.rows)
    # of a regression the ends of the targets' range are rows as well
    all_tried = measured.examples.values is None or any(one.key == TARGETS for one in out)
    zero = not isfinite(value)
    difference = value - found.log10_bits
    numbers = {"n": robust.n, "radius": robust.radius, "dimension": robust.dimension, margin_key: robust.margin}
    return RobustRecord(
        log10_bits=None if zero else value,
        exponent=None if zero else wording.exponent(value),
        bits="0 bits" if zero else f"10^{wording.exponent(value)} bits",
        difference=difference if isfinite(difference) else None,
        statement=STATEMENT,
        said=_said(found.log10_bits, value, guilty, out, all_tried=all_tried),
        blame=None if guilty is None else _blame(guilty),
        numbers=tuple(
            RobustNumber(
                key=key,
                name=TERMS[key].name,
                symbol=TERMS[key].symbol,
                released=found.inputs[key],
                value=number,
                released_text=wording.number(found.inputs[key]),
                text=wording.number(number),
                origin=ORIGINS[key],
            )
            for key, number in numbers.items()
        ),
        set_aside=_set_aside(robust),
    )


def _blame(guilty: Influence) -> BlameRecord:
    change = guilty.change if isfinite(guilty.change) else None
    return BlameRecord(setting=guilty.setting, rows=guilty.rows, change=change)


def _said(released: float, value: float, guilty: Influence | None, out: Sequence[LeftOut], *, all_tried: bool) -> str:
    if not isfinite(released) and not isfinite(value):
        return "Both the robust value and the headline are 0 bits."
    apart = f"{abs(value - released):.1f} decades"
    if guilty is None:
        moved = ", ".join(f"{one.name} {_signed(one.change)}" for one in out)
        held = all_tried and not any(one.decides for one in out)
        decides = ": no single row decides the value" if held else ""
        return (
            f"The robust value and the headline differ by {apart}{decides}. Decades by which the bits move without "
            f"single rows: {moved}."
        )
    rows = f" (row{'s' if len(guilty.rows) > 1 else ''} {_listed(guilty.rows)})" if guilty.rows else ""
    cause = f"{CAUSES[guilty.setting]}{rows}"
    if not isfinite(released):
        return f"The headline is 0 bits and the robust value is not. What moves it most is {cause}."
    if not isfinite(value):
        return f"The robust value is 0 bits: the data alone would do. What moves it most is {cause}."
    where = "below" if value < released else "above"
    return (
        f"The robust value is {apart} {where} the headline. To blame before all is {cause}: replacing it alone moves "
        f"the bits by {_signed(guilty.change)} decades."
    )


def _listed(rows: Sequence[int]) -> str:
    *most, last = map(str, rows)
    return f"{', '.join(most)} and {last}" if most else last


def _signed(change: float) -> str:
    if not isfinite(change):
        return "all their"
    rounded = round(change, 1)
    return f"{rounded:+.1f}".replace("-", "−") if rounded else "0.0"


def _set_aside(robust: RobustGeometry) -> str:
    far = _counted(robust.far, robust.far_rows, "too far out")
    outvoted = _counted(robust.outvoted, robust.outvoted_rows, "outvoted by their neighbours")
    return f"Set aside: {outvoted} of {wording.count(robust.looked_at)} looked at, {far}."


def _counted(count: int, rows: tuple[int, ...], why: str) -> str:
    some = f" (row{'s' if len(rows) > 1 else ''} {', '.join(map(str, rows))}{', …' if count > len(rows) else ''})"
    return f"{wording.counted(count, f'rows {why}')}{some if rows else ''}"
