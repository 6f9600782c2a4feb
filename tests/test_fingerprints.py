"""Fingerprints: what makes a report out of date, and what does not."""

from __future__ import annotations

import re
from importlib.metadata import version
from platform import python_version

import pytest

from ibc_report import fingerprints, pipeline
from ibc_report.errors import UsageError
from ibc_report.task import Task
from tests.workshop import Workshop


def test_a_fingerprint_is_a_named_hash() -> None:
    """It says how it was made, and has the length of that."""
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", fingerprints.of({"name": "a"}, "r1"))


@pytest.mark.parametrize(
    ("task", "revision"),
    [({"name": "b"}, "r1"), ({"name": "a", "seed": 1}, "r1"), ({"name": "a"}, "r2"), ({"name": "a"}, None)],
    ids=["value", "key", "revision", "no revision"],
)
def test_another_task_or_revision_has_another_fingerprint(task: dict[str, object], revision: str | None) -> None:
    """The task's fields and the revision of the data both count."""
    assert fingerprints.of(task, revision) != fingerprints.of({"name": "a"}, "r1")


def test_the_order_of_fields_does_not_matter() -> None:
    """A task is what its fields say, in whatever order."""
    assert fingerprints.of({"a": 1, "b": 2}, "r") == fingerprints.of({"b": 2, "a": 1}, "r")


def test_another_version_has_another_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number may change with a library, so a report by another version of one is out of date."""
    before = fingerprints.of({"name": "a"}, "r1")
    others = {**fingerprints.versions(), "numpy": "0.1"}
    monkeypatch.setattr(fingerprints, "versions", lambda: others)
    assert fingerprints.of({"name": "a"}, "r1") != before


def test_versions_are_those_installed() -> None:
    """Python, this package, and the libraries that numbers hang on are there with their installed versions."""
    found = fingerprints.versions()
    assert found["python"] == python_version()
    assert {name: version(name) for name in found if name != "python"} == {
        name: held for name, held in found.items() if name != "python"
    }
    assert {"ibc-report", "numpy", "scipy", "scikit-learn", "pyarrow", "datasets", "pillow", "pandas"} < set(found)


def test_a_report_carries_the_fingerprint_that_its_task_has(workshop: Workshop) -> None:
    """What a measurement writes is what the catalog later compares with, for files and for built-in sets."""
    for task in (workshop.task, Task.of("builtin:iris", target_error=0.05)):
        report = pipeline.measure(task, base=workshop.folder)
        assert report.repeat.fingerprint == pipeline.fingerprint(task, base=workshop.folder)


def test_a_changed_file_changes_the_fingerprint_and_the_folder_does_not(workshop: Workshop) -> None:
    """The content of a file counts, and where it lies does not."""
    before = pipeline.fingerprint(workshop.task, base=workshop.folder)
    moved = workshop.folder / "elsewhere"
    moved.mkdir()
    (moved / "points.csv").write_bytes(workshop.data.read_bytes())
    assert pipeline.fingerprint(workshop.task, base=moved) == before
    workshop.data.write_text(workshop.data.read_text().replace("a", "c"))
    assert pipeline.fingerprint(workshop.task, base=workshop.folder) != before


def test_the_fingerprint_of_data_that_are_not_there_is_refused(workshop: Workshop) -> None:
    """A source that does not exist has no fingerprint, and the message names it."""
    with pytest.raises(UsageError, match="missing"):
        pipeline.fingerprint(Task.of("missing.csv"), base=workshop.folder)
