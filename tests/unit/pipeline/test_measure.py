"""The whole way from a task to its report, on the datasets of the paper where they are."""

from __future__ import annotations

import json
import os
from math import log10
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from filelock import FileLock
from PIL import Image

import ibc_report
from ibc_report import Report, load_report, measure
from ibc_report.common.errors import DataError, UsageError
from ibc_report.complexity import evaluate
from ibc_report.data import sources
from ibc_report.data.examples import gather
from ibc_report.data.task import Task
from tests.support.tables import encoded_image
from tests.support.workshop import Workshop


@pytest.fixture(scope="session")
def mnist(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The report of all of MNIST train, measured once for all workers of a run."""
    base = tmp_path_factory.getbasetemp()
    # the workers of pytest-xdist have folders of their own in that of the run
    saved = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "ibc-report-mnist.json"
    with FileLock(f"{saved}.lock"):
        if not saved.exists():
            report = measure(str(shared / "mnist"), test="none", target="label", target_error=0.001)
            saved.write_text(report.to_json(), encoding="utf-8")
    return load_report(saved)


@pytest.mark.data
@pytest.mark.long
def test_mnist_has_the_papers_radius_margin_and_dimension(mnist: Report) -> None:
    """MNIST train has R = 17.17904586, δ = 2.3987085 between a 1 and a 7, and m̂ = 14.2437, over all rows."""
    assert mnist.inputs["n"] == 60000
    assert mnist.inputs["radius"] == pytest.approx(17.17904586, abs=5e-8)
    # the authors' constant
    assert mnist.inputs["radius"] == pytest.approx(17.179045827183984, rel=1e-12)
    assert mnist.inputs["margin"] == pytest.approx(2.3987085, abs=5e-8)
    assert mnist.inputs["dimension"] == pytest.approx(14.243709, abs=5e-7)
    assert mnist.pair is not None
    assert {mnist.pair.first.label, mnist.pair.second.label} == {"1", "7"}


@pytest.mark.data
@pytest.mark.long
def test_mnist_is_recognised_and_has_the_papers_bits(mnist: Report) -> None:
    """With the paper's m = 14 the measured numbers give 1.4848e16 bits, and the card has both values."""
    assert mnist.published is not None
    assert mnist.published.name == "mnist"
    assert mnist.published.recognised
    assert mnist.published.rounded_log10_bits == pytest.approx(log10(1.484804e16), abs=1e-6)
    assert mnist.published.rounded_bits == mnist.published.bits == "1.485 × 10^16"
    assert mnist.headline.log10_bits == pytest.approx(16.296, abs=5e-3)


@pytest.mark.data
@pytest.mark.long
def test_mnists_profile_and_disagreement(mnist: Report) -> None:
    """m̂ at k = 3, 5, 10, 20, 50 is as published, and the shares of other-labelled neighbours to a sample's error."""
    assert mnist.data is not None
    profile = mnist.data.dimension_profile
    assert [round(profile[k], 4) for k in (3, 5, 10)] == [14.6533, 14.2437, 13.8004]
    assert [round(profile[k], 2) for k in (20, 50)] == [13.37, 12.79]
    # published are 0.0265, 0.0402, 0.0512; all 60000² distances, computed apart, give the shares on the right
    for k, published, brute in ((1, 0.0265, 0.026283), (5, 0.0402, 0.040517), (10, 0.0512, 0.051255)):
        assert mnist.data.disagreement[k] == pytest.approx(published, abs=5e-4)
        assert mnist.data.disagreement[k] == pytest.approx(brute, abs=2e-5)


@pytest.mark.data
@pytest.mark.long
def test_mnists_interval_mirrors_the_worked_spread(mnist: Report) -> None:
    """Another sample's value is spread over [15.33, 17.74]; the interval for what is expected is its mirror image.

    The law of the margin is fitted here, where the worked value takes κ = m, so the ends agree to a third of a decade.
    """
    present = mnist.headline.log10_bits
    assert present is not None
    assert mnist.headline.lower == pytest.approx(2 * present - 17.74, abs=0.33)
    assert mnist.headline.upper == pytest.approx(2 * present - 15.33, abs=0.33)


@pytest.mark.data
@pytest.mark.parametrize(("centring", "decades"), [("centred", -2.01), ("mean", -3.65)])
@pytest.mark.long
def test_other_radii_of_mnist(mnist: Report, shared: Path, centring: str, decades: float) -> None:
    """The largest centred norm as R moves MNIST by −2.01 decades and the mean norm by −3.65, at m = 14."""
    rows = sources.load(str(shared / "mnist"), base=Path(), config=None, split=None)
    encoded = gather(rows, target="label").encoded
    vectors = encoded.vectors.astype(np.float32) * np.float32(encoded.unit)
    if centring == "centred":
        radius = float(
            np.linalg.norm(vectors - vectors.mean(axis=0, dtype=np.float64).astype(np.float32), axis=1).max()
        )
    else:
        radius = float(np.linalg.norm(vectors, axis=1).mean())
    numbers = {**mnist.inputs, "dimension": 14}
    moved = evaluate("classification", {**numbers, "radius": radius}).log10_bits
    assert moved - evaluate("classification", numbers).log10_bits == pytest.approx(decades, abs=0.005)


@pytest.mark.data
@pytest.mark.long
def test_cifar_10_is_orders_above_mnist(shared: Path, tmp_path: Path) -> None:
    """The JPEG copy of CIFAR-10 needs more than ten orders of magnitude more bits than MNIST, at the same n and ε.

    Both are measured on their first 5,000 rows, for all rows of CIFAR-10 take minutes; δ falls with n for both.
    """
    bits = {}
    for name, file in (
        ("mnist", "mnist/mnist/train-00000-of-00001.parquet"),
        ("cifar", "cifar10-jpeg/plain_text/train-00000-of-00001.parquet"),
    ):
        (tmp_path / name).mkdir()
        pq.write_table(pq.read_table(shared / file).slice(0, 5000), tmp_path / name / "train.parquet")
        report = measure(name, base=tmp_path, target="label")
        assert report.inputs["n"] == 5000
        bits[name] = report.headline.log10_bits or 0.0
    assert bits["cifar"] - bits["mnist"] > 10


def test_a_file_is_measured_with_its_numbers(workshop: Workshop) -> None:
    """A CSV of two classes has the n, d, rows and target of its file."""
    report = measure(workshop.task, base=workshop.folder)
    assert (report.inputs["n"], report.inputs["classes"]) == (60, 2)
    assert report.data is not None
    assert report.data.classes == (("a", 30), ("b", 30))
    assert (report.data.source, report.data.target, report.data.rows_read) == ("points.csv", "kind", 60)
    assert report.published is None


def test_a_source_and_settings_make_the_task(workshop: Workshop) -> None:
    """`measure` of a source with settings is that of the task with those fields."""
    direct = measure("points.csv", base=workshop.folder, target="kind", target_error=0.2)
    assert direct == measure(Task.of("points.csv", target="kind", target_error=0.2), base=workshop.folder)


def test_stages_are_told_in_order(workshop: Workshop) -> None:
    """Progress names reading, encoding, neighbours and uncertainty in turn, with fractions that do not fall."""
    told: list[tuple[str, float]] = []
    measure(workshop.task, base=workshop.folder, progress=lambda stage, fraction: told.append((stage, fraction)))
    stages = list(dict.fromkeys(stage for stage, _ in told))
    assert stages[0] == "reading"
    assert stages[2:] == ["neighbours", "uncertainty"]
    for name in stages:
        fractions = [fraction for stage, fraction in told if stage == name]
        assert fractions == sorted(fractions)
        assert 0 <= fractions[0] <= fractions[-1] <= 1


@pytest.mark.parametrize("tolerance", [None, 50.0])
def test_a_regressions_margin_needs_targets_beyond_the_tolerance(tolerance: float | None) -> None:
    """The pair that sets δ of a regression has targets further apart than the tolerance on the card."""
    report = measure("builtin:diabetes", tolerance=tolerance, target_error=0.1)
    assert report.pair is not None
    # without one it is 2 · 0.1 · (346 − 25) / 2
    apart = abs(float(report.pair.first.label) - float(report.pair.second.label))
    assert apart > (tolerance or 32.1)


def test_a_wider_tolerance_never_narrows_the_margin() -> None:
    """Fewer pairs differ by more, so δ grows with the tolerance."""
    margins = [
        measure("builtin:diabetes", tolerance=tolerance).inputs["resolution"] for tolerance in (1.0, 20.0, 80.0, 200.0)
    ]
    assert margins == sorted(margins)


def test_a_tolerance_for_classes_is_refused() -> None:
    """A tolerance goes with a regression, and the message has the target that is none."""
    with pytest.raises(UsageError, match=r"^iris: a tolerance is for a regression, and '.*' has classes$"):
        measure("builtin:iris", tolerance=1.0)


def test_settings_beside_a_task_are_refused() -> None:
    """Settings are for a source; beside a task they would be lost."""
    with pytest.raises(UsageError, match=r"^seed: settings go with a source; change the task itself instead$"):
        measure(Task.of("builtin:iris"), seed=1)


def test_a_regression_with_too_lax_a_target_says_what_to_lower() -> None:
    """At ε = 1 the tolerance is the whole range of the targets, so no pair is left."""
    with pytest.raises(DataError, match="lower the tolerance or the target error"):
        measure("builtin:diabetes", target_error=1.0)


def test_an_unknown_column_names_the_nearest(workshop: Workshop) -> None:
    """A misspelt target is refused with the columns that there are."""
    with pytest.raises(UsageError, match="did you mean 'kind'"):
        measure("points.csv", base=workshop.folder, target="knid")


def test_a_benchmark_of_another_family_is_refused() -> None:
    """A regression is no copy of a classification, and the line says both."""
    with pytest.raises(UsageError, match="benchmark 'mnist' is a classification task, and this is a regression; leave"):
        measure("builtin:diabetes", benchmark="mnist")


def test_a_table_in_memory_is_refused_by_one_line() -> None:
    """A DataFrame is no task; the line says what to do with it."""
    frame = pd.DataFrame({"a": [1, 2]})
    with pytest.raises(UsageError) as caught:
        measure(frame)  # type: ignore[arg-type]
    assert str(caught.value) == (
        "a task is a Task or the name of a source, not a DataFrame; write a table to a file, as in "
        "frame.to_parquet('data.parquet'), and name that"
    )


def test_the_package_lists_what_it_offers() -> None:
    """dir() has the public names, which are loaded when they are asked for, and no private ones."""
    assert set(dir(ibc_report)) == {*ibc_report.__all__, "__version__"}
    assert all(getattr(ibc_report, name) is not None for name in dir(ibc_report))


def lines_of_points() -> list[tuple[float, float, str]]:
    """Twelve points of two classes, of which the last two are the closest of different classes."""
    points = [(float(3 * n % 11), float(n * n), "xy"[n % 2]) for n in range(10)]
    return [*points, (500.0, 500.0, "x"), (500.01, 500.0, "y")]


BAD = {
    "csv": lambda points: "\n".join(
        ["a,b,kind", *(f"{a},{b},{kind}" for a, b, kind in points[:3]), "1,2,x,more", "1,2,"]
        + [f"{a},{b},{kind}" for a, b, kind in points[3:]]
    ),
    "jsonl": lambda points: "\n".join(
        [*(json.dumps({"a": a, "b": b, "kind": kind}) for a, b, kind in points[:3])]
        + ["", '{"a": 1', '{"a": 1, "b": 2}']
        + [json.dumps({"a": a, "b": b, "kind": kind}) for a, b, kind in points[3:]]
    ),
}


@pytest.mark.parametrize("ending", BAD)
def test_rows_have_the_sources_numbers_after_a_bad_line(ending: str, tmp_path: Path) -> None:
    """The pair and the dropped rows of a card are counted from 0 over all records of the file, bad ones among them."""
    path = tmp_path / f"set.{ending}"
    path.write_text(BAD[ending](lines_of_points()) + "\n", encoding="utf-8")
    report = measure(str(path), target="kind")
    assert report.data is not None
    assert report.pair is not None
    assert (report.pair.first.row, report.pair.second.row) == (12, 13)
    assert dict(report.pair.second.fields)["a"] == "500.01"
    assert [lost.rows for lost in report.data.dropped] == [(3,), (4,)]
    assert report.data.dropped[1].said == "1 row without a label"
    assert (report.data.rows_read, report.data.rows_used) == (14, 12)
    assert report.data.sample is None


def test_conflicting_rows_are_shown_together_with_their_labels(tmp_path: Path) -> None:
    """Rows of one point follow one another, each with its label."""
    points = [(float(n), float(n * n), "xy"[n % 2]) for n in range(10)]
    pairs = [(50.0, 1.0, "x"), (60.0, 2.0, "y"), (50.0, 1.0, "y"), (60.0, 2.0, "x")]
    path = tmp_path / "set.csv"
    path.write_text("\n".join(["a,b,kind", *(f"{a},{b},{kind}" for a, b, kind in [*points, *pairs])]), encoding="utf-8")
    data = measure(str(path), target="kind").data
    assert data is not None
    assert data.conflicting_rows == 4
    assert data.conflicting_examples in (
        ((10, "x"), (12, "y"), (11, "y"), (13, "x")),
        ((11, "y"), (13, "x"), (10, "x"), (12, "y")),
    )


def test_a_truncated_image_moves_neither_radius_nor_margin(tmp_path: Path) -> None:
    """A picture of another mode and size that breaks off leaves R, δ and the encoder as they are without it."""
    generator = np.random.default_rng(2)
    for number in range(12):
        pixels = generator.integers(0, 256, (6, 6), dtype=np.uint8)
        for folder in ("with", "without"):
            path = tmp_path / folder / "xy"[number % 2] / f"{number:02d}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(encoded_image(Image.fromarray(pixels)))
    broken = encoded_image(Image.fromarray(generator.integers(0, 256, (40, 30, 3), dtype=np.uint8)))
    (tmp_path / "with" / "x" / "99.png").write_bytes(broken[: len(broken) // 2])
    found, alone = measure(str(tmp_path / "with")), measure(str(tmp_path / "without"))
    assert found.data is not None
    assert alone.data is not None
    assert found.inputs == alone.inputs
    assert found.data.encoder == alone.data.encoder
    assert [lost.said for lost in found.data.dropped] == ["1 image that does not decode"]


@pytest.mark.long
def test_a_margin_that_was_not_affordable_has_an_extrapolation_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only the asked rows' pairs were seen, the extreme-value margin stands in the table, with its spread."""
    from ibc_report.geometry import search_plan

    monkeypatch.setattr(search_plan, "MARGIN_COST", 0.0)
    sampled = measure("builtin:digits", queries=300)
    assert sampled.data is not None
    assert not sampled.data.margin_is_exact
    number = next(number for number in sampled.numbers if number.key == "extrapolated_margin")
    assert number.value is not None
    assert 0.6 < number.value < 1.8
    assert "median of 8 samples of pairs" in number.origin
    assert all(number.key != "extrapolated_margin" for number in measure("builtin:iris").numbers)


@pytest.mark.parametrize(
    ("name", "verdict", "said"),
    [
        ("iris", "holds", "no more of the rows than chance"),
        pytest.param(
            "digits",
            "violated",
            "1.36 % stand next to one another, where shuffling each class gives 0.104 %",
            marks=pytest.mark.long,
        ),
        ("wine", "violated", "(rows 59 to 129)"),
    ],
)
def test_the_order_of_built_in_rows(name: str, verdict: str, said: str) -> None:
    """Iris is sorted by its target alone; digits come writer by writer, and wines in an order of their own."""
    report = measure(f"builtin:{name}", test="none")
    record = next(entry for entry in report.assumptions if entry.id == "A10")
    assert record.verdict == verdict
    assert said in (record.diagnostic or "")


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "verdict", "said"),
    [
        ("new-thyroid", "holds", "no more of the rows than chance"),
        ("haberman", "doubtful", "the rows are sorted by feature 'x1'"),
        ("sonar", "violated", "drifts most"),
    ],
)
def test_the_order_of_real_rows(name: str, verdict: str, said: str, shared: Path) -> None:
    """Sorted by the target alone, by a column (whose repeated rows are doubtful), and in an order that tells."""
    report = measure(str(shared / "tables" / f"{name}.csv"), test="none")
    record = next(entry for entry in report.assumptions if entry.id == "A10")
    assert record.verdict == verdict
    assert said in (record.diagnostic or "")


@pytest.mark.parametrize("shuffled", [False, True])
def test_rows_in_order_of_time_are_no_independent_rows(tmp_path: Path, shuffled: bool) -> None:
    """A file of rows that follow one another is found by the order of its rows; the same rows shuffled are not."""
    rng = np.random.default_rng(4)
    x = np.cumsum(rng.standard_normal((200, 3)), axis=0)
    rows = [f"{a:.6f},{b:.6f},{c:.6f},{'up' if a > 0 else 'down'}" for a, b, c in x.tolist()]
    rows = [rows[at] for at in rng.permutation(200)] if shuffled else rows
    (tmp_path / "walk.csv").write_text("\n".join(["a,b,c,label", *rows]), encoding="utf-8")
    report = measure(str(tmp_path / "walk.csv"), target="label", test="none")
    verdict = next(entry.verdict for entry in report.assumptions if entry.id == "A10")
    assert verdict == ("holds" if shuffled else "violated")
