"""Files of models' answers, in the layouts that they come in, as one list of answers for each model.

Layouts
-------
long
    A line for each example and model: a column `correct` or `prediction`, and `model` where there are several.
nested
    A line for each example, and a column for each model that holds an object with `correct` or `prediction`.
wide
    A line for each example, and for each model a column `MODEL_correct` or `MODEL_prediction` (the mark between may be
    any of ``_ . / :`` or a space), or a column of booleans that is named by the model.
scores
    A line for each model: `accuracy` and `n`, as papers publish them.

Every layout may have a column that says which example it is, and one that says of which split.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ibc_report.common.errors import DataError, UsageError, choices
from ibc_report.evaluation.scoring.answers import Answers, AnswerTable, Score, published
from ibc_report.evaluation.scoring.spelling import exact, plain

__all__ = [
    "CORRECT",
    "KEYS",
    "MODEL",
    "PREDICTION",
    "ROW_NUMBERS",
    "SAVED_INDEX",
    "SPLIT",
    "Score",
    "folded_name",
    "laid_out",
    "plain",
]

CORRECT = ("correct", "is_correct", "exact_match", "acc")
"""Columns that say whether an answer is right."""

PREDICTION = ("prediction", "predicted", "predicted_label", "pred")
"""Columns that hold an answer."""

MODEL = ("model", "model_name", "model_id")

SPLIT = ("split",)

SAVED_INDEX = ("unnamed:_0", "")
"""How a table's index is saved that nobody named."""

ROW_NUMBERS = ("row", "row_id", "index", "idx", *SAVED_INDEX)
"""Columns whose whole numbers are row numbers."""

KEYS = ("row", "row_id", "index", "idx", "id", "example_id", "doc_id", *SAVED_INDEX)
"""Columns that say which example it is, the first that there is."""

ACCURACY = ("accuracy", "acc")

COUNT = ("n", "examples", "count")

RIGHT = {"true": True, "1": True, "yes": True, "correct": True, "t": True}

WRONG = {"false": False, "0": False, "no": False, "incorrect": False, "f": False}

_VERDICTS = {**RIGHT, **WRONG}

_MARK = re.compile(r"[_./: ]")


def laid_out(
    table: AnswerTable, *, key: str | None = None, model_columns: Sequence[str] = ()
) -> tuple[list[Answers], list[Score]]:
    """Find the models of a file and what it says of them.

    Returns
    -------
    tuple
        Answers and scores; one of the two lists is empty.

    Raises
    ------
    UsageError
        If a named column does not exist, or no column holds answers.
    DataError
        If there are no rows, or a value cannot be an answer.
    """
    if table.count == 0:
        raise DataError(f"{table.name} has no rows; give a file that has some")
    names = {folded_name(column): column for column in reversed(table.columns)}
    for wanted in (*([key] if key is not None else ()), *model_columns):
        if wanted not in table.columns:
            raise UsageError(f"{table.name} has no column '{wanted}'; {choices(wanted, table.columns)}")
    model = _first(names, MODEL)
    accuracy, count = _first(names, ACCURACY), _first(names, COUNT)
    if accuracy is not None and count is not None and not model_columns:
        columns = table.columns
        names_of = columns[model] if model is not None else [table.model] * table.count
        return [], published(table.name, names_of, (accuracy, columns[accuracy]), (count, columns[count]))
    keys = (key,) if key is not None else tuple(names[name] for name in KEYS if name in names)
    found = _Columns(table, keys, model, _first(names, SPLIT), named=key is not None)
    if model_columns:
        return [found.of_model(column) for column in model_columns], []
    for marked, kind in ((CORRECT, "correct"), (PREDICTION, "prediction")):
        column = _first(names, marked)
        if column is not None:
            return found.long(column, kind), []
    return (found.nested() or found.marked() or found.booleans() or _nothing(table)), []


def verdict(value: Any) -> bool | None:
    """Read whether an answer is right.

    Parameters
    ----------
    value : object
        A boolean, 0 or 1, or a word for them.

    Returns
    -------
    bool or None
        None where it says nothing.

    Raises
    ------
    ValueError
        If it is something else, such as a share.

    Examples
    --------
    >>> verdict("True"), verdict(0.0), verdict("")
    (True, False, None)
    """
    text = plain(value).lower()
    if text in ("", "nan", "null", "none"):
        return None
    if text not in _VERDICTS:
        raise ValueError(text)
    return _VERDICTS[text]


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of a file that are not answers."""

    table: AnswerTable
    keys: tuple[str, ...]
    model: str | None
    split: str | None
    named: bool

    @property
    def key(self) -> str | None:
        return next(iter(self.keys), None)

    def long(self, column: str, kind: str) -> list[Answers]:
        values = self.table.columns[column]
        if self.model is None:
            return [self.answers(self.table.model, column, values, kind)]
        lines: dict[str, list[int]] = {}
        for line, value in enumerate(self.table.columns[self.model]):
            if line not in self.table.unreadable:
                lines.setdefault(plain(exact(value)), []).append(line)
        if "" in lines:
            first = lines[""][0] + 1
            raise DataError(f"{self.table.name}: {len(lines[''])} rows name no model, the first is row {first}")
        return [self.answers(name, column, values, kind, on) for name, on in lines.items()]

    def nested(self) -> list[Answers]:
        found = (self._inside(column) for column in self.table.columns)
        return [one for one in found if one is not None]

    def of_model(self, column: str) -> Answers:
        """What the user says to be of a model: answers, or objects that hold them."""
        values = self.table.columns[column]
        inner = _first_object(values)
        if inner is None:
            return self.answers(column, column, values)
        found = self._inside(column)
        if found is None:
            raise UsageError(
                f"{self.table.name}: column '{column}' holds objects without 'correct' or 'prediction' (they have: "
                f"{', '.join(map(str, inner))}); name another column with --column"
            )
        return found

    def _inside(self, column: str) -> Answers | None:
        values = self.table.columns[column]
        inner = _first_object(values)
        if inner is None:
            return None
        names = {folded_name(str(name)): str(name) for name in inner}
        for marked, kind in ((CORRECT, "correct"), (PREDICTION, "prediction")):
            name = _first(names, marked)
            if name is not None:
                inside = [value.get(name) if isinstance(value, Mapping) else None for value in values]
                return self.answers(column, f"{column}.{name}", inside, kind)
        return None

    def marked(self) -> list[Answers]:
        for suffixes, kind in ((CORRECT, "correct"), (PREDICTION, "prediction")):
            found = []
            for column, values in self.table.columns.items():
                name = _before(column, suffixes)
                if name is not None:
                    found.append(self.answers(name, column, values, kind))
            if found:
                return found
        return []

    def booleans(self) -> list[Answers]:
        return [
            self.answers(column, column, values, "correct")
            for column, values in self.table.columns.items()
            if column not in (*self.keys, self.model, self.split) and _all_booleans(values)
        ]

    def answers(
        self, model: str, column: str, values: list[Any], kind: str | None = None, lines: Iterable[int] | None = None
    ) -> Answers:
        on = tuple(range(len(values)) if lines is None else lines)
        taken = [values[line] for line in on]
        if kind is None:
            kind = "correct" if _all_booleans(taken) else "prediction"
        if kind == "prediction":
            said = (exact(values[line]) for line in on)
            return self._made(model, "prediction", tuple(said), on)
        try:
            return self._made(model, "correct", tuple(verdict(value) for value in taken), on)
        except ValueError as error:
            raise DataError(
                f"{self.table.name}: column '{column}' holds '{str(error)[:40]}', and right or wrong is asked for; "
                "write 1 or 0, true or false"
            ) from None

    def _made(
        self, model: str, kind: Literal["correct", "prediction"], values: tuple[Any, ...], lines: tuple[int, ...]
    ) -> Answers:
        return Answers(
            model, self.table.name, kind, values, lines, self.table.columns, self.key, self.split, self.keys, self.named
        )


def _nothing(table: AnswerTable) -> list[Answers]:
    raise UsageError(
        f"{table.name} has no column of answers (columns: {', '.join(table.columns)}); call one 'correct' or "
        "'prediction', or one for each model 'MODEL_correct', or name the models' columns with --column"
    )


def folded_name(name: str) -> str:
    """Write a column's name as it is compared.

    Examples
    --------
    >>> folded_name(" Model-Name ")
    'model_name'
    """
    return re.sub(r"[ -]", "_", name.strip().lower())


def _first(names: Mapping[str, str], wanted: Iterable[str]) -> str | None:
    return next((names[name] for name in wanted if name in names), None)


def _first_object(values: Iterable[Any]) -> Mapping[Any, Any] | None:
    """The first value that there is, where it is an object."""
    inner = next((value for value in values if value is not None), None)
    return inner if isinstance(inner, Mapping) else None


def _before(column: str, suffixes: Iterable[str]) -> str | None:
    """The model's name in MODEL_correct and its like."""
    folded = folded_name(column)
    for suffix in sorted(suffixes, key=len, reverse=True):
        stem = column.strip()[: -len(suffix)]
        if folded.endswith(suffix) and len(stem) > 1 and _MARK.match(stem[-1]):
            return stem[:-1]
    return None


def _all_booleans(values: Iterable[Any]) -> bool:
    """Whether all values that there are, and there are some, say true or false."""
    texts = {plain(value).lower() for value in values} - {""}
    return bool(texts) and texts <= {"true", "false"}
