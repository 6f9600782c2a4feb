"""Prose that quotes from reports: a path in double braces becomes what the report holds there."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping

from ibc_report.common import escaping, wording
from ibc_report.common.errors import DataError, choices
from ibc_report.report.paths import find
from ibc_report.report.schema.document import ReportDocument

__all__ = ["with_quotes", "without_templates"]

_QUOTE = re.compile(r"\{\{ *([a-z0-9][a-z0-9._-]*): *([^{}\n]+?) *\}\}")


_TEMPLATE = re.compile(r"\\?\{(?=[{%])")

# A backslash before these is enough for Markdown, and for Jinja "\\{%" opens a statement.
_BRACKETS = re.compile(r"\\([{}\[\]#])")


def without_templates(markdown: str) -> str:
    """Print the braces that open a Jinja expression or statement as entities, so that no engine runs them.

    Parameters
    ----------
    markdown : str
        A generated page, which is HTML in all that it prints.

    Examples
    --------
    >>> without_templates("<p>{{ 7 * 7 }} {% x %}</p>")
    '<p>&#123;{ 7 * 7 }} &#123;% x %}</p>'
    """
    return _TEMPLATE.sub("&#123;", markdown)


def with_quotes(
    markdown: str,
    reports: Mapping[str, ReportDocument],
    missing: Collection[str] = (),
    *,
    others: Collection[str] = (),
) -> str:
    """Fill in what a page quotes from reports, as in {{ digits: numbers[margin].text }}.

    Parameters
    ----------
    missing : collection of str
        Names of tasks that have no report yet; a quote of one is an ellipsis.
    others : collection of str
        Names that another entry of the plugin fills in; a quote of one stays.

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
        if name in reports:
            return _quoted(path, reports[name])
        if name in missing:
            return "…"
        if name in others:
            return match.group()
        raise DataError(f"there is no report '{name}' to quote from; {choices(name, [*reports, *others])}")

    return _QUOTE.sub(quoted, markdown)


def _quoted(path: str, report: ReportDocument) -> str:
    found = find(ReportDocument, json.loads(report.to_json()), path)
    if found.value is None:
        raise DataError(f"report '{report.name}': {found.reason}")
    text = wording.number(found.value) if isinstance(found.value, float | int) else str(found.value)
    safe = _BRACKETS.sub(lambda match: f"&#{ord(match.group(1))};", escaping.escape(text))
    return escaping.raised(safe)
