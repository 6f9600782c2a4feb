"""Outcomes of rules as JUnit XML, which continuous integration shows as tests."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from ibc_report.escaping import one_line
from ibc_report.rules import Outcome

__all__ = ["junit"]


def junit(name: str, outcomes: Sequence[Outcome]) -> bytes:
    """Write outcomes as JUnit XML.

    Parameters
    ----------
    name : str
        Of the report.
    outcomes : sequence of Outcome
        A test case for each.

    Returns
    -------
    bytes
        UTF-8, the same for the same outcomes: there is no date and no duration.

    Examples
    --------
    >>> from ibc_report.rules import Outcome, parse
    >>> print(junit("digits", [Outcome(parse("m < 9"), 8.1, True, "m < 9: it is 8.1")]).decode())
    <?xml version='1.0' encoding='utf-8'?>
    <testsuites name="ibc-report check" tests="1" failures="0">
      <testsuite name="digits" tests="1" failures="0" errors="0" skipped="0">
        <testcase classname="digits" name="m &lt; 9" />
      </testsuite>
    </testsuites>
    <BLANKLINE>
    """
    tests, failures = str(len(outcomes)), str(sum(not outcome.holds for outcome in outcomes))
    root = ElementTree.Element("testsuites", name="ibc-report check", tests=tests, failures=failures)
    suite = ElementTree.SubElement(
        root, "testsuite", name=one_line(name), tests=tests, failures=failures, errors="0", skipped="0"
    )
    for outcome in outcomes:
        case = ElementTree.SubElement(suite, "testcase", classname=one_line(name), name=one_line(outcome.rule.text))
        if not outcome.holds:
            said = one_line(outcome.said)
            ElementTree.SubElement(case, "failure", type="rule", message=said).text = said
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"
