"""Certainty in words and as a record: what is written is what was found, and reads back."""

from __future__ import annotations

import json
from math import inf, isfinite

import pytest

from ibc_report.complexity import CONVENTIONS, PUBLISHED, Complexity, evaluate
from ibc_report.complexity.extreme_values import Law, TailTerm, known
from ibc_report.complexity.uncertainty import Noise, spread
from ibc_report.report.schema.sections import CertaintyRecord, DriftRecord
from ibc_report.report.sections.uncertainty import declared, noise_of, uncertainty_section
from tests.support.samples import image_task

FITTED = Noise(
    0.1,
    0.53,
    Law((TailTerm(0.7, 13.5, 100.0, 0.0), TailTerm(0.3, 20.0, 80.0, 0.07)), 80),
    Law((TailTerm(1.0, 60.0, 80.0, 0.5),), 80),
    (15.0, 16.2),
)


def mnist(**changes: float) -> Complexity:
    """MNIST with m = 14.247, or otherwise."""
    return evaluate("classification", image_task("mnist", **{"dimension": 14.247, **changes}))


@pytest.mark.parametrize("noise", [FITTED, Noise(0.1, 0.5, known(14.0)), Noise(0.0, 0.0, known(2.0), None, (2.0, inf))])
def test_the_noise_reads_back_as_it_was_written(noise: Noise) -> None:
    """Also through JSON, with a known exponent, no noise of the radius and no highest dimension."""
    record = uncertainty_section(mnist(), noise)
    again = CertaintyRecord.model_validate_json(record.model_dump_json())
    assert again == record
    assert again.noise is not None
    assert noise_of(again.noise) == noise


def test_the_record_holds_what_was_found() -> None:
    """Parts, both intervals and their ends are those of the spread, and every text has its numbers."""
    found = spread(mnist(), FITTED)
    record = uncertainty_section(mnist(), FITTED, metric="Euclidean distance of pixels", centring="none")
    assert found is not None
    assert record == uncertainty_section(
        mnist(), FITTED, found=found, metric="Euclidean distance of pixels", centring="none"
    )
    assert record.sd == found.sd
    assert record.parts[0].key == "margin"
    assert sum(part.decades**2 for part in record.parts) == pytest.approx(found.sd**2)
    assert record.sample is not None
    assert record.truth is not None
    bits, dimension, margin = record.sample.ends
    assert (bits.lower, bits.upper) == (found.sample.log10_bits.lower, found.sample.log10_bits.upper)
    assert bits.text == f"10^{bits.lower:.1f} to 10^{bits.upper:.1f} bits"
    assert dimension.text == "14.04 to 14.46"
    assert margin.name == "margin"
    assert record.truth.name == "For the true dimension"
    assert "95 %" in record.sample.meaning
    assert record.sd_text.startswith("Standard deviation 0.")
    assert json.loads(record.model_dump_json())["metric"] == "Euclidean distance of pixels"


def test_conventions_are_in_the_record_and_in_no_interval() -> None:
    """The range by convention is that of all registered ones, wider than noise, and named as a choice."""
    record = uncertainty_section(mnist(), FITTED)
    assert set(record.conventions.log10_bits) == set(CONVENTIONS)
    assert record.conventions.upper is not None
    assert record.conventions.lower is not None
    assert record.conventions.upper - record.conventions.lower > 4
    assert "not noise" in record.conventions.meaning


def test_0_bits_are_worded() -> None:
    """One class has 0 bits and no deviation; next to 0 bits the interval begins at 0."""
    none = uncertainty_section(mnist(classes=1), FITTED)
    assert (none.sd, none.parts) == (None, ())
    assert none.sample is not None
    assert none.sample.ends[0].text == "0 bits"
    assert none.conventions.text == "0 bits"
    near = uncertainty_section(mnist(n=8e13, dimension=14), FITTED)
    assert near.sample is not None
    assert near.sample.ends[0].lower is None
    assert near.sample.ends[0].text.startswith("0 to 10^")


def test_no_upper_end_is_worded() -> None:
    """A true dimension beyond the table leaves bits and dimension open above."""
    record = uncertainty_section(mnist(), Noise(0.1, 0.5, known(14.0), None, (15.0, inf)))
    assert record.truth is not None
    bits, dimension, _ = record.truth.ends
    assert bits.upper is None
    assert bits.text.endswith("bits or more")
    assert dimension.text.endswith("or more")


def test_chosen_inputs_have_conventions_only() -> None:
    """A control task has no noise, no deviation and no interval, and says why."""
    reacher = PUBLISHED["reacher"]
    task = evaluate(reacher.family, dict(reacher.inputs))
    record = uncertainty_section(task, declared(task))
    assert (record.noise, record.sd, record.sample, record.truth) == (None, None, None, None)
    assert "none of the inputs was sampled" in record.sd_text
    assert record.conventions.upper is not None


def test_a_declared_task_has_the_noise_of_its_dimension() -> None:
    """κ = m, and the rounding of a whole m; a regression's margin is called its resolution."""
    whole, real = declared(mnist(dimension=14)), declared(mnist())
    assert whole is not None
    assert real is not None
    assert whole.dimension_error == pytest.approx(12**-0.5)
    assert (real.dimension_error, real.margin.exponent) == (0, 14.247)
    inputs = {"n": 400.0, "radius": 5.0, "dimension": 3.0, "resolution": 1.0, "target_error": 0.1}
    task = evaluate("regression", inputs)
    record = uncertainty_section(task, declared(task))
    assert record.sample is not None
    assert record.sample.ends[2].name == "resolution"


def test_a_drift_is_kept_from_large_to_small() -> None:
    """Smaller samples stand in the order of their size."""
    rows = [DriftRecord(n=n, dimension=5, margin=1, radius=4, log10_bits=9) for n in (100, 400, 200)]
    assert [row.n for row in uncertainty_section(mnist(), FITTED, drift=rows).drift] == [400, 200, 100]


@pytest.mark.parametrize("name", list(PUBLISHED))
def test_every_published_task_can_be_worded(name: str) -> None:
    """No published task of any family lacks a text, and every number in the record is finite."""
    published = PUBLISHED[name]
    task = evaluate(published.family, dict(published.inputs))
    record = uncertainty_section(task, declared(task))
    assert record.sd_text
    assert record.conventions.text
    for ranges in (record.sample, record.truth):
        for ends in () if ranges is None else ranges.ends:
            assert ends.text
            assert ends.upper is not None
            assert isfinite(ends.upper)


def test_a_range_that_is_withheld_has_its_reason() -> None:
    """A measured task without a range of true dimensions says why, and a declared one has nothing to withhold."""
    noise = Noise(0.1, 0.5, known(14.0))
    measured = uncertainty_section(mnist(), noise, metric="Euclidean distance of pixels")
    assert measured.truth is None
    assert measured.withheld.startswith("Withheld: classes lie among one another")
    assert uncertainty_section(mnist(), noise).withheld == ""
    assert uncertainty_section(mnist(), FITTED, metric="Euclidean distance of pixels").withheld == ""
