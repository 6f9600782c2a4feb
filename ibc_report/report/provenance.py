"""How to repeat a measurement, how to cite it, and what makes it out of date."""

from __future__ import annotations

import hashlib
import json
import shlex
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePath
from platform import python_version
from typing import Any

from ibc_report.data.task import Task

__all__ = ["bibtex", "fingerprint_of", "place", "python", "shell", "versions"]

SETTINGS = (
    "revision",
    "config",
    "split",
    "test",
    "max_rows",
    "streaming",
    "target",
    "kind",
    "header",
    "encoder",
    "queries",
    "exact",
    "tolerance",
    "target_error",
    "convention",
    "benchmark",
    "seed",
    "examples",
)
"""Fields that change a number or what is shown, in the order in which they are written."""

COLUMNS = {"inputs": "input", "drop": "drop", "categorical": "categorical"}
"""Fields that name columns, and the option that is given once for each."""


def shell(task: Task) -> str:
    """Write the command that measures a task.

    Returns
    -------
    str
        One line. A declared task is measured from its catalog.

    Examples
    --------
    >>> shell(Task.of("builtin:digits", target_error=0.05))
    'ibc-report card builtin:digits --target-error 0.05'
    """
    if task.source is None:
        return f"ibc-report build catalog.yml --only {task.name}"
    words = ["ibc-report", "card", task.source]
    for key, value in _changed(task).items():
        name = key.replace("_", "-")
        if value is False:
            words.append(f"--no-{name}")
            continue
        words += [f"--{name}"] if value is True else _option(name, str(value))
    for field, option in COLUMNS.items():
        for name in getattr(task, field):
            words += _option(option, name)
    return shlex.join(words)


def place(task: Task, *, local: bool) -> str:
    """Say from where the command is to be run.

    Parameters
    ----------
    local : bool
        Whether its source is the path of a file or a folder.

    Examples
    --------
    >>> place(Task.of("builtin:digits"), local=False)
    'From any folder:'
    """
    if task.source is None:
        return "From the folder of its catalog:"
    if not local or PurePath(task.source).is_absolute():
        return "From any folder:"
    return "From the folder that the path starts from, which for a task of a catalog is the catalog's:"


def python(task: Task) -> str:
    """Write the Python that measures a task.

    Examples
    --------
    >>> print(python(Task.of("builtin:digits")))
    import ibc_report
    ibc_report.measure('builtin:digits')
    """
    if task.source is None and task.declared is not None:
        numbers = ", ".join(f"{key}={value!r}" for key, value in task.declared.inputs.items())
        counted = f", convention={task.convention!r}" if task.convention != "released" else ""
        return f"from ibc_report.complexity import {task.declared.family}\n{task.declared.family}({numbers}{counted})"
    changed = dict(_changed(task))
    changed |= {field: getattr(task, field) for field in COLUMNS if getattr(task, field)}
    settings = "".join(f", {key}={value!r}" for key, value in changed.items())
    return f"import ibc_report\nibc_report.measure({task.source!r}{settings})"


def _option(name: str, value: str) -> list[str]:
    # a value with a leading hyphen would be read as another option
    return [f"--{name}={value}"] if value.startswith("-") else [f"--{name}", value]


def _changed(task: Task) -> dict[str, Any]:
    return {key: getattr(task, key) for key in SETTINGS if getattr(task, key) != Task.model_fields[key].get_default()}


MEASURE = """\
@inproceedings{boopathy2023modelagnostic,
  title     = {Model-agnostic Measure of Generalization Difficulty},
  author    = {Boopathy, Akhilan and Liu, Kevin and Hwang, Jaedong and Ge, Shu and Mohammedsaleh, Asaad and Fiete, Ila},
  booktitle = {Proceedings of the 40th International Conference on Machine Learning},
  series    = {Proceedings of Machine Learning Research},
  volume    = {202},
  year      = {2023},
  publisher = {PMLR}
}"""


def bibtex(dataset: str | None) -> str:
    """List the entries that a card calls for.

    Parameters
    ----------
    dataset : str or None
        BibTeX of the dataset, as its task gives it; None where it gives none.

    Examples
    --------
    >>> bibtex(None).splitlines()[0]
    '@inproceedings{boopathy2023modelagnostic,'
    """
    return "\n\n".join(part.strip() for part in (MEASURE, dataset) if part)


PACKAGES = ("ibc-report", "datasets", "numpy", "pandas", "pillow", "pyarrow", "scikit-learn", "scipy")
"""Packages that the numbers of a report hang on."""


@cache
def versions() -> dict[str, str]:
    """Versions of Python, of this package and of those that its numbers hang on.

    Returns
    -------
    dict of str to str
        By name; those that are not installed are left out. Every call gives the same object: do not change it.

    Examples
    --------
    >>> "numpy" in versions()
    True
    """
    found = {"python": python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def fingerprint_of(task: dict[str, Any], revision: str | None) -> str:
    """Hash a task, the revision of its data and the versions.

    Parameters
    ----------
    task : dict
        Its fields, as JSON has them.
    revision : str or None
        What pins its data; None for a declared task.

    Returns
    -------
    str
        "sha256:" and 64 hexadecimal digits.

    Examples
    --------
    >>> fingerprint_of({"name": "a"}, None) == fingerprint_of({"name": "b"}, None)
    False
    """
    content = json.dumps([task, revision, versions()], sort_keys=True, ensure_ascii=False)
    return f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"
