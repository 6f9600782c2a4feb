"""Small changes to the code, each of which a test should notice: which of them none does.

Run ``make mutants``, or ``python benchmarks/mutants.py --count 400 --seed 11``. Mutants of the modules whose numbers and
verdicts a card states are drawn by the seed from what Cosmic Ray's operators can change, and each is tried against the
tests of its module, then, where it survives, against those of the modules that import it. Nothing is written but the
page of survivors, ``site/docs/mutants.md``: a mutant lives in the memory of a fork that serves its source to the import.
Why a survivor changes no behaviour is said in ``equivalent_mutants.yml``, by the line's content.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import random
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

import parso
import yaml
from cosmic_ray.ast import Visitor, get_ast, is_number
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators import provider
from cosmic_ray.operators.operator import Example, Operator

PROJECT = Path(__file__).resolve().parents[1]
PAGE = PROJECT / "site" / "docs" / "mutants.md"
REASONS = Path(__file__).with_name("equivalent_mutants.yml")

MODULES = (
    "ibc_report/complexity",
    "ibc_report/geometry/dimension",
    "ibc_report/geometry/assumption_values.py",
    "ibc_report/geometry/label_noise.py",
    "ibc_report/evaluation/statistics",
    "ibc_report/report/assumptions",
    "ibc_report/report/sections/uncertainty.py",
)
"""Where mutants are drawn from: files, and all modules of folders."""

LEAST = 3
"""Mutants of a module, however small it is, where it has as many."""

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


class NumberScaler(Operator):  # type: ignore[misc]
    """Move a number with a fraction by a quarter of it, for Cosmic Ray moves every number by 1."""

    FACTORS = (1.25, 0.75)

    def mutation_positions(self, node: parso.tree.NodeOrLeaf) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Offer both factors at each such number."""
        if is_number(node) and isinstance(ast.literal_eval(node.value), float) and float(node.value) != 0:
            for _ in self.FACTORS:
                yield node.start_pos, node.end_pos

    def mutate(self, node: parso.tree.NodeOrLeaf, index: int) -> parso.tree.NodeOrLeaf:
        """Put the moved number in its place."""
        moved = ast.literal_eval(node.value) * self.FACTORS[index]
        return parso.python.tree.Number(repr(moved), node.start_pos, prefix=node.prefix)

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        """Give an example, as the library asks."""
        return (Example("x = 0.4", "x = 0.5"),)


UNLIKELY = ("Mod", "RShift", "LShift", "BitOr", "BitAnd", "BitXor", "Invert")
"""Operators that nobody puts in another's place by mistake: such a mutant fails at once, and says nothing of a test."""


def operators() -> dict[str, type[Operator]]:
    """Return the library's operators by name, but those that need a variable named, and the one of this module."""
    found: dict[str, type[Operator]] = {"NumberScaler": NumberScaler}
    library = provider.OperatorProvider()
    for name in library:
        target = name.rsplit("_", 1)[-1]
        source = name.rsplit("_", 2)[-2] if name.count("_") > 1 else ""
        unlikely = target in UNLIKELY and source not in UNLIKELY
        if not library[name].arguments() and not unlikely:
            found[name] = library[name]
    return found


OPERATORS = operators()


@dataclass(frozen=True, slots=True, order=True)
class Mutant:
    """A change of one place of a module: which of the changes that an operator can make, counted from 0."""

    module: str
    place: tuple[int, int]
    operator: str
    occurrence: int

    def code(self) -> str | None:
        """Return the changed module."""
        found: str | None = mutate_code(_source(self.module), OPERATORS[self.operator](), self.occurrence)
        return found

    def lines(self, code: str) -> tuple[str, str]:
        """Return the first line that differs, before and after."""
        for before, after in zip(_source(self.module).splitlines(), code.splitlines(), strict=False):
            if before != after:
                return before.strip(), after.strip()
        return "", ""


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of a mutant."""

    mutant: Mutant
    outcome: str
    before: str
    after: str


@dataclass
class Positions(Visitor):  # type: ignore[misc]
    """Every change that any operator can make in a module."""

    module: str
    counts: dict[str, int] = field(default_factory=dict)
    found: list[Mutant] = field(default_factory=list)

    def visit(self, node: parso.tree.NodeOrLeaf) -> parso.tree.NodeOrLeaf:
        """Count what can be changed at a node, as the library counts it."""
        for name, operator in OPERATORS.items():
            for start, _ in operator().mutation_positions(node):
                occurrence = self.counts.get(name, 0)
                self.counts[name] = occurrence + 1
                self.found.append(Mutant(self.module, tuple(start), name, occurrence))
        return node


@cache
def _source(module: str) -> str:
    return (PROJECT / module).read_text(encoding="utf-8")


@cache
def _meaning(code: str) -> str:
    """What a module does: its tree without annotations and docstrings."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
    return ast.dump(tree)


def drawn(modules: Iterable[str], count: int, seed: int) -> list[Mutant]:
    """Draw mutants: a place first, then one of the changes there, the least number of each module first."""
    generator = random.Random(seed)
    chosen: list[Mutant] = []
    others: list[Mutant] = []
    for module in modules:
        visitor = Positions(module)
        visitor.walk(get_ast(_source(module)))
        places: dict[tuple[int, int], list[Mutant]] = {}
        for mutant in visitor.found:
            places.setdefault(mutant.place, []).append(mutant)
        one_each = [generator.choice(places[place]) for place in sorted(places)]
        generator.shuffle(one_each)
        real = [mutant for mutant in one_each if _changes(mutant)]
        chosen += real[:LEAST]
        others += real[LEAST:]
    chosen += generator.sample(others, min(len(others), max(0, count - len(chosen))))
    return sorted(chosen)


def _changes(mutant: Mutant) -> bool:
    """Tell whether a mutant is valid Python that differs in more than an annotation."""
    code = mutant.code()
    try:
        return code is not None and _meaning(code) != _meaning(_source(mutant.module))
    except SyntaxError:
        return False


def modules_of(paths: Iterable[str]) -> list[str]:
    """List the modules of files and folders, those aside that only gather names."""
    found = []
    for path in paths:
        whole = PROJECT / path
        files = sorted(whole.rglob("*.py")) if whole.is_dir() else [whole]
        found += [str(file.relative_to(PROJECT)) for file in files if file.name != "__init__.py"]
    return found


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
    """A mutant at one of the stages of its tests."""

    mutant: Mutant
    code: str
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
            status = os.waitstatus_to_exitcode(os.waitpid(_fork(module, _source(module), (test,)), 0)[1])
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


def tried(mutants: Sequence[Mutant], processes: int, met: dict[str, tuple[Stage, ...]]) -> Iterator[Trial]:
    """Run each mutant against its tests."""
    waiting = [(mutant, mutant.code() or "") for mutant in reversed(mutants)]
    running: list[_Running] = []

    def start(mutant: Mutant, code: str, stage: int) -> None:
        now = met[mutant.module][stage]
        running.append(_Running(mutant, code, stage, now.limit, _fork(mutant.module, code, now.tests)))

    while waiting or running:
        while waiting and len(running) < processes:
            start(*waiting.pop(), 0)
        time.sleep(0.02)
        for job in list(running):
            outcome = _outcome(job)
            if outcome is None:
                continue
            running.remove(job)
            if outcome == "survived" and job.stage + 1 < len(met[job.mutant.module]):
                start(job.mutant, job.code, job.stage + 1)
            else:
                yield Trial(job.mutant, outcome, *job.mutant.lines(job.code))


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


def reasons() -> dict[tuple[str, str, str], str]:
    """Read why a survivor changes no behaviour: by module, line and changed line."""
    entries = yaml.safe_load(REASONS.read_text(encoding="utf-8")) or []
    return {(each["module"], each["line"], each["mutant"]): each["reason"] for each in entries}


def page(trials: Sequence[Trial], seed: int) -> str:
    """Write the page of survivors."""
    why = reasons()
    survivors = [each for each in trials if each.outcome == "survived"]
    given = {each: why.get((each.mutant.module, each.before, each.after)) for each in survivors}
    equivalent = sum(reason is not None for reason in given.values())
    counted, died = len(trials) - equivalent, len(trials) - len(survivors)
    lines = [
        "# Mutants",
        "",
        "What `make mutants` found: small changes to the code that states numbers and verdicts, and whether a test",
        "notices. The tests tried are those of the changed module, then those of the modules that import it. A",
        "survivor that changes no behaviour has its reason in `benchmarks/equivalent_mutants.yml`; of any other, a",
        "test is missing.",
        "",
        f"Seed {seed}: {len(trials)} mutants of {len({each.mutant.module for each in trials})} modules, {died} died "
        f"({sum(each.outcome == 'timed out' for each in trials)} of them by running on), {len(survivors)} survived.",
        f"{equivalent} of the survivors change no behaviour; of the {counted} others, {died / max(counted, 1):.1%} died.",
        "",
        "| Module | Line | Changed to | Why it survives |",
        "|---|---|---|---|",
        *(
            f"| {each.mutant.module.removeprefix('ibc_report/')} | {_cell(each.before)} | {_cell(each.after)} "
            f"| {reason or 'no test notices'} |"
            for each, reason in given.items()
        ),
        "",
    ]
    return "\n".join(lines)


def _cell(code: str) -> str:
    return f"`{code}`".replace("|", "\\|")


def main() -> None:
    """Draw mutants, try them, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", default=MODULES, help="files or folders to draw from")
    parser.add_argument("--count", type=int, default=400, help="mutants to draw")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--page", type=Path, default=PAGE, help="where the survivors are written")
    options = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.chdir(PROJECT)
    sys.path.insert(0, str(PROJECT))
    for name in WARM:
        importlib.import_module(name)
    mutants = drawn(modules_of(options.modules), options.count, options.seed)
    modules = sorted({mutant.module for mutant in mutants})
    print(f"seed {options.seed}: {len(mutants)} mutants of {len(modules)} modules", flush=True)
    began = time.monotonic()
    met = stages(modules)
    print(f"their tests pass without a change, in {time.monotonic() - began:.0f} s", flush=True)
    trials = []
    for trial in tried(mutants, options.processes, met):
        trials.append(trial)
        if trial.outcome == "survived":
            place = f"{trial.mutant.module}:{trial.mutant.place[0]}"
            print(f"{len(trials)} {place} survived\n  - {trial.before}\n  + {trial.after}", flush=True)
    options.page.write_text(page(sorted(trials, key=lambda each: each.mutant), options.seed), encoding="utf-8")
    print(f"{options.page}: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
