"""The headline: the number, how sure it is, and what it is not."""

from __future__ import annotations

from math import isfinite

from ibc_report.common import wording
from ibc_report.complexity import Complexity
from ibc_report.complexity.uncertainty import Spread
from ibc_report.report.schema.document import Headline
from ibc_report.report.sections import uncertainty

__all__ = ["NO_INTERVAL", "headline_section"]

_CHOSEN = "No interval: the inputs are choices of the task's designer, and none was sampled."

USABLE = 3.0
"""Decades that an interval may span; a wider one fixes no number."""

NO_INTERVAL = {
    "control": _CHOSEN,
    "partially_observed_control": _CHOSEN,
    "few_shot": "No interval: the inputs were measured on data that are not here, and how noisy they are is not known.",
}


def headline_section(found: Complexity, spread: Spread | None, *, declared: bool) -> Headline:
    """Write the headline of a task.

    Parameters
    ----------
    spread : Spread or None
        None where nothing was sampled.
    """
    zero = not isfinite(found.log10_bits)
    lower = upper = None
    if spread is not None and not zero:
        ends = spread.sample.log10_bits
        lower = ends.lower if isfinite(ends.lower) else None
        upper = ends.upper if isfinite(ends.upper) else None
    return Headline(
        log10_bits=None if zero else found.log10_bits,
        lower=lower,
        upper=upper,
        level=None if spread is None or zero else spread.level,
        exponent=None if zero else wording.exponent(found.log10_bits),
        lower_exponent=None if lower is None else wording.exponent(lower),
        upper_exponent=None if upper is None else wording.exponent(upper),
        interval_is=_made_of(found, spread, zero=zero, declared=declared),
        is_not=_is_not(found),
        not_fixed="" if spread is None or zero or declared else _not_fixed(spread),
    )


def _not_fixed(spread: Spread) -> str:
    """Say that an interval is too wide to use."""
    known = [ranges.log10_bits for ranges in (spread.sample, spread.truth) if ranges is not None]
    widest = max(known, key=lambda ends: ends.upper - ends.lower)
    if widest.upper - widest.lower <= USABLE:
        return ""
    where = "" if spread.truth is None or widest is not spread.truth.log10_bits else " for the true dimension"
    return f"These data do not fix the number:{where} they allow {uncertainty.between(widest)}."


def _made_of(found: Complexity, spread: Spread | None, *, zero: bool, declared: bool) -> str:
    if spread is None:
        return NO_INTERVAL[found.family]
    level = wording.percent(spread.level)
    ends = spread.sample.log10_bits
    if zero and isfinite(ends.upper):
        return f"0 bits at these numbers; the {level} interval reaches up to 10^{wording.exponent(ends.upper)} bits."
    if zero and spread.truth is not None and isfinite(spread.truth.log10_bits.upper):
        upper = wording.exponent(spread.truth.log10_bits.upper)
        return f"0 bits at these numbers; for the true dimension up to 10^{upper} bits."
    if zero:
        return "No interval around 0 bits."
    between = "" if isfinite(ends.lower) else f" from 0 bits to 10^{wording.exponent(ends.upper)} bits"
    if declared:
        return (
            f"{level} interval{between}, from the noise of the margin as a sample minimum and the rounding of a whole "
            "dimension, as far as the declared numbers let one suppose them."
        )
    true = (
        ""
        if spread.truth is None
        else f" With the bias of the dimension's estimate taken in, for the true dimension: "
        f"{uncertainty.between(spread.truth.log10_bits)}."
    )
    return (
        f"{level} interval{between} for what measuring other samples of as many rows gives on average, made as "
        f"published values are.{true} The choice of features, and of how to count, is in neither."
    )


def _is_not(found: Complexity) -> str:
    where = {
        "classification": f"{wording.number(found.inputs.get('classes', 1))} m-spheres",
        "union": "the m-spheres of the pairs of classes",
    }.get(found.family, f"an m-{found.space.kind}")
    return (
        "An approximate, typically loose, upper estimate of the bits needed to single out a hypothesis with error at "
        f"most {wording.number(found.inputs['target_error'])} among all functions band-limited at δ on {where}. These "
        "are not bits that a model must store. Compare only cards of the same features, centring, n and target error."
    )
