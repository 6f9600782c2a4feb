"""Few-shot learning: from whole training sets to whole classifiers.

Source: Boopathy et al., ICML 2023, section 4 and the authors' released script.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import comb, log, sqrt

from ibc_report.complexity.bound import Complexity, Hypotheses, Setting, at_least_one, bound, log_or_nothing
from ibc_report.complexity.conventions import RELEASED, Convention
from ibc_report.complexity.spaces import sphere

__all__ = ["few_shot", "few_shot_tasks"]


def few_shot(
    *,
    n: float,
    radius: float,
    dimension: float,
    input_dimension: float,
    ways: float,
    margin: float,
    target_error: float,
    convention: Convention | str = RELEASED,
) -> Complexity:
    """Bits for a map from one-shot training sets to classifiers.

    Parameters
    ----------
    n : float
        Training tasks (see `few_shot_tasks`).
    radius : float
        Largest norm R of one input; a task of `ways` inputs has radius R·√ways.
    dimension : float
        Intrinsic dimension m of a task.
    input_dimension : float
        Intrinsic dimension of one input.
    ways : float
        Classes of a task.
    margin : float
        Smallest distance δ between inputs of different classes.
    target_error : float
        Error rate ε.
    convention : Convention or str
        How the terms are counted.

    Raises
    ------
    InputError
        If a number is not finite or not positive.

    Examples
    --------
    >>> easier = few_shot(n=1e9, radius=5, dimension=40, input_dimension=4, ways=5, margin=2, target_error=0.01)
    >>> easier.family
    'few_shot'
    """
    inputs = {
        "n": n,
        "radius": radius,
        "dimension": dimension,
        "input_dimension": input_dimension,
        "ways": ways,
        "margin": margin,
        "target_error": target_error,
    }
    setting = Setting.of("few_shot", inputs, convention)
    m, flags = at_least_one(dimension)
    m_input, _ = at_least_one(input_dimension)
    one = sphere(n=n, radius=radius, dimension=m_input, resolution=margin, convention=setting.convention)
    # The output of the map is a classifier: the coefficients of ways − 1 functions on each of ways spheres.
    log_coefficients = log(setting.convention.basis) + log_or_nothing(ways * (ways - 1)) + one.log_eigenfunctions
    return bound(
        setting,
        sphere(n=n, radius=radius * sqrt(ways), dimension=m, resolution=margin, convention=setting.convention),
        Hypotheses(log_coefficients, output_bound=sqrt(ways * (ways - 1))),
        n=n,
        target_error=target_error,
        chance_error=1 - 1 / ways,
        flags=flags,
    )


def few_shot_tasks(characters: Iterable[int], *, ways: int, drawings: int) -> int:
    """Count the one-shot tasks that alphabets give: a choice of characters and a drawing of each.

    Parameters
    ----------
    characters : iterable of int
        Characters of each alphabet; an alphabet with fewer than `ways` counts as one with `ways`.

    Examples
    --------
    >>> few_shot_tasks([3, 4], ways=3, drawings=2)
    40
    """
    return sum(comb(max(count, ways), ways) * drawings**ways for count in characters)
