"""Stages to document: what each number is called, how it is worded, and where it came from."""

from __future__ import annotations

from math import isfinite, pi

from ibc_report import assumptions, citations, commands, curves, doubts, fingerprints, previews, wording
from ibc_report.complexity import PUBLISHED, Complexity, Published, convention_named, evaluate, interval
from ibc_report.complexity.uncertainty import Interval
from ibc_report.examples import Examples
from ibc_report.geometry import Geometry
from ibc_report.report import (
    AssumptionRecord,
    DataRecord,
    DroppedRows,
    EncoderRecord,
    Headline,
    Mark,
    NumberRecord,
    Pair,
    PublishedRecord,
    Repeat,
    Report,
)
from ibc_report.task import Task
from ibc_report.terms import TERMS

__all__ = ["write"]

_CHOSEN = "No interval: the inputs are choices of the task's designer, and none was sampled."

NO_INTERVAL = {
    "control": _CHOSEN,
    "partially_observed_control": _CHOSEN,
    "few_shot": "No interval: the inputs were measured on data that are not here, and how noisy they are is not known.",
}

ROUNDING_SD = 1 / 12**0.5
"""Standard deviation of a dimension that was rounded to a whole number."""


def write(
    task: Task,
    found: Complexity,
    examples: Examples | None,
    facts: Geometry | None,
    published: Published | None,
    fingerprint: str,
) -> Report:
    """Write the report of a task.

    Parameters
    ----------
    task : Task
        What was measured.
    found : Complexity
        The bits and their terms.
    examples, facts : Examples, Geometry or None
        What they were measured on; None for a declared task.
    published : Published or None
        The paper's benchmark that this is.
    fingerprint : str
        Of the task, the data and the versions.

    Returns
    -------
    Report
    """
    convention = convention_named(found.convention)
    noise = interval(found, _dimension_sd(found, facts))
    said = assumptions.diagnose(found, facts)
    return Report(
        name=task.name,
        title=task.title or task.name,
        description=task.description,
        family=found.family,
        inputs=dict(found.inputs),
        convention=convention.name,
        convention_statement=convention.statement,
        headline=_headline(found, noise, declared=facts is None),
        doubts=doubts.of(found, facts, examples),
        numbers=_numbers(found, facts, task),
        curves=curves.of(found),
        ruler=tuple(Mark(name=mark.name, title=mark.title, log10_bits=mark.log10_bits) for mark in PUBLISHED.values()),
        pair=_pair(examples, facts),
        assumptions=tuple(
            AssumptionRecord(
                id=entry.id,
                name=entry.name,
                statement=entry.statement,
                consequence=entry.consequence,
                diagnostic=said.get(entry.id),
            )
            for entry in assumptions.LEDGER
        ),
        data=_data(task, examples, facts),
        published=_published(published, found),
        repeat=Repeat(
            place=commands.place(task, local=examples is not None and examples.origin.local),
            command=commands.shell(_pinned(task, examples)),
            python=commands.python(_pinned(task, examples)),
            seed=task.seed,
            versions=fingerprints.versions(),
            fingerprint=fingerprint,
        ),
        bibtex=citations.bibtex(task.citation),
    )


def _pinned(task: Task, examples: Examples | None) -> Task:
    """The task at the commit that was read, where it has one."""
    if examples is None or task.source is None or not examples.origin.is_commit:
        return task
    return task.model_copy(update={"revision": examples.origin.revision})


def _dimension_sd(found: Complexity, facts: Geometry | None) -> float:
    """Standard deviation of a uniform spread over the profile's range, or of the rounding of a declared m."""
    if facts is not None:
        spread = facts.dimension_profile.values()
        return (max(spread) - min(spread)) / 12**0.5
    return ROUNDING_SD if float(found.inputs.get("dimension", 0.5)).is_integer() else 0.0


def _headline(found: Complexity, noise: Interval | None, *, declared: bool) -> Headline:
    zero = not isfinite(found.log10_bits)
    lower = upper = None
    if noise is not None and not zero:
        lower = noise.lower if isfinite(noise.lower) else None
        upper = noise.upper if isfinite(noise.upper) else None
    return Headline(
        log10_bits=None if zero else found.log10_bits,
        lower=lower,
        upper=upper,
        level=None if noise is None or zero else noise.level,
        exponent=None if zero else wording.exponent(found.log10_bits),
        lower_exponent=None if lower is None else wording.exponent(lower),
        upper_exponent=None if upper is None else wording.exponent(upper),
        interval_is=_made_of(found, noise, zero=zero, declared=declared),
        margin_sd=None if noise is None or zero else noise.margin_sd,
        scale_sd=None if noise is None or zero else noise.scale_sd,
        is_not=_is_not(found),
    )


def _made_of(found: Complexity, noise: Interval | None, *, zero: bool, declared: bool) -> str:
    if noise is None:
        return NO_INTERVAL[found.family]
    level = wording.percent(noise.level)
    if zero and isfinite(noise.upper):
        return f"0 bits at these numbers; the {level} interval reaches up to 10^{wording.exponent(noise.upper)} bits."
    if zero:
        return "No interval around 0 bits."
    ends = "" if isfinite(noise.lower) else f" from 0 bits to 10^{wording.exponent(noise.upper)} bits"
    scale = "the rounding of the dimension" if declared else "the drift of the dimension over neighbourhood sizes"
    return (
        f"{level} interval{ends}, from the noise of the margin as a sample minimum (standard deviation "
        f"{noise.margin_sd:.1f} decades, with a long tail upwards) and {scale} ({noise.scale_sd:.1f} decades). It "
        "does not cover the bias of the dimension's estimate, nor the choice of features or convention."
    )


def _is_not(found: Complexity) -> str:
    where = {
        "classification": f"{wording.number(found.inputs.get('classes', 1))} m-spheres",
        "union": "the m-spheres of the pairs of classes",
    }.get(found.family, f"an m-{found.space.kind}")
    return (
        "An approximate, typically loose, upper estimate of the bits needed to single out a hypothesis with error at "
        f"most {wording.number(found.inputs['target_error'])} among all functions band-limited at δ on {where}. These "
        "are not bits that a model must store. Compare only cards of the same features, centring, n and target error."
    )


def _numbers(found: Complexity, facts: Geometry | None, task: Task) -> tuple[NumberRecord, ...]:
    records = [_number(key, found.inputs[key], _origin(key, found, facts, task)) for key in found.inputs]
    if "dimension" not in found.inputs:
        records.append(_number("dimension", found.space.dimension, "observations times their size"))
    if found.space.degree is not None:
        convention = convention_named(found.convention)
        half = convention.band_factor < 2 * pi
        rounded = ", rounded down" if convention.integer_degree else ""
        records.append(_number("band_limit", found.space.band_limit, "πR/δ" if half else "2πR/δ"))
        records.append(_number("degree", found.space.degree, f"solves K(K + m − 1) = M²{rounded}"))
    if not {"outputs", "actions"} & found.inputs.keys() and isfinite(found.log10_sufficient_n):
        outputs = found.log10_parameters - found.log10_sufficient_n
        records.append(_power("outputs", outputs, "numbers that a hypothesis gives"))
    records += [
        _power(
            "parameters",
            found.log10_parameters,
            "counts coefficients of the eigenfunctions below the band limit",
        ),
        _number(
            "bits_per_parameter",
            found.bits_per_parameter,
            "log2 of the range of one parameter over its tolerance",
        ),
        _power("fixed_fraction", found.log10_fixed_fraction, "nD / dimΘ"),
        _power("sufficient_n", found.log10_sufficient_n, "dimΘ / D"),
    ]
    if facts is not None:
        records.append(_number("features", facts.features, "coordinates of a vector"))
        if 1 in facts.disagreement:
            records.append(
                _number(
                    "leave_one_out_error",
                    facts.disagreement[1],
                    "share of points whose nearest other point has another label",
                )
            )
    return tuple(records)


def _number(key: str, value: float, origin: str) -> NumberRecord:
    term = TERMS[key]
    finite = value if isfinite(value) else None
    return NumberRecord(
        key=key,
        name=term.name,
        symbol=term.symbol,
        value=finite,
        text=wording.number(float(value)),
        origin=origin,
    )


def _power(key: str, log10_value: float, origin: str) -> NumberRecord:
    term = TERMS[key]
    value = 10**log10_value if log10_value < 308 else None
    return NumberRecord(
        key=key,
        name=term.name,
        symbol=term.symbol,
        value=value,
        text=wording.power(log10_value),
        origin=origin,
    )


def _origin(key: str, found: Complexity, facts: Geometry | None, task: Task) -> str:
    if facts is None:
        return "declared"
    first, second = facts.margin.rows
    tied = f", one of {facts.margin.ties} as close" if facts.margin.ties > 1 else ""
    asked = "" if facts.queries is None else f"{wording.count(facts.queries)} of "
    pair = f"rows {first} and {second}{tied}"
    return {
        "n": "rows used",
        "radius": f"largest norm, row {facts.norms.radius_row}",
        "dimension": f"maximum likelihood at k = 5, {asked}{wording.count(facts.distinct)} distinct points",
        "classes": "classes that occur",
        "margin": f"closest pair of different classes: {pair}",
        "resolution": f"closest pair with targets more than {wording.number(facts.tolerance)} apart: {pair}",
        "target_error": "share of half the target's range, chosen" if found.family == "regression" else "chosen",
        "outputs": "numbers to predict",
        "output_bound": "targets are measured in half their range",
    }[key]


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
