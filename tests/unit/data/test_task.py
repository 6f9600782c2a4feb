"""Tasks and catalogs: what is refused, in one line that says where and what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibc_report.common.errors import DataError, IbcReportError, UsageError
from ibc_report.data.task import Task, load_catalog, slug
from tests.support.workshop import Workshop

IRIS = "  - {name: iris, source: 'builtin:iris'}\n"


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        (
            "  - {name: a, source: x.csv, taget: y}\n",
            r"task 1 \('a'\): unknown key 'taget'; did you mean 'target'\? Known: ",
        ),
        (IRIS + "  - {name: b, source: x.csv, zzz: 1}\n", r"task 2 \('b'\): unknown key 'zzz'; Known: benchmark, "),
        (IRIS + IRIS, r"task 'iris' is given twice \(tasks 1 and 2\); rename one$"),
        (IRIS + "  - {source: x.csv}\n", r"task 2: 'name' is missing$"),
        ("  - {name: a}\n", r"task 1 \('a'\): give either 'source' \(a dataset\) or 'declared'"),
        (
            "  - {name: a, source: x, declared: {family: regression, n: 9, radius: 2, dimension: 2, resolution: 1, "
            "target_error: 0.1}}\n",
            r"task 1 \('a'\): give either 'source' .* and not both$",
        ),
        ("  - {name: a, source: x, target_error: -1}\n", r"task 1 \('a'\): 'target_error': input should be greater"),
        ("  - {name: a, source: x, target_error: .inf}\n", r"task 1 \('a'\): 'target_error': .* finite"),
        ("  - {name: a, source: x, tolerance: .nan}\n", r"task 1 \('a'\): 'tolerance': "),
        ("  - {name: a, source: x, seed: one}\n", r"task 1 \('a'\): 'seed': input should be a valid integer"),
        ("  - {name: a, source: x, kind: labels}\n", r"task 1 \('a'\): 'kind': input should be 'classes' or 'values'"),
        ("  - {name: A b, source: x}\n", r"task 1 \('A b'\): 'name': string should match pattern"),
        ("  - {name: ../a, source: x}\n", r"task 1 \('\.\./a'\): 'name': string should match pattern"),
        (
            "  - {name: a, source: x, convention: realeased}\n",
            r"task 1 \('a'\): convention 'realeased' is not known; did you mean 'released'\?",
        ),
        (
            "  - {name: a, source: x, benchmark: mnits}\n",
            r"task 1 \('a'\): benchmark 'mnits' is not the paper's; did you mean 'mnist'\?",
        ),
        (
            "  - {name: a, declared: {family: contrl}}\n",
            r"task 1 \('a'\): family 'contrl' is not known; did you mean 'control'\?",
        ),
        ("  - {name: a, declared: {n: 3}}\n", r"task 1 \('a'\): 'family' is missing$"),
        (
            "  - {name: a, declared: {family: control, n: many}}\n",
            r"task 1 \('a'\): 'n': input should be a valid number",
        ),
        (
            "  - {name: a, declared: {family: control, n: 9, dimension: 2, actons: 1, resolution: 1, target_error: 1}}",
            r"task 1 \('a'\): .*family 'control' has no input 'actons'; did you mean 'actions'\?",
        ),
        (
            "  - {name: a, declared: {family: control, n: 9, dimension: 2}}\n",
            r"task 1 \('a'\): .*family 'control' lacks actions, resolution, target_error$",
        ),
        (
            "  - {name: a, declared: {family: control, n: -9, dimension: 2, "
            "actions: 1, resolution: 1, target_error: 1}}",
            r"task 1 \('a'\): .*n has to be ",
        ),
        ("  - iris\n", r"task 1: input should be a valid dictionary"),
        ("  - {name: a, source: x, inputs: [1]}\n", r"task 1 \('a'\): 'inputs': input should be a valid string"),
    ],
    ids=[
        *("typo", "stranger", "twice", "no name", "nothing", "both", "negative", "infinite", "nan", "not a number"),
        *("choice", "bad name", "path as name", "convention", "benchmark", "family", "no family", "declared text"),
        *("declared typo", "declared too few", "declared out of range"),
        *("not a mapping", "inner list"),
    ],
)
def test_a_wrong_catalog_is_one_line(workshop: Workshop, tasks: str, message: str) -> None:
    """The line has the file, the task by number and name, what is wrong, and the nearest known name."""
    path = workshop.write_catalog(tasks)
    with pytest.raises(UsageError, match=message) as caught:
        load_catalog(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("tasks:\n  - {name: a\n  source: x}\n  - ]", r"catalog\.yml, line \d: not valid YAML: "),
        ("title: a\ntasks: [}\n", r"catalog\.yml, line 2: not valid YAML: "),
        ("title: a\ntasks: []\ntitle: b\n", r"catalog\.yml, line 3: not valid YAML: key 'title' is given twice"),
        (
            "tasks:\n  - name: a\n    target: x\n    source: s\n    target: y\n",
            r"catalog\.yml, line 5: not valid YAML: key 'target' is given twice; keep one",
        ),
        ("tasks:\n  - {name: a, source: 2024-13-45}\n", r"catalog\.yml: not valid YAML: month must be in 1\.\.12"),
        ("ttile: a\ntasks: [{name: a, source: x}]\n", r"catalog\.yml: unknown key 'ttile'; did you mean 'title'\?"),
        ("tasks: iris\n", r"catalog\.yml: 'tasks': input should be a valid tuple"),
    ],
    ids=["unclosed", "wrong bracket", "key twice", "key twice in a task", "no date", "unknown key", "tasks no list"],
)
def test_what_is_not_a_catalog_is_one_line_with_its_place(workshop: Workshop, content: str, message: str) -> None:
    """A YAML error has its line, and a key given twice is one: YAML alone would keep the last without a word."""
    workshop.catalog.write_text(content)
    with pytest.raises(UsageError, match=message) as caught:
        load_catalog(workshop.catalog)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", ["", "[]", "title: a", "tasks:", "tasks: []", "just text"])
def test_a_catalog_without_tasks_is_refused(workshop: Workshop, content: str) -> None:
    """An empty file and one without tasks say how a list of tasks is written."""
    workshop.catalog.write_text(content)
    with pytest.raises(DataError, match=r"catalog\.yml has no tasks; write a list under 'tasks:'"):
        load_catalog(workshop.catalog)


def test_a_catalog_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    """A missing file is named."""
    with pytest.raises(UsageError, match=r"none\.yml does not exist; give the path of a catalog\.yml"):
        load_catalog(tmp_path / "none.yml")


def test_a_file_of_bytes_is_no_catalog(workshop: Workshop) -> None:
    """A binary file is refused in one line."""
    workshop.catalog.write_bytes(b"\xff\xfe\x00tasks")
    with pytest.raises(IbcReportError, match="not valid YAML") as caught:
        load_catalog(workshop.catalog)
    assert "\n" not in str(caught.value)


def test_a_right_catalog_is_read_in_its_order(workshop: Workshop) -> None:
    """Titles and tasks come out as they were written, with the defaults of what was left out."""
    workshop.write_catalog(
        IRIS
        + "  - name: reach\n    declared: {family: control, n: 1.0e+6, dimension: 6, actions: 2, resolution: 0.001, "
        "target_error: 0.001}\n"
    )
    iris, reach = load_catalog(workshop.catalog).tasks
    assert (iris.name, iris.source, iris.target_error, iris.convention, iris.seed) == (
        *("iris", "builtin:iris"),
        *(0.01, "released", 0),
    )
    assert reach.declared is not None
    assert reach.declared.inputs["n"] == 1e6
    assert list(reach.declared.inputs) == ["n", "dimension", "actions", "resolution", "target_error"]


def test_the_example_catalog_is_right_and_complete() -> None:
    """site/catalog.yml has the five built-in sets and declares all of the paper's benchmarks by its numbers."""
    from ibc_report.complexity import PUBLISHED

    catalog = load_catalog(Path(__file__).parents[3] / "site" / "catalog.yml")
    sources = [task.source for task in catalog.tasks if task.source]
    assert sources == [f"builtin:{name}" for name in ("digits", "iris", "wine", "breast_cancer", "diabetes")]
    declared = {
        task.name.removesuffix("-published"): (task.declared.family, task.declared.inputs)
        for task in catalog.tasks
        if task.declared
    }
    assert declared == {
        name: (benchmark.family, {key: float(value) for key, value in benchmark.inputs.items()})
        for name, benchmark in PUBLISHED.items()
    }


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("builtin:digits", "digits"),
        ("builtin:breast_cancer", "breast_cancer"),
        ("../shared/data/mnist", "mnist"),
        ("data/mnist/", "mnist"),
        ("My Penguins.csv", "my-penguins"),
        ("a.b/answers.jsonl", "answers"),
        ("über.csv", "ber"),
        ("___", "task"),
    ],
)
def test_a_task_is_named_after_its_source(source: str, name: str) -> None:
    """The name is the last part of the source in lower case, and always one that a task may have."""
    assert slug(source) == name
    assert Task.of(source).name == name


def test_a_folder_by_a_dot_is_named_by_its_name(workspace: Path) -> None:
    """The working directory has a name, which '.' does not say."""
    (workspace / "Cats").mkdir()
    assert slug(".") == slug(str(workspace))


def test_a_setting_of_none_is_the_default() -> None:
    """The command line passes None for what was not given."""
    assert Task.of("builtin:iris", target=None, seed=None) == Task.of("builtin:iris")


def test_an_unknown_setting_names_the_nearest() -> None:
    """A misspelt setting of `measure` is refused like a misspelt key of a catalog."""
    with pytest.raises(UsageError, match=r"^builtin:iris: unknown key 'target_eror'; did you mean 'target_error'"):
        Task.of("builtin:iris", target_eror=0.1)


@pytest.mark.parametrize("name", ["aux", "con.v2", "nul", "com1", "lpt9.x", "set."])
def test_names_that_windows_reserves_are_refused(name: str) -> None:
    """A task whose report could not be a file everywhere is refused by one line."""
    with pytest.raises(UsageError, match="cannot be that of a file on Windows"):
        Task.of("builtin:iris", name=name)
    assert Task.of("builtin:iris", name=f"a{name.rstrip('.')}").name == f"a{name.rstrip('.')}"
