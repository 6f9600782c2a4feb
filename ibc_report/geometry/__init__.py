"""Vectors to facts: neighbours, intrinsic dimension, margin, duplicates."""

from ibc_report.common.resources import DEFAULT_MEMORY
from ibc_report.geometry.facts import Geometry, Neighborhoods, facts_of, facts_of_examples, neighborhoods
from ibc_report.geometry.neighbors.margin import Margin
from ibc_report.geometry.neighbors.points import Points
from ibc_report.geometry.neighbors.search import (
    NeighborGraph,
    Neighbors,
    concatenate,
    margin,
    margin_from,
    neighbor_graph,
    search,
)
from ibc_report.geometry.radius import Norms
from ibc_report.geometry.search_plan import Budget, SearchPlan, SearchSize, search_plan_of

__all__ = [
    "DEFAULT_MEMORY",
    "Budget",
    "Geometry",
    "Margin",
    "NeighborGraph",
    "Neighborhoods",
    "Neighbors",
    "Norms",
    "Points",
    "SearchPlan",
    "SearchSize",
    "concatenate",
    "facts_of",
    "facts_of_examples",
    "margin",
    "margin_from",
    "neighbor_graph",
    "neighborhoods",
    "search",
    "search_plan_of",
]
