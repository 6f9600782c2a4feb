"""The printed sensitivity: words, marks for 0 bits, and both forms of the template."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

import ibc_report
from ibc_report import Report
from ibc_report.complexity import CONVENTIONS, evaluate
from ibc_report.complexity.extreme_values import known
from ibc_report.complexity.uncertainty import Noise
from ibc_report.geometry.sensitivity import sensitivity
from ibc_report.rendering import environment as rendering
from ibc_report.rendering.figures import tornado
from ibc_report.rendering.svg import inline
from ibc_report.report.schema.sections import SensitivityRecord
from ibc_report.report.sections.sensitivity import decades, written
from tests.support.markup import Page
from tests.support.samples import image_task
from tests.unit.complexity.test_families import SMALL
from tests.unit.geometry.test_sensitivity import MNIST, mnist


def noise() -> Noise:
    """MNIST's noise."""
    return Noise(0.077, 0.523, known(14.0), radius=known(60.0), true_dimension=(15.0, 16.2))


def said(record: SensitivityRecord) -> dict[str, tuple[str, str, str]]:
    """Name, bits and decades of each change."""
    return {each.key: (each.name, each.bits, each.change_text) for each in record.changes}


def test_the_words_of_mnist() -> None:
    """The card's sentences of MNIST name what moves it, with rounded decades and bits of one decimal."""
    record = written(sensitivity(mnist(), MNIST, noise()))
    changes = said(record)

    assert changes["centred"] == ("The radius from the mean of the rows instead of the origin", "10^14.2", "−2.01")
    assert changes["without_worst"][0] == "Wrong labels at the margin: without the 60 rows of the closest pairs, 0.1 %"
    assert changes["twice_fixed"][1:] == ("10^16.2", "under 0.01")
    assert changes["standardised"][0] == "Features standardised: mean 0, standard deviation 1"
    assert changes["halved"][0] == "The leading 392 principal components of 784 features"
    notes = {each.key: each.note for each in record.changes}
    for key in ("standardised", "halved"):
        assert notes[key].startswith("The change is that of a sample of 3,000 rows. Centring alone gives −")
    assert notes["centred"] == notes["without_pair"] == ""
    assert record.summary.startswith(
        "Of the inputs, each moved by its own uncertainty or by a factor of 2, the margin (δ)"
    )
    assert "Features standardised" in record.summary
    assert record.alternative.count(";") == len(record.bars) - 1
    assert [bar.name for bar in record.bars[:2]] == ["margin (δ)", "intrinsic dimension (m)"]
    slopes = {each.key: each for each in record.elasticities}
    assert slopes["margin"].text == "−13.73"
    assert slopes["margin"].said == "10 % more: −0.57 decades"
    assert slopes["dimension"].said == "1 more: +0.51 decades"
    assert slopes["classes"].said == "1 more: +0.10 decades"
    assert "rounds" not in record.elasticity_note


def test_a_rounded_degree_is_said() -> None:
    """Where the convention rounds the degree down, the note says whose slopes these are."""
    record = written(sensitivity(evaluate("classification", image_task("mnist"), "integer-degree"), MNIST))

    assert "the slopes in these are those with a real degree" in record.elasticity_note
    assert "The degree not rounded down" in {each.name for each in record.changes}


def test_zero_bits_in_words() -> None:
    """To, from and at 0 bits each have their words, and no decades."""
    none = written(sensitivity(mnist(n=1e14), MNIST, noise()))
    assert none.bars == ()
    assert none.elasticities == ()
    assert said(none)["twice_fixed"][1:] == ("0", "0")
    assert none.elasticity_note == "At 0 bits there are no slopes."
    assert none.alternative == "No bars: the bits are 0."
    assert "At 0 bits" in none.summary
    edge = written(sensitivity(mnist(n=8.3e13), MNIST, noise()))
    assert said(edge)["twice_expected"][2] == "from 0 bits"
    near = written(sensitivity(mnist(n=8e13), MNIST, noise()))
    assert said(near)["twice_fixed"][1:] == ("0", "to 0 bits")
    assert any(bar.at_low is None and bar.at_low_text == "to 0 bits" for bar in near.bars)


def test_a_sample_of_queries_is_said() -> None:
    """Where a sample was asked, the margins without pairs say that they are limits."""
    record = written(sensitivity(mnist(), replace(MNIST, all_asked=False)))

    for each in record.changes:
        assert ("pairs of the rows that were asked" in each.note) == each.key.startswith("without_")


def test_a_regression_in_its_words() -> None:
    """A regression has a resolution and other targets, where a classification has a margin and other classes."""
    names = {each.name for each in written(sensitivity(evaluate("regression", SMALL["regression"]), MNIST)).changes}

    assert "Half the target error, at the same resolution" in names
    assert "Twice the data, at the same resolution" in names
    assert "The margin as the 0.1 % quantile of the distances to the nearest row with other targets" in names


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("family", SMALL)
def test_every_family_is_worded(family: str, convention: str) -> None:
    """Every family under every convention has a record, which survives being saved."""
    record = written(sensitivity(evaluate(family, SMALL[family], convention)))

    assert SensitivityRecord.model_validate_json(record.model_dump_json()) == record
    assert all(each.name and each.bits and each.change_text for each in record.changes)


@pytest.mark.parametrize(
    ("change", "text"),
    [(float("-inf"), "to 0 bits"), (0.0, "0"), (0.0099, "under 0.01"), (-0.01, "−0.01"), (12.345, "+12.35")],
)
def test_decades(change: float, text: str) -> None:
    """A change has two decimals and a sign, and says so where it has fewer."""
    assert decades(change) == text


def rendered(record: SensitivityRecord, plain: bool, **values: Any) -> str:
    """The partial alone, of a report that holds the record."""
    report = ibc_report.measure(
        ibc_report.Task.model_validate(
            {"name": "mnist", "declared": {"family": "classification", **image_task("mnist")}}
        )
    )
    whole = report.model_copy(update={"sensitivity": record})
    environment = rendering._environment(None, plain)
    name = f"partials/sensitivity.{'md' if plain else 'html'}.j2"
    return environment.get_template(name).render(report=whole, **values)


def test_the_html_has_figure_and_tables() -> None:
    """The partial in HTML has the tornado with its words, a row for each change, and one for each slope."""
    record = written(sensitivity(mnist(), MNIST, noise()))
    drawn = {"tornado": inline(tornado(record))}
    page = Page(rendered(record, plain=False, figures=drawn))
    (figure,) = page.all("figure")

    assert figure["aria-label"] == record.alternative
    assert figure["role"] == "img"
    assert len(page.all("tr")) == 2 + len(record.changes) + len(record.elasticities)
    assert record.summary in page.text
    assert "1014.2" in page.text
    assert all(row.text for row in page.all("tr"))
    zero = written(sensitivity(mnist(n=1e14), MNIST))
    page = Page(rendered(zero, plain=False, figures={}))
    assert page.all("figure") == []
    assert len(page.all("table")) == 1


def test_the_markdown_has_tables_with_or_without_a_figure() -> None:
    """The partial in Markdown links the figure where there is a path, and says it in words elsewhere."""
    record = written(sensitivity(mnist(), MNIST, noise()))
    words = rendered(record, plain=True, paths={})
    linked = rendered(record, plain=True, paths={"tornado": "figures/tornado.svg"})

    assert "](figures/tornado.svg)" in linked
    assert "](figures" not in words
    for text in (words, linked):
        rows = [line for line in text.splitlines() if line.startswith("|")]
        assert len(rows) == 4 + len(record.changes) + len(record.elasticities)
        assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {4, 5}
        assert "10<sup>14.2</sup>" in text


def test_a_report_holds_it() -> None:
    """A report may hold the record, and is read again with it; one without it is read too."""
    task = ibc_report.Task.model_validate(
        {"name": "mnist", "declared": {"family": "classification", **image_task("mnist")}}
    )
    report = ibc_report.measure(task)
    whole = report.model_copy(update={"sensitivity": written(sensitivity(mnist(), MNIST, noise()))})
    bare = report.model_dump(mode="json", exclude={"sensitivity"})

    assert Report.model_validate_json(whole.to_json()) == whole
    assert Report.model_validate(bare).sensitivity is None
