"""The bound: bits that single out a hypothesis that generalizes, beyond what the training data give.

Every task family ends here, with its numbers checked. Source: Boopathy et al., ICML 2023 (see
`ibc_report.complexity.spaces`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import exp, expm1, inf, isfinite, log, log1p

from ibc_report.common.errors import InputError
from ibc_report.complexity.conventions import Convention, convention_named
from ibc_report.complexity.spaces import Space

__all__ = [
    "Complexity",
    "Flag",
    "Hypotheses",
    "Setting",
    "at_least_one",
    "bound",
    "check",
    "guessing_would_do",
    "log_or_nothing",
]

LN10 = log(10)


@dataclass(frozen=True, slots=True)
class Flag:
    """Something a reader of the number has to know: a stable code, and one sentence."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Complexity:
    """The inductive bias complexity of a task and the terms that it was made from.

    Parameters
    ----------
    family : str
        Task family, a key of `ibc_report.complexity.FAMILIES`.
    log10_bits : float
        Decimal logarithm of the bits; −inf for 0 bits.
    log10_parameters : float
        Decimal logarithm of the parameters of a hypothesis, dimΘ.
    log10_free_parameters : float
        Decimal logarithm of those that the data leave free, dimΘ − nD; −inf where none are.
    bits_per_parameter : float
        Bits that one free parameter needs, ℓ = log2(B√(Dc)·L·L_f·W / ε).
    log10_fixed_fraction : float
        Decimal logarithm of the fraction nD / dimΘ of the parameters that the data fix.
    log10_sufficient_n : float
        Decimal logarithm of the n at which the data alone would fix the hypothesis, dimΘ / D.
    chance_error : float or None
        Error of a predictor that guesses evenly among the classes; None where a family has no classes.
    flags : tuple of Flag
        Limits of the formula that these inputs touch.
    """

    family: str
    inputs: Mapping[str, float]
    convention: str
    space: Space
    log10_bits: float
    log10_parameters: float
    log10_free_parameters: float
    bits_per_parameter: float
    log10_fixed_fraction: float
    log10_sufficient_n: float
    chance_error: float | None = None
    flags: tuple[Flag, ...] = field(default=())

    @property
    def bits(self) -> float:
        """Bits as a double: inf where it overflows."""
        return 10**self.log10_bits if self.log10_bits < 308 else inf


@dataclass(frozen=True, slots=True)
class Setting:
    """What was asked: a family's numbers and the way of counting, kept on the result so that it can be repeated."""

    family: str
    inputs: Mapping[str, float]
    convention: Convention

    @classmethod
    def of(cls, family: str, inputs: dict[str, float], convention: Convention | str) -> Setting:
        """Check a family's numbers, and look the convention up where it is named.

        Raises
        ------
        InputError
            If a number is outside the formula's domain, or there is no such convention.
        """
        check(inputs)
        return cls(family, inputs, convention_named(convention) if isinstance(convention, str) else convention)


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """What is chosen from: functions on a number of copies of a space.

    Parameters
    ----------
    log_outputs : float
        ln of the outputs D of a hypothesis; −inf, for no outputs, means that there is nothing to choose.
    components : float
        Disjoint components c of the space.
    output_bound : float
        Bound B of the outputs, the loss having Lipschitz constant 1.
    """

    log_outputs: float
    components: float = 1
    output_bound: float = 1


def bound(
    setting: Setting,
    space: Space,
    hypotheses: Hypotheses,
    *,
    n: float,
    target_error: float,
    chance_error: float | None = None,
    flags: tuple[Flag, ...] = (),
) -> Complexity:
    """Bits from a space and a way of counting.

    Parameters
    ----------
    n : float
        Training points.
    target_error : float
        Error ε > 0 that a hypothesis may have.
    chance_error : float, optional
        Error of guessing; a target at or above it is flagged.
    """
    log_outputs, components = hypotheses.log_outputs, hypotheses.components
    convention = setting.convention
    if log_outputs == -inf:
        nothing = Flag("one_class", "With one class there is nothing to choose: 0 bits by definition.")
        return Complexity(
            setting.family,
            setting.inputs,
            convention.name,
            space,
            -inf,
            -inf,
            -inf,
            0.0,
            0.0,
            -inf,
            chance_error,
            (*flags, nothing),
        )
    log_parameters = log(convention.basis) + log_outputs + log(components) + space.log_eigenfunctions
    log_fixed = log(n) + log_outputs - log_parameters
    if convention.transport == "none":
        log_ratio = log(hypotheses.output_bound) + log_outputs / 2 - log(target_error)
    else:
        # The hypothesis's own Lipschitz constant grows with √D, hence the second half of ln D.
        log_ratio = (
            log(hypotheses.output_bound)
            + (log_outputs + log(components)) / 2
            + (log_outputs / 2 + space.log_lipschitz + space.log_transport)
            - log(target_error)
        )
    found = list(flags)
    if space.degree is not None and space.degree < 1:
        found.append(
            Flag(
                "constants_only",
                f"The margin is so wide that the highest degree is {space.degree:.2g} < 1: only constant "
                "functions are left on each component.",
            )
        )
    if chance_error is not None and target_error >= chance_error:
        found.append(
            Flag(
                "target_above_chance",
                f"The target error {target_error:g} is not below chance ({chance_error:g}), where the formula "
                "does not reach 0: guessing would do.",
            )
        )
    log_free = log_parameters + _log_complement(log_fixed)
    if log_free == -inf:
        found.append(Flag("data_suffice", "The training data alone fix the hypothesis: 0 bits."))
    if log_ratio <= 0:
        found.append(Flag("target_met", "Every hypothesis that fits the data meets the target error: 0 bits."))
    bits_per_parameter = log_ratio / log(2)
    log10_bits = (log_free + log(bits_per_parameter)) / LN10 if log_free > -inf and bits_per_parameter > 0 else -inf
    return Complexity(
        family=setting.family,
        inputs=setting.inputs,
        convention=convention.name,
        space=space,
        log10_bits=log10_bits,
        log10_parameters=log_parameters / LN10,
        log10_free_parameters=log_free / LN10,
        bits_per_parameter=bits_per_parameter,
        log10_fixed_fraction=log_fixed / LN10,
        log10_sufficient_n=(log_parameters - log_outputs) / LN10,
        chance_error=chance_error,
        flags=tuple(found),
    )


def _log_complement(log_fraction: float) -> float:
    """ln(1 − fraction), −inf where the fraction is 1 or more."""
    if log_fraction >= 0:
        return -inf
    return log1p(-exp(log_fraction)) if log_fraction < -log(2) else log(-expm1(log_fraction))


def check(inputs: dict[str, float]) -> None:
    """Refuse numbers outside the formula's domain.

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
    """Take the natural log of a number from 0; −inf of 0."""
    return log(value) if value > 0 else -inf


def at_least_one(dimension: float) -> tuple[float, tuple[Flag, ...]]:
    """Raise a dimension below 1 to 1, from where the formula is defined, and say so."""
    if dimension >= 1:
        return dimension, ()
    return 1.0, (
        Flag("dimension_clamped", f"The dimension {dimension:.4g} is below 1, where the formula ends: 1 is used."),
    )


def guessing_would_do(target_error: float, output_bound: float) -> tuple[Flag, ...]:
    """Say where the middle of all outputs meets the target error.

    Parameters
    ----------
    target_error, output_bound : float
        ε and B, in the same units.
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
