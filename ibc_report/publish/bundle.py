"""A bundle: all that a benchmark's host needs of a submission, in one folder that can be checked."""

from __future__ import annotations

import hashlib
import json
import os
from importlib.metadata import version
from pathlib import Path, PurePosixPath

from ibc_report.common.errors import DataError, UsageError
from ibc_report.common.escaping import one_line
from ibc_report.common.files import write as write_file
from ibc_report.common.folders import rebuilt, repair
from ibc_report.common.version import __version__
from ibc_report.publish import content, eval_results, submission_page
from ibc_report.publish.croissant import croissant
from ibc_report.publish.manifest import MANIFEST, Manifest, foreign, load
from ibc_report.publish.submission import Submission
from ibc_report.rendering import cards
from ibc_report.report.schema.document import json_schema
from ibc_report.report.schema.results import RESULTS_VERSION, Results

__all__ = ["CARD", "CROISSANT", "PULL_REQUEST", "REPORT", "RESULTS", "files", "folder_of", "write_bundle", "writers"]

REPORT = "report.json"

RESULTS = "results.json"

CARD = "card.html"

PULL_REQUEST = "pull-request.md"

CROISSANT = "croissant.json"

WRITERS = ("huggingface-hub", "jinja2", "markdown", "markupsafe", "matplotlib", "pydantic", "pyyaml")
"""Packages that the bytes of the files hang on."""


def folder_of(name: str) -> str:
    """Say where a bundle lies in a model's repository.

    Parameters
    ----------
    name : str
        Short name of the task.

    Returns
    -------
    str
        A hidden folder.

    Examples
    --------
    >>> folder_of("digits")
    '.ibc-report/digits'
    """
    return f"{content.FOLDER}/{name}"


def writers() -> dict[str, str]:
    """Versions of the packages that the bytes of the files hang on.

    Examples
    --------
    >>> "matplotlib" in writers()
    True
    """
    return {package: version(package) for package in WRITERS}


def files(submission: Submission, *, card: str | None = None, hub: str | None = None) -> dict[str, bytes]:
    """Make the files of a bundle.

    Parameters
    ----------
    card : str, optional
        Address of the card, where it is published already; in the model's repository by default.
    hub : str, optional
        Address of the Hub; the one that its client talks to by default.

    Returns
    -------
    dict of str to bytes
        Path in the bundle to content, the same bytes for the same submission. Without a dataset on the Hub there is
        no file for its list of results.
    """
    from huggingface_hub import constants

    report, results = submission.report, submission.results
    folder = folder_of(report.name)
    hub = hub or constants.ENDPOINT
    page = f"{hub}/{submission.repository}"
    dataset = f"{hub}/datasets/{submission.dataset}" if submission.dataset is not None else None
    documents = {REPORT: report.to_json().encode(), RESULTS: results.to_json().encode()}
    digests = {Path(name).stem: hashlib.sha256(data).hexdigest() for name, data in documents.items()}
    texts = {
        "report.schema.json": _json(json_schema()),
        "results.schema.json": _json(_results_schema()),
        CARD: submission_page.html(submission, digests),
        "card.md": cards.markdown(report),
        PULL_REQUEST: submission_page.markdown(submission, page, folder),
        CROISSANT: croissant(submission, documents[REPORT], dataset),
        "citation.bib": f"{report.bibtex}\n",
    }
    if submission.dataset is not None:
        address = card or f"{page}/blob/main/{folder}/card.md"
        texts[eval_results.path(submission)] = eval_results.text(submission, address)
    made = documents | {name: text.encode() for name, text in texts.items()}
    manifest = Manifest.of(
        made,
        name=report.name,
        model=submission.repository,
        entry=submission.entry.name,
        dataset=submission.dataset,
        task=submission.task,
        share=submission.share,
        card=card,
        hub=hub,
        version=__version__,
        made_with=writers(),
    )
    return made | {MANIFEST: manifest.to_json().encode()}


def write_bundle(files: dict[str, bytes], folder: Path) -> None:
    """Write a bundle, whole or not at all.

    Parameters
    ----------
    files : dict of str to bytes
        From `files`.
    folder : Path
        A new or empty one, or that of a bundle and nothing else, which is replaced.

    Raises
    ------
    UsageError
        If something else is there.
    IbcReportError
        If it cannot be written; what was there is then still there.
    """
    repair(folder)
    _refuse_others(folder)
    with rebuilt(folder, marker=MANIFEST) as fresh:
        for name, data in files.items():
            write_file(fresh / PurePosixPath(name), data)


def _refuse_others(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"{folder} is a file; give a folder for the bundle")
    here = Path.cwd()
    if Path(os.path.realpath(folder)) in (here, *here.parents):
        raise UsageError(f"{folder} is the folder that this runs in, or above it; give another one for the bundle")
    try:
        if not any(folder.iterdir()):
            return
        others = foreign(folder, load(folder))
    except DataError:
        raise UsageError(f"{folder} holds something that is no bundle; give a new or an empty folder") from None
    except OSError as error:
        raise UsageError(f"{folder} cannot be read: {error.strerror or error}") from error
    if others:
        more = f" and {len(others) - 1:,} more" if len(others) > 1 else ""
        raise UsageError(
            f"{folder} has files that are not of its bundle ({one_line(others[0])}{more}); move them, or give another "
            "folder"
        )


def _results_schema() -> dict[str, object]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": f"Version {RESULTS_VERSION} of the results of ibc_report.",
        **Results.model_json_schema(mode="serialization"),
    }


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
