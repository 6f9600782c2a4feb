"""Accuracies as papers publish them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ibc_report.errors import DataError
from ibc_report.evaluation.spelling import exact, plain

__all__ = ["Score", "published"]

MOST_EXAMPLES = 2**53
"""Whole numbers beyond this are not told apart."""


@dataclass(frozen=True, slots=True)
class Score:
    """A published accuracy.

    Parameters
    ----------
    model : str
        Its name.
    accuracy : float
        Share of correct answers.
    n : int
        Examples.
    """

    model: str
    accuracy: float
    n: int


def published(
    file: str, models: Sequence[Any], accuracies: tuple[str, Sequence[Any]], counts: tuple[str, Sequence[Any]]
) -> list[Score]:
    """Read scores.

    Parameters
    ----------
    file : str
        For errors.
    models : sequence
        Names of models.
    accuracies, counts : tuple of str and sequence
        Names of the two columns and their values.

    Returns
    -------
    list of Score

    Raises
    ------
    DataError
        If a row names no model or one again, or has no share, or no number of examples.

    Examples
    --------
    >>> published("a.csv", ["m"], ("accuracy", ["0.5"]), ("n", ["100"]))
    [Score(model='m', accuracy=0.5, n=100)]
    """
    (accuracy, shares), (count, numbers) = accuracies, counts
    scores: list[Score] = []
    for line, (name, share, n) in enumerate(zip(models, shares, numbers, strict=True), start=1):
        where = f"{file}, row {line}"
        try:
            score = Score(plain(exact(name)), float(share), _whole(n))
        except (TypeError, ValueError):
            raise DataError(f"{where}: '{accuracy}' and '{count}' have to be numbers") from None
        if not score.model:
            raise DataError(f"{where} names no model; write its name in column 'model'")
        if not 0 <= score.accuracy <= 1:
            raise DataError(f"{where}: accuracy {score.accuracy:g} is not a share; write 0.8 for 80 %")
        if not 1 <= score.n <= MOST_EXAMPLES:
            raise DataError(f"{where}: n is {str(n)[:20]}; write the number of examples, a whole one")
        if score.model in [other.model for other in scores]:
            raise DataError(f"{where}: model '{score.model}' is given twice; keep one")
        scores.append(score)
    return scores


def _whole(value: Any) -> int:
    """A number of examples; 0 for a number that is none, such as a fraction."""
    try:
        number = float(value)
    except OverflowError:
        return 0
    return int(number) if number.is_integer() else 0
