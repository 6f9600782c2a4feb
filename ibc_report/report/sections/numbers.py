"""The table of numbers: what each is called, how it is printed, and where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, pi
from typing import TYPE_CHECKING

from ibc_report.common import wording
from ibc_report.complexity import Complexity, convention_named
from ibc_report.report.schema.document import NumberRecord

if TYPE_CHECKING:
    # who holds a saved report to rules takes the names from here, and needs nothing that measures
    from ibc_report.geometry import Geometry
    from ibc_report.geometry.margin_extrapolation import Extrapolation

__all__ = ["TERMS", "NumberName", "tabulate"]


def tabulate(
    found: Complexity, facts: Geometry | None, extrapolation: Extrapolation | None = None
) -> tuple[NumberRecord, ...]:
    """Write the table of numbers of a task.

    Parameters
    ----------
    facts : Geometry or None
        None for a declared task.
    extrapolation : Extrapolation, optional
        The margin extrapolated to all pairs, where their smallest was not computed.
    """
    records = [_number(key, found.inputs[key], _origin(key, found, facts)) for key in found.inputs]
    if "dimension" not in found.inputs:
        records.append(_number("dimension", found.space.dimension, "observations times their size"))
    if found.space.degree is not None:
        convention = convention_named(found.convention)
        half = convention.band_factor < 2 * pi
        rounded = ", rounded down" if convention.integer_degree else ""
        records.append(_number("band_limit", found.space.band_limit, "πR/δ" if half else "2πR/δ"))
        records.append(_number("degree", found.space.degree, f"solves K(K + m − 1) = M²{rounded}"))
    if not {"outputs", "actions"} & found.inputs.keys() and isfinite(found.log10_sufficient_n):
        outputs = found.log10_parameters - found.log10_sufficient_n
        records.append(_power("outputs", outputs, "numbers that a hypothesis gives"))
    records += [
        _power(
            "parameters",
            found.log10_parameters,
            "counts coefficients of the eigenfunctions below the band limit",
        ),
        _number(
            "bits_per_parameter",
            found.bits_per_parameter,
            "log2 of the range of one parameter over its tolerance",
        ),
        _power("fixed_fraction", found.log10_fixed_fraction, "nD / dimΘ"),
        _power("sufficient_n", found.log10_sufficient_n, "dimΘ / D"),
    ]
    if facts is not None:
        records.append(_number("features", facts.features, "coordinates of a vector"))
        if 1 in facts.disagreement:
            records.append(
                _number(
                    "leave_one_out_error",
                    facts.disagreement[1],
                    "share of points whose nearest other point has another label",
                )
            )
    if extrapolation is not None:
        spread = f"{wording.number(extrapolation.lower)} to {wording.number(extrapolation.upper)}"
        records.append(
            _number(
                "extrapolated_margin",
                extrapolation.distance,
                f"for comparison, in no other number: median of {extrapolation.seeds} samples of pairs, {spread}",
            )
        )
    return tuple(records)


def _number(key: str, value: float, origin: str) -> NumberRecord:
    term = TERMS[key]
    finite = value if isfinite(value) else None
    return NumberRecord(
        key=key,
        name=term.name,
        symbol=term.symbol,
        value=finite,
        text=wording.number(float(value)),
        origin=origin,
    )


def _power(key: str, log10_value: float, origin: str) -> NumberRecord:
    term = TERMS[key]
    value = 10**log10_value if log10_value < 308 else None
    return NumberRecord(
        key=key,
        name=term.name,
        symbol=term.symbol,
        value=value,
        text=wording.power(log10_value),
        origin=origin,
    )


def _origin(key: str, found: Complexity, facts: Geometry | None) -> str:
    if facts is None:
        return "declared"
    first, second = facts.margin.rows
    tied = f", one of {facts.margin.ties} as close" if facts.margin.ties > 1 else ""
    asked = "" if facts.queries is None else f"{wording.count(facts.queries)} of "
    seen = "" if facts.margin_is_exact else "seen "
    pair = f"rows {first} and {second}{tied}"
    return {
        "n": "rows used",
        "radius": f"largest norm, row {facts.norms.radius_row}",
        "dimension": f"maximum likelihood at k = 5, {asked}{wording.count(facts.distinct)} distinct points",
        "classes": "classes that occur",
        "margin": f"closest pair {seen}of different classes: {pair}",
        "resolution": f"closest pair {seen}with targets more than {wording.number(facts.tolerance)} apart: {pair}",
        "target_error": "share of half the target's range, chosen" if found.family == "regression" else "chosen",
        "outputs": "numbers to predict",
        "output_bound": "targets are measured in half their range",
    }[key]


@dataclass(frozen=True, slots=True)
class NumberName:
    """A number's name.

    Parameters
    ----------
    symbol : str
        The paper's symbol; empty where it has none.
    """

    name: str
    symbol: str = ""


TERMS = {
    "n": NumberName("training points", "n"),
    "radius": NumberName("radius", "R"),
    "dimension": NumberName("intrinsic dimension", "m"),
    "classes": NumberName("classes", "d"),
    "margin": NumberName("margin", "δ"),
    "resolution": NumberName("resolution", "δ"),
    "target_error": NumberName("target error", "ε"),
    "outputs": NumberName("outputs", "D"),
    "output_bound": NumberName("bound of the outputs", "B"),
    "actions": NumberName("size of an action", "D"),
    "observations": NumberName("observations", "T"),
    "observation_size": NumberName("size of an observation"),
    "input_dimension": NumberName("intrinsic dimension of one input", "m₀"),
    "ways": NumberName("classes of a task"),
    "nuisance_n": NumberName("points of the second input", "n₂"),
    "nuisance_radius": NumberName("radius of the second input", "R₂"),
    "nuisance_dimension": NumberName("intrinsic dimension of the second input", "m₂"),
    "nuisance_classes": NumberName("classes of the second input", "d₂"),
    "band_limit": NumberName("band limit", "M"),
    "degree": NumberName("highest degree", "K"),
    "parameters": NumberName("parameters of a hypothesis", "dimΘ"),
    "bits_per_parameter": NumberName("bits per parameter", "ℓ"),
    "fixed_fraction": NumberName("fraction fixed by the data"),
    "sufficient_n": NumberName("n at which the data alone would do"),
    "features": NumberName("features"),
    "extrapolated_margin": NumberName("margin by extreme-value extrapolation"),
    "leave_one_out_error": NumberName("leave-one-out error"),
}
