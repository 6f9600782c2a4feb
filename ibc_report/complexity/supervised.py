"""Classification, regression, and classification beside an input that does not matter.

Source: Boopathy et al., ICML 2023, section 4 and the authors' released script.
"""

from __future__ import annotations

from math import hypot, log

from ibc_report.complexity.bound import (
    Complexity,
    Hypotheses,
    Setting,
    at_least_one,
    bound,
    guessing_would_do,
    log_or_nothing,
)
from ibc_report.complexity.conventions import RELEASED, Convention
from ibc_report.complexity.spaces import sphere

__all__ = ["classification", "regression", "union"]


def classification(
    *,
    n: float,
    radius: float,
    dimension: float,
    classes: float,
    margin: float,
    target_error: float,
    convention: Convention | str = RELEASED,
) -> Complexity:
    """Bits for telling classes apart, each on its own m-sphere.

    Parameters
    ----------
    n : float
        Training points.
    radius : float
        Largest norm R of a training point, in the units of the features.
    dimension : float
        Intrinsic dimension m, real; below 1 it is taken as 1 and flagged.
    classes : float
        Classes d; 1 gives 0 bits.
    margin : float
        Smallest distance δ between points of different classes, in the units of the features.
    target_error : float
        Error rate ε that a hypothesis may have.
    convention : Convention or str
        How the terms are counted.

    Raises
    ------
    InputError
        If a number is not finite or not positive.

    Examples
    --------
    MNIST as published, 1.4848e16 bits:

    >>> mnist = classification(n=60000, radius=17.179045827183984, dimension=14, classes=10,
    ...                        margin=2.3987084824335305, target_error=0.001)
    >>> round(mnist.bits / 1e16, 6)
    1.484804
    """
    inputs = {
        "n": n,
        "radius": radius,
        "dimension": dimension,
        "classes": classes,
        "margin": margin,
        "target_error": target_error,
    }
    setting = Setting.of("classification", inputs, convention)
    m, flags = at_least_one(dimension)
    outputs = 0 if classes == 1 else classes - setting.convention.dropped_classes
    return bound(
        setting,
        sphere(n=n, radius=radius, dimension=m, resolution=margin, components=classes, convention=setting.convention),
        Hypotheses(log_or_nothing(outputs), components=classes),
        n=n,
        target_error=target_error,
        chance_error=1 - 1 / classes,
        flags=flags,
    )


def regression(
    *,
    n: float,
    radius: float,
    dimension: float,
    resolution: float,
    target_error: float,
    outputs: float = 1,
    output_bound: float = 1,
    convention: Convention | str = RELEASED,
) -> Complexity:
    """Bits for a real-valued target on one m-sphere.

    Parameters
    ----------
    n, radius, dimension
        As for `classification`.
    resolution : float
        Distance δ at which the target has to be resolved, in the units of the features.
    target_error : float
        Error ε, in the units of the target.
    outputs : float
        Output size D.
    output_bound : float
        Bound B of the target, in its units.
    convention : Convention or str
        How the terms are counted.

    Raises
    ------
    InputError
        If a number is not finite or not positive.

    Examples
    --------
    >>> easy = regression(n=400, radius=5, dimension=3, resolution=1, target_error=0.1)
    >>> hard = regression(n=400, radius=5, dimension=6, resolution=1, target_error=0.1)
    >>> easy.bits < hard.bits
    True
    """
    inputs = {
        "n": n,
        "radius": radius,
        "dimension": dimension,
        "resolution": resolution,
        "target_error": target_error,
        "outputs": outputs,
        "output_bound": output_bound,
    }
    setting = Setting.of("regression", inputs, convention)
    m, flags = at_least_one(dimension)
    return bound(
        setting,
        sphere(n=n, radius=radius, dimension=m, resolution=resolution, convention=setting.convention),
        Hypotheses(log(outputs), output_bound=output_bound),
        n=n,
        target_error=target_error,
        flags=(*flags, *guessing_would_do(target_error, output_bound)),
    )


def union(
    *,
    n: float,
    radius: float,
    dimension: float,
    classes: float,
    margin: float,
    target_error: float,
    nuisance_n: float,
    nuisance_radius: float,
    nuisance_dimension: float,
    nuisance_classes: float,
    convention: Convention | str = RELEASED,
) -> Complexity:
    """Bits for a classification whose inputs carry a second, irrelevant input.

    Parameters
    ----------
    n, radius, dimension, classes, margin, target_error
        Of the task, as for `classification`.
    nuisance_n, nuisance_radius, nuisance_dimension, nuisance_classes : float
        Of the second input.
    convention : Convention or str
        How the terms are counted. The script counts d outputs here, not d − 1.

    Raises
    ------
    InputError
        If a number is not finite or not positive.

    Examples
    --------
    >>> task = dict(n=1000, radius=5, dimension=4, classes=3, margin=1, target_error=0.01)
    >>> both = union(**task, nuisance_n=1000, nuisance_radius=5, nuisance_dimension=4, nuisance_classes=3)
    >>> both.bits > classification(**task).bits
    True
    """
    inputs = {
        "n": n,
        "radius": radius,
        "dimension": dimension,
        "classes": classes,
        "margin": margin,
        "target_error": target_error,
        "nuisance_n": nuisance_n,
        "nuisance_radius": nuisance_radius,
        "nuisance_dimension": nuisance_dimension,
        "nuisance_classes": nuisance_classes,
    }
    setting = Setting.of("union", inputs, convention)
    m, flags = at_least_one(dimension + nuisance_dimension)
    components = classes * nuisance_classes
    space = sphere(
        n=n * nuisance_n,
        radius=hypot(radius, nuisance_radius),
        dimension=m,
        resolution=margin,
        components=components,
        convention=setting.convention,
    )
    return bound(
        setting,
        space,
        Hypotheses(log_or_nothing(0 if classes == 1 else classes), components=components),
        n=n * nuisance_n,
        target_error=target_error,
        chance_error=1 - 1 / classes,
        flags=flags,
    )
