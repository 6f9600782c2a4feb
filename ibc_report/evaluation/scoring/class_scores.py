"""Answers that do not name a class: scores of all classes, and classes by their place, such as LABEL_2.

Clients write them so: a text-classification pipeline of transformers a label and its score, or a list of all of them; a
zero-shot pipeline lists of labels and scores; predict_proba of scikit-learn a column, or a number in a list, for each
class; a model that was not told the names of its classes LABEL_0, LABEL_1, ….
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ibc_report.common.errors import UsageError, suggested
from ibc_report.common.wording import counted
from ibc_report.evaluation.scoring.answers import Answers, no_answers
from ibc_report.evaluation.scoring.grading import Grader
from ibc_report.evaluation.scoring.spelling import BLANKS, ClassNames, exact, folded, folded_name

__all__ = ["LABEL", "ClassAnswers", "class_answers", "decided", "says_places"]

LABEL = ("label", "labels", "predicted_class")
"""Columns that hold an answer where no other does: beside a score, or alone."""

SCORE = ("score", "scores", "probability", "prob", "confidence")

SCORE_LISTS = (*SCORE, "probabilities", "probs", "proba", "logits")
"""Columns whose lists of numbers have one for each class."""

SHOWN = 3
"""Classes that a note gives as examples."""

_PLACE = re.compile(r"(?:label|class|prob|proba|probability|logit|score|p)?[_ ]?([0-9]{1,6})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ClassAnswers:
    """Columns that say a class otherwise than in a column of predictions.

    Parameters
    ----------
    column : str
        What they are called; of several columns all names, with commas.
    values : list
        For "prediction" as they stand; for "scores" the score of each name, as a dict, None where a line says nothing.
    is_unnamed : bool
        Whether the column is alone and called by something else than answers, which may be the target.
    columns : tuple of str
        Columns of numbers, those of the classes among them; `values` are then None.
    """

    column: str
    kind: Literal["prediction", "scores"]
    values: list[Any]
    note: str = ""
    is_unnamed: bool = False
    columns: tuple[str, ...] = ()


def class_answers(columns: Mapping[str, list[Any]], others: Collection[str | None]) -> ClassAnswers | None:
    """Find columns that say a class by scores or by its label.

    Parameters
    ----------
    columns : mapping of str to list
        All columns of a file.
    others : collection of str
        Those that say which example, model or split a row is of.

    Returns
    -------
    ClassAnswers or None
        None where there are none. Of several columns of numbers the classes are told by `decided`, which knows them.
    """
    mine = {name: values for name, values in columns.items() if name not in others}
    names = {folded_name(name): name for name in reversed(mine)}
    for column, values in mine.items():
        pair = _label_and_score(values)
        if pair is not None:
            label, score = pair
            return ClassAnswers(column, "scores", [_of_objects(value, label, score) for value in values])
    found = _listed(mine, names)
    if found is not None:
        return found
    answer = next((names[name] for name in LABEL if name in names), None)
    if answer is not None and (len(mine) == 1 or any(name in names for name in SCORE)):
        return ClassAnswers(answer, "prediction", mine[answer], f"column '{answer}' is taken for the answers.")
    if len(mine) == 1:
        ((only, values),) = mine.items()
        # a series without a name is saved as column 0
        return ClassAnswers(only, "prediction", values, "the only column is taken for the answers.", only != "0")
    numbers = tuple(column for column, values in mine.items() if _numbers(values) is not None)
    if len(numbers) < 2:
        return None
    silent = [None] * len(mine[numbers[0]])
    return ClassAnswers(", ".join(numbers), "scores", silent, columns=numbers)


def _first(values: Iterable[Any]) -> Any:
    return next((value for value in values if value is not None), None)


def _label_and_score(values: Sequence[Any]) -> tuple[str, str] | None:
    """Names of the label and the score in objects, or lists of objects, that hold both."""
    first = _first(values)
    inner = first[0] if isinstance(first, list) and first else first
    if not isinstance(inner, Mapping):
        return None
    names = {folded_name(str(name)): str(name) for name in inner}
    label, score = (next((names[name] for name in known if name in names), None) for known in (LABEL, SCORE))
    return None if label is None or score is None else (label, score)


def _of_objects(value: Any, label: str, score: str) -> dict[str, float] | None:
    found = {}
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, Mapping):
            found[exact(one.get(label)) or ""] = _number(one.get(score))
    return found or None


def _listed(mine: Mapping[str, list[Any]], names: Mapping[str, str]) -> ClassAnswers | None:
    """A list of scores in each row, with a list of labels beside it or in the order of the classes."""
    for name in SCORE_LISTS:
        column = names.get(name)
        first = None if column is None else _first(mine[column])
        if column is None or not isinstance(first, list) or not all(_is_number(one) for one in first):
            continue
        beside = names.get("labels")
        labels = mine[beside] if beside is not None and isinstance(_first(mine[beside]), list) else None
        values: list[Any] = []
        for row, scores in enumerate(mine[column]):
            given = scores if isinstance(scores, list) else []
            called = [f"LABEL_{place}" for place in range(len(given))] if labels is None else labels[row]
            is_whole = isinstance(called, list) and len(called) == len(given)
            pairs = zip(called, given, strict=True) if is_whole else ()
            values.append({str(label): _number(score) for label, score in pairs} or None)
        return ClassAnswers(column, "scores", values)
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Any) -> float:
    try:
        return nan if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return nan


def _numbers(values: Sequence[Any]) -> NDArray[np.float64] | None:
    """All values as numbers, NaN where there is none; None where one is something else, or there is none at all."""
    if set(map(type, values)) == {float}:
        return np.array(values, dtype=np.float64)
    parsed = np.array([_number(value) for value in values], dtype=np.float64)
    texts = (exact(values[row]) for row in np.flatnonzero(np.isnan(parsed)).tolist())
    if any(text is not None and text.strip().lower() not in BLANKS for text in texts):
        return None
    return None if np.isnan(parsed).all() else parsed


def says_places(one: Answers) -> bool:
    """Whether answers may say classes by their places, for which all classes have to be known."""
    if one.kind == "scores":
        return any(_place(name) >= 0 for name in _names_in(one))
    return one.kind == "prediction" and all(_place(value) >= 0 for value in one.values if value)


def decided(one: Answers, grader: Grader) -> Answers:
    """Turn what answers say into names of classes.

    Of scores the class with the highest one is the answer, of several such the first in the order of the classes. A
    place, as in LABEL_2, is that of a class in their order, where no class is called so.

    Parameters
    ----------
    grader : Grader
        Knows the classes and their order.

    Returns
    -------
    Answers
        Of kind "correct" or "prediction", with a note for each choice.

    Raises
    ------
    UsageError
        If scores are not those of the classes.
    """
    if one.kind == "correct":
        return one
    if one.is_unnamed and (grader.target is None or folded_name(grader.target.column) != folded_name(one.column)):
        raise no_answers(one.file, one.columns)
    one = _without_header(one, grader)
    if one.kind == "scores":
        return _highest(one, grader)
    order = grader.order
    said = [value for value in one.values if value is not None and value.strip().lower() not in BLANKS]
    known = ClassNames.of(order)
    if not order or not said or any(known.find(text) >= 0 for text in said):
        return one
    # plain numbers are ids where classes are declared, which the grader knows, and names where names are numbers
    numbered = grader.declared or all(not isnan(_number(name)) for name in order)
    if numbered and all(not isnan(_number(text)) for text in said):
        return one
    places = {text: _place(text) for text in said}
    if not all(0 <= place < len(order) for place in places.values()):
        return one
    values = tuple(order[places[value]] if value in places else value for value in one.values)
    return replace(one, values=values, notes=(*one.notes, _by_order(one, places, order, grader)))


def _without_header(one: Answers, grader: Grader) -> Answers:
    """Leave out the first line of a file of labels alone, where it is one too many and no label."""
    if not one.headless or grader.target is None or len(one.values) != len(grader.target.usable) + 1:
        return one
    first = one.values[0] or ""
    is_label = (
        not isnan(_number(first)) if grader.target.kind == "values" else ClassNames.of(grader.order).find(first) >= 0
    )
    # a number above names of classes is none of them, and above numbers it may be the place of one
    names = any(ClassNames.of(grader.order).find(value) >= 0 for value in one.values[1:2] if value)
    if is_label or (_place(first) >= 0 and not names):
        return one
    note = f"The first line, '{first[:40]}', is taken for a header."
    return replace(one, values=one.values[1:], lines=one.lines[1:], notes=(*one.notes, note))


def _place(text: str) -> int:
    found = _PLACE.fullmatch(folded(text))
    return -1 if found is None else int(found[1])


def _by_order(one: Answers, said: Mapping[str, int], order: Sequence[str], grader: Grader) -> str:
    shown = sorted(said.items(), key=lambda pair: pair[1])[:SHOWN]
    examples = ", ".join(f"'{text}' is '{order[place]}'" for text, place in shown)
    more = ", …" if len(said) > SHOWN else ""
    how = "as the source declares them" if grader.declared else "sorted by name, for the source declares none"
    return f"{one.model}: classes are told by their place in the order of the classes, {how}: {examples}{more}."


def _names_in(one: Answers) -> list[str]:
    if one.score_columns:
        return list(one.score_columns)
    return list(dict.fromkeys(name for value in one.values if value is not None for name in value))


def _matrix(one: Answers, names: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Scores of the names in each row, −∞ where a list lacks one, and rows that say nothing."""
    if one.score_columns:
        lines = np.array(one.lines, dtype=np.int64)
        columns = (_numbers(one.columns[name]) for name in names)
        scores = np.column_stack([column[lines] for column in columns if column is not None])
        return scores, np.asarray(np.isnan(scores).any(axis=1))
    places = {name: place for place, name in enumerate(names)}
    scores = np.full((len(one.values), len(names)), -np.inf)
    is_silent = np.ones(len(scores), dtype=bool)
    for row, said in enumerate(one.values):
        for name, score in (said or {}).items():
            if name in places:
                scores[row, places[name]] = score
                is_silent[row] = False
    is_silent |= np.isnan(scores).any(axis=1)
    return scores, is_silent


def _highest(one: Answers, grader: Grader) -> Answers:
    """The class of the highest score in each row."""
    if grader.target is not None and grader.target.kind == "values":
        raise UsageError(
            f"{one.file} holds scores of several columns or classes ({one.column[:80]}), and '{grader.target.column}' "
            "has values: call the column of predictions 'prediction'"
        )
    names, order = _names_in(one), grader.order
    chosen = _classes_of(one, names, order, grader) if order else {name: name for name in names}
    ranks = {label: rank for rank, label in enumerate(order)}
    ranked = sorted(chosen, key=lambda name: ranks.get(chosen[name], len(order)))
    if not ranked:
        return replace(one, kind="prediction", values=(None,) * len(one.values))
    scores, is_silent = _matrix(one, ranked)
    best = scores.argmax(axis=1)
    ties = int(np.count_nonzero(((scores == scores.max(axis=1)[:, None]).sum(axis=1) > 1) & ~is_silent))
    values = [None if silent else chosen[ranked[top]] for top, silent in zip(best.tolist(), is_silent, strict=True)]
    notes = [*one.notes, f"{one.model}: the answer is the class with the highest score."]
    places = {name: _place(name) for name in ranked if name != chosen[name] and name.strip() != chosen[name]}
    if (
        order
        and places
        and all(0 <= place < len(order) and order[place] == chosen[name] for name, place in places.items())
    ):
        notes.append(_by_order(one, places, order, grader))
    if ties:
        notes.append(
            f"{one.model}: in {counted(ties, 'rows')} several classes share the highest score; the first of them in "
            "the order of the classes is taken."
        )
    return replace(one, kind="prediction", values=tuple(values), notes=tuple(notes))


def _classes_of(one: Answers, names: Sequence[str], order: Sequence[str], grader: Grader) -> dict[str, str]:
    """Which names of scores are which classes: by name, by a name with one mark around, or by place.

    Columns of a table may hold other numbers too, and have to have every class; objects with labels hold only labels,
    and one that is no class is an answer that is none.
    """
    known = ClassNames.of(order)
    found = {name: order[place] for name in names if (place := known.find(name)) >= 0}
    assert grader.target is not None
    needed = set(grader.target.names)
    is_table = bool(one.score_columns)
    if found and (not is_table or needed <= set(found.values())):
        return found if is_table else {name: found.get(name, name) for name in names}
    for affixed in _affixed(names, order):
        if needed <= set(affixed.values()):
            return affixed
    placed = {name: place for name in names if (place := _place(name)) >= 0}
    if placed and set(placed.values()) <= set(range(len(order))) and (not is_table or len(placed) == len(order)):
        return {name: order[place] for name, place in placed.items()}
    if not is_table:
        return {name: name for name in names}
    missing = sorted(needed - set(found.values()))
    nor = f", nor one for each class of '{grader.target.column}' ({suggested(missing[0], order)})"
    raise no_answers(one.file, one.columns, nor)


def _affixed(names: Sequence[str], order: Sequence[str]) -> list[dict[str, str]]:
    """Names that are classes with the same text around, such as prob_cat and prob_dog, or P(cat) and P(dog)."""
    groups: dict[tuple[str, str], dict[str, str]] = {}
    for name in names:
        for label in order:
            before, found, behind = name.partition(label)
            if found and (not before or not before[-1].isalnum()) and (not behind or not behind[0].isalnum()):
                groups.setdefault((before, behind), {})[name] = label
    return list(groups.values())
