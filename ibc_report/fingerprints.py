"""What makes a report out of date: another task, other data, other versions."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from platform import python_version
from typing import Any

__all__ = ["of", "versions"]

PACKAGES = ("ibc-report", "datasets", "numpy", "pandas", "pillow", "pyarrow", "scikit-learn", "scipy")
"""Packages that the numbers of a report hang on."""


@cache
def versions() -> dict[str, str]:
    """Versions of Python, of this package and of those that its numbers hang on.

    Returns
    -------
    dict of str to str
        By name; those that are not installed are left out.

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


def of(task: dict[str, Any], revision: str | None) -> str:
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
    >>> of({"name": "a"}, None) == of({"name": "a"}, None) != of({"name": "b"}, None)
    True
    """
    content = json.dumps([task, revision, versions()], sort_keys=True, ensure_ascii=False)
    return f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"
