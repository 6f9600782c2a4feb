"""Reports of earlier versions of the document, brought to the form of this one."""

from __future__ import annotations

from typing import Any

__all__ = ["upgraded"]

NOTHING_CHECKED = {"value": None, "verdict": "not testable", "threshold": None, "change": None, "change_text": None}
"""What version 1 says of an assumption beside its diagnostic."""


def upgraded(content: dict[str, Any]) -> dict[str, Any]:
    """Bring a document to the present version, as far as what it holds allows.

    Parameters
    ----------
    content : dict
        A report as JSON, of this version or an earlier one.

    Returns
    -------
    dict
        The same where nothing is to be done. What is malformed stays so.

    Examples
    --------
    >>> upgraded({"schema_version": 1, "headline": {"margin_sd": 0.5, "scale_sd": 0.2, "lower": 9.0}})
    {'schema_version': 2, 'headline': {'lower': 9.0}}
    """
    if content.get("schema_version") != 1:
        return content
    found = {**content, "schema_version": 2}
    headline = content.get("headline")
    if isinstance(headline, dict):
        found["headline"] = {key: value for key, value in headline.items() if key not in ("margin_sd", "scale_sd")}
    entries = content.get("assumptions")
    if isinstance(entries, list):
        found["assumptions"] = [{**entry, **NOTHING_CHECKED} if isinstance(entry, dict) else entry for entry in entries]
    return found
