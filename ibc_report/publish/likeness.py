"""Whether a bundle's files are those that its report, results and manifest make.

Where the same versions wrote them their bytes are compared. Where other packages did, the page is compared tag by tag
outside of its figures. Where another version of this one did, what does not hang on its words is: that the page runs
nothing, and that page, pull request and annotation say the model's accuracy.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from ibc_report.escaping import escape, printable
from ibc_report.publish.bundle import CARD, CROISSANT, PULL_REQUEST, REPORT
from ibc_report.publish.manifest import MANIFEST
from ibc_report.publish.submission import Submission
from ibc_report.publish.submission_page import active, content, text_of

__all__ = ["alike", "different", "first_difference"]

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
    made : Submission
        Of the bundle's report and results.
    wanted : mapping of str to bytes or None
        What this version makes of it, where the same version of this package made the bundle.

    Yields
    ------
    str
        A fault.
    """
    entry = made.entry
    if CARD in found:
        page = found[CARD].decode("utf-8", "replace")
        runs = active(page)
        if runs is not None:
            yield f"{CARD} holds {runs}, which no card does"
        elif wanted is not None:
            shown, right = content(page), content(wanted[CARD].decode())
            if shown != right:
                first = next(pair for pair in zip_longest(shown, right, fillvalue="") if pair[0] != pair[1])
                yield f"{CARD} is not the page of this submission: {first_difference(*first)}"
        else:
            yield from _lacking(CARD, text_of(page), [made.repository, entry.text, entry.wilson.text])
    if wanted is not None:
        plain = [name for name in PLAIN if name in found]
        yield from (
            fault for _, fault in different(*({name: side[name] for name in plain} for side in (found, wanted)))
        )
        return
    if PULL_REQUEST in found:
        said = found[PULL_REQUEST].decode("utf-8", "replace")
        texts = [f"**Accuracy {escape(entry.text)}**", str(escape(entry.wilson.text)), f"/{made.repository}/"]
        yield from _lacking(PULL_REQUEST, said, texts)
    if CROISSANT in found and not _annotates(found, made):
        yield f"{CROISSANT} is not of this report and the accuracy {entry.text}"


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

    Parameters
    ----------
    shown, wanted : str

    Returns
    -------
    str

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
