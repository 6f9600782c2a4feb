"""What the task families share: their numbers are checked, and a convention may be named."""

from __future__ import annotations

from math import inf, isfinite, log

from ibc_report.complexity.bound import Flag
from ibc_report.complexity.conventions import Convention, convention_named
from ibc_report.errors import InputError

__all__ = ["at_least_one", "check", "guessing_would_do", "log_or_nothing", "named"]


def check(inputs: dict[str, float]) -> None:
    """Refuse numbers outside the formula's domain.

    Parameters
    ----------
    inputs : dict of str to float
        A family's numbers by name.

    Raises
    ------
    InputError
        If one is not finite or not positive, or a count is below 1.
    """
    for name, value in inputs.items():
        if name in ("margin", "resolution") and value == 0:
            raise InputError(
                f"{name} is 0: two equal inputs need different outputs, and no resolution tells them apart; "
                "leave that pair out"
            )
        if not isfinite(value) or value <= 0:
            raise InputError(f"{name} has to be a finite number above 0, not {value:g}")
        if name in ("classes", "ways", "nuisance_classes", "n", "nuisance_n") and value < 1:
            raise InputError(f"{name} has to be at least 1, not {value:g}")


def log_or_nothing(value: float) -> float:
    """Take the natural log; −inf of 0.

    Parameters
    ----------
    value : float
        At least 0.

    Returns
    -------
    float
    """
    return log(value) if value > 0 else -inf


def named(convention: Convention | str) -> Convention:
    """Look a convention up where it is named.

    Parameters
    ----------
    convention : Convention or str
        The convention, or its name.

    Returns
    -------
    Convention
    """
    return convention_named(convention) if isinstance(convention, str) else convention


def at_least_one(dimension: float) -> tuple[float, tuple[Flag, ...]]:
    """Clamp a dimension to where the formula is defined, and say so.

    Parameters
    ----------
    dimension : float
        m > 0.

    Returns
    -------
    dimension : float
        At least 1.
    flags : tuple of Flag
        What to say of it.
    """
    if dimension >= 1:
        return dimension, ()
    return 1.0, (
        Flag("dimension_clamped", f"The dimension {dimension:.4g} is below 1, where the formula ends: 1 is used."),
    )


def guessing_would_do(target_error: float, output_bound: float) -> tuple[Flag, ...]:
    """Say where the middle of all outputs meets the target error.

    Parameters
    ----------
    target_error : float
        ε.
    output_bound : float
        B, in the same units.

    Returns
    -------
    tuple of Flag
        Empty where the target is below the bound.
    """
    if target_error < output_bound:
        return ()
    return (
        Flag(
            "target_above_chance",
            f"The target error {target_error:g} is not below the bound of the outputs ({output_bound:g}), where the "
            "formula does not reach 0: one constant would do.",
        ),
    )
