"""The document of results: what models' scores on a test set tell, in a versioned form that needs no data.

Version history of the schema
-----------------------------
1
    First.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from ibc_report.common.errors import DataError, UsageError
from ibc_report.common.schema import Record, first_fault
from ibc_report.common.untrusted import refuse_special

__all__ = [
    "RESULTS_VERSION",
    "BetweenRecord",
    "BitsRecord",
    "CorrelationRecord",
    "GapRecord",
    "IntervalRecord",
    "LineRecord",
    "ModelRecord",
    "PairRecord",
    "ResolutionRecord",
    "Results",
    "RowsRecord",
    "SetRecord",
    "SubsetRecord",
    "load_results",
]

RESULTS_VERSION = 1


class IntervalRecord(Record):
    """An interval."""

    lower: float = Field(description="Lower end.")
    upper: float = Field(description="Upper end.")
    text: str = Field(description="As it is printed.")


class RowsRecord(Record):
    """What became of a model's rows."""

    given: int = Field(description="Rows of the files.")
    unmatched: int = Field(description="Rows that are of no example.")
    repeated: int = Field(description="Further rows of an example; the first counts.")
    unreadable: int = Field(description="Rows that cannot be read or say nothing.")
    missing: int = Field(description="Examples without an answer; they are left out.")
    unknown: int = Field(description="Predictions that name no class; they count as wrong.")


class BitsRecord(Record):
    """Bits of the task at the model's error."""

    error: float = Field(description="Share of wrong answers.")
    log10_bits: float | None = Field(
        description="log10 of the bits at that error; null for 0 bits, no error, or none below chance."
    )
    text: str = Field(description="The bits as they are printed.")
    lower: float | None = Field(description="log10 bits at the upper end of the error's interval; null for 0 bits.")
    upper: float | None = Field(description="log10 bits at its lower end; null for 0 bits or no error.")
    log10_bits_over_chance: float | None = Field(
        description="log10 of the bits that set the model apart from guessing; null for none, or no error."
    )
    over_chance_text: str = Field(description="The same bits as they are printed.")
    over_chance_lower: float | None = Field(description="At the upper end of the error's interval.")
    over_chance_upper: float | None = Field(description="At its lower end.")


class GapRecord(Record):
    """Accuracy on the training split less that on the test split."""

    train_n: int = Field(description="Training examples with an answer.")
    train_accuracy: float = Field(description="Share of correct answers on them.")
    gap: float = Field(description="The difference.")
    interval: IntervalRecord = Field(description="The inversion of the score test: it has no 0 where p < 1 − level.")
    p: float = Field(description="Two-sided, of the score test.")
    text: str = Field(description="The difference as it is printed.")
    exact: bool | None = Field(
        None, description="Whether p is exact, or asymptotic; null in documents whose p is asymptotic always."
    )


class ModelRecord(Record):
    """One model on the test set."""

    name: str = Field(description="As the files call it.")
    n: int = Field(description="Examples with an answer.")
    correct: float = Field(description="Correct answers; a published accuracy times n need not be whole.")
    accuracy: float = Field(description="Their share.")
    text: str = Field(description="The accuracy as it is printed.")
    wilson: IntervalRecord = Field(description="Score interval of the accuracy.")
    clopper_pearson: IntervalRecord = Field(description="Exact interval of the accuracy.")
    best_rank: int | None = Field(description="Best rank that the tests leave it; null for one model, or only scores.")
    worst_rank: int | None = Field(description="Worst rank that the tests leave it.")
    rank_text: str = Field(description="The ranks as they are printed.")
    skill: float | None = Field(
        description="Share of what the majority class leaves that it gains; null where unknown."
    )
    skill_interval: IntervalRecord | None = Field(description="Of the skill, the majority's accuracy taken as known.")
    skill_text: str = Field(description="The skill as it is printed.")
    gap: GapRecord | None = Field(description="Train–test gap; null where there are no answers on training examples.")
    bits: BitsRecord | None = Field(description="Bits of its error; null where the task's numbers are not known.")
    rows: RowsRecord


class PairRecord(Record):
    """Two models on the same examples."""

    first: str = Field(description="The model that has more right.")
    second: str = Field(description="The other.")
    n: int = Field(description="Examples that both answer.")
    both: int = Field(description="Both are right.")
    first_only: int = Field(description="Only the first is.")
    second_only: int = Field(description="Only the second is.")
    neither: int = Field(description="Neither is.")
    difference: float = Field(description="Of the accuracies.")
    interval: IntervalRecord = Field(description="It has no 0 exactly where the exact p < 1 − level.")
    mcnemar: float = Field(description="(b − c)² / (b + c).")
    mcnemar_p: float = Field(description="Asymptotic p.")
    corrected: float = Field(description="The statistic with the continuity correction.")
    corrected_p: float = Field(description="Its asymptotic p.")
    exact_p: float = Field(description="Binomial p: the test that decides.")
    mid_p: float = Field(description="Binomial mid-p, for information.")
    holm_p: float = Field(description="Exact p, corrected for all pairs and both directions by Holm's procedure.")
    false_discovery: float = Field(description="Exact p, corrected for all pairs by Benjamini and Hochberg.")
    distinguishable: bool = Field(description="Whether Holm's p is at most 1 − level.")
    text: str = Field(description="The difference as it is printed.")


class BetweenRecord(Record):
    """One model on two test sets."""

    model: str = Field(description="The model.")
    n: int = Field(description="Examples of the first set.")
    accuracy: float = Field(description="On the first set.")
    other_n: int = Field(description="Examples of the second set.")
    other_accuracy: float = Field(description="On the second set.")
    difference: float = Field(description="First less second.")
    interval: IntervalRecord = Field(description="The inversion of the score test: it has no 0 where p < 1 − level.")
    standard_error: float = Field(description="Unpooled.")
    z: float | None = Field(description="Unpooled, for information; null where it is infinite.")
    p: float = Field(description="Two-sided, of the score test; in documents without `exact`, of the unpooled z.")
    pooled_z: float | None = Field(description="Pooled; null where it is infinite.")
    pooled_p: float = Field(description="Asymptotic, of the pooled z.")
    holm_p: float = Field(description="p, corrected for all models by Holm's procedure.")
    text: str = Field(description="The difference as it is printed.")
    exact: bool | None = Field(
        None, description="Whether p is exact, or asymptotic; null where it is of the unpooled z."
    )


class CorrelationRecord(Record):
    """Correlation over models."""

    models: int = Field(description="How many.")
    r: float = Field(description="Pearson's.")
    interval: IntervalRecord = Field(description="As if the models were independent; of subsets, for all at once.")


class SubsetRecord(Record):
    """Examples of the second set that were selected against the line."""

    size: int = Field(description="How many.")
    selected: CorrelationRecord | None = Field(description="On the models that selected them: it overstates.")
    held_out: CorrelationRecord | None = Field(description="On the other models.")
    text: str = Field(description="What it says, as it is printed.")


class LineRecord(Record):
    """Accuracy on the line between two test sets."""

    slope: float = Field(description="Probit of the second accuracy on that of the first.")
    intercept: float = Field(description="Of the same line.")
    correlation: CorrelationRecord
    everything: CorrelationRecord | None = Field(description="On the reporting half of the models.")
    subsets: tuple[SubsetRecord, ...] = Field(description="By size.")
    examples: tuple[str, ...] = Field(description="Those of the largest subset, the ones furthest off the line first.")
    seed: int = Field(description="Of the halves.")
    text: str = Field(description="The line as it is printed.")


class ResolutionRecord(Record):
    """What the test set can show of two models."""

    n: int = Field(description="Examples.")
    level: float = Field(description="1 − level is the two-sided size of the test.")
    power: float = Field(description="Probability to find a difference of that size.")
    accuracy: float = Field(description="Of the better of the two: the median of the models given.")
    unpaired: float | None = Field(description="Smallest difference on different examples; null for none.")
    disagreement: float = Field(description="Share of examples on which exactly one of two models is right.")
    measured: bool = Field(description="Whether that is the mean over neighbours in accuracy, or assumed.")
    paired: float | None = Field(description="Smallest difference on the same examples; null for none.")
    text: str = Field(description="As it is printed.")
    models: int | None = Field(None, description="Models whose pairs the corrected differences are for.")
    unpaired_corrected: float | None = Field(None, description="As `unpaired`, with Holm's correction for all pairs.")
    paired_corrected: float | None = Field(None, description="As `paired`, with Holm's correction for all pairs.")


class SetRecord(Record):
    """A test set."""

    name: str = Field(description="As the user named it.")
    revision: str | None = Field(description="What pins its content; null where only its name is known.")
    split: str | None = Field(description="Split.")
    examples: int = Field(description="Examples.")
    matched_by: str = Field(description="How rows of predictions found them, in words.")
    majority: float | None = Field(description="Accuracy of always answering the most frequent class; null if unknown.")
    majority_is: str = Field(description="Where that comes from, or why it is not known.")


class Results(Record):
    """What models' scores tell."""

    schema_version: Literal[1] = Field(1, description="Version of this document's form.")
    kind: Literal["results"] = Field("results", description="Tells it from a report.")
    name: str = Field(description="Short name of the task.", pattern=r"^[a-z0-9][a-z0-9._-]*$")
    title: str = Field(description="Title of the task.")
    level: float = Field(description="Of all intervals; 1 − level is the size of all tests.")
    test: SetRecord
    against: SetRecord | None = Field(description="The other test set; null for none.")
    models: tuple[ModelRecord, ...] = Field(description="By accuracy, the best first.")
    pairs: tuple[PairRecord, ...] = Field(description="Pairs of models, those of the best first.")
    between: tuple[BetweenRecord, ...] = Field(description="Models on both test sets.")
    line: LineRecord | None = Field(description="With 30 models on two sets; null otherwise.")
    resolution: ResolutionRecord
    bits_are: str = Field(description="What the bits rest on, or why there are none.")
    notes: tuple[str, ...] = Field(description="What a reader has to know, a sentence each.")
    version: str = Field(description="Of this package.")

    def to_json(self) -> str:
        """Write the document: strict JSON, the same bytes for the same results."""
        return json.dumps(self.model_dump(mode="json"), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def load_results(path: str | Path) -> Results:
    """Read saved results.

    Raises
    ------
    UsageError
        If there is no such file, or it was written by a newer version.
    DataError
        If it holds no results.
    """
    path = Path(path)
    refuse_special(path)
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist; make it with ibc-report results TASK PREDICTIONS -o {path}") from None
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read as results: {error}") from error
    if not isinstance(content, dict) or content.get("kind") != "results":
        raise DataError(f"{path} holds no results; make some with ibc-report results TASK PREDICTIONS -o FILE")
    version = content.get("schema_version")
    if isinstance(version, int) and version > RESULTS_VERSION:
        raise UsageError(
            f"{path} has schema version {version}, and this ibc-report reads up to {RESULTS_VERSION}; upgrade "
            "ibc-report"
        )
    try:
        return Results.model_validate(content)
    except ValidationError as error:
        raise DataError(f"{path} holds no results: {first_fault(error, Results, content)}") from error
