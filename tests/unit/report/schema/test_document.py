"""The document: round trips, what is refused, its published schema, and what never is in it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from math import inf
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from ibc_report import Report, compare, load_report, measure
from ibc_report.common.errors import DataError, UsageError
from ibc_report.data.task import Task
from ibc_report.report.rules import check, parse
from ibc_report.report.schema.document import SCHEMA_VERSION, json_schema
from tests.support.workshop import Workshop

CONTROL = {"family": "control", "n": 1e6, "dimension": 6, "actions": 2, "resolution": 1e-3, "target_error": 1e-3}

SPHERE = {"family": "classification", "n": 60000, "radius": 17.18, "dimension": 14, "margin": 2.4, "target_error": 1e-3}

TASKS = {
    "classes": Task.of("builtin:iris", target_error=0.05),
    "pictures": Task.of("builtin:digits"),
    "regression": Task.of("builtin:diabetes"),
    "declared": Task.model_validate({"name": "reach", "declared": CONTROL}),
    "one class": Task.model_validate({"name": "one", "declared": {**SPHERE, "classes": 1}}),
    "huge": Task.model_validate(
        {"name": "huge", "declared": {**SPHERE, "classes": 10, "dimension": 2e3, "margin": 0.01}}
    ),
}


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    """A report of each kind."""
    return {name: measure(task) for name, task in TASKS.items()}


@pytest.mark.parametrize("name", TASKS)
def test_a_report_survives_its_file(reports: dict[str, Report], name: str, tmp_path: Path) -> None:
    """What is loaded equals what was saved, and saves to the same bytes."""
    path = tmp_path / "report.json"
    path.write_text(reports[name].to_json(), encoding="utf-8")
    loaded = load_report(path)
    assert loaded == reports[name]
    assert loaded.to_json() == reports[name].to_json()


@pytest.mark.parametrize("name", TASKS)
def test_the_published_schema_accepts_a_report(reports: dict[str, Report], name: str) -> None:
    """The JSON Schema of the site is a valid one of draft 2020-12, and holds for every kind of report."""
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(json.loads(reports[name].to_json()))


@pytest.mark.parametrize(
    "change",
    [{"schema_version": SCHEMA_VERSION + 1}, {"surprise": 1}, {"title": 3}, {"headline": None}, {"curves": [{}]}],
    ids=["version", "extra key", "wrong type", "null", "incomplete"],
)
def test_the_published_schema_refuses_what_is_no_report(reports: dict[str, Report], change: dict[str, Any]) -> None:
    """The schema is as strict as the loader."""
    content = {**json.loads(reports["declared"].to_json()), **change}
    assert not jsonschema.Draft202012Validator(json_schema()).is_valid(content)


@pytest.mark.parametrize("name", TASKS)
def test_the_json_is_strict(reports: dict[str, Report], name: str) -> None:
    """No NaN or infinity is written, also for 0 bits and for bits beyond doubles; the file ends with a line end."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    text = reports[name].to_json()
    json.loads(text, parse_constant=refuse)
    assert text.endswith("}\n")


def test_a_number_that_is_not_finite_is_no_part_of_a_report(reports: dict[str, Report]) -> None:
    """A report cannot be made with an infinite number, which JSON could not hold."""
    content = reports["declared"].model_dump()
    content["headline"]["log10_bits"] = inf
    with pytest.raises(ValidationError, match="finite"):
        Report.model_validate(content)


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ('{"schema_version": 99}', UsageError, "has schema version 99, and this ibc-report reads up to 2; upgrade"),
        ("{}", DataError, "is not a report: it has no schema_version"),
        ("[1]", DataError, "is not a report: it has no schema_version"),
        ('{"schema_version": "1"}', DataError, "is not a report: it has no schema_version"),
        ('{"schema_version": 1}', DataError, "is not a report: 'name' is missing"),
        ('{"schema_version": 1, "nmae": "x"}', DataError, "is not a report: 'name' is missing"),
        ("", DataError, "cannot be read as a report: "),
        ('{"schema_version": 1', DataError, "cannot be read as a report: "),
        (b"\xff\xfe\x00", DataError, "cannot be read as a report: "),
    ],
    ids=["newer", "empty object", "list", "text version", "missing", "typo", "empty", "half", "bytes"],
)
def test_what_is_no_report_is_one_line(
    tmp_path: Path, content: str | bytes, error: type[Exception], message: str
) -> None:
    """A newer schema, half a file and another JSON are each refused in one line with the path and what to do."""
    path = tmp_path / "file.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(error, match=re.escape(message)) as caught:
        load_report(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("surprise",), 1, "unknown key 'surprise'"),
        (
            ("numbers", 2, "text"),
            5,
            "entry 3 of 'numbers' ('intrinsic dimension'): 'text': input should be a valid string",
        ),
        (("assumptions", 0, "id"), None, "entry 1 of 'assumptions' ('sphere'): 'id': input should be a valid string"),
        (("headline", "is_nto"), "x", "unknown key 'is_nto'; did you mean 'is_not'?"),
        (("headline", "log10_bits"), "many", "'log10_bits': input should be a valid number"),
    ],
    ids=["top", "entry", "named entry", "nested typo", "nested value"],
)
def test_a_damaged_report_says_where(
    reports: dict[str, Report], tmp_path: Path, place: tuple[str | int, ...], value: Any, message: str
) -> None:
    """The line has the list and the entry in it, or the key, that is wrong."""
    content = json.loads(reports["classes"].to_json())
    inner = content
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    path = tmp_path / "file.json"
    path.write_text(json.dumps(content))
    with pytest.raises(DataError, match=re.escape(message)):
        load_report(path)


def test_a_missing_report_and_a_folder_are_one_line(tmp_path: Path) -> None:
    """A path without a file says how one is given; a folder cannot be read."""
    with pytest.raises(UsageError, match=r"none\.json does not exist; give the path of a report"):
        load_report(tmp_path / "none.json")
    with pytest.raises(DataError, match="cannot be read as a report"):
        load_report(tmp_path)


@pytest.mark.parametrize("name", TASKS)
def test_a_report_holds_no_time_and_no_place(reports: dict[str, Report], name: str) -> None:
    """No date, no clock and no path of this machine is in the document, so that it is the same everywhere."""
    text = reports[name].to_json()
    assert not re.search(r"\d\d:\d\d:\d\d|\b20\d\d-\d\d-\d\d\b", text)
    assert str(Path.home()) not in text
    assert str(Path(__file__).parents[4]) not in text


def test_a_report_of_a_file_holds_no_place_either(workshop: Workshop) -> None:
    """A relative source stays relative: the folder that it was read from is not in the document."""
    text = measure(workshop.task, base=workshop.folder).to_json()
    assert str(workshop.folder) not in text
    assert workshop.folder.name not in text


@pytest.mark.long
def test_two_processes_write_the_same_bytes(workshop: Workshop) -> None:
    """The same task gives the same bytes in two fresh processes, with other hash seeds and numbers of threads."""
    code = (
        "import sys; from ibc_report.pipeline.measure import measure; from ibc_report.data.task import Task\n"
        "for task in (Task.of('points.csv', target='kind'), Task.of('builtin:wine')):\n"
        "    sys.stdout.write(measure(task).to_json())"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=workshop.folder,
            env={
                "PATH": "/usr/bin:/bin",
                "HOME": str(workshop.folder),
                "PYTHONHASHSEED": seed,
                "OMP_NUM_THREADS": seed,
            },
            stdout=subprocess.PIPE,
        )
        for seed in ("1", "2")
    ]
    written = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert written[0] == written[1]
    assert written[0].startswith(b'{\n "schema_version": 2,')


def test_a_report_of_version_1_still_renders() -> None:
    """What an earlier version saved is read and printed: its number is unchanged, and what it lacks is not made up."""
    report = load_report(Path(__file__).parents[3] / "golden" / "report-1.json")
    assert (report.name, report.headline.exponent) == ("iris", "7.3")
    assert (report.certainty, report.dimension, report.sensitivity, report.robust, report.test) == (None,) * 5
    assert {entry.verdict for entry in report.assumptions} == {"not testable"}
    assert "10<sup>7.3</sup> bits" in report.to_html()
    assert "10<sup>7.3</sup> bits" in report.to_markdown()


GOLDEN = {path.stem: path for path in sorted((Path(__file__).parents[3] / "golden").glob("report-*.json"))}
"""A report of each version of the schema, as that version wrote it."""


def test_there_is_a_golden_report_of_each_version() -> None:
    """No version of the schema is without a report that it wrote."""
    assert list(GOLDEN) == [f"report-{version}" for version in range(1, SCHEMA_VERSION + 1)]
    for version, path in enumerate(GOLDEN.values(), start=1):
        assert json.loads(path.read_text(encoding="utf-8"))["schema_version"] == version


@pytest.mark.parametrize("name", GOLDEN)
def test_a_report_of_every_version_loads_renders_and_compares(name: str) -> None:
    """What any version saved is read, printed in every form, held to a rule, and compared with one of this version."""
    report = load_report(GOLDEN[name])
    assert report.schema_version == SCHEMA_VERSION
    assert report.name in report.to_html()
    assert "10<sup>7.3</sup> bits" in report.to_markdown()
    assert Report.model_validate_json(report.to_json()) == report
    assert check([parse("log10_bits < 9")], report)[0].holds
    found = compare(report, load_report(GOLDEN["report-2"]), anyway=True)
    assert (found.first.name, found.second.name) == ("iris", "iris")
    assert found.first.log10_bits == report.headline.log10_bits


def test_the_version_is_an_integer_that_the_document_carries(reports: dict[str, Report]) -> None:
    """Every report says by which form it is written, and it cannot be changed in place."""
    assert all(report.schema_version == SCHEMA_VERSION == 2 for report in reports.values())
    field = "title"
    with pytest.raises(ValidationError, match="frozen"):
        setattr(reports["classes"], field, "other")
