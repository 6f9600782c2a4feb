"""Vectors to facts: neighbours, intrinsic dimension, margin, duplicates."""

from ibc_report.geometry.describe import ClosestPair, Geometry, describe
from ibc_report.geometry.neighbors import Neighbors, search
from ibc_report.geometry.points import Points
from ibc_report.geometry.radius import Norms

__all__ = ["ClosestPair", "Geometry", "Neighbors", "Norms", "Points", "describe", "search"]
