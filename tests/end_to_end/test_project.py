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


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_modules_are_short_and_say_what_they_do(path: Path) -> None:
    """A module has a docstring whose first line is a sentence, and at most 400 lines."""
    text = path.read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(text))

    assert docstring
    assert docstring.split("\n\n")[0].rstrip().endswith((".", "…"))
    assert len(text.splitlines()) <= MOST_LINES


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_public_functions_are_documented(path: Path) -> None:
    """A public function's docstring begins with a sentence; where it has a list of parameters, it has all of them."""
    for function in public_functions(path):
        docstring = ast.get_docstring(function) or ""
        where = f"{name(path)}:{function.lineno} {function.name}"

        assert docstring.split("\n\n")[0].endswith("."), where
        if path.name != "cli.py" and documented(docstring):
            assert set(documented(docstring)) == set(parameters(function)), where


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


@pytest.mark.parametrize("target", ["catalog", "test"])
def test_make_has_the_two_commands(target: str) -> None:
    """`make catalog` and `make test` are there, and README and make agree on them."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    done = subprocess.run(["make", "-n", target], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    wanted = {"catalog": ["build site/catalog.yml", "ibc-report site"], "test": ["ruff check", "mypy", "pytest"]}

    assert done.returncode == 0, done.stderr
    assert all(command in done.stdout for command in wanted[target])
    assert f"make {target}" in (CHECKOUT / "README.md").read_text(encoding="utf-8")


def test_ci_runs_the_tests() -> None:
    """CI's entry is a script that can be run, stops at a failure, and runs `make test`."""
    script = CHECKOUT / ".ci" / "run"

    assert os.access(script, os.X_OK)
    assert "set -euo pipefail" in script.read_text(encoding="utf-8")
    assert "make test" in script.read_text(encoding="utf-8")


def test_no_library_code_prints() -> None:
    """Only the command line and the terminal print."""
    printing = [
        name(path)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]

    assert printing == []
