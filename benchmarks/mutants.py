"""Small changes to the code, each of which a test should notice: which of them none does.

Run ``make mutants``, or ``python benchmarks/mutants.py --count 420 --seed 11``. Mutants of the modules whose numbers
and verdicts a card states are drawn by the seed from what Cosmic Ray's operators can change, and each is tried against
the tests of its module, then, where it survives, against those of the modules that import it. No file is changed but
the page of survivors, ``site/docs/mutants.md``: a fork serves a mutant's source to the import. Why a survivor changes
no behaviour is said in ``equivalent_mutants.yml``, by the content of the line, of one module or of all.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path

import parso
import yaml
from cosmic_ray.ast import Visitor, get_ast, is_number
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators import provider
from cosmic_ray.operators.operator import Example, Operator
from mutant_trials import PROJECT, source, stages, tried, warm_up

PAGE = PROJECT / "site" / "docs" / "mutants.md"
REASONS = Path(__file__).with_name("equivalent_mutants.yml")

MODULES = (
    "ibc_report/complexity",
    "ibc_report/geometry/dimension",
    "ibc_report/geometry/assumption_values.py",
    "ibc_report/geometry/class_pieces.py",
    "ibc_report/geometry/far_rows.py",
    "ibc_report/geometry/label_checks.py",
    "ibc_report/geometry/label_noise.py",
    "ibc_report/geometry/leading_coordinates.py",
    "ibc_report/geometry/row_order.py",
    "ibc_report/evaluation/statistics",
    "ibc_report/report/assumptions",
    "ibc_report/report/sections/uncertainty.py",
)
"""Where mutants are drawn from: files, and all modules of folders."""

LEAST = 3
"""Mutants of a module, however small it is, where it has as many."""


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
        found: str | None = mutate_code(source(self.module), OPERATORS[self.operator](), self.occurrence)
        return found

    def lines(self, code: str) -> tuple[str, str]:
        """Return the first line that differs, before and after."""
        for before, after in zip(source(self.module).splitlines(), code.splitlines(), strict=False):
            if before != after:
                return before.strip(), after.strip()
        return "", ""


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of a mutant, and the line that it changes."""

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
        visitor.walk(get_ast(source(module)))
        places: dict[tuple[int, int], list[Mutant]] = {}
        for mutant in visitor.found:
            places.setdefault(mutant.place, []).append(mutant)
        one_each = iter(generator.sample([generator.choice(places[place]) for place in sorted(places)], len(places)))
        chosen += islice(filter(_changes, one_each), LEAST)
        others += one_each
    generator.shuffle(others)
    return sorted([*chosen, *islice(filter(_changes, others), max(0, count - len(chosen)))])


def _changes(mutant: Mutant) -> bool:
    """Tell whether a mutant is valid Python that differs in more than an annotation."""
    code = mutant.code()
    try:
        return code is not None and _meaning(code) != _meaning(source(mutant.module))
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


def reasons() -> dict[tuple[str, str, str], str]:
    """Read why a survivor changes no behaviour: by module, line and changed line."""
    entries = yaml.safe_load(REASONS.read_text(encoding="utf-8")) or []
    return {(each.get("module", ""), each["line"], each["mutant"]): each["reason"] for each in entries}


def page(trials: Sequence[Trial], seed: int) -> str:
    """Write the page of survivors."""
    why = reasons()
    survivors = [each for each in trials if each.outcome == "survived"]
    given = {
        each: why.get((each.mutant.module, each.before, each.after)) or why.get(("", each.before, each.after))
        for each in survivors
    }
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
        f"{equivalent} of the survivors change no behaviour; of the {counted} other mutants "
        f"{died / max(counted, 1):.1%} died.",
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
    # read when numpy is imported
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.chdir(PROJECT)
    sys.path.insert(0, str(PROJECT))
    warm_up()
    mutants = drawn(modules_of(options.modules), options.count, options.seed)
    modules = sorted({mutant.module for mutant in mutants})
    print(f"seed {options.seed}: {len(mutants)} mutants of {len(modules)} modules", flush=True)
    began = time.monotonic()
    met = stages(modules)
    print(f"their tests pass without a change, in {time.monotonic() - began:.0f} s", flush=True)
    changed = [(mutant.module, mutant.code() or "") for mutant in mutants]
    trials = []
    for number, outcome in tried(changed, options.processes, met):
        trial = Trial(mutants[number], outcome, *mutants[number].lines(changed[number][1]))
        trials.append(trial)
        if outcome == "survived":
            place = f"{trial.mutant.module}:{trial.mutant.place[0]}"
            print(f"{len(trials)} {place} survived\n  - {trial.before}\n  + {trial.after}", flush=True)
    options.page.write_text(page(sorted(trials, key=lambda each: each.mutant), options.seed), encoding="utf-8")
    print(f"{options.page}: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
