"""Whether results are of the task that a report is of: the same data, the same split, as many examples."""

from __future__ import annotations

from math import inf
from pathlib import PurePath

from ibc_report.common.hub import name_of
from ibc_report.report.schema.document import DataRecord, ReportDocument
from ibc_report.report.schema.results import Results
from ibc_report.report.schema.split_audit import EvaluationRecord

__all__ = ["SLACK", "disagreement"]

SLACK = 0.01
"""Share by which the number of examples, and the majority class of a copy, may differ."""

_AGAIN = "make the results with this report, as in ibc-report results REPORT PREDICTIONS"


def disagreement(
    report: ReportDocument, results: Results, *, n: int | None = None, copy_of: str | None = None
) -> str | None:
    """Say why results are not of the task of a report.

    Parameters
    ----------
    n : int, optional
        Examples that the model in question answers; those of the whole test set by default.
    copy_of : str, optional
        Dataset on the Hub that the report's data are said to be a copy of, so that the results may be of it.

    Returns
    -------
    str or None
        One line; None where they belong together. What one of them does not say is not compared: a task that is
        declared by its numbers has no data, and published scores have no split.
    """
    if report.name != results.name:
        return f"the report is of '{report.name}' and the results are of '{results.name}'; give two of one task"
    data, found = report.data, results.test
    if data is None:
        return None
    test = report.test
    file = test is not None and _same(test.split, found.name) and not _same(data.source, found.name)
    own = file or _same(data.source, found.name) or _pinned_alike(data, results)
    if not own and not (copy_of is not None and _same(copy_of, found.name)):
        return f"the report is of the data '{data.source}' and the results are of '{found.name}'; {_AGAIN}"
    if own and not file and found.revision not in (None, data.revision):
        return f"the report is of {data.source} at {data.revision} and the results are of {found.revision}; {_AGAIN}"
    if not file and test is not None and _elsewhere(found.split, test.split, data.split):
        return (
            f"the report's test split is '{test.split}' and the results are on '{found.split}'; give results on "
            f"'{test.split}'"
        )
    return _numbers(report, data, results, found.examples if n is None else n) or (
        None if own else _classes(report, data, results)
    )


def _same(one: str, other: str) -> bool:
    """Whether two names are of one source: an address of the Hub is its OWNER/NAME, and ./a is a."""
    first, second = name_of(one), name_of(other)
    return (first or str(PurePath(one))) == (second or str(PurePath(other)))


def _elsewhere(split: str | None, test: str, train: str | None) -> bool:
    """Whether a split is not the one that is tested on; a file of its own is called otherwise by predictions."""
    if split is None or split == test:
        return False
    return not PurePath(test).suffix or split in (train, "train")


def _pinned_alike(data: DataRecord, results: Results) -> bool:
    """Files of the same content are the same, wherever they lie."""
    return data.revision.startswith("sha256:") and data.revision == results.test.revision


def _numbers(report: ReportDocument, data: DataRecord, results: Results, n: int) -> str | None:
    bounds = _bounds(report.test, data, results)
    if bounds is None:
        return None
    least, most = bounds
    # one example more or less is within a percent of few
    if least * (1 - SLACK) - 1 < n < most * (1 + SLACK) + 1:
        return None
    where = f"split '{report.test.split}'" if report.test is not None else "data"
    return f"the report's {where} has {least:,} examples and the results are on {n:,}; {_AGAIN}"


def _bounds(test: EvaluationRecord | None, data: DataRecord, results: Results) -> tuple[int, float] | None:
    """Fewest and most examples: rows that the report left out may have an answer."""
    if test is None:
        if results.test.split != data.split or data.sample is not None:
            return None
        return data.rows_used, data.rows_read
    if test.n == 0:
        return None
    # of a sample the report does not know how many rows there are
    return test.n, inf if data.sample is not None else test.n + sum(lost.count for lost in test.dropped)


def _classes(report: ReportDocument, data: DataRecord, results: Results) -> str | None:
    """Of a copy: whether both have classes, and the majority is as frequent."""
    share = results.test.majority
    if share is None:
        return None
    if not data.classes:
        return f"the report is of a target of values and the results are of classes; {_AGAIN}"
    if report.test is not None:
        wanted = next((one.accuracy for one in report.test.baselines if one.key == "majority"), None)
    elif results.test.split == data.split:
        counts = [count for _, count in data.classes]
        wanted = max(counts) / sum(counts)
    else:
        wanted = None
    if wanted is None or abs(wanted - share) <= SLACK:
        return None
    return (
        f"the majority class has {100 * wanted:.1f} % of the report's test examples and {100 * share:.1f} % of the "
        f"results'; {_AGAIN}"
    )
