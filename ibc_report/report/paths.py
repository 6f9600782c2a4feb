"""A path leads to one value of a document, as in data.rows_used or numbers[degree].value; the schema says which do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from ibc_report.common.errors import UsageError, choices

__all__ = ["Found", "Value", "find", "paths"]

Value = float | str | bool
"""What a rule compares."""

IDENTITIES = ("id", "key", "name", "model", "accuracy", "k", "row")
"""Fields that an entry of a list can be named by, as in assumptions[A7]."""

_STEP = re.compile(r"\.?(?P<plain>[^.\[\]\"\s]+)|\[(?:\"(?P<quoted>[^\"]*)\"|(?P<bracketed>[^\[\]\"]+))\]")


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at a path.

    Parameters
    ----------
    value : float, str, bool or None
        None where this document has nothing there.
    reason : str
        Why there is nothing; empty where there is a value.
    words : tuple of str
        All values that the schema allows there; empty where it does not list them.
    """

    value: Value | None
    reason: str = ""
    words: tuple[str, ...] = ()


def find(model: type[BaseModel], document: Any, path: str) -> Found:
    """Follow a path through a document.

    Parameters
    ----------
    document : object
        Its content as JSON values.
    path : str
        Fields with dots between them. An entry of a list is named in brackets, by what it is called or by its place
        from 0; "count" is the number of entries. Text in brackets may be in double quotes.

    Raises
    ------
    UsageError
        If no document of that schema has such a path, or it leads to more than one value.

    Examples
    --------
    >>> from ibc_report.data.task import Task
    >>> find(Task, {"inputs": ["a", "b"], "config": None}, "inputs.count").value
    2
    >>> find(Task, {"inputs": ["a", "b"], "config": None}, "config").reason
    'config is null (Configuration, where the source has several.)'
    """
    annotation: Any = model
    reason = ""
    walked = ""
    for step in _steps(path):
        kind = _structure(annotation)
        if kind is None:
            raise UsageError(f"'{path}' goes too far: {walked} is one value; leave out what follows it")
        if isinstance(kind, type):
            fields = kind.model_fields
            if step not in fields:
                where = f"{walked} has no '{step}'" if walked else f"there is no '{step}'"
                raise UsageError(f"{where}; {choices(step, fields)}")
            walked = f"{walked}.{step}" if walked else step
            annotation, document = fields[step].annotation, None if reason else document.get(step)
            if document is None and not reason:
                reason = f"{walked} is null ({fields[step].description})"
            continue
        origin, arguments = kind
        if origin is not dict and step == "count":
            annotation, document = int, None if reason else len(document)
        else:
            annotation = _entry_type(origin, arguments, step)
            if not reason:
                document, reason = _entry(document, step, walked)
        walked = f"{walked}[{step}]" if origin is not dict else f"{walked}.{step}"
    several = isinstance(document, dict | list) if annotation is Any else _structure(annotation) is not None
    if several:
        going = ", ".join(_next(annotation, document))
        raise UsageError(f"'{path}' is more than one value; go on with one of: {going}")
    if document is None:
        return Found(None, reason or f"{walked} is null", _words(annotation))
    return Found(document, "", _words(annotation))


def paths(model: type[BaseModel]) -> tuple[str, ...]:
    """List the paths of a schema; KEY stands for what names an entry.

    Examples
    --------
    >>> from ibc_report.report.schema.document import Pair
    >>> paths(Pair)[:3]
    ('distance', 'ties', 'first.row')
    """
    return tuple(_paths(model, ""))


def _paths(annotation: Any, prefix: str) -> Iterator[str]:
    kind = _structure(annotation)
    if kind is None:
        yield prefix
    elif annotation is Any:
        yield f"{prefix}.KEY"
    elif isinstance(kind, type):
        for name, field in kind.model_fields.items():
            yield from _paths(field.annotation, f"{prefix}.{name}" if prefix else name)
    else:
        origin, arguments = kind
        if origin is not dict:
            yield f"{prefix}.count"
        inner = arguments[-1] if origin is dict or arguments[-1] is not Ellipsis else arguments[0]
        yield from (
            (f"{prefix}.KEY",) if inner is Any else _paths(inner, f"{prefix}{'.KEY' if origin is dict else '[KEY]'}")
        )


def _steps(path: str) -> Iterator[str]:
    position = 0
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None or (position == 0 and path.startswith(".")):
            raise UsageError(f"'{path}' is no name; write it as in data.rows_used or numbers[degree].value")
        groups = (match["plain"], match["quoted"], match["bracketed"])
        yield next(group for group in groups if group is not None)
        position = match.end()


def _structure(annotation: Any) -> type[BaseModel] | tuple[type, tuple[Any, ...]] | None:
    """The record, list or mapping that a field holds; None where it holds one value."""
    for part in _alternatives(annotation):
        origin = get_origin(part)
        if isinstance(part, type) and origin is None and issubclass(part, BaseModel):
            return part
        if origin in (tuple, list, dict):
            return origin, get_args(part)
        if part is Any:
            return dict, (str, Any)
    return None


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _alternatives(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return tuple(part for inner in get_args(annotation) for part in _alternatives(inner) if part is not NoneType)
    return (annotation,)


def _words(annotation: Any) -> tuple[str, ...]:
    parts = _alternatives(annotation)
    listed = [word for part in parts if get_origin(part) is Literal for word in get_args(part)]
    return tuple(word for word in listed if isinstance(word, str))


def _entry_type(origin: type, arguments: tuple[Any, ...], step: str) -> Any:
    if origin is dict:
        return arguments[-1]
    if origin is tuple and arguments[-1] is not Ellipsis and step.isdecimal() and int(step) < len(arguments):
        return arguments[int(step)]
    return arguments[0]


def _entry(document: Any, step: str, walked: str) -> tuple[Any, str]:
    """An entry of a list or mapping, or why there is none."""
    if isinstance(document, Mapping):
        if step in document:
            return document[step], ""
        return None, f"{walked} has no '{step}'; {choices(step, map(str, document))}"
    if not isinstance(document, Sequence) or isinstance(document, str):
        return None, f"{walked} has no '{step}'"
    names = [_name(entry) for entry in document]
    if step in names:
        return document[names.index(step)], ""
    if step.isdecimal() and int(step) < len(document):
        return document[int(step)], ""
    known = [name for name in names if name is not None]
    return None, f"{walked} has no '{step}'; {choices(step, known) if known else f'it has {len(document)} entries'}"


def _name(entry: Any) -> str | None:
    if isinstance(entry, Mapping):
        return next((str(entry[key]) for key in IDENTITIES if entry.get(key) is not None), None)
    return None


def _next(annotation: Any, document: Any) -> list[str]:
    """How a path that is not at its end can go on."""
    kind = _structure(annotation)
    if isinstance(kind, type):
        return [f".{name}" for name in kind.model_fields]
    if kind is not None and kind[0] is dict:
        if isinstance(document, Sequence):
            return [f"[{place}]" for place in range(min(3, len(document)))]
        return [f".{key}" for key in document] if isinstance(document, Mapping) else [".KEY"]
    names = [name for name in map(_name, document or ()) if name is not None]
    return [".count", *(f"[{name}]" for name in names[:20] or ["0"])]
