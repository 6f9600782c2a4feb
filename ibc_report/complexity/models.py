"""What a model's error on a task tells of its inductive bias.

Source: Boopathy et al., ICML 2023, section 4 and the authors' released script.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log10

from ibc_report.complexity.bound import Complexity
from ibc_report.complexity.families import evaluate
from ibc_report.errors import InputError

__all__ = ["ModelInformation", "model_information"]


@dataclass(frozen=True, slots=True)
class ModelInformation:
    """What a model with a given error tells of its inductive bias.

    Parameters
    ----------
    error : float
        The model's error.
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

    Returns
    -------
    ModelInformation

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
