"""What a card prints to repeat it gives the same bytes, and what makes a report out of date."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

import pytest

import ibc_report
from ibc_report.cli.app import main
from ibc_report.common.errors import UsageError
from ibc_report.data.task import Task
from ibc_report.pipeline import measure
from ibc_report.report import provenance
from tests.support.workshop import Workshop


def printed_by(command: str) -> str:
    """What the command line prints for a command, of which the program's name is taken off."""
    program, *arguments = shlex.split(command)
    assert program == "ibc-report"
    output = io.StringIO()
    with contextlib.redirect_stdout(output), pytest.raises(SystemExit) as stopped:
        main([*arguments, "--format", "json", "--output", "-", "--quiet"])
    assert stopped.value.code == 0
    return output.getvalue()


TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": ("builtin:iris", {}),
    "settings": (
        "builtin:iris",
        {"target_error": 0.05, "convention": "half-band", "seed": 3, "benchmark": "mnist", "kind": "classes"},
    ),
    "regression": ("builtin:diabetes", {"tolerance": 25.5, "kind": "values"}),
    "inputs": ("points.csv", {"target": "kind", "inputs": ("x", "z"), "encoder": "tabular"}),
    "hyphen": ("points.csv", {"target": "-kind", "inputs": ("-x", "y y")}),
}


@pytest.fixture
def here(workshop: Workshop, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """The workshop as working directory, with columns whose names need quoting where a test asks for them."""
    monkeypatch.chdir(workshop.folder)
    if "hyphen" in request.node.name:
        workshop.data.write_text(workshop.data.read_text().replace("x,y,z,kind", "-x,y y,z,-kind"))
    return workshop.folder


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.usefixtures("here")
def test_the_printed_command_repeats_the_report(name: str) -> None:
    """Running the command of a report gives its JSON, byte for byte."""
    source, settings = TASKS[name]
    report = measure.measure(Task.of(source, **settings))
    assert report.repeat.command == provenance.shell(Task.of(source, **settings))
    assert printed_by(report.repeat.command) == report.to_json()


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.usefixtures("here")
def test_the_printed_python_repeats_the_report(name: str) -> None:
    """Running the Python of a report gives its JSON, byte for byte."""
    source, settings = TASKS[name]
    report = measure.measure(Task.of(source, **settings))
    start, expression = report.repeat.python.splitlines()
    assert start == "import ibc_report"
    repeated = eval(expression, {"ibc_report": ibc_report})
    assert repeated.to_json() == report.to_json()


def test_the_command_of_a_catalogs_task_repeats_its_numbers() -> None:
    """Titles and descriptions are a catalog's; the command of its task repeats all numbers."""
    task = Task.of("builtin:iris", name="flowers", title="Flowers", description="Three species.", target_error=0.02)
    report = measure.measure(task)
    repeated = ibc_report.Report.model_validate_json(printed_by(report.repeat.command))
    kept = {"title", "name", "description", "repeat"}
    assert repeated.model_dump(exclude=kept) == report.model_dump(exclude=kept)
    assert repeated.repeat.command == report.repeat.command


def test_a_declared_tasks_command_builds_it_from_its_catalog(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command of a declared task, run beside its catalog, writes that report."""
    numbers = {
        "family": "control",
        "n": 1e6,
        "dimension": 6.0,
        "actions": 2.0,
        "resolution": 1e-3,
        "target_error": 1e-3,
    }
    inline = ", ".join(f"{key}: {value}" for key, value in numbers.items())
    workshop.write_catalog(f"  - {{name: reach, declared: {{{inline}}}}}\n")
    report = measure.measure(Task.model_validate({"name": "reach", "declared": numbers}))
    assert report.repeat.command == "ibc-report build catalog.yml --only reach"
    monkeypatch.chdir(workshop.folder)
    with pytest.raises(SystemExit) as stopped:
        main([*shlex.split(report.repeat.command)[1:], "--quiet"])
    assert stopped.value.code == 0
    assert (workshop.folder / "reports" / "reach.json").read_text(encoding="utf-8") == report.to_json()


@pytest.mark.parametrize("convention", ["released", "half-band"])
def test_a_declared_tasks_python_gives_its_bits(convention: str) -> None:
    """The Python of a declared task evaluates to the bits of its report."""
    numbers = {
        "family": "control",
        "n": 1e6,
        "dimension": 6.0,
        "actions": 2.0,
        "resolution": 1e-3,
        "target_error": 1e-3,
    }
    task = Task.model_validate({"name": "reach", "declared": numbers, "convention": convention})
    start, expression = provenance.python(task).splitlines()
    names: dict[str, Any] = {}
    exec(start, names)
    assert eval(expression, names).log10_bits == measure.measure(task).headline.log10_bits


def test_a_value_that_the_shell_would_split_is_quoted() -> None:
    """Spaces, quotes and signs in names reach the program as they are."""
    task = Task.of("my data/it's.csv", target="a label; $x", inputs=("one two",))
    words = shlex.split(provenance.shell(task))
    assert words == ["ibc-report", "card", "my data/it's.csv", "--target", "a label; $x", "--input", "one two"]


PLACES = [
    pytest.param("builtin:iris", False, "From any folder:", id="builtin"),
    pytest.param("owner/name", False, "From any folder:", id="hub"),
    pytest.param("/data/set.csv", True, "From any folder:", id="absolute-path"),
    pytest.param("data/set", True, "From the folder that the path starts from, ", id="path-like-a-name-of-the-hub"),
    pytest.param("set.csv", True, "From the folder that the path starts from, ", id="path"),
]


@pytest.mark.parametrize(("source", "local", "said"), PLACES)
def test_the_place_of_a_command_follows_its_source(source: str, local: bool, said: str) -> None:
    """What has no relative path runs from anywhere, and a path from where it starts."""
    place = provenance.place(Task.of(source), local=local)
    assert place.startswith(said)
    assert place.endswith(":")


def test_a_report_says_the_place_of_its_command(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path of two parts is a path, though the Hub names datasets so; a declared task has its catalog's folder."""
    monkeypatch.chdir(workshop.folder.parent)
    relative = f"{workshop.folder.name}/points.csv"
    assert measure.measure(Task.of(relative, target="kind")).repeat.place.startswith("From the folder that the path")
    numbers = {"family": "control", "n": 1e6, "dimension": 6, "actions": 2, "resolution": 1e-3, "target_error": 1e-3}
    declared = Task.model_validate({"name": "reach", "declared": numbers})
    assert measure.measure(declared).repeat.place == "From the folder of its catalog:"


def test_a_fingerprint_is_a_named_hash() -> None:
    """It says how it was made, and has the length of that."""
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", provenance.fingerprint_of({"name": "a"}, "r1"))


@pytest.mark.parametrize(
    ("task", "revision"),
    [({"name": "b"}, "r1"), ({"name": "a", "seed": 1}, "r1"), ({"name": "a"}, "r2"), ({"name": "a"}, None)],
    ids=["value", "key", "revision", "no revision"],
)
def test_another_task_or_revision_has_another_fingerprint(task: dict[str, object], revision: str | None) -> None:
    """The task's fields and the revision of the data both count."""
    assert provenance.fingerprint_of(task, revision) != provenance.fingerprint_of({"name": "a"}, "r1")


def test_the_order_of_fields_does_not_matter() -> None:
    """A task is what its fields say, in whatever order."""
    assert provenance.fingerprint_of({"a": 1, "b": 2}, "r") == provenance.fingerprint_of({"b": 2, "a": 1}, "r")


def test_another_version_has_another_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number may change with a library, so a report by another version of one is out of date."""
    before = provenance.fingerprint_of({"name": "a"}, "r1")
    others = {**provenance.versions(), "numpy": "0.1"}
    monkeypatch.setattr(provenance, "versions", lambda: others)
    assert provenance.fingerprint_of({"name": "a"}, "r1") != before


def test_versions_are_those_installed() -> None:
    """Python, this package, and the libraries that numbers hang on are there with their installed versions."""
    found = provenance.versions()
    assert found["python"] == python_version()
    assert {name: version(name) for name in found if name != "python"} == {
        name: held for name, held in found.items() if name != "python"
    }
    assert {"ibc-report", "numpy", "scipy", "scikit-learn", "pyarrow", "datasets", "pillow", "pandas"} < set(found)


def test_a_report_carries_the_fingerprint_that_its_task_has(workshop: Workshop) -> None:
    """What a measurement writes is what the catalog later compares with, for files and for built-in sets."""
    for task in (workshop.task, Task.of("builtin:iris", target_error=0.05)):
        report = measure.measure(task, base=workshop.folder)
        assert report.repeat.fingerprint == measure.fingerprint(task, base=workshop.folder)


def test_a_changed_file_changes_the_fingerprint_and_the_folder_does_not(workshop: Workshop) -> None:
    """The content of a file counts, and where it lies does not."""
    before = measure.fingerprint(workshop.task, base=workshop.folder)
    moved = workshop.folder / "elsewhere"
    moved.mkdir()
    (moved / "points.csv").write_bytes(workshop.data.read_bytes())
    assert measure.fingerprint(workshop.task, base=moved) == before
    workshop.data.write_text(workshop.data.read_text().replace("a", "c"))
    assert measure.fingerprint(workshop.task, base=workshop.folder) != before


def test_the_fingerprint_of_data_that_are_not_there_is_refused(workshop: Workshop) -> None:
    """A source that does not exist has no fingerprint, and the message names it."""
    with pytest.raises(UsageError, match="missing"):
        measure.fingerprint(Task.of("missing.csv"), base=workshop.folder)
