"""The package as it is installed: what the wheel holds, and that a card renders from it."""

from __future__ import annotations

import configparser
import email
import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.support.once import Once

CHECKOUT = Path(__file__).resolve().parents[2]

RENDER = """
import sys
from pathlib import Path
import ibc_report
from ibc_report.rendering import environment
report = ibc_report.measure("builtin:iris")
Path("card.html").write_text(report.to_html(), encoding="utf-8")
Path("card.md").write_text(report.to_markdown(), encoding="utf-8")
print(Path(ibc_report.__file__).parent)
print(environment.template_folder())
"""


def run(*command: str, cwd: Path, path: Path | None = None) -> str:
    """Run a command in a folder, with another place for packages first where one is given."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(once: Once) -> Path:
    """A folder with the wheel, built once for all workers, and in "packages" what it installs."""

    def install(folder: Path) -> None:
        offline = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
        run(sys.executable, "-m", "build", "--wheel", *offline, "--outdir", str(folder), str(CHECKOUT), cwd=folder)
        (wheel,) = folder.glob("*.whl")
        target = ["--no-deps", "--no-index", "--target", str(folder / "packages"), str(wheel)]
        run(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *target, cwd=folder)

    return once.made("wheel", install)


def metadata(installed: Path, name: str) -> str:
    """A file of the wheel's metadata."""
    (folder,) = (installed / "packages").glob("*.dist-info")
    return (folder / name).read_text(encoding="utf-8")


def test_the_wheel_holds_the_package_and_nothing_else(installed: Path) -> None:
    """The wheel's files are the modules, the templates inside the package, the licence and the metadata."""
    (wheel,) = installed.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    version = wheel.name.split("-")[1]
    package = {path for path in (CHECKOUT / "ibc_report").rglob("*") if path.is_file()}
    templates = {path for path in (CHECKOUT / "templates").rglob("*") if path.is_file()}
    expected = {str(path.relative_to(CHECKOUT)) for path in package if "__pycache__" not in path.parts}
    expected |= {f"ibc_report/{path.relative_to(CHECKOUT)}" for path in templates}
    expected |= {
        f"ibc_report-{version}.dist-info/{name}"
        for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
    }

    assert names == expected
    assert {Path(name).suffix for name in names if name.startswith("ibc_report/")} <= {
        *(".py", ".typed", ".j2", ".css", ".js", ".json"),
    }
    assert "ibc_report/templates/card.html.j2" in names


def test_the_wheel_says_that_it_is_typed(installed: Path) -> None:
    """The package has the marker that lets type checkers read its annotations, as its classifier says."""
    assert "Typing :: Typed" in metadata(installed, "METADATA")
    assert (installed / "packages" / "ibc_report" / "py.typed").is_file()


def test_the_metadata_is_that_of_the_project(installed: Path) -> None:
    """Name, version, Python and licence of the wheel are those of pyproject.toml."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    said = email.message_from_string(metadata(installed, "METADATA"))

    assert said["Name"] == project["name"]
    assert said["Version"] == project["version"]
    assert said["Requires-Python"] == project["requires-python"]
    assert said["License-Expression"] == "Apache-2.0"
    assert "Apache License" in metadata(installed, "licenses/LICENSE")


def test_entry_points(installed: Path) -> None:
    """The wheel brings the command and the mkdocs plugin."""
    points = configparser.ConfigParser()
    points.read_string(metadata(installed, "entry_points.txt"))

    assert dict(points["console_scripts"]) == {"ibc-report": "ibc_report.cli.app:main"}
    assert dict(points["mkdocs.plugins"]) == {"ibc-report": "ibc_report.website.plugin:IbcReportPlugin"}


def test_a_card_renders_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    """What the wheel installs measures and renders with the templates inside it."""
    said = run(sys.executable, "-W", "error", "-c", RENDER, cwd=tmp_path, path=installed / "packages").split()

    assert said == [
        str(installed / "packages" / "ibc_report"),
        str(installed / "packages" / "ibc_report" / "templates"),
    ]
    assert "<h1>iris</h1>" in (tmp_path / "card.html").read_text(encoding="utf-8")
    assert (tmp_path / "card.md").read_text(encoding="utf-8").startswith("# iris\n")


@pytest.mark.long
def test_the_command_and_the_plugin_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    """The installed command measures a set and builds a website of it with the installed plugin."""
    packages = installed / "packages"
    command = [sys.executable, str(packages / "bin" / "ibc-report")]
    run(*command, "card", "builtin:iris", "--quiet", cwd=tmp_path, path=packages)
    run(*command, "site", "--quiet", cwd=tmp_path, path=packages)

    assert (tmp_path / "build" / "site" / "tasks" / "iris" / "index.html").is_file()


@pytest.mark.long
def test_a_card_renders_from_an_editable_install(tmp_path: Path) -> None:
    """In an editable install the templates beside the package are found, and the card is that of the wheel."""
    place = run(sys.executable, "-c", "import ibc_report; print(ibc_report.__file__)", cwd=tmp_path).strip()
    if Path(place).parent != CHECKOUT / "ibc_report":
        pytest.skip("ibc-report is not installed from this checkout")
    said = run(sys.executable, "-W", "error", "-c", RENDER, cwd=tmp_path).split()

    assert said == [str(CHECKOUT / "ibc_report"), str(CHECKOUT / "templates")]
    assert "<h1>iris</h1>" in (tmp_path / "card.html").read_text(encoding="utf-8")


@pytest.mark.long
def test_an_installation_without_templates_says_so(installed: Path, tmp_path: Path) -> None:
    """Where the templates are gone, the error says to install again."""
    shutil.copytree(installed / "packages", tmp_path / "packages")
    shutil.rmtree(tmp_path / "packages" / "ibc_report" / "templates")
    program = (
        "import ibc_report\n"
        "try:\n"
        "    ibc_report.measure('builtin:iris').to_html()\n"
        "except ibc_report.IbcReportError as error:\n"
        "    print(error)\n"
    )
    said = run(sys.executable, "-c", program, cwd=tmp_path, path=tmp_path / "packages").strip()

    assert said == f"no templates beside {tmp_path / 'packages' / 'ibc_report'}; install ibc-report again"
