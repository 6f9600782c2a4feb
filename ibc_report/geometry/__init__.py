"""Vectors to facts: neighbours, intrinsic dimension, margin, duplicates."""

from ibc_report.common.resources import DEFAULT_MEMORY
from ibc_report.geometry.facts import Geometry, Survey, describe, summarise, survey
from ibc_report.geometry.neighbors.margin import Margin
from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.search import Neighbors, concatenate, margin, margin_from, search
from ibc_report.geometry.radius import Norms
from ibc_report.geometry.search_plan import Effort, Extent, Look, look_at

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
