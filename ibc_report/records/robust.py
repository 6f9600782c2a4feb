"""The second convention, which one row cannot move, as a card prints it beside the headline."""

from __future__ import annotations

from pydantic import Field

from ibc_report.records.base import Record

__all__ = ["BlameRecord", "RobustNumber", "RobustRecord"]


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

    setting: str = Field(description="origin, radius, dimension, margin or n.")
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
