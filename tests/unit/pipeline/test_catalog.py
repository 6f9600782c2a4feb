"""Building a catalog: only what changed, each report whole, and the other tasks whatever one does."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ibc_report import load_report
from ibc_report.common.errors import UsageError
from ibc_report.pipeline import catalog
from ibc_report.report import provenance
from ibc_report.report.catalog import published_reports, saved_reports
from tests.support.workshop import Workshop

TASKS = """\
  - {name: points, source: points.csv, target: kind}
  - {name: iris, source: 'builtin:iris'}
  - name: cart
    declared: {family: control, n: 10000, dimension: 4, actions: 1, resolution: 0.001, target_error: 0.001}
"""

BROKEN = "  - {name: broken, source: missing.csv}\n"


def built(path: Path, *, only: tuple[str, ...] = (), force: bool = False) -> dict[str, str]:
    """What became of each task."""
    return {outcome.name: outcome.status for outcome in catalog.build(path, only=only, force=force)}


def test_what_has_not_changed_is_not_measured_again(workshop: Workshop) -> None:
    """The first build measures all tasks, the second none, and the files stay the same files."""
    path = workshop.write_catalog(TASKS)
    assert built(path) == dict.fromkeys(("points", "iris", "cart"), "measured")
    before = {file: (file.stat().st_ino, file.stat().st_mtime_ns) for file in (workshop.folder / "reports").iterdir()}
    assert {file.name for file in before} == {"points.json", "iris.json", "cart.json"}
    assert built(path) == dict.fromkeys(("points", "iris", "cart"), "unchanged")
    after = {file: (file.stat().st_ino, file.stat().st_mtime_ns) for file in (workshop.folder / "reports").iterdir()}
    assert after == before


def test_a_changed_task_is_measured_again(workshop: Workshop) -> None:
    """Another setting of one task makes that report out of date and no other."""
    path = workshop.write_catalog(TASKS)
    built(path)
    workshop.write_catalog(TASKS.replace("target: kind", "target: kind, target_error: 0.05"))
    assert built(path) == {"points": "measured", "iris": "unchanged", "cart": "unchanged"}
    assert load_report(workshop.folder / "reports" / "points.json").inputs["target_error"] == 0.05


def test_changed_data_are_measured_again(workshop: Workshop) -> None:
    """One more row in a file makes its report out of date."""
    path = workshop.write_catalog(TASKS)
    built(path)
    with workshop.data.open("a") as stream:
        stream.write("9,9,9,b\n")
    assert built(path) == {"points": "measured", "iris": "unchanged", "cart": "unchanged"}
    assert load_report(workshop.folder / "reports" / "points.json").inputs["n"] == 61


def test_other_versions_are_measured_again(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version of a library makes every report out of date."""
    path = workshop.write_catalog(TASKS)
    built(path)
    others = {**provenance.versions(), "scipy": "0.1"}
    monkeypatch.setattr(provenance, "versions", lambda: others)
    assert set(built(path).values()) == {"measured"}


def test_force_measures_what_has_not_changed(workshop: Workshop) -> None:
    """With force a build repeats all, to the same bytes."""
    path = workshop.write_catalog(TASKS)
    built(path)
    before = {file.name: file.read_bytes() for file in (workshop.folder / "reports").iterdir()}
    assert set(built(path, force=True).values()) == {"measured"}
    assert {file.name: file.read_bytes() for file in (workshop.folder / "reports").iterdir()} == before


def test_only_the_tasks_asked_for_are_built(workshop: Workshop) -> None:
    """A build of one task leaves the others alone."""
    path = workshop.write_catalog(TASKS)
    assert built(path, only=("cart",)) == {"cart": "measured"}
    assert [file.name for file in (workshop.folder / "reports").iterdir()] == ["cart.json"]


def test_a_task_that_is_not_there_is_refused(workshop: Workshop) -> None:
    """A misspelt name is refused before anything is measured."""
    path = workshop.write_catalog(TASKS)
    with pytest.raises(UsageError, match=r"catalog\.yml has no task 'point'; did you mean 'points'\?"):
        built(path, only=("point",))
    assert not (workshop.folder / "reports").exists()


def test_a_failing_task_does_not_stop_the_others(workshop: Workshop) -> None:
    """The tasks before and after it are measured; its outcome says in one line what is missing."""
    path = workshop.write_catalog(BROKEN + TASKS)
    outcomes = list(catalog.build(path))
    assert [(outcome.name, outcome.status) for outcome in outcomes] == [
        ("broken", "failed"),
        *((name, "measured") for name in ("points", "iris", "cart")),
    ]
    assert "missing.csv" in outcomes[0].message
    assert "\n" not in outcomes[0].message


def test_a_declared_number_that_does_not_exist_is_refused_before_anything_is_measured(workshop: Workshop) -> None:
    """A misspelt number of a declared task is named with its task and the nearest known one, and nothing is written."""
    path = workshop.write_catalog(TASKS.replace("actions: 1", "action: 1"))
    with pytest.raises(
        UsageError, match=r"task 3 \('cart'\): .*'control' has no input 'action'; did you mean 'actions'"
    ):
        list(catalog.build(path))
    assert not (workshop.folder / "reports").exists()


def test_a_failing_task_keeps_its_former_report(workshop: Workshop) -> None:
    """When the data are gone, the report that was made of them is still there, byte for byte."""
    path = workshop.write_catalog(TASKS)
    built(path)
    report = workshop.folder / "reports" / "points.json"
    former = report.read_bytes()
    workshop.data.unlink()
    assert built(path) == {"points": "failed", "iris": "unchanged", "cart": "unchanged"}
    assert report.read_bytes() == former


def test_a_stopped_build_goes_on_where_it_stopped(workshop: Workshop) -> None:
    """An interrupt loses the task that was being measured only: the next build does that one and the rest."""
    path = workshop.write_catalog(TASKS)

    def stop_at_iris(name: str) -> Callable[[str, float], None]:
        def told(stage: str, fraction: float) -> None:
            if name == "iris":
                raise KeyboardInterrupt

        return told

    with pytest.raises(KeyboardInterrupt):
        list(catalog.build(path, started=stop_at_iris))
    assert [file.name for file in (workshop.folder / "reports").iterdir()] == ["points.json"]
    assert built(path) == {"points": "unchanged", "iris": "measured", "cart": "measured"}


def test_a_report_that_cannot_be_read_is_made_again(workshop: Workshop) -> None:
    """Half a file, as a full disk may leave of another program, is no report and is replaced."""
    path = workshop.write_catalog(TASKS)
    built(path)
    report = workshop.folder / "reports" / "cart.json"
    whole = report.read_bytes()
    report.write_bytes(whole[: len(whole) // 2])
    assert built(path)["cart"] == "measured"
    assert report.read_bytes() == whole


def test_a_report_of_a_newer_schema_is_not_overwritten(workshop: Workshop) -> None:
    """What a newer version has written is left, and the task fails with what to do."""
    path = workshop.write_catalog(TASKS)
    built(path)
    report = workshop.folder / "reports" / "cart.json"
    newer = json.dumps({**json.loads(report.read_text()), "schema_version": 99})
    report.write_text(newer)
    outcome = list(catalog.build(path))[2]
    assert outcome.status == "failed"
    assert outcome.message.endswith("upgrade ibc-report")
    assert report.read_text() == newer


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_fails_its_tasks(workshop: Workshop) -> None:
    """Without permission to write, each task fails in one line."""
    path = workshop.write_catalog(TASKS)
    workshop.folder.chmod(0o500)
    try:
        assert set(built(path).values()) == {"failed"}
    finally:
        workshop.folder.chmod(0o700)


def test_a_file_in_place_of_the_reports_fails_the_tasks(workshop: Workshop) -> None:
    """Where reports/ is a file, each task fails with that path, and the file is left."""
    path = workshop.write_catalog(TASKS)
    (workshop.folder / "reports").write_text("in the way")
    outcomes = list(catalog.build(path))
    assert {outcome.status for outcome in outcomes} == {"failed"}
    assert all("cannot be written" in outcome.message for outcome in outcomes)
    assert (workshop.folder / "reports").read_text() == "in the way"


def test_a_build_leaves_no_other_files(workshop: Workshop) -> None:
    """After a build there is one JSON a task and nothing temporary."""
    path = workshop.write_catalog(BROKEN + TASKS)
    built(path)
    assert sorted(file.name for file in (workshop.folder / "reports").iterdir()) == [
        *("cart.json", "iris.json", "points.json"),
    ]


def test_saved_reports_are_read_in_the_order_of_their_names(workshop: Workshop) -> None:
    """The reports of a folder come in the order of their files; a folder that is not there has none."""
    built(workshop.write_catalog(TASKS))
    assert [report.name for report in saved_reports(workshop.folder / "reports")] == ["cart", "iris", "points"]
    assert saved_reports(workshop.folder / "none") == []


def test_reports_that_were_measured_elsewhere_are_published_too(workshop: Workshop) -> None:
    """A saved report stands beside those of the tasks, is not measured, and keeps a name of its own."""
    path = workshop.write_catalog(TASKS + "saved: [elsewhere/points.json]\n")
    built(path, only=("cart", "points"))
    elsewhere = workshop.folder / "elsewhere"
    elsewhere.mkdir()
    report = load_report(workshop.folder / "reports" / "points.json")
    (elsewhere / "points.json").write_text(report.model_copy(update={"name": "other"}).to_json())
    reports, missing = published_reports(path)
    assert [one.name for one in reports] == ["cart", "points", "other"]
    assert missing == ["iris"]
    (elsewhere / "points.json").write_text(report.to_json())
    with pytest.raises(UsageError, match="saved report 'points' has the name of another task"):
        published_reports(path)
