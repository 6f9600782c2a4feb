"""The encoders' names, for those that read of one without encoding anything."""

from __future__ import annotations

__all__ = ["ENCODERS"]

ENCODERS = {
    "image": ("image",),
    "audio": ("audio",),
    "text": ("string",),
    "tabular": ("number", "boolean", "date", "string", "class", "other"),
    "vector": ("vector",),
}
"""Encoders by name, and the kinds of column that each takes."""
