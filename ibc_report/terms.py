"""What the numbers are called: a name in words and the paper's symbol for each."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TERMS", "Term"]


@dataclass(frozen=True, slots=True)
class Term:
    """A number's name.

    Parameters
    ----------
    name : str
        In words.
    symbol : str
        The paper's symbol; empty where it has none.
    """

    name: str
    symbol: str = ""


TERMS = {
    "n": Term("training points", "n"),
    "radius": Term("radius", "R"),
    "dimension": Term("intrinsic dimension", "m"),
    "classes": Term("classes", "d"),
    "margin": Term("margin", "δ"),
    "resolution": Term("resolution", "δ"),
    "target_error": Term("target error", "ε"),
    "outputs": Term("outputs", "D"),
    "output_bound": Term("bound of the outputs", "B"),
    "actions": Term("size of an action", "D"),
    "observations": Term("observations", "T"),
    "observation_size": Term("size of an observation"),
    "input_dimension": Term("intrinsic dimension of one input", "m₀"),
    "ways": Term("classes of a task"),
    "nuisance_n": Term("points of the second input", "n₂"),
    "nuisance_radius": Term("radius of the second input", "R₂"),
    "nuisance_dimension": Term("intrinsic dimension of the second input", "m₂"),
    "nuisance_classes": Term("classes of the second input", "d₂"),
    "band_limit": Term("band limit", "M"),
    "degree": Term("highest degree", "K"),
    "parameters": Term("parameters of a hypothesis", "dimΘ"),
    "bits_per_parameter": Term("bits per parameter", "ℓ"),
    "fixed_fraction": Term("fraction fixed by the data"),
    "sufficient_n": Term("n at which the data alone would do"),
    "features": Term("features"),
    "extrapolated_margin": Term("margin by extreme-value extrapolation"),
    "leave_one_out_error": Term("leave-one-out error"),
}
