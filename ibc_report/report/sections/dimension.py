"""The intrinsic dimension in words: its standard error, other estimates, and what the true one may be."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from ibc_report.common import wording
from ibc_report.geometry.dimension.estimators import PAPER_K
from ibc_report.geometry.dimension.study import DimensionStudy
from ibc_report.report.schema.sections import ClassRecord, DimensionRecord, EstimateRecord

__all__ = ["dimension_section"]

SPACES = {"sphere": "a sphere", "ball": "a ball", "gaussian": "a Gaussian"}
"""Spaces whose true dimension is known, with their articles."""


def dimension_section(found: DimensionStudy, names: tuple[str, ...]) -> DimensionRecord:
    """Word what was found of the dimension.

    Parameters
    ----------
    names : tuple of str
        Names of the classes; empty for a regression.
    """
    return DimensionRecord(
        standard_error=found.standard_error,
        estimates=tuple(_estimates(found)),
        classes=tuple(
            ClassRecord(
                name=names[entry.label],
                points=entry.points,
                value=entry.estimate,
                standard_error=entry.standard_error,
                text=_with_error(entry.estimate, entry.standard_error),
            )
            for entry in found.by_class
        ),
    )


def _estimates(found: DimensionStudy) -> Iterator[EstimateRecord]:
    yield _record(
        "estimate",
        f"maximum likelihood, k = {PAPER_K}",
        found.estimate,
        "The paper's estimator, which the bits are made of; "
        + (
            "its standard error is by half-samples."
            if found.standard_error is not None
            else "too few points for a standard error by half-samples, so twice the textbook one is taken."
        ),
        text=_with_error(found.estimate, found.standard_error),
    )
    for size in found.by_sample_size[1:]:
        if size.dimension is not None:
            yield _record(
                f"at_{size.n}",
                f"the same at n = {wording.count(size.n)}",
                size.dimension,
                "On random parts of the rows: the estimate drifts with n as with k.",
            )
    if found.two_nn is not None:
        yield _record("two_nn", "TwoNN", found.two_nn, "Linear fit without the largest tenth (Facco et al. 2017).")
    for rank, value in found.gride.items():
        yield _record(
            f"gride_{rank}",
            f"Gride, ranks {rank} and {2 * rank}",
            value,
            "Maximum likelihood from two neighbours further out (Denti et al. 2022).",
        )
    for space, true in found.true_dimensions.items():
        yield _record(
            f"true_{space}",
            f"true dimension of {SPACES[space]}",
            true,
            f"Evenly spread over one, {wording.count(round(found.manifold.points))} points of this true dimension give "
            "such an estimate.",
        )


def _record(key: str, name: str, value: float | None, said: str, *, text: str | None = None) -> EstimateRecord:
    known = value is not None and isfinite(value)
    return EstimateRecord(
        key=key,
        name=name,
        value=value if known else None,
        text=text or (f"{value:.2f}" if known else "beyond the table"),
        said=said,
    )


def _with_error(value: float, error: float | None) -> str:
    return f"{value:.2f}" if error is None else f"{value:.2f} ± {error:.2f}"
