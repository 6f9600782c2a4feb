"""Whether a prediction is right: compared with a split's labels, or with its values within a tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isnan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.errors import DataError, UsageError, suggested
from ibc_report.data import targets
from ibc_report.data.class_names import class_name
from ibc_report.data.sources import Rows
from ibc_report.data.targets import Target
from ibc_report.evaluation.scoring.spelling import BLANKS, ClassNames

__all__ = ["Grader", "NotGraded"]


class NotGraded(UsageError):
    """The split has no target to compare predictions with."""


@dataclass(frozen=True, slots=True)
class Grader:
    """Compares predictions with a split's target.

    Parameters
    ----------
    target : Target or None
        None where there is none to compare with, for the `reason`.
    declared : tuple of str
        Names of the classes where the source declares them, in the order of their ids.
    tolerance : float or None
        Of values: a prediction is right where it differs by no more.
    elsewhere : tuple of str
        Names of classes that other splits have: a prediction of one is wrong here, and a class all the same.
    """

    target: Target | None
    declared: tuple[str, ...] = ()
    reason: str = ""
    tolerance: float | None = None
    elsewhere: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        rows: Rows,
        *,
        target: str | None,
        inputs: tuple[str, ...] = (),
        kind: Literal["classes", "values"] | None = None,
        tolerance: float | None = None,
        elsewhere: tuple[str, ...] = (),
    ) -> Grader:
        """Read the target of a split; one that cannot be read is said when a prediction asks for it.

        Parameters
        ----------
        target : str or None
            Target column; None finds it where only one makes sense.
        inputs : tuple of str
            Columns that are inputs and so no target.
        elsewhere : tuple of str
            Names of classes that other splits have.

        Raises
        ------
        UsageError
            If the named target does not exist, or the tolerance is no distance.
        """
        if tolerance is not None and not 0 <= tolerance < inf:
            raise UsageError(f"--tolerance {tolerance:g} is no distance; take a number from 0 on")
        if target is not None:
            rows.column(target)
        try:
            column = targets.choose(rows, target, inputs).column
            return cls(
                targets.read(column, kind=kind),
                tuple(map(class_name, column.class_names or ())),
                tolerance=tolerance,
                elsewhere=tuple(map(class_name, elsewhere)),
            )
        except (UsageError, DataError) as error:
            return cls(None, reason=str(error))

    @classmethod
    def none(cls, reason: str) -> Grader:
        """A grader without a target, and why there is none."""
        return cls(None, reason=reason)

    @property
    def order(self) -> tuple[str, ...]:
        """All classes in their order: as the source declares them, else sorted; empty where the target is no classes.

        A split need not have every class, so those of other splits count.
        """
        if self.target is None or self.target.kind != "classes":
            return ()
        if self.declared:
            return self.declared
        known = {*self.target.names, *self.elsewhere}
        if known <= set(self.target.names):
            return self.target.names
        numbers = {name: _number(name) for name in known}
        if any(isnan(number) for number in numbers.values()):
            return tuple(sorted(known))
        return tuple(sorted(known, key=lambda name: numbers[name]))

    @property
    def class_counts(self) -> dict[str, int]:
        """Rows of each class; empty where the target is none of classes."""
        if self.target is None or self.target.kind != "classes":
            return {}
        codes = self.target.codes[self.target.usable]
        return dict(zip(self.target.names, np.bincount(codes, minlength=len(self.target.names)).tolist(), strict=True))

    def gradable(self, examples: int) -> NDArray[np.bool_] | None:
        """Which examples have a usable target; None where there is no target.

        Returns
        -------
        ndarray of bool, shape (examples,), or None
        """
        return self.target.usable if self.target is not None and len(self.target.usable) == examples else None

    def grade(
        self, predictions: Sequence[str], places: NDArray[np.int64], file: str
    ) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
        """Grade predictions.

        Parameters
        ----------
        predictions : sequence of str
            As files hold them: each is the class of that very name, else the only one that means the same.
        places : ndarray of int64
            Positions of their examples.

        Returns
        -------
        tuple
            Whether each is right, and those that name no class or are no numbers, which are wrong.

        Raises
        ------
        NotGraded
            If there is no target to compare with.
        """
        if self.target is None:
            raise NotGraded(f"{file} holds predictions, which cannot be graded: {self.reason}")
        if self.target.kind == "values":
            return self._values(predictions, places, file)
        known = self._known
        names = ClassNames.of(known)
        places_of = [names.find(text) for text in predictions]
        meant = [known[place] if place >= 0 else None for place in places_of]
        # ids where the source declares names and the file does not use them
        ids = ClassNames.of(str(number) for number in range(len(self.declared)))
        by_id = [ids.find(text) for text in predictions] if self.declared else []
        if sum(place >= 0 for place in by_id) > sum(place >= 0 for place in places_of):
            meant = [self.declared[place] if place >= 0 else None for place in by_id]
        unknown = tuple(text for text, name in zip(predictions, meant, strict=True) if name is None)
        labels = np.array(self.target.names, dtype=object)[self.target.codes[places]]
        return np.array([name == label for name, label in zip(meant, labels, strict=True)], dtype=bool), unknown

    def silent(self, predictions: Sequence[str]) -> NDArray[np.bool_]:
        """Which predictions are a word for nothing, and no name of a class.

        Returns
        -------
        ndarray of bool, shape (predictions,)
        """
        names = ClassNames.of(() if self.target is None else self._known)
        return np.array([text.strip().lower() in BLANKS and names.find(text) < 0 for text in predictions], dtype=bool)

    def unnamed(self, wrong: str) -> str:
        """Say of what a prediction is none, and what was meant.

        Returns
        -------
        str
            A clause without a verb.
        """
        assert self.target is not None
        if self.target.kind == "values":
            return f"that are no numbers, such as '{wrong[:40]}'"
        return f"of no class of column '{self.target.column}', such as '{wrong[:40]}' ({suggested(wrong, self._known)})"

    @property
    def _known(self) -> tuple[str, ...]:
        assert self.target is not None
        return tuple(dict.fromkeys((*self.target.names, *self.declared, *self.elsewhere)))

    def _values(
        self, predictions: Sequence[str], places: NDArray[np.int64], file: str
    ) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
        assert self.target is not None
        if self.tolerance is None:
            raise NotGraded(
                f"{file} holds predictions of '{self.target.column}', which has values: say how far off one may be "
                "with --tolerance, or give a column 'correct'"
            )
        numbers = np.array([_number(text) for text in predictions])
        unknown = tuple(text for text, number in zip(predictions, numbers, strict=True) if isnan(number))
        return np.abs(numbers - self.target.values[places]) <= self.tolerance, unknown


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
