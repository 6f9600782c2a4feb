"""What is doubtful of a number on these data and of a score on a test split, a sentence each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ibc_report.common import wording
from ibc_report.complexity import Complexity
from ibc_report.data.examples import Examples
from ibc_report.evaluation.audit.audit import SplitAudit
from ibc_report.evaluation.audit.leakage import Leakage
from ibc_report.evaluation.audit.shortcuts import Shortcut
from ibc_report.geometry import Geometry
from ibc_report.geometry.neighbors.random_projection import REDUCED_FEATURES
from ibc_report.report.schema.sections import AssumptionRecord
from ibc_report.report.schema.split_audit import EvaluationRecord
from ibc_report.report.sections import calibration
from ibc_report.report.sections.scores import target_leaks_text

__all__ = ["alarms", "flagged", "leaked", "named", "of", "proportion"]

DRIFT = 0.15
"""A dimension that drifts by more than this share over scales is doubtful."""

OUTLIER = 1.2
"""A largest norm beyond this multiple of the 99.9 % quantile is one row's doing."""

OFF_CENTRE = 0.1
"""A mean point further from the origin than this share of the mean norm makes the origin matter."""

MANY_CLASSES = 20
"""Whole numbers with more values than this may be counts, not labels."""

INTERVALS = {
    "m, this scale": "interval of the dimension at this scale",
    "δ": "interval of the margin",
    "bits, this scale": "interval of the bits at this scale",
    "m, true": "interval of the true dimension",
    "bits, true": "interval of the bits for the true dimension",
}
"""The intervals whose coverage was counted."""

FEW_ROWS = 500
"""Rows of the smallest tasks on which the intervals were calibrated."""

LOST = 0.01
"""More lost rows than this share may bias what is left."""


def of(
    task: Complexity,
    geometry: Geometry | None,
    examples: Examples | None,
    ledger: Sequence[AssumptionRecord] = (),
    tested: EvaluationRecord | None = None,
) -> tuple[str, ...]:
    """Say what is doubtful.

    Parameters
    ----------
    task : Complexity
        The bits and their flags.
    geometry, examples : Geometry, Examples or None
        What they were measured on; None for a declared task.
    ledger : sequence of AssumptionRecord
        The assumptions with their verdicts.
    tested : EvaluationRecord, optional
        What the test split can tell.

    Returns
    -------
    tuple of str
    """
    said = [flag.text for flag in task.flags]
    if geometry is None or examples is None:
        return (*said, "The inputs are declared, not measured: nothing here was checked on data.")
    said += tested.warnings if tested is not None else _given_away(examples)
    violated = [f"{entry.id} ({entry.name})" for entry in ledger if entry.verdict == "violated"]
    if violated:
        said.append(f"Assumptions that these data violate: {', '.join(violated)}; what each is worth is in the ledger.")
    if geometry.n < FEW_ROWS:
        said.append(
            f"{wording.count(geometry.n)} rows are few: the intervals were calibrated on {FEW_ROWS} rows and more."
        )
    said += _of_geometry(geometry)
    said += [_shortfall(region) for region in calibration.shortfalls(geometry.dimension, geometry.n)]
    if examples.counted and len(examples.names) > MANY_CLASSES:
        said.append(
            f"The whole numbers of '{examples.target}' were taken as {len(examples.names)} classes; --kind values "
            "regresses on them instead."
        )
    if 1 in geometry.disagreement and geometry.disagreement[1] > task.inputs["target_error"]:
        said.append(
            f"The nearest neighbour has another label for {wording.percent(geometry.disagreement[1])} of the points, "
            f"more than the target error of {wording.percent(task.inputs['target_error'])}: these features may not "
            "allow that target."
        )
    lost = sum(dropped.count for dropped in examples.dropped)
    if lost > LOST * examples.rows_read:
        said.append(f"Rows that could not be used: {wording.count(lost)} of {wording.count(examples.rows_read)}.")
    said += examples.encoded.notes
    return tuple(said)


def _given_away(examples: Examples) -> list[str]:
    """That an input tells the target by itself."""
    # it brings more of scipy, which is wanted on cards only
    from ibc_report.evaluation.audit.target_leakage import target_leaks

    found = target_leaks(examples)
    return [target_leaks_text(found, is_class=examples.codes is not None)] if found else []


def _shortfall(region: calibration.Region) -> str:
    """That an interval was found too narrow where the truth is known."""
    return (
        f"On synthetic tasks of about this dimension and size the {INTERVALS[region.interval]} covered the truth in "
        f"{wording.percent(region.covered)} of draws, not in the {wording.percent(region.promised)} that it promises."
    )


def _of_geometry(geometry: Geometry) -> list[str]:
    said = []
    profile = geometry.dimension_profile
    ends = sorted((min(profile, key=profile.__getitem__), max(profile, key=profile.__getitem__)))
    drift = abs(profile[ends[0]] - profile[ends[1]]) / geometry.dimension
    if drift > DRIFT:
        said.append(
            f"The intrinsic dimension depends on the scale: {wording.number(profile[ends[0]])} at k = {ends[0]}, "
            f"{wording.number(profile[ends[1]])} at k = {ends[1]}."
        )
    if geometry.queries is not None:
        seen = " The margin is the smallest distance seen from them; the closest pair of all may be closer."
        said.append(
            f"Only {wording.count(geometry.queries)} of {wording.count(geometry.distinct)} points were asked for their "
            f"neighbours, chosen by a hash of (seed, row).{'' if geometry.margin_is_exact else seen}"
        )
    if geometry.distortion is not None:
        said.append(
            f"The {wording.count(geometry.features)} features were projected at random to "
            f"{wording.count(REDUCED_FEATURES)}: with probability 1 − 1/n no squared distance changes by more than "
            f"{wording.percent(geometry.distortion)}; the margin is a distance of projected points too."
        )
    norms = geometry.norms
    if norms.high == 0:
        said.append(f"One row sets the radius, row {norms.radius_row}: nearly all others are at the origin.")
    elif norms.radius > OUTLIER * norms.high:
        said.append(
            f"One row sets the radius: the norm of row {norms.radius_row} is "
            f"{wording.number(norms.radius / norms.high)} times the 99.9 % quantile."
        )
    if norms.centre > OFF_CENTRE * norms.mean:
        said.append(
            f"The mean point lies {wording.number(norms.centre / norms.mean)} mean norms from the origin, so the value "
            "depends on where the origin is."
        )
    repeated = geometry.equal_rows + geometry.coincident_rows
    if repeated:
        said.append(
            f"Rows that repeat another point: {wording.count(repeated)} ({wording.count(geometry.equal_rows)} equal, "
            f"{wording.count(geometry.coincident_rows)} equal only to the encoder). n counts them, m does not."
        )
    if geometry.conflicting_rows:
        some = ", ".join(str(row) for row in geometry.conflicting_examples)
        said.append(
            "Rows that have the inputs of a row with another target: "
            f"{wording.count(geometry.conflicting_rows)}, such as rows {some}. They are left out of the margin."
        )
    return said


MOST_NAMED = 5
"""Shortcuts or classes that a sentence names."""

MOST = 0.5
"""Share of repeated test rows from which on a score shows memory more than anything else."""


def alarms(found: SplitAudit) -> tuple[str, ...]:
    """Say what makes a score on the split doubtful.

    Parameters
    ----------
    found : SplitAudit

    Returns
    -------
    tuple of str
        Leaked rows with their share, inputs that give the answer away, shortcuts that tell the class, and classes that
        the training split lacks; empty where nothing of it was found.
    """
    leaks, classes = found.leakage, found.classes
    alarming = [leaked(leaks, len(found.splits.test.positions)) if flagged(leaks) else ""]
    alarming.append(target_leaks_text(found.target_leaks, is_class=classes is not None))
    if classes is not None:
        telling = [one for one in classes.shortcuts if one.flagged]
        if telling:
            alarming.append(f"The class can be told in part from what should not matter: {named(telling)}.")
        alarming.append(_unseen(found))
    return tuple(one for one in alarming if one)


def flagged(leaks: Leakage) -> bool:
    """Whether rows are repeated exactly, beyond what chance explains, by n-grams, or nearly in excess.

    Parameters
    ----------
    leaks : Leakage

    Returns
    -------
    bool
    """
    return bool((leaks.exact.any() and not leaks.by_chance) or leaks.overlapping.any() or leaks.excess)


def leaked(leaks: Leakage, n: int) -> str:
    """Say how many test rows the training split holds.

    Parameters
    ----------
    leaks : Leakage
    n : int
        Test rows.

    Returns
    -------
    str
        A sentence.
    """
    exact, overlapping = int(leaks.exact.sum()), int((leaks.overlapping & ~leaks.exact).sum())
    if exact and not flagged(leaks):
        verb = "repeats" if exact == 1 else "repeat"
        return (
            f"No leak was found: {exact:,} of {n:,} test rows ({proportion(exact, n)}) {verb} a training row, as "
            "chance explains: inputs take few values, and training rows repeat each other as often."
        )
    parts = []
    if exact and not leaks.by_chance:
        verb = "repeats" if exact == 1 else "repeat"
        parts.append(f"{exact:,} of {n:,} test rows ({proportion(exact, n)}) {verb} a training row")
    if overlapping:
        verb = "shares" if overlapping == 1 else "share"
        parts.append(
            f"{overlapping:,} of {n:,} test texts ({proportion(overlapping, n)}) {verb} most n-grams with a training "
            "text"
        )
    if leaks.excess and leaks.exact.sum() != leaks.leaked.sum():
        parts.append("more test rows lie next to a training row than training rows lie next to each other")
    if not parts:
        return "No leak was found: no test row repeats a training row, and no more are near one than chance explains."
    tail = ""
    if exact + overlapping >= MOST * n:
        tail = ", so a score on them shows what was memorised, not what was learned"
    return f"Leakage: {'; '.join(parts)}{tail}."


def named(found: Sequence[Shortcut]) -> str:
    """Name shortcuts, the largest gain first.

    Parameters
    ----------
    found : sequence of Shortcut

    Returns
    -------
    str
    """
    ranked = sorted(found, key=lambda one: -one.gain)
    return _listed([one.nuisance.name for one in ranked])


def proportion(count: int, total: int) -> str:
    """Word a share in percent with two significant digits, and 100 % for all alone.

    Parameters
    ----------
    count, total : int

    Returns
    -------
    str

    Examples
    --------
    >>> proportion(1, 3), proportion(999, 1000), proportion(50, 50)
    ('33 %', 'over 99 %', '100 %')
    """
    rounded = float(f"{count / total:.2g}")
    return "over 99 %" if rounded >= 1 and count < total else wording.percent(rounded)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _unseen(found: SplitAudit) -> str:
    train, test = found.splits.train.codes, found.splits.test.codes
    assert train is not None
    assert test is not None
    unseen = test[~np.isin(test, train)]
    if not len(unseen):
        return ""
    names = [f"'{found.splits.names[code]}'" for code in np.unique(unseen).tolist()]
    return (
        f"{len(unseen):,} of {len(test):,} test rows ({proportion(len(unseen), len(test))}) "
        f"{'is' if len(unseen) == 1 else 'are'} of {'a class' if len(names) == 1 else 'classes'} that the training "
        f"split lacks ({_listed(names)}), so no model that learned from it can be right on "
        f"{'it' if len(unseen) == 1 else 'them'}."
    )
