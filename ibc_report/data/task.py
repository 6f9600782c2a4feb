"""What is measured: tasks, and catalogs of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from ibc_report.common.endings import READERS, ending_of
from ibc_report.common.errors import DataError, UsageError, choices
from ibc_report.common.schema import first_fault
from ibc_report.common.untrusted import refuse_special
from ibc_report.complexity import CONVENTIONS, FAMILIES, PUBLISHED, evaluate

__all__ = ["DEFAULT_TARGET_ERROR", "NO_TEST", "Catalog", "Declared", "Ranking", "Task", "load_catalog", "named", "slug"]

_Model = TypeVar("_Model", bound=BaseModel)

Ranking = Literal["released", "robust"]
"""Which bits a catalog is ranked by."""

DEFAULT_TARGET_ERROR = 0.01
"""The paper's choice for SVHN and CIFAR-10."""

RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))}
)
"""Names that no file can have on Windows, whatever follows after a dot."""

NO_TEST = "none"
"""Stands for no test examples, where the source has some."""


class Declared(BaseModel):
    """A task given by its numbers, without data."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, float]

    family: str = Field(description="Task family.")

    @field_validator("family")
    @classmethod
    def _family_is_known(cls, family: str) -> str:
        if family not in FAMILIES:
            raise ValueError(f"family '{family}' is not known; {choices(family, FAMILIES)}")
        return family

    @model_validator(mode="after")
    def _family_takes_the_numbers(self) -> Declared:
        evaluate(self.family, self.inputs)
        return self

    @property
    def inputs(self) -> dict[str, float]:
        """The family's numbers by name."""
        return dict(self.__pydantic_extra__ or {})


class Task(BaseModel):
    """One task: a dataset and what to predict from it, or declared numbers."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    name: str = Field(description="Short name: file and page are called by it.", pattern=r"^[a-z0-9][a-z0-9._-]*$")
    title: str | None = Field(None, description="Title of the card.")
    description: str | None = Field(None, description="One or two sentences.")
    source: str | None = Field(
        None, description="OWNER/NAME on the Hub, builtin:NAME, or the path of a file or folder."
    )
    revision: str | None = Field(None, description="Branch, tag or commit of a Hub dataset; main by default.")
    max_rows: int | None = Field(
        None, ge=6, description="Measure a sample of this many rows, by a hash of (seed, row)."
    )
    streaming: bool = Field(False, description="Keep the sample of a Hub dataset only, instead of storing all rows.")
    config: str | None = Field(None, description="Configuration, where the source has several.")
    split: str | None = Field(None, description="Split; train, or the only one, by default.")
    test: str | None = Field(
        None,
        description="Split, or file, that models are tested on; 'test' where the source has one. 'none' for none.",
    )
    target: str | None = Field(None, description="Target column, where several would do.")
    kind: Literal["classes", "values"] | None = Field(None, description="How to take the target.")
    inputs: tuple[str, ...] = Field((), description="Input columns; all but the target by default.")
    drop: tuple[str, ...] = Field((), description="Columns that count as not there.")
    categorical: tuple[str, ...] = Field((), description="Columns whose values are categories, also of numbers.")
    header: bool | None = Field(
        None, description="Whether the first line of a table of text names its columns; by its looks by default."
    )
    encoder: str | None = Field(None, description="Encoder with settings, as in text:components=300.")
    queries: int | None = Field(
        None,
        ge=6,
        description="Ask this many rows, by a hash of (seed, row), for their neighbours; by the cost by default.",
    )
    exact: bool = Field(False, description="Ask all rows and take all features, whatever it costs.")
    tolerance: float | None = Field(
        None,
        gt=0,
        description="Regression: targets that differ by more are different; 2 × target error by default.",
    )
    target_error: float = Field(
        DEFAULT_TARGET_ERROR,
        gt=0,
        description="Error rate that a hypothesis may have; of a regression, the share of half the target's range.",
    )
    convention: str = Field("released", description="How the terms are counted.")
    benchmark: str | None = Field(None, description="The paper's benchmark that this is a copy of.")
    seed: int = Field(0, ge=0, description="Of everything that draws.")
    examples: bool = Field(True, description="Show rows on the card: the closest pair, and repeated test rows.")
    declared: Declared | None = Field(None, description="Numbers instead of data.")
    license: str | None = Field(None, description="Where the source does not say it.")
    citation: str | None = Field(None, description="BibTeX of the dataset.")
    homepage: str | None = Field(None, description="Where a reader finds the dataset.")

    @field_validator("name")
    @classmethod
    def _name_is_one_of_a_file(cls, name: str) -> str:
        if name.partition(".")[0] in RESERVED or name.endswith("."):
            raise ValueError(f"name '{name}' cannot be that of a file on Windows; choose another, or rename the source")
        return name

    @field_validator("convention")
    @classmethod
    def _convention_is_known(cls, name: str) -> str:
        if name not in CONVENTIONS:
            raise ValueError(f"convention '{name}' is not known; {choices(name, CONVENTIONS)}")
        return name

    @field_validator("benchmark")
    @classmethod
    def _benchmark_is_known(cls, name: str | None) -> str | None:
        if name is not None and name not in PUBLISHED:
            raise ValueError(f"benchmark '{name}' is not the paper's; {choices(name, PUBLISHED)}")
        return name

    @model_validator(mode="after")
    def _data_or_numbers(self) -> Task:
        if (self.source is None) == (self.declared is None):
            raise ValueError("give either 'source' (a dataset) or 'declared' (numbers), and not both")
        return self

    @model_validator(mode="after")
    def _all_rows_or_some(self) -> Task:
        if self.exact and self.queries is not None:
            raise ValueError("'exact' asks all rows for their neighbours, 'queries' some; give one of the two")
        return self

    @classmethod
    def of(cls, source: str, **settings: Any) -> Task:
        """Make a task from a source and settings, named after the source.

        Parameters
        ----------
        source : str
            builtin:NAME, or the path of a file or folder.
        **settings
            Fields of a task; None stands for the default.

        Raises
        ------
        UsageError
            If a setting is not known or has a wrong value.

        Examples
        --------
        >>> Task.of("builtin:digits", target_error=0.05).name
        'digits'
        """
        given = {key: value for key, value in settings.items() if value is not None}
        name = named(source, given.get("config"))
        return _validated(cls, {"name": name, "source": source, **given}, where=source)


class _Loader(yaml.SafeLoader):
    """A safe loader that refuses a key given twice, of which YAML would silently keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"key '{key.value}' is given twice; keep one", key.start_mark
                    )
                seen.add(key.value)
        return super().construct_mapping(node, deep)


class Catalog(BaseModel):
    """A set of tasks that are published together."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = Field("Difficulty catalog", description="Title of the website's table.")
    description: str | None = Field(None, description="A paragraph above the table.")
    tasks: tuple[Task, ...] = Field(description="What is measured.")
    rank: Ranking = Field("released", description="Which bits the table is in the order of.")
    saved: tuple[str, ...] = Field(
        (), description="Reports that are published too and were measured elsewhere: files, from the catalog's folder."
    )


def named(source: str, config: str | None) -> str:
    """Name a task after its source and the configuration that was chosen of it.

    Examples
    --------
    >>> named("owner/set", None), named("owner/set", "En"), named("owner/set", "default")
    ('set', 'set-en', 'set')
    """
    return slug(source) if config in (None, "default") else f"{slug(source)}-{slug(config)}"


def slug(source: str) -> str:
    """Name a task after its source.

    Parameters
    ----------
    source : str
        builtin:NAME, OWNER/NAME or a path.

    Returns
    -------
    str
        Lower-case letters, digits, dots, hyphens and underscores.

    Examples
    --------
    >>> slug("builtin:digits"), slug("../data/My Penguins.csv"), slug("data/mnist/")
    ('digits', 'my-penguins', 'mnist')
    """
    last = Path(source.rpartition(":")[2]).resolve() if source in (".", "..") else Path(source.rpartition(":")[2])
    ending = ending_of(last)
    name = last.name[: -len(ending)] if ending in (*READERS, ".zip") else last.name
    return re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._") or "task"


def load_catalog(path: Path) -> Catalog:
    """Read a catalog, a YAML file.

    Raises
    ------
    UsageError
        If the file does not exist, is not YAML, has an unknown key (the nearest known one is named), a key twice,
        a wrong value, or two tasks of one name.
    DataError
        If it has no tasks.
    """
    refuse_special(path)
    if not path.is_file():
        raise UsageError(f"{path} does not exist; give the path of a catalog.yml")
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise UsageError(f"{path}{where}: not valid YAML: {problem}") from error
    if not isinstance(content, Mapping) or not content.get("tasks"):
        raise DataError(f"{path} has no tasks; write a list under 'tasks:', each with a name and a source")
    catalog = _validated(Catalog, dict(content), where=str(path))
    names = [task.name for task in catalog.tasks]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise UsageError(
                f"{path}: task '{name}' is given twice (tasks {names.index(name) + 1} and {index + 1}); rename one"
            )
    return catalog


def _validated(model: type[_Model], content: dict[str, Any], *, where: str) -> _Model:
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise UsageError(f"{where}: {first_fault(error, model, content)}") from error
