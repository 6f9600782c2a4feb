"""Files of models' answers as tables: CSV, TSV, text, JSON, JSON Lines and parquet."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ibc_report.common.endings import PLAIN, SEPARATORS
from ibc_report.common.errors import DataError, UsageError, choices
from ibc_report.common.untrusted import refuse_special
from ibc_report.evaluation.scoring.answers import AnswerTable
from ibc_report.evaluation.scoring.columns import ANSWER_NAMES, KEYS, MODEL
from ibc_report.evaluation.scoring.text_files import labels_alone, numbered_labels, scores_alone, separator_of

__all__ = ["ENDINGS", "read_tables"]

TEXT = ".txt"

ENDINGS = (*PLAIN, TEXT)

OTHER_SEPARATORS = (";", "\t", "|")
"""A table whose one column has one of these in its name was written with that separator."""

_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_tables(paths: Sequence[Path]) -> list[AnswerTable]:
    """Read files of answers.

    Parameters
    ----------
    paths : sequence of Path
        Files; a folder stands for all files of a known ending in it.

    Returns
    -------
    list of Table
        One for each file; a model without a name is called by the file's, with its folder's where two files are
        called alike.

    Raises
    ------
    UsageError
        If a path does not exist, has an ending that no reader takes, or is given twice.
    DataError
        If a file is empty or cannot be read.
    """
    files = [file for path in paths for file in _files(path)]
    twice = next((file for index, file in enumerate(files) if file.resolve() in _resolved(files[:index])), None)
    if twice is not None:
        raise UsageError(f"{twice} is given twice; give each file of predictions once")
    stems = [file.stem for file in files]
    return [
        _table(file, file.stem if stems.count(file.stem) == 1 else f"{file.resolve().parent.name}/{file.stem}")
        for file in files
    ]


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(file for file in path.iterdir() if file.suffix.lower() in ENDINGS and file.is_file())
        if not found:
            raise UsageError(f"{path} has no file of predictions in it; their endings are {', '.join(ENDINGS)}")
        return found
    refuse_special(path)
    if not path.is_file():
        beside = sorted(file.name for file in path.parent.glob("*") if file.suffix.lower() in ENDINGS)
        close = get_close_matches(path.name, beside, n=1)
        near = f"did you mean '{close[0]}'?" if close else "give a CSV, JSON Lines or parquet file of predictions"
        raise UsageError(f"{path} does not exist; {near}")
    if path.suffix.lower() not in ENDINGS:
        said = f"ends in '{path.suffix}', which no reader takes" if path.suffix else "has no ending that says its form"
        raise UsageError(f"{path} {said}; {choices(path.suffix, ENDINGS)}")
    return [path]


def _resolved(files: Iterable[Path]) -> set[Path]:
    return {file.resolve() for file in files}


def _table(path: Path, model: str) -> AnswerTable:
    if path.stat().st_size == 0:
        raise DataError(f"{path} is empty; give a file of predictions")
    suffix = path.suffix.lower()
    try:
        if suffix == ".parquet":
            return AnswerTable(str(path), model, _parquet(path))
        if suffix in SEPARATORS:
            return _csv(path, model, SEPARATORS[suffix])
        if suffix == TEXT:
            separator = separator_of(path, (*ANSWER_NAMES, *KEYS, *MODEL))
            return labels_alone(path, model, ANSWER_NAMES) if separator is None else _csv(path, model, separator)
        return _json(path, model, lines=suffix != ".json")
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 (at byte {error.start}); save it as UTF-8") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error


def _parquet(path: Path) -> dict[str, list[Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except pa.ArrowException as error:
        raise DataError(f"{path} cannot be read as parquet: {str(error).splitlines()[0]}") from error
    return {name: table.column(index).to_pylist() for index, name in enumerate(table.column_names)}


def _csv(path: Path, model: str, separator: str) -> AnswerTable:
    """Read a table of text; lines with more or fewer fields than the header are unreadable."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        try:
            records = [record for record in csv.reader(stream, delimiter=separator) if record]
        except csv.Error as error:
            raise DataError(f"{path} cannot be read as CSV: {error}") from error
    header = records[0] if records else []
    alone = numbered_labels(records, path, model) or scores_alone(records, path, model)
    if alone is not None:
        return alone
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise DataError(f"{path} has two columns '{twice}'; rename one")
    other = next((mark for mark in OTHER_SEPARATORS if len(header) == 1 and mark in header[0]), None)
    if other is not None:
        raise DataError(
            f"{path} has one column only, {header[0]!r}: it seems to be separated by {other!r}; separate it by commas, "
            "or by tabs in a .tsv file"
        )
    if len(header) == 1:
        return labels_alone(path, model, ANSWER_NAMES, separator)
    lines = records[1:]
    unreadable = frozenset(number for number, line in enumerate(lines) if len(line) != len(header))
    columns = {
        name: [None if number in unreadable else line[place] for number, line in enumerate(lines)]
        for place, name in enumerate(header)
    }
    return AnswerTable(str(path), model, columns, unreadable)


def _json(path: Path, model: str, *, lines: bool) -> AnswerTable:
    text = path.read_text(encoding="utf-8-sig")
    records = _json_lines(path, text) if lines else _json_list(path, text)
    if records and all(record is None for record in records):
        raise DataError(f"{path} has no JSON object; write one for each example, a line each in a .jsonl file")
    names = dict.fromkeys(name for record in records if record is not None for name in record)
    columns = {name: [None if record is None else record.get(name) for record in records] for name in names}
    unreadable = frozenset(number for number, record in enumerate(records) if record is None)
    return AnswerTable(str(path), model, columns, unreadable)


def _records(contents: Sequence[Any]) -> list[dict[str, Any] | None]:
    """Objects as they are; where there is none, lists of scores and labels alone as objects that hold them."""
    if any(isinstance(content, dict) for content in contents):
        return [content if isinstance(content, dict) else None for content in contents]
    given = [content for content in contents if content is not None]
    if given and all(isinstance(content, list) and content for content in given):
        inner = [one for content in given for one in content]
        objects = all(isinstance(one, Mapping) for one in inner)
        if objects or all(isinstance(one, int | float) and not isinstance(one, bool) for one in inner):
            return [None if content is None else {"scores": content} for content in contents]
    if given and all(isinstance(content, str | int) and not isinstance(content, bool) for content in given):
        return [{"prediction": content} for content in contents]
    return [None for _ in contents]


def _json_lines(path: Path, text: str) -> list[dict[str, Any] | None]:
    # a line ends at a line feed only: JSON may hold other line ends inside of strings
    numbered = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    contents = [_parsed(line) for _, line in numbered]
    for (number, line), content in zip(numbered, contents, strict=True):
        _refuse_halves(f"{path}, line {number}", line, content)
    return _records(contents)


def _json_list(path: Path, text: str) -> list[dict[str, Any] | None]:
    try:
        content = json.loads(text)
    except ValueError as error:
        raise DataError(f"{path} cannot be read as JSON: {error}") from error
    except RecursionError:
        raise DataError(f"{path} nests lists or objects too deeply to be read; write a flat object a row") from None
    _refuse_halves(str(path), text, content)
    if not isinstance(content, list):
        raise DataError(f"{path} holds no list; write a list of objects, or JSON Lines in a .jsonl file")
    return _records(content)


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _refuse_halves(where: str, text: str, content: Any) -> None:
    """Refuse halves of a surrogate pair, which JSON can escape and no file or terminal can hold."""
    if _ESCAPED_SURROGATE.search(text) is None:
        return
    try:
        json.dumps(content, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise DataError(
            f"{where} holds {half}, half of a character (a lone surrogate); write the whole character"
        ) from None
