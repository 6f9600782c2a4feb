"""What else is known of the intrinsic dimension, as a card prints it."""

from __future__ import annotations

from pydantic import Field

from ibc_report.records.base import Record

__all__ = ["ClassRecord", "DimensionRecord", "EstimateRecord"]


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
