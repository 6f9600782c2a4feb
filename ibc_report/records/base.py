"""What every record of the document is: frozen, without unknown keys, with finite numbers."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

__all__ = ["Record"]


class Record(BaseModel):
    """A part of the document."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
