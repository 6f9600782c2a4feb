"""Tries the source of a changed module against tests: each in a fork that finds the large libraries imported."""

from __future__ import annotations

import ast
import importlib
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from itertools import accumulate
from pathlib import Path
from types import ModuleType

__all__ = ["PROJECT", "Stage", "source", "stages", "tried", "warm_up"]

PROJECT = Path(__file__).resolve().parents[1]

ALSO = {
    "report/assumptions/": (
        *("tests/unit/report/sections/test_warnings.py", "tests/unit/report/test_build.py"),
        "tests/unit/geometry/test_assumption_values.py",
    )
}
"""Further tests of a module of such a path: of what its words and values are made into."""

ROOMS = tuple(f"tests/unit/{room}/" for room in ("complexity", "geometry", "evaluation", "report"))
"""Where further tests are taken from: what the command line or a page says of a number is too slow to ask."""

WARM = (
    *("numpy", "pandas", "pyarrow.parquet", "pydantic", "pytest", "hypothesis.strategies", "scipy.optimize"),
    *("scipy.sparse", "scipy.spatial", "scipy.special", "scipy.stats", "sklearn.datasets", "sklearn.decomposition"),
    *("sklearn.discriminant_analysis", "sklearn.feature_extraction.text", "sklearn.neighbors", "sklearn.tree"),
    *("matplotlib.figure", "matplotlib.backends.backend_svg", "jinja2", "PIL.Image", "yaml"),
)
"""What every fork finds imported: nothing of the package, for a mutant may be imported by any of it."""

MEMORY = 8 * 2**30
"""Bytes of address space of a fork: what grows without end, ends."""


def warm_up() -> None:
    """Import what every fork is to find imported."""
    for name in WARM:
        importlib.import_module(name)


@cache
def source(module: str) -> str:
    """Read a module of the project."""
    return (PROJECT / module).read_text(encoding="utf-8")


@cache
def _imports(path: Path) -> frozenset[str]:
    """Modules that a file names in its imports, dotted."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return frozenset(names)


def _mirror(module: Path) -> Path:
    inside = module.relative_to(PROJECT / "ibc_report")
    return PROJECT / "tests" / "unit" / inside.parent / f"test_{inside.name}"


@cache
def matching_tests(module: str) -> tuple[tuple[str, ...], ...]:
    """Name the tests of a module: its own and its examples, then those that import it, or whose module does.

    Where it has no test file of its own, those of its folder stand for it.
    """
    path = PROJECT / module
    dotted = module.removesuffix(".py").replace("/", ".")
    mirror = _mirror(path)
    own = [mirror] if mirror.exists() else sorted(mirror.parent.glob("test_*.py"))
    importers = {_mirror(each) for each in (PROJECT / "ibc_report").rglob("*.py") if dotted in _imports(each)}
    direct = {each for each in (PROJECT / "tests" / "unit").rglob("test_*.py") if dotted in _imports(each)}
    also = [PROJECT / each for part, named in ALSO.items() if part in module for each in named]
    own_names = tuple(str(each.relative_to(PROJECT)) for each in own)
    others = [str(each.relative_to(PROJECT)) for each in sorted({*direct, *importers, *also}) if each.exists()]
    return (module, *own_names), tuple(each for each in others if each not in own_names and each.startswith(ROOMS))


class _Source(MetaPathFinder, Loader):
    """Serves one module from a text."""

    def __init__(self, name: str, path: Path, code: str) -> None:
        self.name, self.path, self.code = name, path, code

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Find the module of that name."""
        return spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the text."""
        exec(compile(self.code, str(self.path), "exec"), module.__dict__)


def _run(module: str, code: str, tests: Sequence[str]) -> int:
    """Run tests on a module's text, in this process; 0 where all pass."""
    import pytest

    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    output = os.open(os.environ.get("MUTANTS_LOG", os.devnull), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(output, stream)
    name = module.removesuffix(".py").replace("/", ".")
    sys.meta_path.insert(0, _Source(name, PROJECT / module, code))
    # pytest would import a module itself that it is given for its examples, to rewrite its assertions
    options = ["-x", "-q", "-n0", "-p", "no:cacheprovider", "-m", "not long", "--assert=plain"]
    return int(pytest.main([*options, *tests]))


def _fork(module: str, code: str, tests: Sequence[str]) -> int:
    child = os.fork()
    if child == 0:
        status = 3
        try:
            status = _run(module, code, tests)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    return child


FURTHER = 30.0
"""Seconds of further tests that a mutant meets which survives those of its module."""

NO_TESTS = 5
"""Pytest's status where it found no test."""


@dataclass
class _Running:
    """A changed module at one of the stages of its tests."""

    number: int
    stage: int
    limit: float
    process: int
    began: float = field(default_factory=time.monotonic)


@dataclass(frozen=True, slots=True)
class Stage:
    """Tests that a mutant meets together, and the seconds after which it counts as running on."""

    tests: tuple[str, ...]
    limit: float


def stages(modules: Iterable[str]) -> dict[str, tuple[Stage, ...]]:
    """Time the tests of each module as it is: the further ones are as many of the quickest as take half a minute.

    Raises
    ------
    RuntimeError
        If a test fails without a change.
    """
    seconds: dict[str, float] = {}

    def timed(module: str, test: str) -> float:
        if test not in seconds:
            began = time.monotonic()
            status = os.waitstatus_to_exitcode(os.waitpid(_fork(module, source(module), (test,)), 0)[1])
            if status not in (0, NO_TESTS):
                raise RuntimeError(f"the tests of {module} fail as it is: pytest -x {test}")
            seconds[test] = time.monotonic() - began
        return seconds[test]

    found = {}
    for module in modules:
        own, further = matching_tests(module)
        quickest = sorted(further, key=lambda test: timed(module, test))
        total = accumulate(timed(module, test) for test in quickest)
        within = tuple(test for test, so_far in zip(quickest, total, strict=True) if so_far <= FURTHER)
        each = ((tests, sum(timed(module, test) for test in tests)) for tests in (own, within) if tests)
        found[module] = tuple(Stage(tests, 20 + 4 * took) for tests, took in each)
    return found


def tried(
    changed: Sequence[tuple[str, str]], processes: int, met: dict[str, tuple[Stage, ...]]
) -> Iterator[tuple[int, str]]:
    """Run changed modules against their tests.

    Parameters
    ----------
    changed : sequence of (str, str)
        The module's path in the project, and its source.
    met : dict of str to tuple of Stage
        The tests of each module, from `stages`.

    Yields
    ------
    number, outcome : int, str
        Place among the changed ones; "killed", "timed out" or "survived". In the order in which they end.
    """
    waiting = [(number, 0) for number in reversed(range(len(changed)))]
    running: list[_Running] = []
    while waiting or running:
        while waiting and len(running) < processes:
            number, stage = waiting.pop()
            module, code = changed[number]
            now = met[module][stage]
            running.append(_Running(number, stage, now.limit, _fork(module, code, now.tests)))
        time.sleep(0.02)
        for job in list(running):
            outcome = _outcome(job)
            if outcome is None:
                continue
            running.remove(job)
            if outcome == "survived" and job.stage + 1 < len(met[changed[job.number][0]]):
                waiting.append((job.number, job.stage + 1))
            else:
                yield job.number, outcome


def _outcome(job: _Running) -> str | None:
    """Tell what became of a mutant; None while its tests run."""
    process, status = os.waitpid(job.process, os.WNOHANG)
    if process:
        return "survived" if os.waitstatus_to_exitcode(status) in (0, NO_TESTS) else "killed"
    if time.monotonic() - job.began < job.limit:
        return None
    os.killpg(job.process, signal.SIGKILL)
    os.waitpid(job.process, 0)
    return "timed out"
