"""A comparison of two tasks in words: how sure the order is, at which n, and on which features."""

from __future__ import annotations

from math import isfinite

from ibc_report.common import wording
from ibc_report.report.schema.document import ReportDocument

__all__ = ["CERTAIN", "bits", "features", "moved", "reason", "verdict"]

CERTAIN = 0.8
"""Probability from which on an order is stated; below it two tasks cannot be told apart."""

FEW = 0.01
"""Probabilities are said to be no closer to 0 or 1 than this: the laws that they come from are approximate."""

OF_THE_INPUT = ("size", "mode", "length")
"""Settings of an encoder that say how large an input is."""

MOST_NAMED = 6
"""Columns that a sentence names."""


def verdict(
    names: tuple[str, str],
    log10_bits: tuple[float, float],
    probability: float,
    true_probability: float | None,
) -> str:
    """Say which of two tasks is harder, as surely as it is known.

    Parameters
    ----------
    log10_bits : tuple of float
        Of both; −inf for 0 bits.
    probability : float
        That their order holds, at this scale.
    true_probability : float or None
        The least for the true dimensions that they may have; None where these are not known.

    Examples
    --------
    >>> verdict(("a", "b"), (7.3, 7.5), 0.66, 0.48)
    'a and b cannot be told apart: b has 0.2 decades more, an order that holds with a probability of only 66 %. For \
the true dimensions that they may have, the probability may be as low as 48 %.'
    >>> verdict(("a", "b"), (10.8, 7.3), 0.98, 0.97)
    'a is harder than b by 3.5 decades, with a probability of 98 %. For the true dimensions that they may have, the \
probability is 97 % or more.'
    """
    if log10_bits[0] == log10_bits[1]:
        return f"{names[0]} and {names[1]} are equally hard."
    high = 0 if log10_bits[0] > log10_bits[1] else 1
    harder, easier = names[high], names[1 - high]
    apart = abs(log10_bits[0] - log10_bits[1])
    if probability < CERTAIN:
        by = f"{harder} has {apart:.1f} decades more" if isfinite(apart) else f"{easier} needs 0 bits"
        said = (
            f"{names[0]} and {names[1]} cannot be told apart: {by}, an order that holds with a probability of only "
            f"{_chance(probability)}."
        )
    else:
        by = f"by {apart:.1f} decades" if isfinite(apart) else f"for {easier} needs 0 bits"
        said = f"{harder} is harder than {easier} {by}, with a probability of {_chance(probability)}."
    if true_probability is None:
        return said
    if true_probability > 1 - FEW:
        least = f"is {_chance(true_probability)}"
    elif true_probability < FEW:
        least = f"may even be {_chance(true_probability)}"
    elif true_probability < CERTAIN:
        least = f"may be as low as {_chance(true_probability)}"
    else:
        least = f"is {_chance(true_probability)} or more"
    rests = ", so the order is one at this scale only" if true_probability < CERTAIN <= probability else ""
    return f"{said} For the true dimensions that they may have, the probability {least}{rests}."


def bits(log10_bits: float) -> str:
    """Word bits by their exponent.

    Parameters
    ----------
    log10_bits : float
        −inf for 0 bits.
    """
    return f"10^{wording.exponent(log10_bits)}" if isfinite(log10_bits) else "0"


def reason(what: str, names: tuple[str, str], values: tuple[str, str]) -> str:
    """Say in what two reports differ so that their bits have no common meaning.

    Parameters
    ----------
    what : str
        A plural, as in "encoders".

    Examples
    --------
    >>> reason("encoders", ("a", "b"), ("image", "tabular"))
    'the encoders differ (image for a, tabular for b)'
    """
    how = "mean different things" if what == "target errors" else "differ"
    return f"the {what} {how} ({values[0]} for {names[0]}, {values[1]} for {names[1]})"


def features(reports: tuple[ReportDocument, ReportDocument], names: tuple[str, str]) -> str:
    """Say where the same encoder made different features, of other columns or of inputs of another size.

    Returns
    -------
    str
        A sentence; empty where the features are the same, or the encoders are not.
    """
    data = tuple(report.data for report in reports)
    if data[0] is None or data[1] is None or data[0].encoder.name != data[1].encoder.name:
        return ""
    one, other = data[0].encoder, data[1].encoder
    # a single column of pictures, texts or vectors is its content, whatever it is called
    single = len(one.inputs) == len(other.inputs) == 1 and one.name != "tabular"
    if set(one.inputs) != set(other.inputs) and not single:
        shown = [_columns(each.inputs, rest.inputs) for each, rest in ((one, other), (other, one))]
    else:
        keys = [key for key in OF_THE_INPUT if one.settings.get(key) != other.settings.get(key)]
        if not keys:
            return ""
        shown = [", ".join(f"{key} {each.settings.get(key, 'not set')}" for key in keys) for each in (one, other)]
    return (
        f"These are different features, though one encoder made them: {shown[0]} for {names[0]}, {shown[1]} for "
        f"{names[1]}; the order is that of the tasks on the inputs that each was given."
    )


def moved(
    reports: tuple[ReportDocument, ReportDocument], names: tuple[str, str], log10_bits: tuple[float, float], n: float
) -> str:
    """Say at which n two tasks are compared, and why one has other bits there than on its card.

    Parameters
    ----------
    log10_bits : tuple of float
        At that n and the common target error; −inf for 0 bits.

    Returns
    -------
    str
        A sentence; empty where both have as many points.
    """
    counts = [report.inputs["n"] for report in reports]
    if counts[0] == counts[1]:
        return ""
    large = 0 if counts[0] > counts[1] else 1
    said = f"Both are compared at n = {wording.number(n)}, that of {names[1 - large]}"
    measured = reports[large].headline.log10_bits
    if measured is not None and log10_bits[large] < measured:
        said += (
            f": fewer rows lie further apart, so that the margin of as many rows of {names[large]} is wider, and its "
            f"bits fewer than the {bits(measured)} of its card"
        )
    return f"{said}."


def _columns(own: tuple[str, ...], others: tuple[str, ...]) -> str:
    alone = [name for name in own if name not in others]
    named = ", ".join(alone[:MOST_NAMED]) + (f" and {len(alone) - MOST_NAMED} more" if len(alone) > MOST_NAMED else "")
    count = wording.counted(len(own), "columns")
    return f"{count} ({named}{' among them' if len(alone) < len(own) else ''})" if alone else count


def _chance(probability: float) -> str:
    if probability > 1 - FEW:
        return f"over {wording.percent(1 - FEW)}"
    return f"under {wording.percent(FEW)}" if probability < FEW else wording.percent(round(probability, 2))
