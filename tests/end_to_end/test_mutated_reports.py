"""Saved reports with one thing changed: each command says one clear line, or writes what a reader can trust."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ibc_report import measure
from ibc_report.cli.app import main
from ibc_report.common.errors import DataError, IbcReportError
from ibc_report.data.task import Task
from ibc_report.publish import bundle
from ibc_report.publish.verify import verify
from ibc_report.report.schema.document import load_report
from ibc_report.website import build as website
from tests.support.mutations import mutated
from tests.support.submissions import made

MUTATIONS = 500

OTHER = "tests/golden/report-2.json"

REPORTS = [
    Task.of("builtin:iris", target_error=0.05),
    Task.of("builtin:digits", max_rows=300, test="none"),
    Task.of("builtin:diabetes"),
]


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run the command line in this process: status, standard output and error."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    said = capsys.readouterr()
    return int(str(ended.value.code or 0)), said.out, said.err


def held(status: int, error: str, what: str) -> None:
    """A failure is one line, and none of ours that asks to be reported."""
    assert "unexpected" not in error, what
    assert "Traceback" not in error, what
    if status:
        assert len(error.splitlines()) == 1, f"{what}: {error}"


@pytest.mark.long
def test_mutated_reports_are_refused_or_right(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """500 mutations through render, check, compare, verify and site: one line each, or a page that says the number."""
    sources = [json.loads(measure(task).to_json()) for task in REPORTS]
    other = Path(__file__).resolve().parents[2] / OTHER
    bundle.write_bundle(bundle.files(made()), workspace / "bundle")
    reports = workspace / "reports"
    reports.mkdir()
    accepted = refused = 0
    for seed in range(MUTATIONS):
        document, what = mutated(sources[seed % len(sources)], seed)
        path = workspace / "report.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        try:
            report = load_report(path)
        except IbcReportError as error:
            refused += 1
            said = str(error)
            assert "\n" not in said, what
            for command in (["render"], ["check", "--require", "log10_bits > 0"]):
                status, out, err = run([command[0], str(path), *command[1:]], capsys)
                assert (status in (1, 2), out) == (True, ""), what
                held(status, err, what)
            continue
        accepted += 1
        status, out, err = run(["render", str(path), "-f", "html" if seed % 20 == 0 else "md"], capsys)
        held(status, err, what)
        assert status == 0, f"{what}: {err}"
        assert (report.headline.exponent or "0 bits") in out, what
        commands = [["check", str(path), "--require", "log10_bits > 0"]]
        if seed % 4 == 0:
            commands.append(["compare", str(path), str(other)])
        for arguments in commands:
            status, out, err = run(arguments, capsys)
            if status != 3:
                held(status, err, what)
        if seed % 10 == 0:
            (workspace / "bundle" / "report.json").write_text(json.dumps(document), encoding="utf-8")
            assert all("unexpected" not in fault for fault in verify(workspace / "bundle")), what
            name = f"m{seed}"
            (reports / f"{name}.json").write_text(json.dumps({**document, "name": name}), encoding="utf-8")
    built = website.build(Path("mkdocs.yml"), reports=reports, output=workspace / "public", strict=False)
    assert built.tasks == len(list(reports.iterdir()))
    assert accepted > MUTATIONS // 10
    assert refused > MUTATIONS // 4


@pytest.fixture(scope="module")
def document() -> Any:
    """A report as JSON."""
    return json.loads(measure(REPORTS[1]).to_json())


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("headline.lower", 99.0, "headline's 'lower' is 99.0, and its text says"),
        ("headline.exponent", "1.0", "and its text says 1.0"),
        ("headline.level", 1.5, "'headline.level' is 1.5, and a share lies between 0 and 1"),
        ("curves.0.values", [1.0, 2.0], r"the curve 'n' has 2 values and \d+ bits"),
        ("curves.0.present", 1e30, "lies outside of it"),
        ("numbers.0.text", "9", "and its text says 9"),
        ("inputs.n", 5.0, "'inputs' give log10 bits of"),
        ("pair.first.png", "R0lGODlh", "is no PNG"),
        ("data.rows_used", 10**9, "above 'data.rows_read'"),
        ("robust.exponent", "1.0", "and their text says 1.0"),
        ("certainty.conventions.upper", 1.0, "'certainty.conventions"),
        ("assumptions.0.id", "A2", "have 'A2' twice"),
    ],
)
def test_parts_that_contradict_are_named(document: Any, path: str, value: Any, message: str, tmp_path: Path) -> None:
    """A report whose parts contradict is refused with one line that says which, and what to do."""
    changed = json.loads(json.dumps(document))
    *way, last = path.split(".")
    inner = changed
    for step in way:
        inner = inner[int(step) if step.isdigit() else step]
    inner[last] = value
    (tmp_path / "report.json").write_text(json.dumps(changed), encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        load_report(tmp_path / "report.json")
    assert "contradicts itself" in str(caught.value)
    assert "\n" not in str(caught.value)
