"""Policies: from states, wholly or partly observed, to actions.

Source: Boopathy et al., ICML 2023, section 4 and the authors' released script.
"""

from __future__ import annotations

from math import log

from ibc_report.complexity.bound import Complexity, at_least_one, bound, check, guessing_would_do, named
from ibc_report.complexity.conventions import RELEASED, Convention
from ibc_report.complexity.spaces import torus

__all__ = ["control", "partially_observed_control"]


def control(
    *,
    n: float,
    dimension: float,
    actions: float,
    resolution: float,
    target_error: float,
    convention: Convention | str = RELEASED,
) -> Complexity:
    """Bits for a policy from fully observed states, a torus, to actions.

    Parameters
    ----------
    n : float
        Steps of experience.
    dimension : float
        Size m of an observation.
    actions : float
        Size D of an action.
    resolution : float
        Distance δ at which actions have to change, on a torus of side 2π.
    target_error : float
        Error ε of an action.
    convention : Convention or str
        How the terms are counted.

    Returns
    -------
    Complexity

    Raises
    ------
    InputError
        If a number is not finite or not positive.

    Examples
    --------
    MuJoCo's Reacher as published, 2.914e25 bits:

    >>> reacher = control(n=1e6, dimension=6, actions=2, resolution=1e-3, target_error=1e-3)
    >>> round(reacher.log10_bits, 4)
    25.4645
    """
    return _control("control", n, dimension, actions, resolution, target_error, convention)


def partially_observed_control(
    *,
    n: float,
    observations: float,
    observation_size: float,
    actions: float,
    resolution: float,
    target_error: float,
    convention: Convention | str = RELEASED,
) -> Complexity:
    """Bits for a policy from the last T partial observations to actions.

    Parameters
    ----------
    n : float
        Steps of experience.
    observations : float
        Number T of observations that a policy sees.
    observation_size : float
        Numbers in one observation; m is T times it.
    actions, resolution, target_error, convention
        As for `control`.

    Returns
    -------
    Complexity

    Raises
    ------
    InputError
        If a number is not finite or not positive.

    Examples
    --------
    Cartpole with one observation as published, 4.4147e9 bits:

    >>> cartpole = partially_observed_control(n=1e4, observations=1, observation_size=2, actions=1,
    ...                                       resolution=1e-3, target_error=1e-3)
    >>> round(cartpole.bits / 1e9, 4)
    4.4147
    """
    check({"observations": observations, "observation_size": observation_size})
    return _control(
        "partially_observed_control",
        n,
        observations * observation_size,
        actions,
        resolution,
        target_error,
        convention,
        observations=observations,
        observation_size=observation_size,
    )


def _control(
    family: str,
    n: float,
    dimension: float,
    actions: float,
    resolution: float,
    target_error: float,
    convention: Convention | str,
    **observed: float,
) -> Complexity:
    """A policy on a torus; `observed` names what the dimension was made from."""
    inputs = {
        "n": n,
        **(observed or {"dimension": dimension}),
        "actions": actions,
        "resolution": resolution,
        "target_error": target_error,
    }
    check(inputs)
    convention = named(convention)
    m, flags = at_least_one(dimension)
    return bound(
        torus(n=n, dimension=m, resolution=resolution, band_factor=convention.band_factor),
        family=family,
        inputs=inputs,
        convention=convention,
        n=n,
        log_outputs=log(actions),
        components=1,
        output_bound=1,
        target_error=target_error,
        flags=(*flags, *guessing_would_do(target_error, 1)),
    )
