"""Whether a prediction is right: compared with a split's labels, or with its values within a tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ibc_report import targets
from ibc_report.errors import DataError, UsageError, choices
from ibc_report.evaluation.layouts import plain
from ibc_report.sources import Rows
from ibc_report.targets import Target
from ibc_report.wording import percent

__all__ = ["Grader", "NotGraded"]

MOST_UNKNOWN = 0.5
"""Share of a model's predictions that may name no class: more of them are of another task, or of other names."""


class NotGraded(UsageError):
    """The split has no target to compare predictions with."""


@dataclass(frozen=True, slots=True)
class Grader:
    """Compares predictions with a split's target.

    Parameters
    ----------
    target : Target or None
        The target; None where there is none to compare with.
    declared : tuple of str
        Names of the classes where the source declares them, in the order of their ids.
    reason : str
        Why there is no target.
    tolerance : float or None
        Of values: a prediction is right where it differs by no more.
    """

    target: Target | None
    declared: tuple[str, ...] = ()
    reason: str = ""
    tolerance: float | None = None

    @classmethod
    def of(
        cls,
        rows: Rows,
        *,
        target: str | None,
        inputs: tuple[str, ...] = (),
        kind: Literal["classes", "values"] | None = None,
        tolerance: float | None = None,
    ) -> Grader:
        """Read the target of a split; one that cannot be read is said when a prediction asks for it.

        Parameters
        ----------
        rows : Rows
            The split.
        target : str or None
            Target column; found where only one makes sense.
        inputs : tuple of str
            Columns that are inputs and so no target.
        kind : {"classes", "values"}, optional
            How to take the target.
        tolerance : float, optional
            Of values.

        Returns
        -------
        Grader

        Raises
        ------
        UsageError
            If the named target does not exist.
        """
        if target is not None:
            rows.column(target)
        try:
            column = targets.choose(rows, target, inputs)
            return cls(targets.read(column, kind=kind), column.class_names or (), tolerance=tolerance)
        except (UsageError, DataError) as error:
            return cls(None, reason=str(error))

    @classmethod
    def none(cls, reason: str) -> Grader:
        """A grader without a target, and why there is none."""
        return cls(None, reason=reason)

    @property
    def class_counts(self) -> dict[str, int]:
        """Rows of each class; empty where the target is none of classes."""
        if self.target is None or self.target.kind != "classes":
            return {}
        codes = self.target.codes[self.target.usable]
        return dict(zip(self.target.names, np.bincount(codes, minlength=len(self.target.names)).tolist(), strict=True))

    def gradable(self, examples: int) -> NDArray[np.bool_] | None:
        """Which examples have a usable target; None where there is no target.

        Parameters
        ----------
        examples : int
            How many there are.

        Returns
        -------
        ndarray of bool, shape (examples,), or None
        """
        return self.target.usable if self.target is not None and len(self.target.usable) == examples else None

    def grade(
        self, predictions: Sequence[str], places: NDArray[np.int64], model: str, file: str
    ) -> tuple[NDArray[np.bool_], int]:
        """Grade predictions.

        Parameters
        ----------
        predictions : sequence of str
            As files hold them.
        places : ndarray of int64
            Positions of their examples.
        model, file : str
            For errors.

        Returns
        -------
        tuple
            Whether each is right, and how many name no class, which are wrong.

        Raises
        ------
        NotGraded
            If there is no target to compare with.
        DataError
            If most predictions name no class, or are no numbers.
        """
        if self.target is None:
            raise NotGraded(f"{file} holds predictions, which cannot be graded: {self.reason}")
        if self.target.kind == "values":
            return self._values(predictions, places, file)
        names = self.target.names
        ids = {str(index): name for index, name in enumerate(self.declared)}
        known = {*names, *self.declared}
        named = [text in known for text in predictions]
        # ids where the source declares names and the file does not use them
        if self.declared and sum(text in ids for text in predictions) > sum(named):
            predictions = [ids.get(text, "") for text in predictions]
            named = [text in known for text in predictions]
        unknown = len(named) - sum(named)
        if unknown > MOST_UNKNOWN * len(named):
            wrong = next(text for text, is_known in zip(predictions, named, strict=True) if not is_known)
            raise DataError(
                f"model '{model}': {percent(unknown / len(named))} of its predictions name no class of column "
                f"'{self.target.column}', as '{wrong[:40]}'; {choices(wrong, sorted(known)[:20])}"
            )
        labels = np.array(names, dtype=object)[self.target.codes[places]]
        return np.array([text == label for text, label in zip(predictions, labels, strict=True)], dtype=bool), unknown

    def _values(
        self, predictions: Sequence[str], places: NDArray[np.int64], file: str
    ) -> tuple[NDArray[np.bool_], int]:
        assert self.target is not None
        if self.tolerance is None:
            raise NotGraded(
                f"{file} holds predictions of '{self.target.column}', which has values: say how far off one may be "
                "with --tolerance, or give a column 'correct'"
            )
        numbers = np.array([_number(text) for text in predictions])
        unknown = int(np.count_nonzero(np.isnan(numbers)))
        if unknown > MOST_UNKNOWN * len(numbers):
            wrong = next(text for text in predictions if not isfinite(_number(text)))
            raise DataError(f"{file}: predictions of '{self.target.column}' have to be numbers, and '{wrong}' is none")
        return np.abs(numbers - self.target.values[places]) <= self.tolerance, unknown


def _number(text: str) -> float:
    try:
        return float(plain(text))
    except ValueError:
        return float("nan")
