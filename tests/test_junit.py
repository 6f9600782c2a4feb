"""JUnit XML of rules."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from ibc_report.junit import junit
from ibc_report.rules import Outcome, Rule
from tests.samples import few_properties


@few_properties
@given(st.lists(st.tuples(st.text(), st.text(), st.booleans()), max_size=4), st.text())
def test_any_outcome_is_well_formed(cases: list[tuple[str, str, bool]], name: str) -> None:
    """Whatever a rule's text is, the XML has a case for each rule and a failure for each that fails."""
    outcomes = [Outcome(Rule("x", "==", text, text), said, holds, said) for text, said, holds in cases]
    root = ElementTree.fromstring(junit(name, outcomes))
    suite = root.find("testsuite")
    assert suite is not None
    failed = [case for case in suite if case.find("failure") is not None]
    assert (len(suite), len(failed)) == (len(cases), sum(not holds for _, _, holds in cases))
    assert (root.get("tests"), root.get("failures")) == (str(len(suite)), str(len(failed)))


def test_a_failure_says_the_value() -> None:
    """The message of a failure is the rule and the value that failed it."""
    text = junit("digits", [Outcome(Rule("m", "<", 3.0, "m < 3"), 8.1, False, "m < 3: it is 8.1")]).decode()
    assert '<failure type="rule" message="m &lt; 3: it is 8.1">' in text
