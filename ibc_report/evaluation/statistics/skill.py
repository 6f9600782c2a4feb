"""What a model's score says beyond a trivial predictor's, and the bits of its error."""

from __future__ import annotations

from dataclasses import dataclass

from ibc_report.common.errors import InputError
from ibc_report.complexity import Complexity, model_information
from ibc_report.evaluation.statistics.proportions import LEVEL, Interval, wilson

__all__ = ["ErrorBits", "error_bits", "skill", "skill_interval"]


@dataclass(frozen=True, slots=True)
class ErrorBits:
    """Bits of a task at a model's error, in decimal logarithms.

    Parameters
    ----------
    log10_bits : float or None
        Of the task at that error, as the paper's authors plot it; None without an error, where the formula has no
        value, and at chance or below, where a model has shown no bit of the task.
    log10_bits_over_chance : float or None
        Of dimΘ_q·log2(ε_chance/ε_model), the difference to guessing; −inf where the model does not beat chance,
        None without an error or where the task has no classes.
    least, least_over_chance : float or None
        The same two at the upper end of the error's interval: a lower end of the bits.
    most, most_over_chance : float or None
        The same two at the lower end of the error's interval; None where that is 0, or at chance.
    """

    error: float
    log10_bits: float | None
    log10_bits_over_chance: float | None
    least: float | None
    least_over_chance: float | None
    most: float | None
    most_over_chance: float | None


def skill(accuracy: float, baseline: float) -> float:
    """Share of what a trivial predictor leaves that a model gains: (accuracy − baseline) / (1 − baseline).

    Parameters
    ----------
    baseline : float
        Accuracy of the trivial predictor, below 1.

    Returns
    -------
    float
        1 is perfect, 0 is the baseline; below 0 the trivial predictor is better.

    Raises
    ------
    InputError
        If a number is not within 0 and 1, or the baseline is 1.

    Examples
    --------
    >>> round(skill(0.961, 0.97), 3)
    -0.3
    """
    if not (0 <= accuracy <= 1 and 0 <= baseline <= 1):
        raise InputError(f"accuracy {accuracy} and baseline {baseline} have to be within 0 and 1")
    if baseline == 1:
        raise InputError("the baseline is always right, so nothing is left to gain: skill is undefined")
    return (accuracy - baseline) / (1 - baseline)


def skill_interval(accuracy: Interval, baseline: float) -> Interval:
    """Carry an accuracy's interval over to skill; the baseline is taken as known.

    Parameters
    ----------
    accuracy : Interval
        Of the model's accuracy, within 0 and 1.
    baseline : float
        Accuracy of the trivial predictor, below 1.

    Raises
    ------
    InputError
        As for `skill`.

    Examples
    --------
    >>> skill_interval(Interval(0.8, 0.9), 0.5)
    Interval(lower=0.6000000000000001, upper=0.8)
    """
    return Interval(skill(accuracy.lower, baseline), skill(accuracy.upper, baseline))


def error_bits(task: Complexity, correct: float, n: float, level: float = LEVEL) -> ErrorBits:
    """Bits of a task at the error of a model, with those at the ends of the error's Wilson interval.

    Parameters
    ----------
    level : float
        Of the interval. The doubt of the task's own bits is not in it.

    Raises
    ------
    InputError
        If `correct` is not within 0 and n.

    Examples
    --------
    >>> from ibc_report.complexity import classification
    >>> task = classification(n=1000, radius=5, dimension=4, classes=3, margin=1, target_error=0.01)
    >>> found = error_bits(task, 100, 100)
    >>> found.log10_bits is None, found.least < task.log10_bits
    (True, True)
    """
    ends = wilson(n - correct, n, level)
    error = (n - correct) / n
    at, least, most = (_at(task, value) for value in (error, ends.upper, ends.lower))
    return ErrorBits(error, *at, *least, *most)


def _at(task: Complexity, error: float) -> tuple[float | None, float | None]:
    if error <= 0:
        return None, None
    if task.chance_error is None:
        return None, None
    found = model_information(task, error)
    return found.log10_bits if error < task.chance_error else None, found.log10_bits_over_chance
