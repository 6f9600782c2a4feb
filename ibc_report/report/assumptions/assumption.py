"""What an assumption is: its statement, the number that it is judged by, its thresholds, its words and its worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING

from ibc_report.common import wording
from ibc_report.complexity import Complexity
from ibc_report.report.schema.sections import Verdict

if TYPE_CHECKING:
    from ibc_report.geometry import Geometry
    from ibc_report.geometry.diagnostics import Diagnostics
    from ibc_report.geometry.sensitivity import Sensitivity

__all__ = [
    "NAMELESS",
    "NOT_TESTABLE",
    "Assumption",
    "Evidence",
    "Judgement",
    "Measure",
    "Names",
    "Threshold",
    "Worth",
    "decades_by_change",
    "joined",
]

NOT_ON_A_TORUS = "Does not apply: the inputs lie on a torus, and its resolution is chosen."


SEVERITY = {"not testable": 0, "holds": 1, "doubtful": 2, "violated": 3}
"""Verdicts, the worst last."""


@dataclass(frozen=True, slots=True)
class Names:
    """What parts of the data are called.

    Parameters
    ----------
    features : tuple of str
        Names of the features by position; empty where the encoder makes features that have none.
    classes : tuple of str
        Names of the classes by code.
    split : str or None
        The split that was measured.
    """

    features: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    split: str | None = None

    def feature(self, position: int) -> str:
        """Name a feature, by its number where it has no name.

        Examples
        --------
        >>> Names(("age", "year")).feature(1), Names().feature(1)
        ("feature 'year'", 'feature 2')
        """
        if position < len(self.features):
            return f"feature '{self.features[position]}'"
        return f"feature {position + 1}"

    def label(self, code: int) -> str:
        """Name a class, by its number where it has no name."""
        return f"class '{self.classes[code]}'" if code < len(self.classes) else f"class {code + 1}"


NAMELESS = Names()
"""Where nothing has a name."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What is known of a task when its assumptions are checked.

    Parameters
    ----------
    facts : Geometry or None
        Facts about the data; None for a declared task.
    diagnostics : Diagnostics or None
        What the neighbour search says beyond them; None where it was not asked.
    changes : mapping of str to float
        Decades by which the bits move under another decision, by its key (see `decades_by_change`).
    leaked : float
        Share of the test rows that repeat a training row, or nearly do; 0 where there is no test split.
    names : Names
        What features and classes are called.
    """

    task: Complexity
    facts: Geometry | None = None
    diagnostics: Diagnostics | None = None
    changes: Mapping[str, float] = field(default_factory=dict)
    leaked: float = 0.0
    names: Names = NAMELESS

    def measured(self, name: str) -> float | None:
        """Compute a value of `ibc_report.geometry.assumption_values` by its function's name; None without data."""
        if self.facts is None:
            return None
        # who prints the ledger needs nothing that measures
        from ibc_report.geometry import assumption_values

        value: float | None = getattr(assumption_values, name)(self.facts, self.diagnostics)
        return value


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, and the threshold that made it in words; None where nothing can be tested."""

    verdict: Verdict
    threshold: str | None


NOT_TESTABLE = Judgement("not testable", None)
"""Of what these data, or no data, tell."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """Where the verdicts on one assumption change.

    The thresholds stand between two sets of synthetic tasks of known truth, which `benchmarks/verdicts.py` draws:
    those that satisfy an assumption by construction, where at most one verdict in twenty may be other than "holds", and
    those in which a violation was planted, where at most one in twenty may be "holds". The second threshold, from
    doubtful to violated, is where the violation decides the value rather than moves it.

    Parameters
    ----------
    measures : str
        What the value is, in words.
    holds : float
        Largest value at which the assumption holds.
    violated : float
        Value from which it is violated; doubtful between the two.
    """

    measures: str
    holds: float
    violated: float

    @property
    def text(self) -> str:
        """The threshold as it is printed."""
        upper = "" if self.holds == self.violated else f", violated from {wording.number(self.violated)}"
        return f"{self.measures}: holds up to {wording.number(self.holds)}{upper}"

    def judge(self, value: float | None) -> Judgement:
        """Judge a value; None, which these data do not tell, is not testable.

        Examples
        --------
        >>> Threshold("slope", 0.1, 0.5).judge(0.64)
        Judgement(verdict='violated', threshold='slope: holds up to 0.1, violated from 0.5')
        """
        if value is None:
            return NOT_TESTABLE
        if value <= self.holds:
            return Judgement("holds", self.text)
        return Judgement("doubtful" if value < self.violated else "violated", self.text)


@dataclass(frozen=True, slots=True)
class Measure:
    """Another number by which an assumption is judged: of several the worst verdict is that of the assumption.

    Parameters
    ----------
    measured_by : str
        Name of the function of `ibc_report.geometry.assumption_values` that computes it.
    doubtful, violated : str
        What is said first of these data where it makes that verdict.
    """

    measured_by: str
    threshold: Threshold
    doubtful: str
    violated: str


@dataclass(frozen=True, slots=True)
class Worth:
    """A decision that an assumption is worth: its key among the changes of the bits, and what was changed, in words."""

    key: str
    words: str


@dataclass(frozen=True, slots=True, eq=False)
class Assumption:
    """One assumption of the measure: all that a report has of it.

    Parameters
    ----------
    id, name : str
        A and its number, as in "A3"; one or two words.
    consequence : str
        What follows where it fails.
    finding : callable
        What is known of it, in words; None for nothing.
    measured_by : str, optional
        Name of the function of `ibc_report.geometry.assumption_values` that computes the value it is judged by.
    value : callable, optional
        That value where it is not, or not only, one of the geometry.
    threshold : Threshold, optional
        Where the verdict changes, for one that gets worse as its value grows.
    judge : callable, optional
        The verdict on the value where one threshold does not make it.
    doubtful, violated : str
        What is said first of these data where the verdict is that.
    further : tuple of Measure
        Other numbers that it is judged by.
    flag : str, optional
        Code of the formula's own flag that says it is violated, in the flag's words.
    worth : tuple of Worth
        What the bits change by without it, the first that was computed.
    of_manifolds : bool
        About spheres, classes and margins, which inputs on a torus do not have.
    """

    id: str
    name: str
    statement: str
    consequence: str
    finding: Callable[[Evidence], str | None]
    measured_by: str | None = None
    value: Callable[[Evidence], float | None] | None = None
    threshold: Threshold | None = None
    judge: Callable[[Evidence, float | None], Judgement] | None = None
    doubtful: str = ""
    violated: str = ""
    further: tuple[Measure, ...] = ()
    flag: str | None = None
    worth: tuple[Worth, ...] = ()
    of_manifolds: bool = False

    def applies(self, evidence: Evidence) -> bool:
        """Say whether the task has what this is about."""
        return not (self.of_manifolds and evidence.task.space.kind == "torus")

    def value_of(self, evidence: Evidence) -> float | None:
        """Compute what the verdict hangs on; None where these data do not tell."""
        if not self.applies(evidence):
            return None
        if self.value is not None:
            return self.value(evidence)
        return None if self.measured_by is None else evidence.measured(self.measured_by)

    def judgement(self, evidence: Evidence, value: float | None) -> Judgement:
        """Make the verdict on a value."""
        if self.judge is not None:
            return self.judge(evidence, value)
        return NOT_TESTABLE if self.threshold is None else self.threshold.judge(value)

    def checked(self, evidence: Evidence) -> tuple[float | None, Judgement]:
        """Make the verdict, and give the number that it hangs on: of several the one with the worst verdict."""
        value = self.value_of(evidence)
        worst = value, self.judgement(evidence, value)
        for measure in self.further if self.applies(evidence) else ():
            value = evidence.measured(measure.measured_by)
            judged = measure.threshold.judge(value)
            if SEVERITY[judged.verdict] > SEVERITY[worst[1].verdict]:
                worst = value, judged
        return worst

    def words(self, judged: Judgement) -> str:
        """What is said first of these data, by the verdict and the number that made it."""
        made: Assumption | Measure = self
        for measure in self.further:
            if measure.threshold.text == judged.threshold:
                made = measure
        return made.violated if judged.verdict == "violated" else made.doubtful

    def said(self, evidence: Evidence) -> str | None:
        """Say what is known of it."""
        return self.finding(evidence) if self.applies(evidence) else NOT_ON_A_TORUS

    def change(self, evidence: Evidence) -> tuple[float, str] | None:
        """Give the decades that it is worth, and the same in words."""
        for worth in self.worth:
            if worth.key in evidence.changes:
                decades = evidence.changes[worth.key]
                return decades, _worded(decades, worth.words)
        return None


def decades_by_change(found: Sensitivity) -> dict[str, float]:
    """Collect how far other decisions move the bits.

    Of the two other feature maps the one is left out that is nearly the present one. A change from or to 0 bits is
    left out too.

    Examples
    --------
    >>> from ibc_report.complexity import control
    >>> from ibc_report.geometry.sensitivity import sensitivity
    >>> torus = control(n=1e6, dimension=6, actions=2, resolution=1e-3, target_error=1e-3)
    >>> sorted(decades_by_change(sensitivity(torus)))
    ['half_band', 'half_error', 'twice_fixed']
    """
    maps = None if found.variants is None else found.variants.maps
    others = {"standardised", "halved"} - ({maps.other} if maps is not None else set())
    return {
        change.key: change.change
        for change in found.changes
        if change.change is not None and isfinite(change.change) and change.key not in others
    }


def joined(*parts: str | None) -> str | None:
    """Put sentences after each other, those that are there."""
    return " ".join(part for part in parts if part) or None


def _worded(decades: float, words: str) -> str:
    moved = f"{abs(decades):.1f}"
    if float(moved) == 0:
        return f"less than 0.1 decades {words}"
    return f"{'+' if decades > 0 else '−'}{moved} decades {words}"
