"""Ways of counting that the paper, its blog and its script do not share: each has a name."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Literal

from ibc_report.common.errors import InputError, choices

__all__ = ["CONVENTIONS", "RELEASED", "Convention", "convention_named"]


@dataclass(frozen=True, slots=True)
class Convention:
    """One way of turning geometry into bits.

    Parameters
    ----------
    name : str
        How a report and the command line call it.
    band_factor : float
        The band limit is this number times radius / margin.
    integer_degree : bool
        Whether the degree of the highest eigenfunction is rounded down.
    basis : int
        Parameters counted for an eigenfunction: 2 (real and imaginary part) or 1.
    dropped_classes : int
        Outputs of a classifier are the classes less this number.
    transport : {"classes", "plain", "none"}
        Whether the transport distance is taken per class, over all points, or left out together with
        the Lipschitz constant.
    """

    name: str
    statement: str
    band_factor: float = 2 * pi
    integer_degree: bool = False
    basis: int = 2
    dropped_classes: int = 1
    transport: Literal["classes", "plain", "none"] = "classes"


RELEASED = Convention(
    "released",
    "As the authors' released script computes it: band limit 2πR/δ, real degree, d − 1 outputs, two "
    "parameters an eigenfunction.",
)

CONVENTIONS: dict[str, Convention] = {
    convention.name: convention
    for convention in (
        RELEASED,
        Convention(
            "figures",
            "As the blog's Figures 6 and 7 come out: the degree rounded down, the transport distance "
            "over all points instead of per class.",
            integer_degree=True,
            transport="plain",
        ),
        Convention("integer-degree", "Released, with the degree rounded down.", integer_degree=True),
        Convention("all-classes", "Released, with d outputs instead of d − 1.", dropped_classes=0),
        Convention("half-band", "Released, with the band limit πR/δ.", band_factor=pi),
        Convention("real-basis", "Released, with one parameter an eigenfunction.", basis=1),
        Convention(
            "no-transport",
            "Released, without the Lipschitz constant of the hypotheses and the transport distance.",
            transport="none",
        ),
    )
}


def convention_named(name: str) -> Convention:
    """Look a convention up by its name.

    Raises
    ------
    InputError
        If there is no such convention.

    Examples
    --------
    >>> convention_named("half-band").band_factor
    3.141592653589793
    """
    try:
        return CONVENTIONS[name]
    except KeyError:
        raise InputError(f"convention '{name}' is not known; {choices(name, CONVENTIONS)}") from None
