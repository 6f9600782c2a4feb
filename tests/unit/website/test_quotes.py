"""Pages quote numbers from reports."""

from __future__ import annotations

import pytest

import ibc_report
from ibc_report import Report
from ibc_report.common.errors import DataError, UsageError
from ibc_report.data.task import Task
from ibc_report.website.quotes import with_quotes


@pytest.fixture(scope="module")
def mnist() -> dict[str, Report]:
    """The published MNIST, by its name."""
    inputs = {"n": 60000, "radius": 17.179045827183984, "dimension": 14, "classes": 10, "margin": 2.3987084824335305}
    declared = {"family": "classification", **inputs, "target_error": 0.001}
    report = ibc_report.measure(Task.model_validate({"name": "m", "title": "*M* <b>", "declared": declared}))
    return {"m": report}


def test_a_number_is_quoted_as_it_is_printed(mnist: dict[str, Report]) -> None:
    """A path to printed text gives that text, a path to a number its four digits, and powers are raised."""
    page = (
        "{{ m: numbers[margin].text }}, {{m: inputs.radius}}, {{ m: headline.exponent }}, {{ m: ruler[mnist].title }}"
    )
    assert with_quotes(page, mnist) == "2.399, 17.18, 16.2, MNIST"
    assert with_quotes("{{ m: numbers[sufficient_n].text }}", mnist) == "10<sup>13.9</sup>"


def test_quoted_text_is_escaped(mnist: dict[str, Report]) -> None:
    """A title with markup prints as itself."""
    assert with_quotes("{{ m: title }}", mnist) == r"\*M\* &lt;b&gt;"


def test_a_task_without_a_report_is_an_ellipsis(mnist: dict[str, Report]) -> None:
    """A task that could not be measured does not cost the website the page that quotes from it."""
    assert with_quotes("n is {{ lost: inputs.n }}", mnist, ["lost"]) == "n is …"


def test_what_is_no_quote_is_left_alone(mnist: dict[str, Report]) -> None:
    """Reference tables and templates keep their braces."""
    for text in ("{{ assumptions }}", "{% if a %}", "{{ M: title }}", "{ m: title }"):
        assert with_quotes(text, mnist) == text


@pytest.mark.parametrize(
    ("page", "error", "message"),
    [
        ("{{ n: title }}", DataError, "no report 'n' to quote from; Known: m"),
        ("{{ m: titel }}", UsageError, "did you mean 'title'"),
        ("{{ m: description }}", DataError, "report 'm': description is null"),
    ],
    ids=["report", "path", "nothing"],
)
def test_what_cannot_be_quoted_is_named(
    mnist: dict[str, Report], page: str, error: type[Exception], message: str
) -> None:
    """A wrong report or path is one line with the nearest name; a quote of nothing is no blank."""
    with pytest.raises(error, match=message):
        with_quotes(page, mnist)
