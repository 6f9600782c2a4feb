"""How sure the number is, as a card prints it and as two cards are compared by it."""

from __future__ import annotations

from pydantic import Field

from ibc_report.records.base import Record

__all__ = [
    "CertaintyRecord",
    "ConventionsRecord",
    "DriftRecord",
    "EndsRecord",
    "LawRecord",
    "NoiseRecord",
    "PartRecord",
    "RangesRecord",
    "TermRecord",
]


class TermRecord(Record):
    """One way in which distances, or norms, may end."""

    weight: float = Field(description="Its probability.")
    exponent: float = Field(description="Mean of the exponent at the extreme.")
    shape: float | None = Field(description="Shape of the exponent's gamma distribution; null where it is known.")
    curvature: float = Field(description="0 for a power law; above 0 where a gap or a largest norm ends it.")


class LawRecord(Record):
    """The law of an extreme."""

    terms: tuple[TermRecord, ...] = Field(description="Ways in which it may end; their weights sum to 1.")
    observations: int = Field(description="Order statistics that it was fitted to; 0 for none.")


class NoiseRecord(Record):
    """The noise of the numbers that the bits are made of."""

    dimension_error: float = Field(description="Standard error of the intrinsic dimension at this scale and n.")
    scale_sd: float = Field(description="Drift of the dimension over neighbourhood sizes, as a standard deviation.")
    margin: LawRecord = Field(description="Law of the margin.")
    radius: LawRecord | None = Field(description="Law of one over the radius; null where the radius has no noise.")
    true_lower: float | None = Field(description="Lowest true dimension that gives this estimate; null if not known.")
    true_upper: float | None = Field(
        description="Highest true dimension that gives this estimate; null if not known, or beyond all that were tried."
    )


class PartRecord(Record):
    """One part of the standard deviation of log10 bits."""

    key: str = Field(description="dimension, scale, margin or radius.")
    name: str = Field(description="Name in words.")
    decades: float = Field(description="Standard deviation of log10 bits from it alone.")
    text: str = Field(description="As it is printed.")


class EndsRecord(Record):
    """An interval of one number."""

    key: str = Field(description="log10_bits, dimension or margin.")
    name: str = Field(description="Name in words.")
    lower: float | None = Field(description="Lower end; null for 0 bits.")
    upper: float | None = Field(description="Upper end; null for 0 bits, or where no upper end is known.")
    text: str = Field(description="As it is printed.")


class RangesRecord(Record):
    """Intervals of one meaning."""

    key: str = Field(description="sample or truth.")
    name: str = Field(description="Plain name.")
    meaning: str = Field(description="What it covers, in one sentence.")
    ends: tuple[EndsRecord, ...] = Field(description="Of the bits, the dimension and the margin.")


class ConventionsRecord(Record):
    """The same numbers under every way of counting: choices, no noise."""

    name: str = Field(description="Plain name.")
    meaning: str = Field(description="What it is, in one sentence.")
    lower: float | None = Field(description="Least log10 bits of all; null for 0 bits.")
    upper: float | None = Field(description="Largest log10 bits of all; null for 0 bits.")
    text: str = Field(description="As it is printed.")
    log10_bits: dict[str, float | None] = Field(description="By the convention's name; null for 0 bits.")


class DriftRecord(Record):
    """The numbers of a smaller sample of the same rows."""

    n: float = Field(description="Its points.")
    dimension: float = Field(description="Intrinsic dimension.")
    margin: float = Field(description="Margin, or resolution of a regression.")
    radius: float = Field(description="Radius.")
    log10_bits: float | None = Field(description="Bits of these; null for 0 bits.")


class CertaintyRecord(Record):
    """How sure the number is."""

    level: float = Field(description="Share of tasks that the intervals are made to cover.")
    noise: NoiseRecord | None = Field(description="Null where the inputs were chosen, not sampled.")
    sd: float | None = Field(description="Standard deviation of log10 bits; null for 0 bits or no noise.")
    sd_text: str = Field(description="It and its parts in one sentence, or why there is none.")
    parts: tuple[PartRecord, ...] = Field(description="What it is made of; the largest first.")
    sample: RangesRecord | None = Field(description="Intervals at this scale and n; null where there is no noise.")
    truth: RangesRecord | None = Field(description="Intervals for the true dimension; null where they are not known.")
    conventions: ConventionsRecord
    centring: str = Field(description="How the vectors were centred; 'none', or a name.")
    metric: str | None = Field(description="What a distance means; null for a declared task.")
    drift: tuple[DriftRecord, ...] = Field((), description="The same measured on smaller samples, largest n first.")
