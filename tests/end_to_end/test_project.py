"""The project's own promises: its documents, its commands, and the form of its code."""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
import typer.main

from ibc_report.cli.app import app

CHECKOUT = Path(__file__).resolve().parents[2]

MODULES = sorted((CHECKOUT / "ibc_report").rglob("*.py"))

MOST_LINES = 400

FEWEST_LINES = 60

# Modules that only one other imports and that stand alone all the same, each with its reason.
STANDING_ALONE: dict[str, str] = {}

# Files of unit tests that are of no one module, each with its reason.
OF_NO_MODULE = {
    "geometry/neighbors/test_memory.py": "the budget of bytes is kept by the modules of the search together",
}


def name(path: Path) -> str:
    """A module's path within the checkout."""
    return str(path.relative_to(CHECKOUT))


def public_functions(path: Path) -> Iterator[ast.FunctionDef]:
    """Functions of a module, and methods of its public classes, that have no underscore."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bodies = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name[0] != "_")]
    for body in bodies:
        for node in body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                yield node


def parameters(function: ast.FunctionDef) -> list[str]:
    """The parameters that a caller gives."""
    given = function.args
    plain = [argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    starred = [f"*{given.vararg.arg}"] if given.vararg else []
    doubly = [f"**{given.kwarg.arg}"] if given.kwarg else []
    return [argument for argument in (*plain, *starred, *doubly) if argument not in ("self", "cls")]


def documented(docstring: str) -> list[str]:
    """The parameters that a numpydoc docstring names."""
    section = re.search(r"^Parameters\n-{10}\n(.*?)(?=^\S+( \S+)?\n-{3,}$|\Z)", docstring, re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^(\S.*?)(?: : .*)?$", section.group(1), re.MULTILINE) if section else []
    return [word.strip() for line in lines for word in line.split(",")]


def test_modules_are_short_and_say_what_they_do() -> None:
    """A module has a docstring whose first line is a sentence, and at most 400 lines."""
    texts = {name(path): path.read_text(encoding="utf-8") for path in MODULES}
    first = {at: (ast.get_docstring(ast.parse(text)) or "").split("\n\n")[0] for at, text in texts.items()}

    assert [at for at, sentence in first.items() if not sentence.rstrip().endswith((".", "…"))] == []
    assert [at for at, text in texts.items() if len(text.splitlines()) > MOST_LINES] == []


def test_public_functions_are_documented() -> None:
    """A public function's docstring begins with a sentence, and every name that it lists is a parameter."""
    docstrings = {
        f"{name(path)}:{function.lineno} {function.name}": (ast.get_docstring(function) or "", parameters(function))
        for path in MODULES
        for function in public_functions(path)
    }
    unknown = {at: set(documented(text)) - set(given) for at, (text, given) in docstrings.items()}

    assert [at for at, (text, _) in docstrings.items() if not text.split("\n\n")[0].endswith(".")] == []
    assert {at: names for at, names in unknown.items() if names} == {}


def imported(path: Path) -> set[str]:
    """The dotted names that a module imports, of modules and of what is in them."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    origins = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    assert all(node.level == 0 for node in origins), f"{name(path)} has relative imports"
    return (
        plain
        | {str(node.module) for node in origins}
        | {f"{node.module}.{alias.name}" for node in origins for alias in node.names}
    )


def test_no_module_is_a_fragment_of_another() -> None:
    """A module of fewer than 60 lines is imported by two others, or is a row of the ledger, or has a reason."""
    wanted = {path: imported(path) for path in MODULES}
    fragments = []
    for path in MODULES:
        dotted = ".".join(path.relative_to(CHECKOUT).with_suffix("").parts)
        users = [other for other, names in wanted.items() if other != path and dotted in names]
        short = len(path.read_text(encoding="utf-8").splitlines()) < FEWEST_LINES
        row = path.parent.name == "assumptions" and re.fullmatch(r"a\d+_\w+", path.stem)
        if short and len(users) < 2 and not row and path.stem not in ("__init__", "__main__"):
            fragments.append(dotted)

    assert fragments == sorted(STANDING_ALONE)


def test_unit_tests_mirror_the_package() -> None:
    """Each file of unit tests lies where its module or package lies in ibc_report, and is named after it."""
    unit = CHECKOUT / "tests" / "unit"
    strays = []
    for path in sorted(unit.rglob("test_*.py")):
        home = CHECKOUT / "ibc_report" / path.relative_to(unit).parent
        named = path.stem.removeprefix("test_")
        package = home if home.name == named else home / named
        if not (home / f"{named}.py").is_file() and not (package / "__init__.py").is_file():
            strays.append(str(path.relative_to(unit)))

    assert strays == sorted(OF_NO_MODULE)


def test_the_changelog_is_kept() -> None:
    """The changelog has an entry for what is to come or for the version, the newest first, under the known headings."""
    text = (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8")
    version = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    entries = re.findall(r"^## \[?([^\]\n]+?)\]?(?: [-–—] (\S+))?$", text, re.MULTILINE)
    days = [date.fromisoformat(day) for _, day in entries if day]
    kinds = set(re.findall(r"^### (.+)$", text, re.MULTILINE))

    assert text.startswith("# Changelog\n")
    assert entries
    assert entries[0][0] in ("Unreleased", version)
    assert all(day or entry == "Unreleased" for entry, day in entries)
    assert days == sorted(days, reverse=True)
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_readme_shows_what_there_is() -> None:
    """Each command of the README exists with the options that it is shown with, and each file that it links to."""
    text = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [shlex.split(line, comments=True) for block in blocks for line in block.splitlines()]
    group = typer.main.get_command(app)
    commands = dict(getattr(group, "commands", {}))
    used = [line for line in lines if line and line[0] == "ibc-report"]

    assert {line[1] for line in used if not line[1].startswith("-")} >= {"card", "render", "build", "site"}
    for line in used:
        owner = commands.get(line[1], group)
        options = {option for parameter in owner.params for option in (*parameter.opts, *parameter.secondary_opts)}
        assert line[1] in commands or line[1] in options, line
        assert {word.partition("=")[0] for word in line[2:] if word.startswith("-")} <= options | {"-"}, line
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert link.startswith("https://") or (CHECKOUT / link).exists(), link


@pytest.mark.parametrize("target", ["catalog", "test", "test-long"])
def test_make_has_its_commands(target: str) -> None:
    """`make catalog`, `make test` and `make test-long` are there, and README and make agree on them."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    done = subprocess.run(["make", "-n", target], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    wanted = {
        "catalog": ["build site/catalog.yml", "ibc-report site"],
        "test": ["ruff check", "mypy", "pytest", "not long"],
        "test-long": ["pytest", "long or hypothesis", "--hypothesis-profile long"],
    }

    assert done.returncode == 0, done.stderr
    assert all(command in done.stdout for command in wanted[target])
    assert f"make {target}" in (CHECKOUT / "README.md").read_text(encoding="utf-8")


def test_ci_runs_the_tests() -> None:
    """CI's entry is a script that can be run, stops at a failure, and runs `make test`, then `make test-long`."""
    script = CHECKOUT / ".ci" / "run"
    text = script.read_text(encoding="utf-8")

    assert os.access(script, os.X_OK)
    assert "set -euo pipefail" in text
    assert "make test\nmake test-long\n" in text


def test_no_library_code_prints() -> None:
    """Only the command line and the terminal print."""
    printing = [
        name(path)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]

    assert printing == []


def test_own_modules_are_imported_by_statements_alone() -> None:
    """But for the package's face, no module imports another by a name in a string, which no contract would see."""
    naming = ("import_module", "__import__", "run_module", "resolve_name")
    found = [
        f"{name(path)}:{node.lineno}"
        for path in MODULES
        if path != CHECKOUT / "ibc_report" / "__init__.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Name) and node.id in naming)
        or (isinstance(node, ast.Attribute) and node.attr in naming)
        or (isinstance(node, ast.ImportFrom) and any(alias.name in naming for alias in node.names))
    ]
    assert found == []
