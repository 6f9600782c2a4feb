"""The ledger: what the number rests on, what follows where that fails, and what these data say of it.

The statements follow the derivation of Boopathy et al., ICML 2023, and how its script counts.
"""

from __future__ import annotations

from dataclasses import dataclass

from ibc_report import wording
from ibc_report.complexity import Complexity
from ibc_report.geometry import Geometry

__all__ = ["LEDGER", "Assumption", "diagnose"]


NOT_ON_A_TORUS = ("A1", "A2", "A3", "A7", "A8", "A9")
"""Assumptions about spheres, classes and margins."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """One assumption of the measure.

    Parameters
    ----------
    id : str
        A1 to A16.
    name : str
        One or two words.
    statement : str
        What is assumed.
    consequence : str
        What follows where it fails.
    """

    id: str
    name: str
    statement: str
    consequence: str


LEDGER = (
    Assumption(
        "A1",
        "sphere",
        "Each class lies on an m-dimensional sphere, all of one radius R.",
        "R, and with it the band limit, is arbitrary.",
    ),
    Assumption(
        "A2",
        "origin",
        "The spheres are centred at the origin of the features.",
        "The value changes when all inputs are shifted.",
    ),
    Assumption("A3", "radius", "The largest norm is the radius.", "One outlier sets the value."),
    Assumption(
        "A4",
        "uniform density",
        "Inputs are spread evenly over the spheres.",
        "The transport distance is off, by at most about 1 bit per parameter.",
    ),
    Assumption(
        "A5",
        "one dimension",
        "The intrinsic dimension is the same everywhere.",
        "The value is that of no part of the data.",
    ),
    Assumption(
        "A6",
        "scale",
        "The estimate of m does not depend on the neighbourhood size.",
        "The value depends on the scale that k picks.",
    ),
    Assumption(
        "A7",
        "disjoint classes",
        "Classes lie on disjoint manifolds.",
        "The margin tends to 0 with more data.",
    ),
    Assumption(
        "A8",
        "labels",
        "The closest pair of different classes is a true one.",
        "A single wrong label can add decades of bits.",
    ),
    Assumption(
        "A9",
        "sampled margin",
        "The smallest distance seen is the population's.",
        "The margin falls, and the bits grow about like n².",
    ),
    Assumption(
        "A10",
        "independence",
        "The n rows are independent, and train and test are alike.",
        "The data fix less than n says.",
    ),
    Assumption(
        "A11",
        "band limit",
        "The true function is resolved at the margin: no frequency above 2πR/δ.",
        "The hypothesis space is too large or too small, by decades.",
    ),
    Assumption(
        "A12",
        "all functions",
        "Every band-limited function is as likely as any other before the data.",
        "The value is pessimistic against any actual model.",
    ),
    Assumption(
        "A13",
        "Lipschitz loss",
        "The loss has Lipschitz constant 1 and outputs are bounded by B.",
        "The bits per parameter shift.",
    ),
    Assumption(
        "A14",
        "target error",
        "The target error was chosen, below chance and above the noise of the labels.",
        "Cards with other targets do not compare.",
    ),
    Assumption(
        "A15",
        "counting",
        "Outputs, degree and parameters are counted as the named convention does.",
        "The value changes by a factor of 0.5 to 1.12.",
    ),
    Assumption(
        "A16",
        "features",
        "Euclidean distance between these features means something for the task.",
        "The value is one of the feature map, not of the task.",
    ),
)


def diagnose(task: Complexity, geometry: Geometry | None) -> dict[str, str]:
    """Say what the data tell of each assumption.

    Parameters
    ----------
    task : Complexity
        The bits and their terms.
    geometry : Geometry or None
        Facts about the data; None for a declared task.

    Returns
    -------
    dict of str to str
        A sentence by id, for those that something was measured of.
    """
    said = {"A15": f"Convention '{task.convention}'."}
    if task.space.degree is not None:
        said["A11"] = f"Band limit {wording.number(task.space.band_limit)}, degree {wording.number(task.space.degree)}."
    if task.chance_error is not None:
        said["A14"] = (
            f"Target error {wording.number(task.inputs['target_error'])}, chance {wording.number(task.chance_error)}."
        )
    if task.space.kind == "torus":
        said |= dict.fromkeys(
            NOT_ON_A_TORUS, "Does not apply: the inputs lie on a torus, and its resolution is chosen."
        )
    if geometry is None:
        return said
    norms = geometry.norms
    said["A1"] = f"The norms vary by {wording.percent(norms.deviation / norms.mean)} of their mean."
    said["A2"] = f"The mean point lies at {wording.number(norms.centre / norms.mean)} of the mean norm from the origin."
    said["A3"] = (
        f"The largest norm is {wording.number(norms.radius / norms.high)} times the 99.9 % quantile of norms."
        if norms.high > 0
        else "The 99.9 % quantile of norms is 0: nearly all rows are at the origin."
    )
    profile = geometry.dimension_profile
    first, last = sorted((min(profile, key=profile.__getitem__), max(profile, key=profile.__getitem__)))
    said["A6"] = (
        f"m is {wording.number(profile[first])} at k = {first} and {wording.number(profile[last])} at k = {last}."
    )
    if geometry.disagreement:
        shares = ", ".join(f"{wording.percent(share)} at k = {k}" for k, share in geometry.disagreement.items())
        said["A7"] = f"Neighbours with another label: {shares}."
        if "A14" in said:
            said["A14"] += f" The nearest neighbour has another label for {wording.percent(geometry.disagreement[1])}."
    said["A8"] = f"Rows with the inputs of a row of another target: {wording.count(geometry.conflicting_rows)}."
    repeated = geometry.equal_rows + geometry.coincident_rows
    said["A10"] = f"Rows that repeat another point: {wording.count(repeated)} of {wording.count(geometry.n)}."
    return said
