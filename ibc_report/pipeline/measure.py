"""Task to Report: the one place where the stages meet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ibc_report import complexity, geometry
from ibc_report.common.errors import DataError, UsageError
from ibc_report.common.progress import StageProgress
from ibc_report.complexity import Complexity, Published
from ibc_report.data import held_out, reading, sources
from ibc_report.data.encoders import Progress, silent
from ibc_report.data.examples import Examples, gather, sampled
from ibc_report.data.sources import Rows, Sample
from ibc_report.data.task import Task
from ibc_report.geometry import DEFAULT_MEMORY, Budget, Geometry, Neighborhoods, Neighbors, SearchPlan
from ibc_report.geometry.measurement import measurement_of
from ibc_report.geometry.target_range import half_range
from ibc_report.report import build, provenance
from ibc_report.report.schema.document import ReportDocument
from ibc_report.report.schema.split_audit import EvaluationRecord

__all__ = ["Prepared", "conclude", "evaluate_split", "fingerprint", "measure", "prepare"]


LATER = ("examples", "drop", "categorical", "header")
"""Fields that tasks did not have at first."""


def measure(
    task: Task,
    *,
    base: str | Path = ".",
    memory: int = DEFAULT_MEMORY,
    progress: StageProgress = lambda stage, fraction: None,
) -> ReportDocument:
    """Measure a task, from its data to its report.

    Parameters
    ----------
    base, memory, progress
        As for `ibc_report.measure`.

    Raises
    ------
    UsageError, DataError
        As for `ibc_report.measure`.
    """
    if task.declared is not None:
        found = complexity.evaluate(task.declared.family, task.declared.inputs, task.convention)
        return build.build_report(task, found, None, None, fingerprint(task))
    prepared = prepare(task, base=base, memory=memory, progress=progress)
    return conclude(task, prepared, progress=progress)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Examples, and how their geometry is to be measured.

    Parameters
    ----------
    tolerance : float or None
        Of a regression.
    range_share : float or None
        Of the targets' range, the tolerance; None where it is chosen, or for classes.
    base : Path
        Folder that relative paths start from.
    """

    examples: Examples
    tolerance: float | None
    budget: Budget
    rows: Rows
    base: Path
    range_share: float | None = None


def prepare(
    task: Task,
    *,
    base: str | Path = ".",
    memory: int = DEFAULT_MEMORY,
    progress: StageProgress = lambda stage, fraction: None,
) -> Prepared:
    """Read and encode the data of a task.

    Parameters
    ----------
    task : Task
        With a source.

    Raises
    ------
    UsageError, DataError
        As for `measure`.
    """
    assert task.source is not None
    progress("reading", 0.0)
    rows = reading.of_task(
        task,
        base=Path(base),
        config=task.config,
        split=task.split,
        revision=task.revision,
        sample=Sample(task.max_rows, task.seed, task.streaming),
    )
    if not task.streaming:
        rows = sampled(
            rows,
            task.max_rows,
            target=task.target,
            kind=task.kind,
            inputs=task.inputs,
            encoder=task.encoder,
            seed=task.seed,
        )
    progress("reading", 1.0)
    progress("encoding", 0.0)
    examples = gather(
        rows,
        target=task.target,
        kind=task.kind,
        inputs=task.inputs,
        encoder=task.encoder,
        seed=task.seed,
        progress=lambda fraction: progress("encoding", fraction),
    )
    progress("encoding", 1.0)
    tolerance = range_share = None
    if examples.values is None and task.target_error > 1:
        raise UsageError(
            f"{task.name}: the target error {task.target_error:g} is a share of wrong answers, which is at most 1; "
            "give one such as 0.01"
        )
    if examples.values is not None:
        range_share = None if task.tolerance else task.target_error
        tolerance = task.tolerance or 2 * task.target_error * half_range(examples.values)
    elif task.tolerance is not None:
        raise UsageError(f"{task.name}: a tolerance is for a regression, and '{examples.target}' has classes")
    budget = Budget(task.queries, task.exact, memory, task.seed)
    return Prepared(examples, tolerance, budget, rows, Path(base), range_share)


def conclude(
    task: Task,
    prepared: Prepared,
    *,
    plan: SearchPlan | None = None,
    known: Neighbors | None = None,
    progress: StageProgress = lambda stage, fraction: None,
) -> ReportDocument:
    """Measure prepared data, and write the report.

    Parameters
    ----------
    plan, known : SearchPlan, Neighbors, optional
        What was prepared and searched elsewhere already (see `ibc_report.geometry.facts.neighborhoods`).

    Raises
    ------
    DataError
        If nothing can be measured on the data.
    """
    examples = prepared.examples
    progress("neighbours", 0.0)
    seen = geometry.neighborhoods(
        examples,
        tolerance=prepared.tolerance,
        budget=prepared.budget,
        plan=plan,
        known=known,
        progress=lambda fraction: progress("neighbours", fraction),
    )
    progress("neighbours", 1.0)
    progress("uncertainty", 0.0)
    measured = measurement_of(
        seen, range_share=prepared.range_share, progress=lambda fraction: progress("uncertainty", fraction)
    )
    progress("uncertainty", 1.0)
    found = _complexity(task, examples, measured.facts)
    published = _published(task, found)
    pinned = _fingerprint(task, examples.origin.revision, prepared.base)
    tested = None
    if task.test is not None or examples.origin.splits:
        tested = evaluate_split(
            task,
            prepared.rows,
            seen,
            measured.facts,
            prepared.base,
            memory=prepared.budget.memory,
            progress=lambda fraction: progress("test split", fraction),
        )
    return build.build_report(task, found, measured, published, pinned, tested)


def fingerprint(task: Task, *, base: str | Path = ".") -> str:
    """What a report's content hangs on: the task, the data and the versions.

    Parameters
    ----------
    base : str or Path
        Folder that relative paths start from.

    Returns
    -------
    str
        "sha256:" and 64 hexadecimal digits; a report with the same one is up to date.
    """
    revision = None
    if task.source is not None:
        revision = sources.revision(task.source, base=Path(base), wanted=task.revision)
    return _fingerprint(task, revision, Path(base))


def _fingerprint(task: Task, revision: str | None, base: Path) -> str:
    tested = held_out.pinned(task, base)
    # what is as by default is not in it, so that reports of before the choice are still current
    usual = {name for name in LATER if getattr(task, name) == Task.model_fields[name].get_default()}
    fields = task.model_dump(mode="json", exclude=usual)
    return provenance.fingerprint_of(fields, revision if tested is None else f"{revision} {tested}")


def _complexity(task: Task, examples: Examples, facts: Geometry) -> Complexity:
    if examples.values is None:
        return complexity.classification(
            n=facts.n,
            radius=facts.norms.radius,
            dimension=facts.dimension,
            classes=len(examples.names),
            margin=facts.margin.distance,
            target_error=task.target_error,
            convention=task.convention,
        )
    return complexity.regression(
        n=facts.n,
        radius=facts.norms.radius,
        dimension=facts.dimension,
        resolution=facts.margin.distance,
        target_error=task.target_error,
        convention=task.convention,
    )


def _published(task: Task, found: Complexity) -> Published | None:
    if task.benchmark is not None:
        published = complexity.published_named(task.benchmark)
        if published.family != found.family:
            raise UsageError(
                f"{task.name}: benchmark '{task.benchmark}' is a {published.family} task, and this is a "
                f"{found.family}; leave the benchmark out"
            )
        return published
    if found.family != "classification":
        return None
    inputs = found.inputs
    return complexity.recognise(
        n=inputs["n"], radius=inputs["radius"], classes=inputs["classes"], margin=inputs["margin"]
    )


def evaluate_split(
    task: Task,
    train_rows: Rows,
    seen: Neighborhoods,
    facts: Geometry,
    base: Path,
    *,
    memory: int = DEFAULT_MEMORY,
    progress: Progress = silent,
) -> EvaluationRecord | None:
    """Read the test split of a task, and say what a score on it can tell.

    Parameters
    ----------
    task : Task
        With a source.
    train_rows, seen : Rows, Neighborhoods
        The split that was measured, as it was read, and encoded and searched.
    base : Path
        Folder that relative paths start from.
    memory : int
        Bytes that a search may take.

    Returns
    -------
    EvaluationRecord or None
        None where there is no test split. A split that cannot be used, for want of labels, of columns or of a second
        class, is no reason to refuse the card: the record says why.

    Raises
    ------
    UsageError
        If the task names a test split that does not exist.
    DataError, HubError
        If it cannot be read.
    """
    test_rows = held_out.held_out(task, train_rows, base)
    if test_rows is None:
        return None
    # what examines is slow to import, and many tasks have no test split
    from ibc_report.evaluation.audit.audit import SplitRows, TrainGeometry, audit
    from ibc_report.evaluation.audit.joint_split import take_together, with_whole
    from ibc_report.report.sections import split_audit

    # one file is a split of its own name in no source, and would be called as the training split is
    name = held_out.own_file(task, base) or test_rows.origin.split or Path(test_rows.origin.source).name
    try:
        splits = take_together(
            train_rows,
            test_rows,
            seen.examples,
            kind=task.kind,
            progress=lambda done: progress(0.2 * done),
        )
        every = held_out.whole(task, train_rows, base)
        if every is not None:
            splits = with_whole(splits, every)
        found = audit(
            splits,
            SplitRows(train_rows, test_rows),
            TrainGeometry(facts.dimension, facts.tolerance, seen.distinct),
            seed=task.seed,
            memory=memory,
            progress=lambda done: progress(0.2 + 0.8 * done),
        )
    except (DataError, UsageError) as error:
        return split_audit.unusable(name, str(error), len(seen.examples.positions))
    return split_audit.split_audit_section(found, name)
