"""Text files of answers without much of a form: labels alone, a line each, or a number of the row and its label."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Sequence
from pathlib import Path

from ibc_report.evaluation.scoring.answers import AnswerTable
from ibc_report.evaluation.scoring.spelling import folded_name

__all__ = ["labels_alone", "numbered_labels", "scores_alone", "separator_of"]

_WHOLE = re.compile(r"[0-9]+")

NAMES = ("index", "prediction")
"""What the columns of a file without a header are called: a row number, and an answer."""


def separator_of(path: Path, known: Collection[str]) -> str | None:
    """Tell what stands between the columns of a .txt file.

    Parameters
    ----------
    known : collection of str
        Names of columns that files of answers have; a comma may stand in a label, and separates only where the first
        line names one of them.

    Returns
    -------
    str or None
        A tab, a comma, a space between numbers or known names, or None for a file of one column.
    """
    with path.open(encoding="utf-8-sig", newline="") as stream:
        first = stream.readline()
    if "\t" in first:
        return "\t"
    words = first.split()
    if len(words) > 1 and (all(map(_is_number, words)) or all(folded_name(word) in known for word in words)):
        return " "
    names = {folded_name(name) for name in first.split(",")}
    return "," if "," in first and names & set(known) else None


def numbered_labels(records: Sequence[Sequence[str]], path: Path, model: str) -> AnswerTable | None:
    """Take lines of a row number and a label, without a header.

    Returns
    -------
    AnswerTable or None
        None where a line is no such one, and so the first a header.
    """
    numbers = [record[0].strip() for record in records]
    # the names of two classes may be 0 and 1, but scores below them are no row numbers that differ
    numbered = all(map(_WHOLE.fullmatch, numbers)) and len(set(numbers)) == len(numbers)
    if not records or len(records[0]) != 2 or not numbered:
        return None
    unreadable = frozenset(number for number, record in enumerate(records) if len(record) != 2)
    columns = {
        name: [None if number in unreadable else record[place] for number, record in enumerate(records)]
        for place, name in enumerate(NAMES)
    }
    return AnswerTable(str(path), model, columns, unreadable)


def scores_alone(records: Sequence[Sequence[str]], path: Path, model: str) -> AnswerTable | None:
    """Take lines of numbers, one for each class, without a header, as `numpy.savetxt` writes them.

    Returns
    -------
    AnswerTable or None
        With columns LABEL_0, LABEL_1, …; None where the first line has something else, or counts from 0, as a header.
    """
    first = records[0] if records else ()
    if len(first) < 2 or not all(map(_is_number, first)) or list(first) == [str(place) for place in range(len(first))]:
        return None
    unreadable = frozenset(number for number, record in enumerate(records) if len(record) != len(first))
    columns = {
        f"LABEL_{place}": [None if number in unreadable else record[place] for number, record in enumerate(records)]
        for place in range(len(first))
    }
    return AnswerTable(str(path), model, columns, unreadable)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def labels_alone(path: Path, model: str, known: Collection[str], separator: str | None = None) -> AnswerTable:
    """Read a file of one column, a label a line in the order of rows; an empty line keeps its place.

    Parameters
    ----------
    known : collection of str
        Names of columns of answers. A first line that is one of them is a header; another may be one, which only the
        classes tell (`AnswerTable.headless`).
    separator : str, optional
        Of a table: labels may be quoted.
    """
    text = path.read_text(encoding="utf-8-sig")
    lines = text.replace("\r\n", "\n").rstrip("\n").split("\n") if text.strip() else []
    if separator is not None:
        records = [next(csv.reader([line], delimiter=separator), []) for line in lines]
        # a label that holds the separator and is not quoted is the whole line
        lines = [record[0] if len(record) == 1 else line for record, line in zip(records, lines, strict=True)]
    if lines and folded_name(lines[0]) in known:
        return AnswerTable(str(path), model, {lines[0].strip(): list(lines[1:])})
    said = {line.strip().lower() for line in lines[1:]}
    if said and said <= {"true", "false", ""} and lines[0].strip().lower() not in said:
        return AnswerTable(str(path), model, {lines[0].strip(): list(lines[1:])})
    return AnswerTable(str(path), model, {NAMES[1]: list(lines)}, headless=True)
