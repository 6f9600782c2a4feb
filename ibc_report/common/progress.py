"""Who is told how far a long step is."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Progress", "StageProgress", "silent"]

Progress = Callable[[float], None]
"""Told the fraction of a stage that is done."""

StageProgress = Callable[[str, float], None]
"""Told the name of a stage and the fraction of it that is done."""


def silent(_fraction: float) -> None:
    """Report no progress."""
