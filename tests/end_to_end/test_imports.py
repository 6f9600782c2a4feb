"""What is done with saved reports does not wait for the libraries that measure."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "report-2.json"

MEASURING = {"pandas", "pyarrow", "sklearn", "scipy.optimize"}

COMMAND = "from contextlib import suppress; from ibc_report.cli.app import main\nwith suppress(SystemExit): main({})"

BUILD = "from mkdocs import config; from mkdocs.commands import build\nbuild.build(config.load_config('mkdocs.yml'))"

SAVED = "reports/iris.json"

RUNS = {
    "load": (f"import ibc_report; ibc_report.load_report('{SAVED}')", SAVED),
    "markdown": (COMMAND.format(["render", SAVED, "-f", "md", "-o", "card.md"]), "card.md"),
    "html": (COMMAND.format(["render", SAVED, "-f", "html", "-o", "card.html"]), "card.html"),
    "check": (COMMAND.format(["check", SAVED, "--require", "log10_bits < 99", "--junit", "junit.xml"]), "junit.xml"),
    "badge": (COMMAND.format(["badge", SAVED, "-o", "badge.svg"]), "badge.svg"),
    "plugin": (BUILD, "site/tasks/iris/index.html"),
}
"""What is run, and a file that is there afterwards."""

CONFIG = {
    "site_name": "Catalog",
    "theme": {"name": "mkdocs"},
    "plugins": [{"ibc-report": {"catalog": "catalog.yml", "page": "index.md"}}],
}


@pytest.fixture
def catalog(workspace: Path) -> Path:
    """A catalog of one task, whose report is there, and the configuration of its website."""
    for folder in ("docs", "reports"):
        (workspace / folder).mkdir()
    (workspace / "reports" / "iris.json").write_bytes(GOLDEN.read_bytes())
    (workspace / "catalog.yml").write_text("tasks:\n- name: iris\n  source: builtin:iris\n", encoding="utf-8")
    (workspace / "mkdocs.yml").write_text(json.dumps(CONFIG), encoding="utf-8")
    return workspace


@pytest.mark.parametrize("run", RUNS)
def test_a_saved_report_needs_nothing_that_measures(run: str, catalog: Path) -> None:
    """Reading, rendering, checking and publishing saved reports loads no library that only measuring needs."""
    code, made = RUNS[run]
    told = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert (catalog / made).is_file()
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "ibc_report.report.schema.document" in loaded
    assert loaded & MEASURING == set()


UNWANTED = {"sklearn", "scipy.stats", "matplotlib", "datasets", "huggingface_hub", "jinja2", "PIL", "soundfile"}
"""What no card of a small table needs: each takes longer to load than they to measure."""


@pytest.mark.parametrize("source", ["builtin:iris", "table.csv"])
def test_a_small_table_needs_little_to_be_measured(source: str, workspace: Path) -> None:
    """A card of a table, as JSON, loads neither the libraries of pictures, texts and sites nor that of the Hub."""
    lines = [f"{number % 7}.5,{number % 5}.25,{'xy'[number % 2]}" for number in range(60)]
    (workspace / "table.csv").write_text("\n".join(["a,b,kind", *lines]), encoding="utf-8")
    command = COMMAND.format(["card", source, "-f", "json", "-o", "card.json", "-q"])
    told = f"{command}\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert (workspace / "card.json").is_file()
    assert set(done.stdout.splitlines()[-1].split()) & UNWANTED == set()
