"""What makes a score on a test split doubtful, a sentence each, the worst first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ibc_report import wording
from ibc_report.evaluation.examination import Examination
from ibc_report.evaluation.giveaways import said
from ibc_report.evaluation.leakage import Leakage
from ibc_report.evaluation.shortcuts import Shortcut

__all__ = ["alarms", "flagged", "leaked", "named", "proportion"]

MOST_NAMED = 5
"""Shortcuts or classes that a sentence names."""

MOST = 0.5
"""Share of repeated test rows from which on a score shows memory more than anything else."""


def alarms(found: Examination) -> tuple[str, ...]:
    """Say what makes a score on the split doubtful.

    Parameters
    ----------
    found : Examination

    Returns
    -------
    tuple of str
        Leaked rows with their share, inputs that give the answer away, shortcuts that tell the class, and classes that
        the training split lacks; empty where nothing of it was found.
    """
    leaks, classes = found.leakage, found.classes
    alarming = [leaked(leaks, len(found.splits.test.positions)) if flagged(leaks) else ""]
    alarming.append(said(found.giveaways, is_class=classes is not None))
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
    return _listed([one.signal.name for one in ranked])


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


def _unseen(found: Examination) -> str:
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
