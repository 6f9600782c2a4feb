"""Task families by name: how a catalog declares one, how a card lays its plots out, and what a model's error tells.

Source: Boopathy et al., ICML 2023, section 4 and the authors' released script.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, log10

from ibc_report.common.errors import InputError, choices
from ibc_report.complexity.bound import Complexity
from ibc_report.complexity.control import control, partially_observed_control
from ibc_report.complexity.conventions import RELEASED, Convention
from ibc_report.complexity.meta_learning import few_shot
from ibc_report.complexity.supervised import classification, regression, union

__all__ = ["FAMILIES", "Family", "ModelInformation", "evaluate", "model_information"]


@dataclass(frozen=True, slots=True)
class Family:
    """A task family and how its plots are laid out.

    Parameters
    ----------
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


@dataclass(frozen=True, slots=True)
class ModelInformation:
    """What a model with a given error tells of its inductive bias.

    Parameters
    ----------
    log10_bits : float
        Decimal logarithm of the bits of the task at that error, as the authors plot it.
    log10_bits_over_chance : float
        Decimal logarithm of dimΘ_q·log2(ε_chance / ε_model): the bits that set the model apart from
        guessing. −inf where it is no better.
    """

    error: float
    log10_bits: float
    log10_bits_over_chance: float


def model_information(task: Complexity, error: float) -> ModelInformation:
    """Bits of a model from its test error on a task.

    Parameters
    ----------
    task : Complexity
        The task, at any target error.
    error : float
        The model's error rate, above 0.

    Raises
    ------
    InputError
        If the family has no chance error, or the error is not positive.

    Examples
    --------
    >>> from ibc_report.complexity import classification
    >>> task = classification(n=1000, radius=5, dimension=4, classes=3, margin=1, target_error=0.01)
    >>> model_information(task, 0.05).log10_bits < task.log10_bits
    True
    """
    if task.chance_error is None:
        raise InputError(f"family '{task.family}' has no chance error, so a model's bits over chance are undefined")
    at_error = evaluate(task.family, {**task.inputs, "target_error": error}, task.convention)
    ratio = task.chance_error / error
    over_chance = -inf
    if ratio > 1:
        over_chance = at_error.log10_free_parameters + log10(log10(ratio) / log10(2))
    return ModelInformation(error, at_error.log10_bits, over_chance)
