"""Vectors to facts: neighbours, intrinsic dimension, margin, duplicates."""

from ibc_report.geometry.describe import Geometry, describe, summarise
from ibc_report.geometry.effort import Effort
from ibc_report.geometry.look import Extent, Look, look_at
from ibc_report.geometry.margins import Margin
from ibc_report.geometry.neighbors import DEFAULT_MEMORY, Neighbors, concatenate, margin, margin_from, search
from ibc_report.geometry.points import Points
from ibc_report.geometry.radius import Norms
from ibc_report.geometry.survey import Survey, survey

__all__ = [
    "DEFAULT_MEMORY",
    "Effort",
    "Extent",
    "Geometry",
    "Look",
    "Margin",
    "Neighbors",
    "Norms",
    "Points",
    "Survey",
    "concatenate",
    "describe",
    "look_at",
    "margin",
    "margin_from",
    "search",
    "summarise",
    "survey",
]
