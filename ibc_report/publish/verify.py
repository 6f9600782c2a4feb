"""Whether a bundle is whole, and its files are those that its report, results and manifest make.

Where the same versions wrote them their bytes are compared. Where other packages did, the page is compared tag by tag
outside of its figures. Where another version of this one did, what does not hang on its words is: that the page runs
nothing, and that page, pull request and annotation say the model's accuracy.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import Generic, TypeVar

from ibc_report.common.errors import DataError, IbcReportError, UsageError
from ibc_report.common.escaping import escape, printable
from ibc_report.common.hub import name_of
from ibc_report.common.version import __version__
from ibc_report.publish import bundle, eval_results
from ibc_report.publish.bundle import CARD, CROISSANT, PULL_REQUEST, REPORT, RESULTS
from ibc_report.publish.manifest import MANIFEST, Manifest, differences, is_plain, load
from ibc_report.publish.submission import Submission, submission
from ibc_report.publish.submission_page import active, card_text, content, digests_of, text_of
from ibc_report.rendering import cards
from ibc_report.report.schema.document import ReportDocument, load_report
from ibc_report.report.schema.results import Results, load_results

__all__ = ["alike", "different", "first_difference", "same_makers", "verify"]

T = TypeVar("T")


def verify(folder: Path) -> tuple[str, ...]:
    """Check a bundle.

    Returns
    -------
    tuple of str
        A line for each fault; none where the files are those of the manifest, report and results are what their
        schemas say and are of one task, and every other file is what these and the manifest make. Of a bundle that
        other versions wrote, what does not hang on them is compared (see `same_makers`).

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
    files = _Files(folder, frozenset(file.path for file in manifest.files))
    faults += [f"the manifest lists no {name}" for name in (REPORT, RESULTS, CARD) if name not in files.listed]
    report, results = files.read(REPORT, load_report), files.read(RESULTS, load_results)
    page = files.read(CARD, lambda path: path.read_text(encoding="utf-8"))
    faults += [*report.faults, *results.faults, *page.faults]
    faults += _unlike(manifest, report.content, results.content)
    if page.content is not None:
        faults += _of_page(page.content, folder, manifest, report.content)
    faults += _of_submitted(files, manifest, report.content, results.content)
    if report.content is not None and results.content is not None:
        told = {name for name in files.listed for fault in faults if fault.startswith((f"{name} ", f"{name}: "))}
        faults += _of_making(files, told, manifest, report.content, results.content)
    return tuple(faults)


@dataclass(frozen=True, slots=True)
class _ReadBundle(Generic[T]):
    """What a file holds; None with a fault where it could not be read, and without one where it is told already."""

    content: T | None
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Files:
    """A bundle's folder, and the files that its manifest lists: no others are opened but the manifest."""

    folder: Path
    listed: frozenset[str]

    def read(self, name: str, reader: Callable[[Path], T]) -> _ReadBundle[T]:
        path = self.folder / PurePosixPath(name)
        # what is missing or no plain file is told already, and is not opened
        if name not in {*self.listed, MANIFEST} or not is_plain(self.folder, name):
            return _ReadBundle(None)
        try:
            return _ReadBundle(reader(path))
        except (IbcReportError, OSError, UnicodeDecodeError, RecursionError) as error:
            return _ReadBundle(None, (f"{name}: {str(error).removeprefix(f'{path} ') or type(error).__name__}",))


def _of_submitted(
    files: _Files, manifest: Manifest, report: ReportDocument | None, results: Results | None
) -> Iterator[str]:
    """Faults of the files that the Hub reads results from."""
    for name in sorted(name for name in files.listed if name.startswith(f"{eval_results.FOLDER}/")):
        submitted = files.read(name, lambda path: eval_results.entries(path.read_bytes()))
        yield from submitted.faults
        if report is not None and results is not None:
            for entry in submitted.content or ():
                yield from (f"{name}: {fault}" for fault in _of_entry(entry, manifest, report, results))


def same_makers(manifest: Manifest) -> bool:
    """Say whether a bundle was made with the versions that are here, so that its bytes can be made again."""
    return manifest.version == __version__ and manifest.made_with == bundle.writers()


def _of_making(
    files: _Files, told: set[str], manifest: Manifest, report: ReportDocument, results: Results
) -> Iterator[str]:
    """Faults of files that cannot be read as they are, or that report, results and manifest do not make."""
    held = {name: files.read(name, Path.read_bytes) for name in (*sorted(files.listed), MANIFEST)}
    for file in held.values():
        yield from file.faults
    found = {name: file.content for name, file in held.items() if file.content is not None}
    yield from _unmade(found, told, manifest, report, results)


def _unmade(
    found: dict[str, bytes], told: set[str], manifest: Manifest, report: ReportDocument, results: Results
) -> list[str]:
    """Faults of files that report, results and manifest do not make; those that are told already are left out."""
    try:
        made = submission(
            report,
            results,
            manifest.model,
            name=manifest.entry,
            dataset=manifest.dataset,
            task=manifest.task,
            share=manifest.share,
        )
        wanted = bundle.files(made, card=manifest.card, hub=manifest.hub) if manifest.version == __version__ else None
    except UsageError as error:
        # two names are told already
        return [] if report.name != results.name or told & {REPORT, RESULTS} else [str(error)]
    except (IbcReportError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        return [f"no files can be made of this {REPORT} and {RESULTS}: {error}"]
    if wanted is not None and same_makers(manifest):
        return [fault for path, fault in different(found, wanted) if path not in told]
    return [fault for fault in alike(found, made, wanted) if fault.split(" ")[0] not in told]


def _unlike(manifest: Manifest, report: ReportDocument | None, results: Results | None) -> list[str]:
    faults = []
    for name, document in ((REPORT, report), (RESULTS, results)):
        if document is not None and document.name != manifest.name:
            faults.append(f"{name} is of '{document.name}' and the manifest of '{manifest.name}'")
    if results is not None and manifest.entry not in {model.name for model in results.models}:
        faults.append(f"{RESULTS} has no model '{manifest.entry}', which the manifest names")
    for model in results.models if results is not None else ():
        if not 0 <= model.correct <= model.n or abs(model.accuracy * model.n - model.correct) > 1e-6 * model.n:
            faults.append(
                f"{RESULTS}: '{model.name}' has {model.correct:g} of {model.n:,} right, not a share of "
                f"{model.accuracy:.4g}"
            )
    return faults


def _of_page(page: str, folder: Path, manifest: Manifest, report: ReportDocument | None) -> list[str]:
    faults = []
    said = digests_of(page)
    for key, name in (("report", REPORT), ("results", RESULTS)):
        if not is_plain(folder, name):
            continue
        if said.get(key) != hashlib.sha256((folder / name).read_bytes()).hexdigest():
            faults.append(f"{CARD} was not made of this {name}")
    # another version may word a card otherwise
    if report is not None and manifest.version == __version__:
        shown, wanted = card_text(page), card_text(cards.html(report))
        if shown != wanted:
            faults.append(f"{CARD} does not show the card of this report: {first_difference(shown, wanted)}")
    return faults


def _of_entry(entry: object, manifest: Manifest, report: ReportDocument, results: Results) -> list[str]:
    model = next((model for model in results.models if model.name == manifest.entry), None)
    faults = []
    dataset = manifest.dataset or (name_of(report.data.source) if report.data is not None else None)
    said = getattr(entry, "dataset_id", None)
    if dataset is not None and said != dataset:
        faults.append(f"the dataset {said} is not {dataset}")
    task = getattr(entry, "task_id", None)
    if manifest.made_with and task != manifest.task:
        faults.append(f"the task {task} is not {manifest.task}")
    value = getattr(entry, "value", None)
    if model is not None and not _states(value, model.accuracy):
        faults.append(f"the value {value} is not the accuracy {model.text} of '{model.name}'")
    revision = getattr(entry, "dataset_revision", None)
    if revision is not None and (report.data is None or report.data.revision != revision):
        faults.append(f"the dataset's revision {revision} is not the one that the report was measured at")
    return faults


def _states(value: object, accuracy: float) -> bool:
    """Whether a value is an accuracy, as a share or in per cent."""
    return isinstance(value, int | float) and any(abs(value - factor * accuracy) <= 1e-4 for factor in (1, 100))


PLAIN = ("card.md", "citation.bib", CROISSANT, PULL_REQUEST)
"""Files that hang on no other package's way to write."""


def different(found: Mapping[str, bytes], wanted: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """Compare a bundle with what makes it, byte by byte.

    Parameters
    ----------
    found, wanted : mapping of str to bytes
        Path to content. Of the manifest, which lists the others, only a difference of its own is told.

    Yields
    ------
    tuple of str
        The path, and what is wrong.
    """
    differ = {path for path in {*found, *wanted} - {MANIFEST} if found.get(path) != wanted.get(path)}
    for path in sorted(differ or {MANIFEST} & {*found, *wanted}):
        if path not in wanted:
            yield path, f"{path} is no file of such a bundle"
        elif path not in found:
            yield path, f"{path} belongs to the bundle and is not there"
        elif found[path] != wanted[path]:
            shown = first_difference(*(side.decode("utf-8", "replace") for side in (found[path], wanted[path])))
            yield path, f"{path} is not what the report, the results and {MANIFEST} make: {shown}"


def alike(found: Mapping[str, bytes], made: Submission, wanted: Mapping[str, bytes] | None) -> Iterator[str]:
    """Compare what does not hang on the versions that a bundle was written with.

    Parameters
    ----------
    found : mapping of str to bytes
        Path to content.
    wanted : mapping of str to bytes or None
        What this version makes of it, where the same version of this package made the bundle.
    """
    if CARD in found:
        page = found[CARD].decode("utf-8", "replace")
        yield from _of_shown(page, made, None if wanted is None else wanted[CARD].decode())
    if wanted is not None:
        plain = [name for name in PLAIN if name in found]
        yield from (
            fault for _, fault in different(*({name: side[name] for name in plain} for side in (found, wanted)))
        )
        return
    entry = made.entry
    if PULL_REQUEST in found:
        said = found[PULL_REQUEST].decode("utf-8", "replace")
        texts = [f"**Accuracy {escape(entry.text)}**", str(escape(entry.wilson.text)), f"/{made.repository}/"]
        yield from _lacking(PULL_REQUEST, said, texts)
    if CROISSANT in found and not _annotates(found, made):
        yield f"{CROISSANT} is not of this report and the accuracy {entry.text}"


def _of_shown(page: str, made: Submission, wanted: str | None) -> Iterator[str]:
    """Faults of the page outside of its figures, which hang on other packages."""
    runs = active(page)
    if runs is not None:
        yield f"{CARD} holds {runs}, which no card does"
    elif wanted is None:
        yield from _lacking(CARD, text_of(page), [made.repository, made.entry.text, made.entry.wilson.text])
    elif (shown := content(page)) != (right := content(wanted)):
        first = next(pair for pair in zip_longest(shown, right, fillvalue="") if pair[0] != pair[1])
        yield f"{CARD} is not the page of this submission: {first_difference(*first)}"


def _lacking(name: str, said: str, wanted: list[str]) -> Iterator[str]:
    for text in wanted:
        if printable(text) not in said:
            yield f"{name} does not say '{text}'"


def _annotates(found: Mapping[str, bytes], made: Submission) -> bool:
    try:
        said = json.loads(found[CROISSANT])
        values = {one["name"]: one["value"] for one in said["variableMeasured"]}
        digests = [file["sha256"] for file in said["distribution"]]
        fields = {one["name"]: one["value"] for one in said["recordSet"][0]["annotation"]}
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return False
    accuracy = made.entry.accuracy
    return (
        values.get("accuracy") == accuracy == fields.get("accuracy")
        and values.get("log10_bits") == made.report.headline.log10_bits == fields.get("log10_bits")
        and digests == [hashlib.sha256(found.get(REPORT, b"")).hexdigest()]
    )


def first_difference(shown: str, wanted: str) -> str:
    """Quote two texts from where they part.

    Examples
    --------
    >>> first_difference("n = 5", "n = 6")
    "'n = 5' instead of 'n = 6'"
    """
    at = next(
        (place for place, pair in enumerate(zip(shown, wanted, strict=False)) if pair[0] != pair[1]),
        min(len(shown), len(wanted)),
    )
    start = max(0, at - 20)
    return f"'{shown[start : at + 30]}' instead of '{wanted[start : at + 30]}'"
