"""Accuracies as papers publish them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ibc_report.common.errors import DataError, UsageError
from ibc_report.evaluation.scoring.spelling import exact, plain

__all__ = ["AnswerTable", "Answers", "Score", "no_answers", "published"]

MOST_EXAMPLES = 2**53
"""Whole numbers beyond this are not told apart."""


@dataclass(frozen=True, slots=True)
class Score:
    """A published accuracy."""

    model: str
    accuracy: float
    n: int


def published(
    file: str, models: Sequence[Any], accuracies: tuple[str, Sequence[Any]], counts: tuple[str, Sequence[Any]]
) -> list[Score]:
    """Read scores.

    Parameters
    ----------
    accuracies, counts : tuple of str and sequence
        Names of the two columns and their values.

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
        except (TypeError, ValueError, OverflowError):
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


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """A file as columns.

    Parameters
    ----------
    name : str
        The file, for errors.
    model : str
        What a model without a name is called.
    columns : dict of str to list
        Values; None where there are none. All columns have one length.
    unreadable : frozenset of int
        Lines that could not be read; all of their values are None.
    headless : bool
        Whether its one column has no header that says what it is, so that the first line may be one.
    kept : tuple of int, optional
        Lines that count, from 0; all of them by default.
    """

    name: str
    model: str
    columns: dict[str, list[Any]]
    unreadable: frozenset[int] = frozenset()
    headless: bool = False
    kept: tuple[int, ...] | None = None

    @property
    def lines(self) -> Sequence[int]:
        """Lines that count."""
        return range(self.count) if self.kept is None else self.kept

    @property
    def count(self) -> int:
        """Lines, the unreadable ones among them."""
        return len(next(iter(self.columns.values()), ()))


@dataclass(frozen=True, slots=True)
class Answers:
    """What one file says of one model.

    Parameters
    ----------
    values : tuple
        For "correct" True and False, for "prediction" strings as they stand, for "scores" a dict of a number for each
        name; None where a line says nothing.
    lines : tuple of int
        Lines of the file that they are on, from 0.
    key : str or None
        The column among them that says which example it is.
    split : str or None
        The column that says of which split it is.
    keys : tuple of str
        All columns that may say which example it is, `key` first; only that one where the user named it.
    column : str
        The column that they are of.
    called : str
        What the file calls a model without a name.
    headless : bool
        Whether the first line may be a header.
    score_columns : tuple of str
        Of scores in a column for each class: columns of numbers, which may be others too. Values are then None.
    notes : tuple of str
        What was chosen in reading them, a sentence each.
    is_unnamed : bool
        Whether the column's name does not say that it holds answers, so that it has to be the target's.
    again : str
        What tells apart the rows that give an example again; empty for nothing.
    """

    model: str
    file: str
    kind: Literal["correct", "prediction", "scores"]
    values: tuple[Any, ...]
    lines: tuple[int, ...]
    columns: Mapping[str, list[Any]]
    key: str | None
    split: str | None
    keys: tuple[str, ...] = ()
    named: bool = False
    column: str = ""
    called: str = ""
    headless: bool = False
    score_columns: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_unnamed: bool = False
    again: str = ""


def no_answers(file: str, columns: Iterable[str], nor: str = "") -> UsageError:
    """Say that no column of a file holds answers, and how one would be found.

    Parameters
    ----------
    nor : str
        What else it has not, a clause.
    """
    return UsageError(
        f"{file} has no column of answers (columns: {', '.join(columns)}){nor}; call one 'correct' or "
        "'prediction', or one for each model 'MODEL_correct', or name the models' columns with --column"
    )
