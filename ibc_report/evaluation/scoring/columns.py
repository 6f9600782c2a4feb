"""Files of models' answers, in the layouts that they come in, as one list of answers for each model.

Layouts
-------
long
    A line for each example and model: a column `correct` or `prediction`, and `model` where there are several.
nested
    A line for each example, and a column for each model that holds an object with `correct` or `prediction`.
wide
    A line for each example, and for each model a column `MODEL_correct` or `MODEL_prediction` (the mark between may be
    any of ``_ . / :`` or a space), or columns of booleans that are named by the models; a single one says of the model
    that the file is named by whether it is right.
scores
    A line for each model: `accuracy` and `n`, as papers publish them.
classes
    A line for each example, with a `label` and its `score`, or with a score for each class (see `class_scores`).

Every layout may have a column that says which example it is, and one that says of which split.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ibc_report.common.errors import DataError, UsageError, choices
from ibc_report.evaluation.scoring.answers import Answers, AnswerTable, Score, no_answers, published
from ibc_report.evaluation.scoring.class_scores import LABEL, class_answers
from ibc_report.evaluation.scoring.spelling import exact, folded_name, plain

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

PREDICTION = ("prediction", "predicted", "predicted_label", "pred", "predictions", "y_pred", "pred_label")
"""Columns that hold an answer."""

MODEL = ("model", "model_name", "model_id")

SPLIT = ("split",)

SAVED_INDEX = ("unnamed:_0", "")
"""How a table's index is saved that nobody named."""

ROW_NUMBERS = ("row", "row_id", "index", "idx", *SAVED_INDEX)
"""Columns whose whole numbers are row numbers."""

KEYS = ("row", "row_id", "index", "idx", "id", "example_id", "doc_id", *SAVED_INDEX)
"""Columns that say which example it is, the first that there is."""

ANSWER_NAMES = frozenset({*CORRECT, *PREDICTION, *LABEL})
"""Names of the only column of a file."""

ACCURACY = ("accuracy", "acc")

COUNT = ("n", "examples", "count")

RIGHT = {"true": True, "1": True, "yes": True, "correct": True, "t": True}

WRONG = {"false": False, "0": False, "no": False, "incorrect": False, "f": False}

FEWEST_NAMES = 10
"""From so many rows on, models of one row each are none: the column says something else."""

MEASURES = ("stats", "metrics", "scores", "results", "result", "eval", "evaluation")
"""A column of objects that is called so holds what is measured of answers, and is named by no model."""

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
        columns = {name: [values[line] for line in table.lines] for name, values in table.columns.items()}
        names_of = columns[model] if model is not None else [table.model] * len(table.lines)
        return [], published(table.name, names_of, (accuracy, columns[accuracy]), (count, columns[count]))
    keys = (key,) if key is not None else tuple(names[name] for name in KEYS if name in names)
    found = _Columns(table, keys, model, _first(names, SPLIT), named=key is not None)
    if model_columns:
        return [found.of_model(column) for column in model_columns], []
    for marked, kind in ((CORRECT, "correct"), (PREDICTION, "prediction")):
        column = _first(names, marked)
        if column is not None:
            return found.scored(column) or found.long(column, kind), []
    return (found.nested() or found.marked() or found.booleans() or found.classes() or _nothing(table)), []


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

    def long(self, column: str, kind: str, values: list[Any] | None = None) -> list[Answers]:
        values = self.table.columns[column] if values is None else values
        if self.model is None:
            return [self.answers(self.table.model, column, values, kind)]
        lines: dict[str, list[int]] = {}
        names = self.table.columns[self.model]
        for line in self.table.lines:
            if line not in self.table.unreadable:
                lines.setdefault(plain(exact(names[line])), []).append(line)
        if "" in lines:
            first = lines[""][0] + 1
            raise DataError(f"{self.table.name}: {len(lines[''])} rows name no model, the first is row {first}")
        if len(lines) >= FEWEST_NAMES and all(len(on) == 1 for on in lines.values()):
            note = f"Column '{self.model}' has another value in each row, and is not taken for the models' names."
            return [replace(self.answers(self.table.model, column, values, kind), notes=(note,))]
        return [self.answers(name, column, values, kind, on) for name, on in lines.items()]

    def nested(self) -> list[Answers]:
        inside = (self._inside(column) for column in self.table.columns)
        found = [one for one in inside if one is not None]
        if len(found) != 1 or folded_name(found[0].model) not in MEASURES:
            return found
        note = f"{self.table.model}: '{found[0].column}' says what is right."
        return [replace(found[0], model=self.table.model, notes=(note,))]

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
                # a list says it of the parts of an answer
                if name is not None and not isinstance(_present(values), Mapping | list):
                    found.append(self.answers(name, column, values, kind))
            if found:
                return found
        return []

    def booleans(self) -> list[Answers]:
        found = [
            self.answers(column, column, values, "correct")
            for column, values in self.table.columns.items()
            if column not in (*self.keys, self.model, self.split) and _all_booleans(values)
        ]
        if len(found) != 1:
            return found
        column = found[0].column
        note = f"{self.table.model}: column '{column}', the only one of true and false, says what is right."
        return [replace(one, notes=(note,)) for one in self.long(column, "correct")]

    def scored(self, column: str) -> list[Answers]:
        """A column whose values are labels with their scores."""
        values = self.table.columns[column]
        found = class_answers({column: values}, ()) if isinstance(_present(values), Mapping | list) else None
        return [] if found is None else self.long(column, found.kind, found.values)

    def classes(self) -> list[Answers]:
        found = class_answers(self.table.columns, (*self.keys, self.model, self.split))
        if found is None:
            return []
        notes = (f"{self.table.model}: {found.note}",) if found.note else ()
        said = self.long(found.column, found.kind, found.values)
        return [replace(one, score_columns=found.columns, is_unnamed=found.is_unnamed, notes=notes) for one in said]

    def answers(
        self, model: str, column: str, values: list[Any], kind: str | None = None, lines: Iterable[int] | None = None
    ) -> Answers:
        on = tuple(self.table.lines if lines is None else lines)
        taken = [values[line] for line in on]
        if kind is None:
            kind = "correct" if _all_booleans(taken) else "prediction"
        if kind == "scores":
            return self._made(model, "scores", tuple(taken), on, column)
        if kind == "prediction":
            return self._made(model, "prediction", tuple(exact(value) for value in taken), on, column)
        try:
            return self._made(model, "correct", tuple(verdict(value) for value in taken), on, column)
        except ValueError as error:
            raise DataError(
                f"{self.table.name}: column '{column}' holds '{str(error)[:40]}', and right or wrong is asked for; "
                "write 1 or 0, true or false"
            ) from None

    def _made(
        self,
        model: str,
        kind: Literal["correct", "prediction", "scores"],
        values: tuple[Any, ...],
        lines: tuple[int, ...],
        column: str,
    ) -> Answers:
        return Answers(
            model,
            self.table.name,
            kind,
            values,
            lines,
            self.table.columns,
            self.key,
            self.split,
            self.keys,
            self.named,
            column=column,
            called=self.table.model,
            headless=self.table.headless,
        )


def _nothing(table: AnswerTable) -> list[Answers]:
    raise no_answers(table.name, table.columns)


def _first(names: Mapping[str, str], wanted: Iterable[str]) -> str | None:
    return next((names[name] for name in wanted if name in names), None)


def _first_object(values: Iterable[Any]) -> Mapping[Any, Any] | None:
    """The first value that there is, where it is an object."""
    inner = _present(values)
    return inner if isinstance(inner, Mapping) else None


def _present(values: Iterable[Any]) -> Any:
    """The first value that there is."""
    return next((value for value in values if value is not None), None)


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
