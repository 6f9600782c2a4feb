"""How many examples a split has whose data are not read, as its report says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ibc_report.errors import DataError
from ibc_report.evaluation.layouts import Score
from ibc_report.report import Report
from ibc_report.wording import percent

__all__ = ["Extent"]


@dataclass(frozen=True, slots=True)
class Extent:
    """The size of a split.

    Parameters
    ----------
    name : str
        The split, in words.
    usable : int
        Examples that have a label.
    rows : int or None
        Rows, those without a label among them; None where they were not counted.
    """

    name: str
    usable: int
    rows: int | None

    @classmethod
    def of(cls, report: Report, split: str | None) -> Extent | None:
        """Read from a report how many examples a split has.

        Parameters
        ----------
        report : Report
        split : str or None
            The split; None for the one that the report was tested on, or else the one that it is of.

        Returns
        -------
        Extent or None
            None where the report does not say it of that split.
        """
        test, data = report.test, report.data
        if test is not None and test.n and split in (None, test.split):
            # of a sample, and of rows that an encoder fitted anew lost, the report keeps no count but in words
            counted = not any(note.startswith("A sample of") or "left out" in note for note in test.notes)
            rows = test.n + sum(lost.count for lost in test.dropped)
            return cls(f"split '{test.split}'", test.n, rows if counted else None)
        if data is None or (split is None and test is not None) or split not in (None, data.split):
            return None
        name = f"split '{data.split}'" if data.split else data.source
        return cls(name, data.rows_used, data.rows_read if data.sample is None else None)

    def refuse_others(self, scores: Sequence[Score], most: float) -> None:
        """Refuse published accuracies on another number of examples.

        Parameters
        ----------
        scores : sequence of Score
        most : float
            Share of the examples that may be missing.

        Raises
        ------
        DataError
            If a score is of more examples than there are, or of too few.
        """
        for score in scores:
            share = (self.usable - score.n) / self.usable
            if self.rows is not None and score.n > self.rows:
                raise DataError(
                    f"model '{score.model}': the score is of {score.n:,} examples, and {self.name} has {self.rows:,}; "
                    "give a score on that split"
                )
            if share > most:
                raise DataError(
                    f"model '{score.model}': the score is of {score.n:,} of the {self.usable:,} examples of "
                    f"{self.name}; that leaves out {percent(share)}, and {percent(most)} is allowed: give a score on "
                    "all of them, or allow more with --max-unmatched"
                )
