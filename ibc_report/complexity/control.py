"""Policies: from states, wholly or partly observed, to actions.

Source: Boopathy et al., ICML 2023, section 4 and the authors' released script.
"""

from __future__ import annotations

from math import log

from ibc_report.complexity.bound import Complexity, Hypotheses, Setting, at_least_one, bound, check, guessing_would_do
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
    inputs = {
        "n": n,
        "dimension": dimension,
        "actions": actions,
        "resolution": resolution,
        "target_error": target_error,
    }
    return _policy(Setting.of("control", inputs, convention), dimension)


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
    # wrong numbers are named in this order: what makes the dimension comes first
    check({"observations": observations, "observation_size": observation_size})
    inputs = {
        "n": n,
        "observations": observations,
        "observation_size": observation_size,
        "actions": actions,
        "resolution": resolution,
        "target_error": target_error,
    }
    return _policy(Setting.of("partially_observed_control", inputs, convention), observations * observation_size)


def _policy(setting: Setting, dimension: float) -> Complexity:
    """A policy on a torus."""
    n, actions, resolution, target_error = (
        setting.inputs[name] for name in ("n", "actions", "resolution", "target_error")
    )
    m, flags = at_least_one(dimension)
    return bound(
        setting,
        torus(n=n, dimension=m, resolution=resolution, band_factor=setting.convention.band_factor),
        Hypotheses(log(actions)),
        n=n,
        target_error=target_error,
        flags=(*flags, *guessing_would_do(target_error, 1)),
    )
