"""What would move the bits, as a card prints it."""

from __future__ import annotations

from math import isfinite, log10
from typing import TYPE_CHECKING

from ibc_report.common import wording
from ibc_report.report.schema.sections import BarRecord, ChangeRecord, ElasticityRecord, SensitivityRecord
from ibc_report.report.sections.numbers import TERMS

if TYPE_CHECKING:
    from ibc_report.geometry.feature_maps import FeatureMaps
    from ibc_report.geometry.sensitivity import Bar, Change, Sensitivity

__all__ = ["decades", "written"]

WHOLE = frozenset(("classes", "ways", "nuisance_classes", "outputs", "actions", "observations", "observation_size"))
"""Inputs that come as whole numbers; like the dimensions they are raised by 1, and the others by a tenth."""

BARS = {
    "dimension": "at its scale, 95 % of its standard error",
    "scale": "over neighbourhood sizes, 95 %",
    "bias": "true dimensions it may stand for",
    "margin": "as a sample minimum, 95 %",
    "resolution": "as a sample minimum, 95 %",
    "radius": "as a sample maximum, 95 %",
    "n": "half and twice",
    "target_error": "half and twice",
}
"""What each bar's ends are."""


def decades(change: float) -> str:
    """Word a change of bits.

    Parameters
    ----------
    change : float
        Of log10 bits; −inf for a change to 0 bits.

    Examples
    --------
    >>> decades(3.636), decades(-0.1296), decades(-0.0016), decades(0.0)
    ('+3.64', '−0.13', 'under 0.01', '0')
    """
    if not isfinite(change):
        return "to 0 bits"
    if change == 0:
        return "0"
    return f"{change:+.2f}".replace("-", "−") if abs(change) >= 0.01 else "under 0.01"


def written(found: Sensitivity) -> SensitivityRecord:
    """Word what would move the bits.

    Examples
    --------
    >>> from ibc_report.complexity import classification
    >>> from ibc_report.geometry.sensitivity import sensitivity
    >>> task = classification(n=60000, radius=17.179, dimension=14, classes=10, margin=2.3987, target_error=0.001)
    >>> written(sensitivity(task)).elasticities[4].said
    '10 % more: −0.57 decades'
    """
    bars = tuple(_bar(bar) for bar in found.bars)
    changes = tuple(_change(found, change) for change in found.changes)
    return SensitivityRecord(
        summary=_summary(bars, changes),
        bars=bars,
        alternative=_alternative(bars),
        changes=changes,
        elasticities=_elasticities(found),
        elasticity_note=_note(found),
    )


def _named(key: str) -> str:
    term = TERMS[key]
    return f"{term.name} ({term.symbol})" if term.symbol else term.name


def _elasticities(found: Sensitivity) -> tuple[ElasticityRecord, ...]:
    slopes = found.elasticities
    if slopes is None:
        return ()
    records = []
    for key, value in slopes.by_input.items():
        slope = slopes.slopes[key]
        whole = key in WHOLE or key.endswith("dimension")
        step = f"1 more: {decades(slope)}" if whole else f"10 % more: {decades(value * log10(1.1))}"
        records.append(
            ElasticityRecord(
                key=key,
                name=TERMS[key].name,
                symbol=TERMS[key].symbol,
                elasticity=value,
                slope=slope,
                text=wording.number(value),
                said=f"{step} decades",
            )
        )
    return tuple(records)


def _note(found: Sensitivity) -> str:
    if found.elasticities is None:
        return "At 0 bits there are no slopes."
    note = "Per cent of bits for one per cent of the input, the others fixed; for small steps only."
    if found.elasticities.real_degree:
        note += (
            " The convention rounds the degree down, so that the bits jump as margin, radius and dimension move: the "
            "slopes in these are those with a real degree."
        )
    return note


def _bar(bar: Bar) -> BarRecord:
    key = "dimension" if bar.key in ("scale", "bias") else bar.key
    return BarRecord(
        key=bar.key,
        name=_named(key),
        moved=BARS[bar.key],
        low=bar.low,
        high=bar.high,
        low_text=wording.number(bar.low),
        high_text=wording.number(bar.high),
        at_low=bar.at_low if isfinite(bar.at_low) else None,
        at_high=bar.at_high if isfinite(bar.at_high) else None,
        at_low_text=decades(bar.at_low),
        at_high_text=decades(bar.at_high),
    )


def _summary(bars: tuple[BarRecord, ...], changes: tuple[ChangeRecord, ...]) -> str:
    said = []
    if bars:
        first = bars[0]
        said.append(
            f"Of the inputs, each moved by its own uncertainty or by a factor of 2, the {first.name} moves the bits "
            f"most: {_far(first.at_low)} at {first.low_text}, {_far(first.at_high)} at {first.high_text}."
        )
    else:
        said.append("At 0 bits there is nothing to move in decades.")
    known = [change for change in changes if change.change]
    if known:
        largest = max(known, key=lambda change: abs(change.change or 0.0))
        said.append(f"Of other decisions this one changes them most: {largest.name} ({largest.change_text} decades).")
    return " ".join(said)


def _far(change: float | None) -> str:
    return "to 0 bits" if change is None else f"{decades(change)} decades"


def _alternative(bars: tuple[BarRecord, ...]) -> str:
    if not bars:
        return "No bars: the bits are 0."
    rows = "; ".join(
        f"{bar.name}, {bar.moved}: {bar.at_low_text} at {bar.low_text}, {bar.at_high_text} at {bar.high_text}"
        for bar in bars
    )
    return f"Decades by which the bits move with each input, the others fixed, widest first. {rows}."


def _change(found: Sensitivity, change: Change) -> ChangeRecord:
    zero = not isfinite(change.log10_bits)
    present = found.task.log10_bits
    if change.change is not None:
        text = decades(change.change)
    elif zero:
        text = "to 0 bits" if isfinite(present) else "0"
    else:
        text = "from 0 bits"
    return ChangeRecord(
        key=change.key,
        name=_decision(found, change),
        note=_note_of(found, change),
        log10_bits=None if zero else change.log10_bits,
        bits="0" if zero else f"10^{wording.exponent(change.log10_bits)}",
        change=change.change,
        change_text=text,
    )


def _decision(found: Sensitivity, change: Change) -> str:
    """What is decided otherwise."""
    regression = found.task.family == "regression"
    others = "with other targets" if regression else "of another class"
    common = {
        "twice_fixed": f"Twice the data, at the same {'resolution' if 'resolution' in found.task.inputs else 'margin'}",
        "twice_expected": (
            f"Twice the data, at the {'resolution' if regression else 'margin'} to be expected then: a minimum over "
            "four times the pairs"
        ),
        "half_error": "Half the target error" + (", at the same resolution" if regression else ""),
        "integer_degree": "The degree rounded down",
        "real_degree": "The degree not rounded down",
        "half_band": "The band limit π/δ instead of 2π/δ",
        "whole_band": "The band limit 2π/δ instead of π/δ",
    }
    if change.key in common:
        return common[change.key]
    variants = found.variants
    assert variants is not None
    return {
        "without_pair": "A wrong label at the margin: without the two rows of the closest pair",
        "without_worst": (
            f"Wrong labels at the margin: without the {wording.count(variants.thinned.rows)} rows of the closest "
            "pairs, 0.1 %"
        ),
        "quantile": f"The margin as the 0.1 % quantile of the distances to the nearest row {others}",
        "next_radius": "Without the rows furthest out",
        "mean_norm": "The radius as the mean norm",
        "centred": "The radius from the mean of the rows instead of the origin",
        "distinct": f"Only the {wording.count(variants.distinct)} distinct rows counted",
        "standardised": "Features standardised: mean 0, standard deviation 1",
        "halved": "" if variants.maps is None else _components(variants.maps),
    }[change.key]


def _components(maps: FeatureMaps) -> str:
    count = wording.counted(maps.halved_features, "principal components")
    return f"The leading {count} of {wording.count(maps.features)} features"


def _note_of(found: Sensitivity, change: Change) -> str:
    """What a reader has to know of a change that is not wholly its name's."""
    variants = found.variants
    if variants is None:
        return ""
    if change.key in ("without_pair", "without_worst") and not variants.all_asked:
        return "Only pairs of the rows that were asked are seen, so that the change is rather smaller."
    said = []
    if (
        change.key in ("standardised", "halved")
        and variants.maps is not None
        and variants.maps.rows < variants.distinct
    ):
        said.append(f"The change is that of a sample of {wording.count(variants.maps.rows)} rows.")
    if change.centring is not None:
        said.append(f"Centring alone gives {decades(change.centring)}.")
    return " ".join(said)
