"""The Croissant annotation, held to what mlcroissant accepts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ibc_report.publish.croissant import croissant
from tests.support.submissions import hub_report, made

READ = """
import json, sys, mlcroissant
dataset = mlcroissant.Dataset(sys.argv[1])
issues = dataset.metadata.ctx.issues
again = dataset.metadata.to_json()
records = [{key: value.decode() if isinstance(value, bytes) else value for key, value in record.items()}
           for record in dataset.records("numbers")]
print(json.dumps({
    "errors": sorted(issues.errors), "warnings": sorted(issues.warnings), "again": again, "records": records,
    "annotations": {a.name["en"] if isinstance(a.name, dict) else a.name: a.value
                    for a in dataset.metadata.record_sets[0].annotations},
}, default=str))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The annotation beside the report that it describes."""
    place = tmp_path_factory.mktemp("croissant")
    content = hub_report().to_json().encode()
    (place / "report.json").write_bytes(content)
    (place / "croissant.json").write_text(croissant(made(), content, None), encoding="utf-8")
    return place


def test_mlcroissant_accepts_it(folder: Path) -> None:
    """There is no error, annotations and records are read as what they are, and all survives a round trip."""
    # the library sets up logging and global state of its own
    done = subprocess.run(
        [sys.executable, "-c", READ, str(folder / "croissant.json")], capture_output=True, text=True, check=True
    )
    read = json.loads(done.stdout.splitlines()[-1])
    assert read["errors"] == []
    assert [
        warning for warning in read["warnings"] if "datePublished" not in warning and "license" not in warning
    ] == []
    head = hub_report().headline
    wanted = {"log10_bits": head.log10_bits, "log10_bits_lower": head.lower, "log10_bits_upper": head.upper}
    assert {name: read["annotations"][name] for name in wanted} == pytest.approx(wanted)
    assert read["annotations"]["accuracy"] == pytest.approx(made().entry.accuracy)
    assert [record["numbers/key"] for record in read["records"]] == [number.key for number in hub_report().numbers]
    assert next(record["numbers/value"] for record in read["records"]) == hub_report().numbers[0].value
    assert read["again"]["prov:wasGeneratedBy"]["prov:wasAssociatedWith"]["name"] == "ibc-report"
    assert {entry["name"] for entry in read["again"]["variableMeasured"]} == {"log10_bits", "accuracy"}


def test_zero_bits_have_no_annotation() -> None:
    """Where there is no logarithm, nothing stands for it."""
    none = dict.fromkeys(("log10_bits", "lower", "upper", "exponent", "lower_exponent", "upper_exponent"))
    zero = hub_report().model_copy(update={"headline": hub_report().headline.model_copy(update=none)})
    said = json.loads(croissant(made(report=zero), b"", None))
    assert [entry["name"] for entry in said["variableMeasured"]] == ["accuracy"]
    assert all("log10" not in entry["name"] for entry in said["recordSet"][0]["annotation"])
