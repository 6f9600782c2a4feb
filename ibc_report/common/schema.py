"""What every record of a document is, and a schema's complaint as one sentence that says where and what is right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from ibc_report.common.errors import choices

__all__ = ["Record", "first_fault"]


class Record(BaseModel):
    """A part of the document."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def first_fault(error: ValidationError, model: type[BaseModel], content: Any) -> str:
    """Word the first thing that is wrong.

    Parameters
    ----------
    content : object
        What it was given, to name the entry of a list.

    Examples
    --------
    >>> from ibc_report.data.task import Task
    >>> try:
    ...     Task.model_validate({"name": "a", "source": "b", "taget": "c"})
    ... except ValidationError as error:
    ...     print(first_fault(error, Task, {})[:48])
    unknown key 'taget'; did you mean 'target'? Know
    """
    first = error.errors()[0]
    location = first["loc"]
    place = _place(location, content)
    if first["type"] == "extra_forbidden":
        known = _fields(model, location[:-1])
        return f"{place}unknown key '{location[-1]}'; {choices(str(location[-1]), known)}"
    if first["type"] == "missing":
        return f"{place}'{location[-1]}' is missing"
    message = str(first["msg"]).removeprefix("Value error, ")
    entry = next((depth + 1 for depth, part in enumerate(location) if isinstance(part, int)), 0)
    field = next((part for part in reversed(location[entry:]) if isinstance(part, str)), None)
    said = f"'{field}': " if field and not message.startswith(f"{field} ") else ""
    return f"{place}{said}{message[0].lower()}{message[1:]}"


def _place(location: tuple[int | str, ...], content: Any) -> str:
    """Name the entry of a list by its number and, where it has one, its name."""
    for depth, part in enumerate(location):
        if isinstance(part, int):
            listed = str(location[depth - 1])
            what = f"task {part + 1}" if listed == "tasks" else f"entry {part + 1} of '{listed}'"
            entry = content
            for step in location[: depth + 1]:
                entry = entry[step]
            name = entry.get("name") if isinstance(entry, Mapping) else None
            return f"{what} ('{name}'): " if name else f"{what}: "
    return ""


def _fields(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """Keys that the model at a location knows."""
    for part in location:
        if isinstance(part, str) and part in model.model_fields:
            for inner in (
                model.model_fields[part].annotation,
                *get_args(model.model_fields[part].annotation),
            ):
                if isinstance(inner, type) and issubclass(inner, BaseModel):
                    model = inner
    return list(model.model_fields)
