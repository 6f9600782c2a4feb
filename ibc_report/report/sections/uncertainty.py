"""From noise to words: how sure the number is, as a record that a card prints and a comparison reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, isfinite, isinf
from types import MappingProxyType

from ibc_report.common import wording
from ibc_report.complexity import FAMILIES, Complexity
from ibc_report.complexity.extreme_values import Law, TailTerm, known
from ibc_report.complexity.uncertainty import LEVEL, Ends, Noise, Ranges, Spread, conventions_range, spread
from ibc_report.report.schema.sections import (
    CertaintyRecord,
    ConventionsRecord,
    DriftRecord,
    EndsRecord,
    LawRecord,
    NoiseRecord,
    PartRecord,
    RangesRecord,
    TermRecord,
)
from ibc_report.report.sections import calibration

__all__ = ["NO_CENTRING", "between", "declared", "noise_of", "uncertainty_section"]

NO_CENTRING = "none"
"""Name of leaving the vectors where the encoder puts them."""

ROUNDING = 1 / 12**0.5
"""Standard deviation of a dimension that was rounded to a whole number."""

VISIBLE = 0.005
"""Decades below which a part is not worth a word."""

PARTS = {
    "margin": "margin as a sample minimum",
    "dimension": "dimension at this scale",
    "scale": "drift of the dimension over scales",
    "radius": "radius as a sample maximum",
}

SAMPLE = (
    "As published values are made",
    "Made to cover, for {level} of tasks, what the same measurement is expected to give on other samples of as many "
    "points, at this scale: comparable with published values.",
)

TRUTH = (
    "For the true dimension",
    "Made to cover, for at least 90 % of tasks, the bits at the dimension that the data truly have: the estimate from "
    "a finite sample is biased, mostly downwards.",
)

WITHHELD = (
    "Withheld: classes lie among one another, and most rows are of classes too small to tell a dimension by "
    "themselves, so that the neighbours of a row tell of several manifolds at once."
)

COUNTED = {
    "sample": ("m, this scale", "δ", "bits, this scale"),
    "truth": ("m, true", "bits, true"),
}
"""Intervals of the calibration, by those of a card."""

FEATURES = (
    "By choice",
    "What the same rows give under every way of counting, and under other feature maps (standardised, and half of the "
    "features by PCA): modelling choices, not noise, and never mixed with it.",
)

CONVENTIONS = (
    "By convention",
    "What the same numbers give under every way of counting: a modelling choice, not noise, and never mixed with it.",
)


def declared(task: Complexity) -> Noise | None:
    """The noise that is supposed of numbers that nothing but their values is known of.

    Returns
    -------
    Noise or None
        The margin of points that fill an m-dimensional manifold, and the rounding of a whole m. None for a family
        whose inputs are chosen.

    Examples
    --------
    >>> from ibc_report.complexity import PUBLISHED, evaluate
    >>> mnist = PUBLISHED["mnist"]
    >>> round(declared(evaluate(mnist.family, dict(mnist.inputs))).dimension_error, 2)
    0.29
    """
    key = FAMILIES[task.family].sampled_dimension
    if key is None:
        return None
    dimension = task.inputs[key]
    return Noise(ROUNDING if float(dimension).is_integer() else 0.0, 0.0, known(max(dimension, 1.0)))


def uncertainty_section(
    task: Complexity,
    noise: Noise | None,
    *,
    found: Spread | None = None,
    metric: str | None = None,
    centring: str = NO_CENTRING,
    drift: Iterable[DriftRecord] = (),
    feature_maps: Mapping[str, float] = MappingProxyType({}),
) -> CertaintyRecord:
    """Write how sure a task's bits are.

    Parameters
    ----------
    noise : Noise or None
        Of its numbers; `declared(task)` for a declared task, None where the inputs are chosen.
    found : Spread, optional
        What `spread(task, noise)` gave, where it is there already.
    metric : str, optional
        What a distance means; None for a declared task.
    centring : str
        How the vectors were centred, by name.
    drift : iterable of DriftRecord
        The same measured on smaller samples.
    feature_maps : mapping of str to float
        log10 bits under other feature maps, by name.

    Examples
    --------
    >>> from ibc_report.complexity import classification
    >>> mnist = classification(n=60000, radius=17.179045827, dimension=14.247, classes=10,
    ...                        margin=2.39870848, target_error=0.001)
    >>> uncertainty_section(mnist, declared(mnist)).sd_text
    'Standard deviation 0.5 decades: 0.5 from the margin as a sample minimum.'
    """
    if found is None and noise is not None:
        found = spread(task, noise)
    if found is None:
        noise = None
    zero = not isfinite(task.log10_bits)
    parts = () if found is None or zero else _parts(found)
    return CertaintyRecord(
        level=LEVEL if found is None else found.level,
        noise=None if noise is None else _noise(noise),
        sd=None if found is None or zero else found.sd,
        sd_text=_sd_text(found, parts, zero=zero),
        parts=parts,
        sample=None if found is None else _ranges("sample", SAMPLE, found.sample, task, found.level),
        truth=None if found is None or found.truth is None else _ranges("truth", TRUTH, found.truth, task, found.level),
        withheld=WITHHELD if found is not None and found.truth is None and metric is not None else "",
        conventions=_conventions(conventions_range(task), feature_maps),
        centring=centring,
        metric=metric,
        drift=tuple(sorted(drift, key=lambda each: -each.n)),
    )


def between(ends: Ends) -> str:
    """Word an interval of log10 bits.

    Examples
    --------
    >>> between(Ends(-inf, 2.4)), between(Ends(9.0, inf)), between(Ends(-inf, -inf))
    ('0 to 10^2.4 bits', '10^9.0 bits or more', '0 bits')
    """
    if not isfinite(ends.lower) and ends.upper == -inf:
        return "0 bits"
    lower = f"10^{wording.exponent(ends.lower)}" if isfinite(ends.lower) else "0"
    return f"{lower} bits or more" if isinf(ends.upper) else f"{lower} to 10^{wording.exponent(ends.upper)} bits"


def noise_of(record: NoiseRecord) -> Noise:
    """Read the noise of a report back."""
    truth = None
    if record.true_lower is not None:
        truth = (record.true_lower, inf if record.true_upper is None else record.true_upper)
    return Noise(
        dimension_error=record.dimension_error,
        scale_sd=record.scale_sd,
        margin=_law_of(record.margin),
        radius=None if record.radius is None else _law_of(record.radius),
        true_dimension=truth,
    )


def _noise(noise: Noise) -> NoiseRecord:
    low, high = noise.true_dimension or (None, None)
    return NoiseRecord(
        dimension_error=noise.dimension_error,
        scale_sd=noise.scale_sd,
        margin=_law(noise.margin),
        radius=None if noise.radius is None else _law(noise.radius),
        true_lower=low,
        true_upper=None if high is None or isinf(high) else high,
    )


def _law(law: Law) -> LawRecord:
    return LawRecord(
        terms=tuple(
            TermRecord(
                weight=term.weight,
                exponent=term.exponent,
                shape=None if isinf(term.shape) else term.shape,
                curvature=term.curvature,
            )
            for term in law.terms
        ),
        observations=law.observations,
    )


def _law_of(record: LawRecord) -> Law:
    return Law(
        tuple(
            TailTerm(term.weight, term.exponent, inf if term.shape is None else term.shape, term.curvature)
            for term in record.terms
        ),
        record.observations,
    )


def _parts(found: Spread) -> tuple[PartRecord, ...]:
    decades = {
        "margin": found.margin_sd,
        "dimension": found.dimension_sd,
        "scale": found.scale_sd,
        "radius": found.radius_sd,
    }
    records = [
        PartRecord(key=key, name=PARTS[key], decades=value, text=_decades(value)) for key, value in decades.items()
    ]
    return tuple(sorted(records, key=lambda part: -part.decades))


def _sd_text(found: Spread | None, parts: tuple[PartRecord, ...], *, zero: bool) -> str:
    if found is None:
        return "No standard deviation: none of the inputs was sampled."
    if zero:
        return "No standard deviation around 0 bits."
    said = [f"{part.text} from the {part.name}" for part in parts if part.decades >= VISIBLE]
    made_of = f": {_listed(said)}" if said else ""
    return f"Standard deviation {_decades(found.sd)} decades{made_of}."


def _ranges(key: str, said: tuple[str, str], ranges: Ranges, task: Complexity, level: float) -> RangesRecord:
    name, meaning = said
    counted = calibration.counted(COUNTED[key])
    margin_key = FAMILIES[task.family].sampled_margin
    return RangesRecord(
        key=key,
        name=name,
        meaning=meaning.format(level=wording.percent(level)) + (f" {counted}" if counted else ""),
        ends=(
            EndsRecord(
                key="log10_bits",
                name="bits",
                lower=_finite(ranges.log10_bits.lower),
                upper=_finite(ranges.log10_bits.upper),
                text=between(ranges.log10_bits),
            ),
            _ends("dimension", "intrinsic dimension", ranges.dimension),
            _ends("margin", margin_key or "margin", ranges.margin),
        ),
    )


def _ends(key: str, name: str, ends: Ends) -> EndsRecord:
    text = f"{wording.number(ends.lower)} to {wording.number(ends.upper)}"
    if not isfinite(ends.upper):
        text = f"{wording.number(ends.lower)} or more"
    return EndsRecord(key=key, name=name, lower=ends.lower, upper=_finite(ends.upper), text=text)


def _conventions(counted: Mapping[str, float], feature_maps: Mapping[str, float]) -> ConventionsRecord:
    name, meaning = FEATURES if feature_maps else CONVENTIONS
    values = {**counted, **feature_maps}
    ends = Ends(min(values.values()), max(values.values()))
    return ConventionsRecord(
        name=name,
        meaning=meaning,
        lower=_finite(ends.lower),
        upper=_finite(ends.upper),
        text=between(ends),
        log10_bits={key: _finite(value) for key, value in values.items()},
    )


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _decades(value: float) -> str:
    return f"{value:.1f}" if value >= 0.05 or value == 0 else f"{value:.2f}"


def _listed(parts: list[str]) -> str:
    """Join phrases as in a sentence."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
