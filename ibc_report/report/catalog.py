"""Where a catalog's reports lie."""

from __future__ import annotations

from pathlib import Path

from ibc_report.common.errors import UsageError
from ibc_report.data.task import load_catalog
from ibc_report.report.schema.document import ReportDocument, load_report

__all__ = ["published_reports", "report_path", "reports_folder", "saved_reports"]


def reports_folder(catalog: Path) -> Path:
    """Say where a catalog's reports lie."""
    return catalog.parent / "reports"


def report_path(catalog: Path, name: str) -> Path:
    """Say where a task's report lies."""
    return reports_folder(catalog) / f"{name}.json"


def saved_reports(folder: Path) -> list[ReportDocument]:
    """Read all reports of a folder.

    Parameters
    ----------
    folder : Path
        With one JSON a task.

    Returns
    -------
    list of Report
        In the order of their file names; empty where there is no folder.

    Raises
    ------
    UsageError, DataError
        If a JSON file is not a report that this version reads.
    """
    return [load_report(path) for path in sorted(folder.glob("*.json"))]


def published_reports(path: Path, folder: Path | None = None) -> tuple[list[ReportDocument], list[str]]:
    """Read all reports that a catalog publishes: those of its tasks, and those that were measured elsewhere.

    Parameters
    ----------
    path : Path
        The catalog.yml.
    folder : Path, optional
        Where the reports of its tasks lie; beside it by default.

    Returns
    -------
    reports : list of Report
        Of its tasks, in the order of their names; then those that were measured elsewhere, in the catalog's order.
    missing : list of str
        Tasks without a report.

    Raises
    ------
    UsageError
        If the catalog is not right, a saved report does not exist, or two reports have one name.
    DataError
        If the catalog has no tasks, or a file is not a report.
    """
    catalog = load_catalog(path)
    names = [task.name for task in catalog.tasks]
    folder = folder or reports_folder(path)
    # other reports of the folder, which an earlier version may have written, are not looked at
    files = [folder / f"{name}.json" for name in sorted(names)]
    measured = [load_report(file) for file in files if file.exists()]
    reports = [*measured, *(load_report(path.parent / saved) for saved in catalog.saved)]
    taken = set(names)
    for report in reports[len(measured) :]:
        if report.name in taken:
            raise UsageError(
                f"{path}: saved report '{report.name}' has the name of another task; give it one of its own"
            )
        taken.add(report.name)
    there = {report.name for report in measured}
    return reports, [name for name in names if name not in there]
