"""A report without its rows: for data that are confidential, or not ours to show."""

from __future__ import annotations

from ibc_report.report.schema.document import ExampleRecord, Pair, ReportDocument

__all__ = ["NOT_SHOWN", "shows_rows", "without_examples"]

NOT_SHOWN = "not shown"
"""Stands for the class or target of a row."""


def without_examples(report: ReportDocument) -> ReportDocument:
    """Leave pictures, texts and values of rows out of a report.

    What is left of a row is its number. Names of columns and of classes, and all counts, stay.

    Parameters
    ----------
    report : ReportDocument
        Any; one without rows comes back as it is.

    Returns
    -------
    ReportDocument
        With the same numbers.
    """
    data, test, pair = report.data, report.test, report.pair
    if data is not None:
        hidden = tuple((row, NOT_SHOWN) for row, _ in data.conflicting_examples)
        data = data.model_copy(update={"conflicting_examples": hidden})
    if test is not None and test.leakage is not None:
        nothing = {"excerpt": None, "test_label": NOT_SHOWN, "train_label": NOT_SHOWN}
        pairs = tuple(leak.model_copy(update=nothing) for leak in test.leakage.pairs)
        test = test.model_copy(update={"leakage": test.leakage.model_copy(update={"pairs": pairs})})
    if pair is not None:
        pair = Pair(
            distance=pair.distance,
            ties=pair.ties,
            first=ExampleRecord(row=pair.first.row, label=NOT_SHOWN),
            second=ExampleRecord(row=pair.second.row, label=NOT_SHOWN),
        )
    return report.model_copy(update={"data": data, "test": test, "pair": pair})


def shows_rows(report: ReportDocument) -> bool:
    """Whether a report shows more of a row than its number.

    Examples
    --------
    >>> import ibc_report
    >>> report = ibc_report.measure("builtin:iris", examples=False)
    >>> shows_rows(report), shows_rows(ibc_report.measure("builtin:iris"))
    (False, True)
    """
    return report != without_examples(report)
