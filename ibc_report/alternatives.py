"""Figures in words: the alternative texts of plots that compare tasks. A curve brings its own."""

from __future__ import annotations

from collections.abc import Sequence

from ibc_report.report import Report

__all__ = ["catalog", "ruler", "ruler_words"]


def ruler(report: Report) -> str:
    """Say in words what the ruler shows.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
    """
    return f"{report.title}: {ruler_words(report)}"


def ruler_words(report: Report) -> str:
    """Say where on the ruler a task lies, without its title.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
    """
    here = report.headline.log10_bits
    value = "0 bits" if here is None else f"10^{report.headline.exponent} bits"
    below = [mark for mark in report.ruler if here is not None and mark.log10_bits <= here]
    above = [mark for mark in report.ruler if here is None or mark.log10_bits > here]
    parts = [value]
    if below:
        nearest = max(below, key=lambda mark: mark.log10_bits)
        parts.append(f"above {nearest.title} (10^{nearest.log10_bits:.1f})")
    if above:
        nearest = min(above, key=lambda mark: mark.log10_bits)
        parts.append(f"below {nearest.title} (10^{nearest.log10_bits:.1f})")
    return ", ".join(parts) + ", as published."


def catalog(reports: Sequence[Report]) -> str:
    """Say in words what the comparison shows.

    Parameters
    ----------
    reports : sequence of Report

    Returns
    -------
    str
    """
    ranked = sorted(
        (report for report in reports if report.headline.log10_bits is not None),
        key=lambda report: report.headline.log10_bits or 0.0,
    )
    if not ranked:
        return "No task has more than 0 bits."
    first, last = ranked[0], ranked[-1]
    return (
        f"Bits of {len(ranked)} tasks on a log axis, from {first.title} (10^{first.headline.exponent}) to "
        f"{last.title} (10^{last.headline.exponent})."
    )
