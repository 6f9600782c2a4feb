"""Numbers in a page's prose, taken from a report, so that they are always those of its card."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping

from ibc_report import escaping, wording
from ibc_report.document_paths import find
from ibc_report.errors import DataError, choices
from ibc_report.report import Report

__all__ = ["with_quotes"]

_QUOTE = re.compile(r"\{\{ *([a-z0-9][a-z0-9._-]*): *([^{}\n]+?) *\}\}")


def with_quotes(markdown: str, reports: Mapping[str, Report], missing: Collection[str] = ()) -> str:
    """Fill in what a page quotes from reports, as in {{ digits: numbers[margin].text }}.

    Parameters
    ----------
    markdown : str
        A page.
    reports : mapping of str to Report
        By name.
    missing : collection of str
        Names of tasks that have no report yet; a quote of one is an ellipsis.

    Returns
    -------
    str
        Text from a report is escaped; powers of ten are raised.

    Raises
    ------
    DataError
        If a report is not there, or has nothing at that path.
    UsageError
        If no report has such a path.
    """

    def quoted(match: re.Match[str]) -> str:
        name, path = match.groups()
        return "…" if name in missing else _quoted(name, path, reports)

    return _QUOTE.sub(quoted, markdown)


def _quoted(name: str, path: str, reports: Mapping[str, Report]) -> str:
    if name not in reports:
        raise DataError(f"there is no report '{name}' to quote from; {choices(name, reports)}")
    found = find(Report, json.loads(reports[name].to_json()), path)
    if found.value is None:
        raise DataError(f"report '{name}': {found.reason}")
    text = wording.number(found.value) if isinstance(found.value, float | int) else str(found.value)
    return escaping.raised(escaping.escape(text))
