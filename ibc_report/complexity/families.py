"""Task families by name: how a catalog declares one, and how a card lays its plots out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ibc_report.complexity.bound import Complexity
from ibc_report.complexity.controlling import control, partially_observed_control
from ibc_report.complexity.conventions import RELEASED, Convention
from ibc_report.complexity.meta_learning import few_shot
from ibc_report.complexity.supervised import classification, regression, union
from ibc_report.errors import InputError, choices

__all__ = ["FAMILIES", "Family", "evaluate"]


@dataclass(frozen=True, slots=True)
class Family:
    """A task family and how its plots are laid out.

    Parameters
    ----------
    name : str
        How reports and catalogs call it.
    function : callable
        Bits from keyword numbers.
    axes : tuple of str
        The inputs that a card varies, one plot each.
    sampled_margin : str or None
        The input that is a minimum over a sample and so carries its noise.
    sampled_dimension : str or None
        The intrinsic dimension in which that sample lies.
    """

    name: str
    function: Callable[..., Complexity]
    axes: tuple[str, ...]
    sampled_margin: str | None = None
    sampled_dimension: str | None = None


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family(
            "classification",
            classification,
            ("n", "dimension", "margin", "target_error", "classes"),
            "margin",
            "dimension",
        ),
        Family(
            "regression",
            regression,
            ("n", "dimension", "resolution", "target_error", "outputs"),
            "resolution",
            "dimension",
        ),
        Family("control", control, ("n", "dimension", "resolution", "target_error", "actions")),
        Family(
            "partially_observed_control",
            partially_observed_control,
            ("n", "observations", "resolution", "target_error", "actions"),
        ),
        Family("few_shot", few_shot, ("n", "dimension", "margin", "target_error", "ways")),
        Family("union", union, ("n", "dimension", "margin", "target_error", "classes"), "margin", "dimension"),
    )
}


def evaluate(family: str, inputs: dict[str, float], convention: Convention | str = RELEASED) -> Complexity:
    """Bits of a family by name, as a catalog declares it.

    Parameters
    ----------
    family : str
        A key of `FAMILIES`.
    inputs : dict of str to float
        The family's numbers by name.
    convention : Convention or str
        How the terms are counted.

    Returns
    -------
    Complexity

    Raises
    ------
    InputError
        If the family or an input is not known, an input is missing, or a number is outside its domain.

    Examples
    --------
    >>> task = {"n": 1e6, "dimension": 6, "actions": 2, "resolution": 1e-3, "target_error": 1e-3}
    >>> round(evaluate("control", task).log10_bits, 1)
    25.5
    """
    if family not in FAMILIES:
        raise InputError(f"family '{family}' is not known; {choices(family, FAMILIES)}")
    function = FAMILIES[family].function
    keywords = function.__kwdefaults__ or {}
    known = [name for name in function.__annotations__ if name not in ("convention", "return")]
    for name in inputs:
        if name not in known:
            raise InputError(f"family '{family}' has no input '{name}'; {choices(name, known)}")
    missing = [name for name in known if name not in inputs and name not in keywords]
    if missing:
        raise InputError(f"family '{family}' lacks {', '.join(missing)}")
    return function(**inputs, convention=convention)
