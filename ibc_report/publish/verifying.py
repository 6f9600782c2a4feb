"""Whether a bundle is whole, and its parts belong together."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import TypeVar

from ibc_report import rendering
from ibc_report.errors import DataError, IbcReportError, UsageError
from ibc_report.evaluation.results import Results, load_results
from ibc_report.publish import eval_results
from ibc_report.publish.bundle import CARD, REPORT, RESULTS
from ibc_report.publish.manifest import Manifest, differences, is_plain, load
from ibc_report.publish.submission_page import card_text, digests_of
from ibc_report.report import Report, load_report

__all__ = ["verify"]

T = TypeVar("T")


def verify(folder: Path) -> tuple[str, ...]:
    """Check a bundle.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    tuple of str
        A line for each fault; none where the files are those of the manifest, report and results are what their
        schemas say, and the card in the HTML and the submitted result are theirs.

    Raises
    ------
    UsageError
        If there is no such folder.
    DataError
        If its manifest cannot be read, or names a path that leads out of the folder.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; give that of a bundle")
    try:
        manifest = load(folder)
        faults = list(differences(folder, manifest))
    except OSError as error:
        raise DataError(f"{folder} cannot be read: {error.strerror or error}") from error
    listed = {file.path for file in manifest.files}
    faults += [f"the manifest lists no {name}" for name in (REPORT, RESULTS, CARD) if name not in listed]

    def read(name: str, reader: Callable[[Path], T]) -> T | None:
        path = folder / PurePosixPath(name)
        # what is missing or no plain file is told already, and is not opened
        if name not in listed or not is_plain(folder, name):
            return None
        try:
            return reader(path)
        except (IbcReportError, OSError, UnicodeDecodeError, RecursionError) as error:
            faults.append(f"{name}: {str(error).removeprefix(f'{path} ') or type(error).__name__}")
            return None

    report, results = read(REPORT, load_report), read(RESULTS, load_results)
    page = read(CARD, lambda path: path.read_text(encoding="utf-8"))
    faults += _unlike(manifest, report, results)
    if page is not None:
        faults += _of_page(page, folder, manifest, report)
    for name in sorted(name for name in listed if name.startswith(f"{eval_results.FOLDER}/")):
        submitted = read(name, lambda path: eval_results.entries(path.read_bytes()))
        if submitted is not None and report is not None and results is not None:
            faults += [
                f"{name}: {fault}" for entry in submitted for fault in _of_entry(entry, manifest, report, results)
            ]
    return tuple(faults)


def _unlike(manifest: Manifest, report: Report | None, results: Results | None) -> list[str]:
    faults = []
    for name, document in ((REPORT, report), (RESULTS, results)):
        if document is not None and document.name != manifest.name:
            faults.append(f"{name} is of '{document.name}' and the manifest of '{manifest.name}'")
    if results is not None and manifest.entry not in {model.name for model in results.models}:
        faults.append(f"{RESULTS} has no model '{manifest.entry}', which the manifest names")
    return faults


def _of_page(page: str, folder: Path, manifest: Manifest, report: Report | None) -> list[str]:
    from ibc_report import __version__

    faults = []
    said = digests_of(page)
    for key, name in (("report", REPORT), ("results", RESULTS)):
        if not is_plain(folder, name):
            continue
        if said.get(key) != hashlib.sha256((folder / name).read_bytes()).hexdigest():
            faults.append(f"{CARD} was not made of this {name}")
    # another version may word a card otherwise
    if report is not None and manifest.version == __version__:
        shown, wanted = card_text(page), card_text(rendering.html(report))
        if shown != wanted:
            faults.append(f"{CARD} does not show the card of this report: {_first_difference(shown, wanted)}")
    return faults


def _first_difference(shown: str, wanted: str) -> str:
    at = next(
        (place for place, pair in enumerate(zip(shown, wanted, strict=False)) if pair[0] != pair[1]),
        min(len(shown), len(wanted)),
    )
    start = max(0, at - 20)
    return f"'{shown[start : at + 30]}' instead of '{wanted[start : at + 30]}'"


def _of_entry(entry: object, manifest: Manifest, report: Report, results: Results) -> list[str]:
    model = next((model for model in results.models if model.name == manifest.entry), None)
    faults = []
    value = getattr(entry, "value", None)
    right = (
        model is not None
        and isinstance(value, int | float)
        and any(abs(value - factor * model.accuracy) <= 1e-4 for factor in (1, 100))
    )
    if model is not None and not right:
        faults.append(f"the value {value} is not the accuracy {model.text} of '{model.name}'")
    revision = getattr(entry, "dataset_revision", None)
    if revision is not None and (report.data is None or report.data.revision != revision):
        faults.append(f"the dataset's revision {revision} is not the one that the report was measured at")
    return faults
