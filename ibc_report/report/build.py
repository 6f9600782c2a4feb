"""Stages to document: what each number is called, how it is worded, and where it came from."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, isfinite

from ibc_report import complexity
from ibc_report.common import wording
from ibc_report.complexity import PUBLISHED, Complexity, Published, convention_named, evaluate
from ibc_report.data.examples import Examples
from ibc_report.data.task import Task
from ibc_report.geometry import Geometry, sensitivity
from ibc_report.geometry.measurement import Measurement
from ibc_report.report import provenance
from ibc_report.report.assumptions.assumption import NAMELESS, Evidence, Names, decades_by_change
from ibc_report.report.assumptions.ledger import assess
from ibc_report.report.redaction import without_examples
from ibc_report.report.schema.document import (
    DataRecord,
    DroppedRows,
    EncoderRecord,
    Mark,
    Pair,
    PublishedRecord,
    Repeat,
    ReportDocument,
)
from ibc_report.report.schema.sections import DriftRecord
from ibc_report.report.schema.split_audit import EvaluationRecord
from ibc_report.report.sections import curves, dimension, headline, left_out, previews, robust, uncertainty, warnings
from ibc_report.report.sections.numbers import tabulate
from ibc_report.report.sections.sensitivity import written

__all__ = ["build_report"]

FEATURE_MAPS = {"standardised": "standardised features", "halved": "half of the features"}
"""Changes that are other feature maps, as their bits are called."""


def build_report(
    task: Task,
    found: Complexity,
    measured: Measurement | None,
    published: Published | None,
    fingerprint: str,
    tested: EvaluationRecord | None = None,
) -> ReportDocument:
    """Write the report of a task.

    Parameters
    ----------
    measured : Measurement or None
        What the bits were made of; None for a declared task.
    published : Published or None
        The paper's benchmark that this is, if it is one.
    fingerprint : str
        Of the task, the data and the versions, as `provenance.fingerprint_of` makes it.
    tested : EvaluationRecord, optional
        What a score on the test split can tell, if there is one.
    """
    convention = convention_named(found.convention)
    examples, facts = (measured.examples, measured.facts) if measured else (None, None)
    noise = measured.noise if measured else uncertainty.declared(found)
    spread = None if noise is None else complexity.spread(found, noise)
    moved = sensitivity.sensitivity(
        found, measured.variants if measured else None, noise, None if spread is None else spread.sample
    )
    leaked = tested.leakage.leaked / tested.n if tested and tested.leakage else 0.0
    checked = measured.diagnostics if measured else None
    out = left_out.left_out(found, measured) if measured else ()
    steady = robust.robust_section(found, measured, measured.robust, out) if measured and measured.robust else None
    top = headline.headline_section(found, spread, declared=measured is None)
    names = left_out.merged_warning(found, measured) if measured else ()
    first = (*names, *left_out.first_warnings(found, out, top, steady))
    ledger = assess(Evidence(found, facts, checked, decades_by_change(moved), leaked, _names(examples)))
    report = ReportDocument(
        name=task.name,
        title=task.title or task.name,
        description=task.description,
        family=found.family,
        inputs=dict(found.inputs),
        convention=convention.name,
        convention_statement=convention.statement,
        headline=top,
        doubts=(*first, *warnings.number_warnings(found, facts, examples, ledger, tested)),
        numbers=tabulate(found, facts, measured.extrapolation if measured else None),
        curves=curves.scaling_curves(found),
        ruler=tuple(Mark(name=mark.name, title=mark.title, log10_bits=mark.log10_bits) for mark in PUBLISHED.values()),
        pair=_pair(examples, facts),
        assumptions=ledger,
        certainty=uncertainty.uncertainty_section(
            found,
            noise,
            found=spread,
            metric=examples.encoded.metric if examples else None,
            drift=_drift(found, measured),
            feature_maps={
                FEATURE_MAPS[change.key]: change.log10_bits for change in moved.changes if change.key in FEATURE_MAPS
            },
        ),
        dimension=None
        if measured is None
        else dimension.dimension_section(measured.dimension, measured.examples.names),
        sensitivity=written(moved),
        robust=steady,
        data=_data(task, examples, facts),
        test=tested,
        published=_published(published, found),
        repeat=Repeat(
            place=provenance.place(task, local=examples is not None and examples.origin.local),
            command=provenance.shell(_pinned(task, examples)),
            python=provenance.python(_pinned(task, examples)),
            seed=task.seed,
            versions=provenance.versions(),
            fingerprint=fingerprint,
        ),
        bibtex=provenance.bibtex(task.citation),
    )
    return report if task.examples else without_examples(report)


def _names(examples: Examples | None) -> Names:
    """What features and classes are called: a feature as its column, where each column is one."""
    if examples is None:
        return NAMELESS
    encoded = examples.encoded
    single = encoded.name == "tabular" and len(encoded.inputs) == encoded.vectors.shape[1]
    # features are in the order of their names
    return Names(tuple(sorted(encoded.inputs)) if single else (), examples.names, examples.origin.split)


def _pinned(task: Task, examples: Examples | None) -> Task:
    """The task at the commit that was read, where it has one."""
    if examples is None or task.source is None or not examples.origin.is_commit:
        return task
    return task.model_copy(update={"revision": examples.origin.revision})


def _drift(found: Complexity, measured: Measurement | None) -> Iterator[DriftRecord]:
    """The bits of random parts of the rows."""
    if measured is None:
        return
    family = complexity.FAMILIES[found.family]
    assert family.sampled_margin is not None
    assert family.sampled_dimension is not None
    share = found.inputs["n"] / measured.facts.distinct
    for size in measured.dimension.by_sample_size[1:]:
        if size.dimension is None or size.log_margin is None:
            continue
        numbers = {
            "n": round(size.n * share),
            family.sampled_dimension: size.dimension,
            family.sampled_margin: exp(size.log_margin),
            "radius": size.radius,
        }
        bits = evaluate(found.family, {**found.inputs, **numbers}, found.convention).log10_bits
        yield DriftRecord(
            n=numbers["n"],
            dimension=size.dimension,
            margin=exp(size.log_margin),
            radius=size.radius,
            log10_bits=bits if isfinite(bits) else None,
        )


def _pair(examples: Examples | None, facts: Geometry | None) -> Pair | None:
    if examples is None or facts is None:
        return None
    first, second = facts.margin.rows
    return Pair(
        distance=facts.margin.distance,
        ties=facts.margin.ties,
        first=previews.preview(examples, first),
        second=previews.preview(examples, second),
    )


def _data(task: Task, examples: Examples | None, facts: Geometry | None) -> DataRecord | None:
    if examples is None or facts is None:
        return None
    origin, encoded = examples.origin, examples.encoded
    return DataRecord(
        source=origin.source,
        revision=origin.revision,
        config=origin.config,
        split=origin.split,
        license=task.license or origin.license,
        homepage=task.homepage or origin.homepage,
        gated=origin.gated,
        dataset_info=origin.dataset_info,
        sample=(
            f"of {wording.count(examples.rows_read)} rows, by a hash of (seed {task.seed}, row)"
            if examples.sampled
            else None
        ),
        target=examples.target,
        target_choice=examples.chosen,
        rows_read=examples.rows_read,
        rows_used=facts.n,
        dropped=tuple(
            DroppedRows(
                reason=lost.reason, said=wording.counted(lost.count, lost.reason), count=lost.count, rows=lost.examples
            )
            for lost in examples.dropped
        ),
        distinct=facts.distinct,
        equal_rows=facts.equal_rows,
        coincident_rows=facts.coincident_rows,
        conflicting_rows=facts.conflicting_rows,
        conflicting_examples=tuple((row, previews.label(examples, row)) for row in facts.conflicting_examples),
        tolerance=facts.tolerance if examples.values is not None else None,
        tolerance_text=wording.number(facts.tolerance) if examples.values is not None else None,
        classes=tuple(zip(examples.names, facts.class_counts, strict=True)) if facts.class_counts else (),
        encoder=EncoderRecord(
            name=encoded.name,
            metric=encoded.metric,
            settings=dict(encoded.settings),
            inputs=encoded.inputs,
            notes=encoded.notes,
        ),
        neighbors=facts.method,
        queries=facts.queries,
        margin_is_exact=facts.margin_is_exact,
        distortion=facts.distortion,
        dimension_profile=dict(facts.dimension_profile),
        disagreement=dict(facts.disagreement),
    )


def _published(published: Published | None, found: Complexity) -> PublishedRecord | None:
    if published is None or published.family != "classification" or found.family != "classification":
        return None
    theirs = published.inputs
    # the paper's target error and convention too, else the two would not compare
    chosen = {"dimension": theirs["dimension"], "target_error": theirs["target_error"]}
    rounded = evaluate(found.family, {**found.inputs, **chosen})
    return PublishedRecord(
        name=published.name,
        title=published.title,
        recognised=all(abs(found.inputs[key] / theirs[key] - 1) < 1e-6 for key in ("n", "classes", "radius", "margin")),
        log10_bits=published.log10_bits,
        bits=wording.scientific(published.log10_bits),
        rounded_dimension=int(theirs["dimension"]),
        target_error=theirs["target_error"],
        rounded_log10_bits=rounded.log10_bits if isfinite(rounded.log10_bits) else None,
        rounded_bits=wording.scientific(rounded.log10_bits),
    )
