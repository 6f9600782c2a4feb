"""Sections of a report: how sure the number is, its dimension, its robust form, the ledger, what would move it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ibc_report.common.schema import Record

__all__ = [
    "AssumptionRecord",
    "BarRecord",
    "BlameRecord",
    "CertaintyRecord",
    "ChangeRecord",
    "ClassRecord",
    "ConventionsRecord",
    "DimensionRecord",
    "DriftRecord",
    "ElasticityRecord",
    "EndsRecord",
    "EstimateRecord",
    "LawRecord",
    "NoiseRecord",
    "PartRecord",
    "RangesRecord",
    "RobustNumber",
    "RobustRecord",
    "SensitivityRecord",
    "TermRecord",
    "Verdict",
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

    n: float = Field(description="Its rows, a whole number.")
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
    withheld: str = Field("", description="Why there are none for the true dimension; empty where there are.")
    conventions: ConventionsRecord
    centring: str = Field(description="How the vectors were centred; 'none', or a name.")
    metric: str | None = Field(description="What a distance means; null for a declared task.")
    drift: tuple[DriftRecord, ...] = Field((), description="The same measured on smaller samples, largest n first.")


class EstimateRecord(Record):
    """One estimate of the dimension."""

    key: str = Field(description="Stable name.")
    name: str = Field(description="Name in words.")
    value: float | None = Field(description="The estimate; null where it lies beyond what was tried.")
    text: str = Field(description="As it is printed.")
    said: str = Field(description="What it is, in one sentence.")


class ClassRecord(Record):
    """The dimension of one class among its own points."""

    name: str = Field(description="The class.")
    points: int = Field(description="Its distinct points.")
    value: float = Field(description="The estimate.")
    standard_error: float | None = Field(description="Its standard error; null for too few points.")
    text: str = Field(description="Both, as they are printed.")


class DimensionRecord(Record):
    """The intrinsic dimension by other methods, on fewer rows, and by class."""

    standard_error: float | None = Field(description="Of the estimate at this scale and n, by half-samples.")
    estimates: tuple[EstimateRecord, ...] = Field(description="The estimate and others beside it.")
    classes: tuple[ClassRecord, ...] = Field(description="By class; empty for a regression.")


class RobustNumber(Record):
    """One input of the bound under both conventions."""

    key: str = Field(description="Stable name.")
    name: str = Field(description="Name in words.")
    symbol: str = Field(description="Symbol of the paper.")
    released: float = Field(description="As the headline has it.")
    value: float = Field(description="Under the robust convention.")
    released_text: str = Field(description="The headline's, as it is printed.")
    text: str = Field(description="The robust one, as it is printed.")
    origin: str = Field(description="How the robust one is made.")


class BlameRecord(Record):
    """What makes the two conventions differ."""

    setting: str = Field(description="origin, radius, dimension, margin, range (of the targets) or n.")
    rows: tuple[int, ...] = Field(description="The rows that decide it; empty where no row does.")
    change: float | None = Field(
        description="Decades that replacing it alone is worth; null for all or none of the bits."
    )


class RobustRecord(Record):
    """The bits under the robust convention."""

    log10_bits: float | None = Field(description="Decimal logarithm of the bits; null for 0 bits.")
    exponent: str | None = Field(description="The same as it is printed; null for 0 bits.")
    bits: str = Field(description="The bits as they are printed.")
    difference: float | None = Field(description="Decades, robust less released; null where either is 0 bits.")
    statement: str = Field(description="What the convention does.")
    said: str = Field(description="How it compares with the headline, and what is to blame where they differ.")
    blame: BlameRecord | None = Field(description="Null where they differ by no more than a decade.")
    numbers: tuple[RobustNumber, ...] = Field(description="The inputs under both conventions.")
    set_aside: str = Field(description="Rows that were not counted, and why.")


class AssumptionRecord(Record):
    """One assumption, what the data say of it, and what it is worth."""

    id: str = Field(description="A1 to A16.")
    name: str = Field(description="One or two words.")
    statement: str = Field(description="What is assumed.")
    consequence: str = Field(description="What follows where it fails.")
    diagnostic: str | None = Field(description="What was measured of it; null where nothing was.")
    value: float | None = Field(description="The number that the verdict hangs on; null where there is none.")
    verdict: Verdict = Field(description="Whether it holds on these data, as far as they tell.")
    threshold: str | None = Field(description="What makes the verdict, as it is printed; null where nothing does.")
    change: float | None = Field(
        description="How far log10 bits move without the assumption; null where that was not computed."
    )
    change_text: str | None = Field(description="The same with what was changed, as it is printed.")


class ElasticityRecord(Record):
    """How fast the bits move with one input."""

    key: str = Field(description="The input.")
    name: str = Field(description="Its name in words.")
    symbol: str = Field(description="Its symbol; empty where it has none.")
    elasticity: float = Field(description="∂ln I / ∂ln x: per cent of bits for one per cent of the input.")
    slope: float = Field(description="∂log10 I / ∂x: decades of bits for one unit of the input.")
    text: str = Field(description="The elasticity as it is printed.")
    said: str = Field(description="What a small step of the input does, as it is printed.")


class BarRecord(Record):
    """The bits when one input moves by its own uncertainty."""

    key: str = Field(description="What is moved: dimension, scale and bias all move the dimension.")
    name: str = Field(description="Its name in words, with its symbol.")
    moved: str = Field(description="Why it moves, and how far.")
    low: float = Field(description="Lower end of the input.")
    high: float = Field(description="Upper end of the input.")
    low_text: str = Field(description="The lower end as it is printed.")
    high_text: str = Field(description="The upper end as it is printed.")
    at_low: float | None = Field(description="Decades by which the bits move at the lower end; null for 0 bits.")
    at_high: float | None = Field(description="Decades by which the bits move at the upper end; null for 0 bits.")
    at_low_text: str = Field(description="The same as it is printed.")
    at_high_text: str = Field(description="The same as it is printed.")


class ChangeRecord(Record):
    """The bits under one other decision."""

    key: str = Field(description="Stable name.")
    name: str = Field(description="What is decided otherwise, in words.")
    note: str = Field(description="Where it was measured, and what is part of it; empty where there is nothing to say.")
    log10_bits: float | None = Field(description="log10 bits then; null for 0 bits.")
    bits: str = Field(description="The bits then, as they are printed.")
    change: float | None = Field(description="Decades from the present; null where either is 0 bits.")
    change_text: str = Field(description="The same as it is printed.")


class SensitivityRecord(Record):
    """What would move the bits."""

    summary: str = Field(description="What moves them most, in a sentence or two.")
    bars: tuple[BarRecord, ...] = Field(description="Each input moved by its own uncertainty, widest first.")
    alternative: str = Field(description="The plot of the bars in words.")
    changes: tuple[ChangeRecord, ...] = Field(description="What would change the bits.")
    elasticities: tuple[ElasticityRecord, ...] = Field(description="Slopes; empty at 0 bits.")
    elasticity_note: str = Field(description="What the slopes are, and where they are not those of the bits.")


Verdict = Literal["holds", "doubtful", "violated", "not testable"]
"""What the data say of an assumption."""
