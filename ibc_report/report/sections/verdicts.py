"""A value and a threshold make a verdict: whether an assumption holds on these data.

The thresholds stand between two sets of synthetic tasks of known truth, which `benchmarks/calibration.py` draws: those
that satisfy an assumption by construction, where at most one verdict in twenty may be other than "holds", and those in
which a violation was planted, where at most one in twenty may be "holds". The second threshold, from doubtful to
violated, is where the violation decides the value rather than moves it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ibc_report.common import wording
from ibc_report.complexity import Complexity
from ibc_report.report.schema.sections import Verdict

__all__ = ["NOT_TESTABLE", "THRESHOLDS", "Judgement", "Threshold", "judge", "judge_degree", "judge_target"]


@dataclass(frozen=True, slots=True)
class Threshold:
    """Where the verdicts on one assumption change.

    Parameters
    ----------
    measures : str
        What the value is.
    holds : float
        Largest value at which the assumption holds.
    violated : float
        Value from which it is violated; doubtful between the two.
    """

    measures: str
    holds: float
    violated: float

    @property
    def text(self) -> str:
        """The threshold as it is printed."""
        upper = "" if self.holds == self.violated else f", violated from {wording.number(self.violated)}"
        return f"{self.measures}: holds up to {wording.number(self.holds)}{upper}"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and what made it.

    Parameters
    ----------
    verdict : str
        One of `Verdict`.
    threshold : str or None
        The threshold in words; None where nothing can be tested.
    """

    verdict: Verdict
    threshold: str | None


NOT_TESTABLE = Judgement("not testable", None)
"""Of what these data, or no data, tell."""

THRESHOLDS = {
    "A1": Threshold("standard deviation of the norms over their mean", 0.05, 0.3),
    "A2": Threshold("distance of the mean point from the origin over the mean norm", 0.1, 0.5),
    "A3": Threshold("largest norm over the 99.9 % quantile of the others", 1.5, 3),
    "A4": Threshold("standard deviation of the log density", 0.4, 1),
    "A5": Threshold("standard deviation of 1/m between places or classes over its mean", 0.17, 0.35),
    "A6": Threshold("size of the slope of ln m on ln k", 0.1, 0.2),
    "A7": Threshold("share of points whose nearest neighbour has another label", 0.01, 0.1),
    "A8": Threshold("share of rows that their ten nearest, or equal rows, contradict", 0, 0.005),
    "A9": Threshold("power of n by which the bits grow as the margin falls", 0.5, 1),
    "A10": Threshold("share of rows that repeat another one, or nearly do", 0.01, 0.1),
    "A16": Threshold("decades that another feature map moves the bits", 1, 3),
}
"""By assumption, of those whose verdict grows with one value."""


def judge(id: str, value: float | None) -> Judgement:
    """Judge an assumption by its value.

    Parameters
    ----------
    id : str
        A key of `THRESHOLDS`.
    value : float or None
        What its threshold measures; None where these data do not tell it.

    Returns
    -------
    Judgement

    Examples
    --------
    >>> judge("A2", 0.64).verdict, judge("A2", None).verdict
    ('violated', 'not testable')
    >>> judge("A2", 0.64).threshold
    'distance of the mean point from the origin over the mean norm: holds up to 0.1, violated from 0.5'
    """
    if value is None:
        return NOT_TESTABLE
    threshold = THRESHOLDS[id]
    if value <= threshold.holds:
        return Judgement("holds", threshold.text)
    return Judgement("doubtful" if value < threshold.violated else "violated", threshold.text)


def judge_degree(degree: float) -> Judgement:
    """Judge whether anything but constants is left at the band limit (A11).

    Parameters
    ----------
    degree : float
        K.

    Returns
    -------
    Judgement
        It says nothing of frequencies above the band limit, which no data show.

    Examples
    --------
    >>> judge_degree(38.97).verdict, judge_degree(0.5).verdict
    ('holds', 'violated')
    """
    text = "degree K: violated below 1, where only constants are left; frequencies above it cannot be tested"
    return Judgement("holds" if degree >= 1 else "violated", text)


def judge_target(target: float, task: Complexity, nearest: float | None) -> Judgement:
    """Judge whether the target error lies between the noise of the labels and chance (A14).

    Parameters
    ----------
    target : float
        ε.
    task : Complexity
        Its flags say whether guessing would do.
    nearest : float or None
        Error of the nearest neighbour on these data; None where there is none.

    Returns
    -------
    Judgement
        Not testable where neither chance nor that error is known.

    Examples
    --------
    >>> from ibc_report.complexity import classification
    >>> task = classification(n=1000, radius=5, dimension=4, classes=3, margin=1, target_error=0.01)
    >>> judge_target(0.01, task, 0.03).verdict, judge_target(0.01, task, 0.0).verdict
    ('doubtful', 'holds')
    """
    bounds = "chance" if task.chance_error is not None else "the bound of the outputs"
    if any(flag.code == "target_above_chance" for flag in task.flags):
        return Judgement("violated", f"target error: violated from {bounds}")
    if task.chance_error is None and "output_bound" not in task.inputs:
        return NOT_TESTABLE
    if nearest is None:
        return Judgement("holds", f"target error: holds below {bounds}")
    text = f"target error: holds between the error of the nearest neighbour and {bounds}"
    return Judgement("holds" if target >= nearest else "doubtful", text)
