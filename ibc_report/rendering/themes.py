"""The colours of figures, in a light page and in a dark one."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DARK", "LIGHT", "Theme"]


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of a figure."""

    ink: str
    muted: str
    grid: str
    accent: str


LIGHT = Theme(ink="#1f2328", muted="#59636e", grid="#d1d9e0", accent="#0550ae")

DARK = Theme(ink="#e6edf3", muted="#9198a1", grid="#3d444d", accent="#79c0ff")
