"""The document: all that a card says, in a versioned form that renders again without its data.

Version history of the schema
-----------------------------
1
    First.
2
    How sure the number is (`certainty`, `dimension`), what would move it (`sensitivity`), verdicts on the assumptions,
    the test split (`test`). The headline's standard deviations are in `certainty`, and its interval is that of the
    expectation, no longer that of another sample.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, ValidationError

from ibc_report.common.errors import DataError, UsageError
from ibc_report.common.escaping import one_line
from ibc_report.common.schema import Record, first_fault
from ibc_report.common.untrusted import refuse_special
from ibc_report.report.schema.contradictions import contradiction
from ibc_report.report.schema.sections import (
    AssumptionRecord,
    CertaintyRecord,
    DimensionRecord,
    RobustRecord,
    SensitivityRecord,
)
from ibc_report.report.schema.split_audit import EvaluationRecord

__all__ = [
    "SCHEMA_VERSION",
    "AssumptionRecord",
    "Curve",
    "DataRecord",
    "DroppedRows",
    "EncoderRecord",
    "ExampleRecord",
    "Headline",
    "Mark",
    "NumberRecord",
    "Pair",
    "PublishedRecord",
    "Repeat",
    "ReportDocument",
    "json_schema",
    "load_report",
    "upgraded",
]

SCHEMA_VERSION = 2


class Headline(Record):
    """The number, and how sure it is."""

    log10_bits: float | None = Field(description="Decimal logarithm of the bits; null for 0 bits.")
    lower: float | None = Field(description="Lower end of the interval of log10 bits; null for 0 bits or no interval.")
    upper: float | None = Field(description="Upper end of the interval of log10 bits; null for 0 bits or no interval.")
    level: float | None = Field(
        description="Share of samples that the interval is made to cover; null for no interval."
    )
    exponent: str | None = Field(description="log10 bits as it is printed; null for 0 bits.")
    lower_exponent: str | None = Field(description="Lower end as it is printed; null for 0 bits or no interval.")
    upper_exponent: str | None = Field(description="Upper end as it is printed; null for 0 bits or no interval.")
    interval_is: str = Field(description="What the interval is made of, or why there is none.")
    is_not: str = Field(description="What the number is, and what it is not.")
    not_fixed: str = Field(
        "", description="That the data do not fix the number, where an interval is too wide to use; empty otherwise."
    )


class NumberRecord(Record):
    """One number of the card's table."""

    key: str = Field(description="Stable name.")
    name: str = Field(description="Name in words.")
    symbol: str = Field(description="Symbol of the paper; empty where it has none.")
    value: float | None = Field(description="The number; null where it is not finite.")
    text: str = Field(description="As it is printed.")
    origin: str = Field(description="Where it came from.")


class Curve(Record):
    """Bits against one input, the others fixed."""

    key: str = Field(description="The input that varies.")
    name: str = Field(description="Its name in words.")
    symbol: str = Field(description="Its symbol.")
    values: tuple[float, ...] = Field(description="Values of the input.")
    log10_bits: tuple[float | None, ...] = Field(description="log10 bits at each; null for 0 bits.")
    present: float = Field(description="The input's value on this card.")
    alternative: str = Field(description="The plot in words.")


class Mark(Record):
    """A benchmark of the paper on the ruler."""

    name: str = Field(description="Short name.")
    title: str = Field(description="Name in words.")
    log10_bits: float = Field(description="As published.")


class ExampleRecord(Record):
    """One row, as a reader can look at it."""

    row: int = Field(description="Row number in the source, from 0.")
    label: str = Field(description="Its class or target.")
    png: str | None = Field(None, description="The picture, base64-encoded PNG.")
    text: str | None = Field(None, description="The text, cut where it is long.")
    fields: tuple[tuple[str, str], ...] = Field((), description="Columns and values.")


class Pair(Record):
    """The pair of rows that sets the margin."""

    distance: float = Field(description="The margin.")
    ties: int = Field(description="Pairs that are exactly as close.")
    first: ExampleRecord
    second: ExampleRecord


class DroppedRows(Record):
    """Rows that were left out for one reason."""

    reason: str = Field(description="Why.")
    said: str = Field(description="How many and why, as it is printed.")
    count: int = Field(description="How many.")
    rows: tuple[int, ...] = Field(description="The first few of their numbers.")


class EncoderRecord(Record):
    """How rows became vectors."""

    name: str = Field(description="Encoder.")
    metric: str = Field(description="What a distance means.")
    settings: dict[str, str] = Field(description="All that is needed to encode again.")
    inputs: tuple[str, ...] = Field(description="Columns that were read.")
    notes: tuple[str, ...] = Field(description="Choices that it made on these data.")


class DataRecord(Record):
    """What was read, and what was lost."""

    source: str = Field(description="As the user named it.")
    revision: str = Field(description="What pins the content.")
    config: str | None = Field(description="Configuration.")
    split: str | None = Field(description="Split.")
    license: str | None = Field(description="License, as the source or the catalog states it.")
    homepage: str | None = Field(description="Where a reader finds the dataset.")
    gated: str | None = Field(description="Who lets a reader in, where access is asked for; null where it is open.")
    dataset_info: Any = Field(description="What the source declares of its features and splits; null for nothing.")
    sample: str | None = Field(description="How the rows were sampled; null where all were taken.")
    target: str = Field(description="Target column.")
    target_choice: str = Field("", description="Why this one, and which others could be; empty where it was named.")
    rows_read: int = Field(description="Rows of the source.")
    rows_used: int = Field(description="Rows that were measured.")
    dropped: tuple[DroppedRows, ...] = Field(description="Rows that were left out, by reason.")
    distinct: int = Field(description="Distinct points among the rows used.")
    equal_rows: int = Field(description="Rows whose inputs repeat those of an earlier row.")
    coincident_rows: int = Field(description="Further rows that only the encoder maps to the point of another.")
    conflicting_rows: int = Field(description="Rows with the inputs of a row of another target; not in the margin.")
    conflicting_examples: tuple[tuple[int, str], ...] = Field(description="Some of them, with their labels.")
    tolerance: float | None = Field(description="Targets that differ by more are different; null for classes.")
    tolerance_text: str | None = Field(description="The same, as it is printed.")
    classes: tuple[tuple[str, int], ...] = Field(description="Classes and their rows; empty for a regression.")
    encoder: EncoderRecord
    neighbors: str = Field(description="Which neighbour search ran.")
    queries: int | None = Field(description="Rows that were asked for their neighbours; null for all.")
    margin_is_exact: bool = Field(
        description="Whether the margin is the minimum over all pairs, of projected points where there is a distortion."
    )
    distortion: float | None = Field(
        description="Share by which a random projection to fewer features may change a squared distance; null for none."
    )
    dimension_profile: dict[int, float] = Field(description="Intrinsic dimension over neighbourhood sizes.")
    disagreement: dict[int, float] = Field(description="Share of the k nearest neighbours with another label.")


class PublishedRecord(Record):
    """The same task as the paper has it."""

    name: str = Field(description="Short name.")
    title: str = Field(description="Name in words.")
    recognised: bool = Field(description="Whether n, d, R and δ are the paper's to six digits.")
    log10_bits: float = Field(description="log10 bits as published.")
    bits: str = Field(description="The bits as published, as they are printed.")
    rounded_dimension: int = Field(description="The paper's intrinsic dimension, a whole number.")
    target_error: float = Field(description="The paper's target error.")
    rounded_log10_bits: float | None = Field(
        description="log10 bits of these data with that dimension and target error, under the released convention."
    )
    rounded_bits: str = Field(description="The same bits, as they are printed.")


class Repeat(Record):
    """How to get the same document again."""

    place: str = Field(description="From where.")
    command: str = Field(description="In a shell.")
    python: str = Field(description="In Python.")
    seed: int = Field(description="Of everything that draws.")
    versions: dict[str, str] = Field(description="Of this package and those that its numbers hang on.")
    fingerprint: str = Field(
        description="Of the task, the data and the versions: unchanged, nothing is measured again."
    )


class ReportDocument(Record):
    """A difficulty report."""

    model_config = ConfigDict(title="Report")

    schema_version: Literal[2] = Field(2, description="Version of this document's form.")
    name: str = Field(description="Short name of the task.", pattern=r"^[a-z0-9][a-z0-9._-]*$")
    title: str = Field(description="Title of the card.")
    description: str | None = Field(description="One or two sentences.")
    family: str = Field(description="Task family.")
    inputs: dict[str, float] = Field(description="The numbers that the family was given.")
    convention: str = Field(description="Name of the way of counting.")
    convention_statement: str = Field(description="What it does.")
    headline: Headline
    doubts: tuple[str, ...] = Field(description="What is doubtful, a sentence each.")
    numbers: tuple[NumberRecord, ...] = Field(description="The table of numbers.")
    curves: tuple[Curve, ...] = Field(description="Scaling plots.")
    ruler: tuple[Mark, ...] = Field(description="The paper's benchmarks.")
    pair: Pair | None = Field(description="The pair that sets the margin; null for a declared task.")
    assumptions: tuple[AssumptionRecord, ...] = Field(description="What the number rests on.")
    dimension: DimensionRecord | None = Field(
        None, description="More on the intrinsic dimension; null for a declared task."
    )
    certainty: CertaintyRecord | None = Field(None, description="How sure the number is; null where not said.")
    robust: RobustRecord | None = Field(
        None, description="The convention that no single row can move; null where it does not exist, or for no data."
    )
    sensitivity: SensitivityRecord | None = Field(None, description="What would move the bits; null where not said.")
    data: DataRecord | None = Field(description="The data; null for a declared task.")
    test: EvaluationRecord | None = Field(
        None, description="What a score on the test split can tell; null where there is none."
    )
    published: PublishedRecord | None = Field(description="The paper's value, where the task is one of the paper's.")
    repeat: Repeat
    bibtex: str = Field(description="How to cite the measure and the dataset.")

    def to_json(self) -> str:
        """Write the document: strict JSON, the same bytes for the same report."""
        return json.dumps(self.model_dump(mode="json"), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def load_report(path: str | Path) -> ReportDocument:
    """Read a saved report.

    Parameters
    ----------
    path : str or Path
        A JSON file that `ReportDocument.to_json` wrote.

    Raises
    ------
    UsageError
        If there is no such file, or it was written by a newer version.
    DataError
        If it is not a report, or its parts contradict each other.
    """
    path = Path(path)
    refuse_special(path)
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist; give the path of a report, as in reports/digits.json") from None
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path} cannot be read as a report: {error}") from error
    version = content.get("schema_version") if isinstance(content, dict) else None
    if not isinstance(version, int) or isinstance(version, bool):
        raise DataError(f"{path} is not a report: it has no schema_version; make one with ibc-report card")
    if version > SCHEMA_VERSION:
        raise UsageError(
            f"{path} has schema version {version}, and this ibc-report reads up to {SCHEMA_VERSION}; upgrade ibc-report"
        )
    content = upgraded(content)
    try:
        report = ReportDocument.model_validate(content)
    except ValidationError as error:
        raise DataError(f"{path} is not a report: {first_fault(error, ReportDocument, content)}") from error
    wrong = contradiction(report)
    if wrong is not None:
        raise DataError(f"{path} contradicts itself: {one_line(wrong)}; measure it again, or get the file again")
    return report


NOTHING_CHECKED = {"value": None, "verdict": "not testable", "threshold": None, "change": None, "change_text": None}
"""What version 1 says of an assumption beside its diagnostic."""


def upgraded(content: dict[str, Any]) -> dict[str, Any]:
    """Bring a document to the present version, as far as what it holds allows.

    Parameters
    ----------
    content : dict
        A report as JSON, of this version or an earlier one.

    Returns
    -------
    dict
        The same where nothing is to be done. What is malformed stays so.

    Examples
    --------
    >>> upgraded({"schema_version": 1, "headline": {"margin_sd": 0.5, "scale_sd": 0.2, "lower": 9.0}})
    {'schema_version': 2, 'headline': {'lower': 9.0}}
    """
    if content.get("schema_version") != 1:
        return content
    found = {**content, "schema_version": 2}
    headline = content.get("headline")
    if isinstance(headline, dict):
        found["headline"] = {key: value for key, value in headline.items() if key not in ("margin_sd", "scale_sd")}
    entries = content.get("assumptions")
    if isinstance(entries, list):
        found["assumptions"] = [{**entry, **NOTHING_CHECKED} if isinstance(entry, dict) else entry for entry in entries]
    return found


def json_schema() -> dict[str, Any]:
    """Give the JSON Schema of a report.

    Returns
    -------
    dict
        Draft 2020-12.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": f"Version {SCHEMA_VERSION} of the report of ibc_report.",
        **ReportDocument.model_json_schema(mode="serialization"),
    }
