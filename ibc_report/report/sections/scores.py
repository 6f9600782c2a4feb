"""Precision, baselines, learning curves and inputs that give the answer away as a card prints them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

from ibc_report.common import wording
from ibc_report.evaluation.audit.baselines import Baseline, NeighborVotes, ProbeRows
from ibc_report.evaluation.audit.learning_curves import SEEDS, LearningCurve
from ibc_report.evaluation.audit.target_leakage import TargetLeak
from ibc_report.evaluation.statistics.power import pairs_of
from ibc_report.evaluation.statistics.power_law import PowerLaw
from ibc_report.evaluation.statistics.resolution import MODELS, AtAccuracy, Resolution, WidthCurve
from ibc_report.report.schema.split_audit import (
    AccuracyRecord,
    BaselineRecord,
    LearningCurveRecord,
    PowerLawRecord,
    PrecisionRecord,
    SizeRecord,
    WidthRecord,
)
from ibc_report.report.sections.interval_text import share, shares, signed

__all__ = [
    "NAMES",
    "TYPICAL",
    "baseline_record",
    "curve_record",
    "curves_alternative",
    "curves_text",
    "percentage_points",
    "precision_record",
    "target_leaks_text",
]

TYPICAL = 0.9
"""Accuracy that sentences speak of."""

NAMES = {
    "majority": "majority class",
    "stratified": "stratified random",
    "nearest": "1-NN",
    "neighbors": "k-NN",
    "linear": "linear probe",
    "metadata": "class prior by metadata",
}
"""Simple predictors in words, by their keys."""

NOTES = {
    "majority": "The most common class of the training split.",
    "stratified": "Expectation over guesses in the training split's proportions; the interval is that of one run of "
    "guesses.",
    "nearest": "The label of the nearest training row.",
}

MOST_NAMED = 5
"""Columns that a sentence names."""


def percentage_points(value: float) -> str:
    """Word a width in points of percent, with two significant digits.

    Examples
    --------
    >>> percentage_points(0.0784), percentage_points(0.002), percentage_points(0.12)
    ('7.8', '0.20', '12')
    """
    points = float(f"{100 * value:.1e}")
    return f"{points:.{0 if points >= 10 else 1 if points >= 1 else 2}f}"


def smallest_points(share: float) -> str:
    """Word a smallest difference in points of percent, rounded up: one that is any smaller is not found so often.

    Examples
    --------
    >>> smallest_points(0.0712), smallest_points(0.002), smallest_points(0.1201), smallest_points(0.00991)
    ('7.2', '0.20', '13', '1.0')
    """
    points = 100 * share
    step = 10.0 ** (floor(log10(points)) - 1)
    # what is a whole number of steps is one, whatever its last digit as a double
    return percentage_points(ceil(round(points / step, 6)) * step / 100)


def precision_record(found: Resolution, widths: WidthCurve) -> PrecisionRecord:
    """Word what a test split resolves.

    Examples
    --------
    >>> from ibc_report.evaluation.statistics.resolution import precision, width_curve
    >>> precision_record(precision(1000), width_curve(1000)).rows[2].halfwidth_text
    '±1.9'
    """
    typical = next(row for row in found.rows if row.accuracy == TYPICAL)
    return PrecisionRecord(
        n=found.n,
        level=found.level,
        power=found.power,
        text=_resolves(found, typical),
        rows=tuple(_accuracy(row) for row in found.rows),
        widths=WidthRecord(
            n=widths.n,
            halfwidths={f"{accuracy:g}": values for accuracy, values in widths.halfwidths.items()},
            alternative=(
                f"Half the width of the 95 % interval against the number of test rows, one line for each accuracy: "
                f"{_halfwidths(found)} at the {found.n:,} rows of this split; four times the rows halve it."
            ),
        ),
    )


def _halfwidths(found: Resolution) -> str:
    words = [
        f"±{percentage_points(row.wilson.halfwidth)} points at {wording.percent(row.accuracy)}" for row in found.rows
    ]
    return ", ".join(words)


def _resolves(found: Resolution, typical: AtAccuracy) -> str:
    said = (
        f"With {found.n:,} test rows, a model that is right on {wording.percent(TYPICAL)} of them is known to "
        f"±{percentage_points(typical.wilson.halfwidth)} points."
    )
    supposed = "if the two disagree in correctness on accuracy × (1 − accuracy) of the rows"
    if typical.paired is None:
        return (
            f"{said} No difference of two models near that is found on the same rows with a probability of "
            f"{wording.percent(found.power)}, {supposed}. {_corrected(typical)}{_none(found)}"
        )
    return (
        f"{said} Of two models near that, on the same rows, a difference below {smallest_points(typical.paired)} "
        f"points is likely to be missed: the table has what is found with a probability of "
        f"{wording.percent(found.power)}, {supposed}. {_corrected(typical)}{_none(found)}"
    )


def _corrected(typical: AtAccuracy) -> str:
    """Say what the correction for many models does to the smallest difference on the same rows."""
    among = f"among {MODELS} models, the p of whose {pairs_of(MODELS)} pairs are corrected"
    if typical.paired_corrected is not None:
        return f"That is of one comparison: {among}, it takes {smallest_points(typical.paired_corrected)} points."
    found = "still fewer are" if typical.paired is None else "none is"
    return f"That is of one comparison: {among}, {found} found so often."


def _none(found: Resolution) -> str:
    """Why some accuracies have no smallest difference; empty where all have one."""
    paired = [row for row in found.rows if row.paired is None]
    unpaired = [row for row in found.rows if row.unpaired is None]
    said = ""
    if paired:
        last = paired[-1]
        said += (
            f" “None” on the same rows, at {_joined(paired)}: with {found.n:,} rows such models disagree on too few of "
            f"them ({last.disagreement * found.n:.2g} at {wording.percent(last.accuracy)}) for any "
            "difference to be found so often."
        )
    if unpaired:
        said += (
            f" “None” on own rows, at {_joined(unpaired)}: not even a model that is always wrong is told from it so "
            "often."
        )
    return said


def _joined(rows: Sequence[AtAccuracy]) -> str:
    *some, last = (wording.percent(row.accuracy) for row in rows)
    return f"{', '.join(some)} and {last}" if some else last


def _accuracy(row: AtAccuracy) -> AccuracyRecord:
    return AccuracyRecord(
        accuracy=row.accuracy,
        accuracy_text=wording.percent(row.accuracy),
        wilson=(row.wilson.lower, row.wilson.upper),
        clopper_pearson=(row.clopper_pearson.lower, row.clopper_pearson.upper),
        wald=(row.wald.lower, row.wald.upper),
        halfwidth=row.wilson.halfwidth,
        halfwidth_text=f"±{percentage_points(row.wilson.halfwidth)}",
        clopper_pearson_text=f"±{percentage_points(row.clopper_pearson.halfwidth)}",
        wald_text=f"±{percentage_points(row.wald.halfwidth)}",
        unpaired=row.unpaired,
        unpaired_text="none" if row.unpaired is None else smallest_points(row.unpaired),
        unpaired_more=row.unpaired_more,
        unpaired_more_text="none" if row.unpaired_more is None else wording.count(row.unpaired_more),
        disagreement=row.disagreement,
        paired=row.paired,
        paired_text="none" if row.paired is None else smallest_points(row.paired),
        paired_more=row.paired_more,
        paired_more_text="none" if row.paired_more is None else wording.count(row.paired_more),
        paired_corrected=row.paired_corrected,
    )


def baseline_record(found: Baseline) -> BaselineRecord:
    """Word a baseline."""
    score, ends = found.scored, found.scored.interval
    text, skilled = "undefined", found.skill_interval
    if found.key == "majority":
        text = "0, by definition"
    elif found.skill is not None and skilled is not None:
        text = f"{signed(found.skill)} [{signed(skilled.lower)}, {signed(skilled.upper)}]"
    return BaselineRecord(
        key=found.key,
        name=NAMES[found.key],
        n=score.n,
        accuracy=score.accuracy,
        lower=ends.lower,
        upper=ends.upper,
        accuracy_text=f"{share(score.accuracy, score.n)} [{shares(ends, score.n).text}]",
        skill=found.skill,
        skill_lower=None if skilled is None else skilled.lower,
        skill_upper=None if skilled is None else skilled.upper,
        skill_text=text,
        note=_made(found),
    )


def _made(found: Baseline) -> str:
    """How a baseline was made."""
    made = found.made
    if isinstance(made, NeighborVotes):
        return (
            f"k = {made.k} is best where {made.chosen_on:,} training rows are predicted from the others; the nearest "
            "decides a tie."
        )
    if isinstance(made, ProbeRows):
        taken = "all" if made.every_row else f"a hash sample of {made.rows:,}"
        seen = "standardised features"
        if made.components is not None:
            seen = f"the first {made.components} principal components"
        return (
            f"Ridge regression of class indicators on {seen}, from {taken} training rows; the penalty by generalised "
            "cross-validation."
        )
    return NOTES[found.key] if made is None else f"A small tree that sees nothing but {', '.join(made)}."


def curve_record(found: LearningCurve, dimension: float) -> LearningCurveRecord:
    """Word a learning curve.

    Parameters
    ----------
    dimension : float
        Intrinsic dimension m, for the predicted exponents 1/m to 4/m.
    """
    predicted = (1 / dimension, 4 / dimension)
    name = NAMES[found.key]
    return LearningCurveRecord(
        key=found.key,
        name=name,
        points=tuple(
            SizeRecord(n=size, errors=errors, mean=mean, text=wording.percent(mean))
            for size, errors, mean in zip(found.sizes, found.errors, found.means, strict=True)
        ),
        n=found.n,
        law=None if found.law is None else _law(found.law),
        predicted=predicted,
        text=_measured(name, found.law, predicted),
    )


def _law(law: PowerLaw) -> PowerLawRecord:
    floor = f" + {wording.percent(law.floor)}" if law.floor else ""
    return PowerLawRecord(
        a=law.a,
        exponent=law.exponent,
        exponent_error=law.exponent_error,
        floor=law.floor,
        text=f"error ≈ {wording.number(law.a)} · n^(−b){floor} with b = {_decimals(law.exponent)} ± "
        f"{_decimals(law.exponent_error)} (standard error)",
    )


def _decimals(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def _measured(name: str, law: PowerLaw | None, predicted: tuple[float, float]) -> str:
    if law is None:
        return f"{name}: too few sizes have an error to fit a power law."
    low, high = predicted
    place = "within" if low <= law.exponent <= high else ("below" if law.exponent < low else "above")
    return f"{name}: {_law(law).text}; {place} the predicted {_decimals(low)} to {_decimals(high)}."


def curves_text(found: Sequence[LearningCurve], dimension: float) -> str:
    """Say how learning curves were measured, and what the prediction is."""
    if not found:
        return "The training rows are too few for a learning curve."
    return (
        f"Error on {found[0].n:,} test rows against the number of training rows, means of {SEEDS} hash samples, of "
        "which a smaller one is part of the larger. A floor is fitted where an F test at 5 % asks for it. As a "
        "prediction, not a measurement: an error that is limited by resolution falls with an exponent between 1/m and "
        f"4/m, here {_decimals(1 / dimension)} to {_decimals(4 / dimension)}."
    )


def curves_alternative(found: Sequence[LearningCurveRecord]) -> str:
    """Say in words what the plot of the learning curves shows.

    Returns
    -------
    str
        Empty for no curves.
    """
    if not found:
        return ""
    parts = [
        f"{curve.name} from {curve.points[0].text} wrong at {curve.points[0].n:,} training rows to "
        f"{curve.points[-1].text} at {curve.points[-1].n:,}"
        for curve in found
    ]
    low, high = found[0].predicted
    return (
        f"Error against training rows, both axes logarithmic: {'; '.join(parts)}. A band from the last point of 1-NN "
        f"back shows the predicted slopes, {_decimals(low)} to {_decimals(high)}."
    )


def target_leaks_text(found: Sequence[TargetLeak], *, is_class: bool) -> str:
    """Word what gives the answer away.

    A sentence; empty for nothing found.

    Examples
    --------
    >>> target_leaks_text([TargetLeak("code", 40, True)], is_class=True)
    "Leakage: input 'code' maps one to one to the class and is all that a model needs: name the others with --input."
    """
    if not found:
        return ""
    answer = "class" if is_class else "target"
    names = ", ".join(f"'{one.name}'" for one in found[:MOST_NAMED])
    if len(found) > MOST_NAMED:
        names += f" and {len(found) - MOST_NAMED} more"
    one = len(found) == 1
    if all(each.one_to_one for each in found):
        how = f"{'maps' if one else 'each map'} one to one to the {answer}"
    else:
        how = (
            f"alone {'determines' if one else 'each determine'} the {answer} of all {found[0].held:,} held-out rows "
            "that were looked at"
        )
    is_all = "and is all" if one else "and are each all"
    return (
        f"Leakage: input{'' if one else 's'} {names} {how} {is_all} that a model needs: name the others with --input."
    )
