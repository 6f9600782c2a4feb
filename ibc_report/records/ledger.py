"""What a card says of each assumption."""

from __future__ import annotations

from pydantic import Field

from ibc_report.records.base import Record
from ibc_report.verdicts import Verdict

__all__ = ["AssumptionRecord"]


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
