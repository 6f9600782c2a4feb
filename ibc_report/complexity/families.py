"""Task families: what n, D, c and the space are for each kind of task.

Source: Boopathy et al., ICML 2023, section 4 and the authors' released script.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import comb, exp, hypot, inf, isfinite, log10, sqrt

from ibc_report.complexity.bound import Complexity, Flag, bound
from ibc_report.complexity.conventions import RELEASED, Convention, convention_named
from ibc_report.complexity.spaces import highest_degree, log_eigenfunctions, sphere, torus
from ibc_report.errors import InputError, choices

__all__ = [
    "FAMILIES",
    "Family",
    "ModelInformation",
    "classification",
    "control",
    "evaluate",
    "few_shot",
    "few_shot_tasks",
    "model_information",
    "partially_observed_control",
    "regression",
    "union",
]


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

    Returns
    -------
    Complexity

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
    _check(inputs)
    convention = _named(convention)
    m, flags = _at_least_one(dimension)
    return bound(
        sphere(n=n, radius=radius, dimension=m, resolution=margin, components=classes, convention=convention),
        family="classification",
        inputs=inputs,
        convention=convention,
        n=n,
        outputs=0 if classes == 1 else classes - convention.dropped_classes,
        components=classes,
        output_bound=1,
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

    Returns
    -------
    Complexity

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
    _check(inputs)
    convention = _named(convention)
    m, flags = _at_least_one(dimension)
    return bound(
        sphere(n=n, radius=radius, dimension=m, resolution=resolution, convention=convention),
        family="regression",
        inputs=inputs,
        convention=convention,
        n=n,
        outputs=outputs,
        components=1,
        output_bound=output_bound,
        target_error=target_error,
        flags=flags,
    )


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
    _check({"observations": observations, "observation_size": observation_size})
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

    Returns
    -------
    Complexity

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
    _check(inputs)
    convention = _named(convention)
    m, flags = _at_least_one(dimension)
    m_input, _ = _at_least_one(input_dimension)
    degree = highest_degree(convention.band_factor * radius / margin, m_input)
    # The output of the map is a classifier: the coefficients of ways − 1 functions on each of ways spheres.
    coefficients = convention.basis * ways * (ways - 1) * exp(log_eigenfunctions(m_input, degree))
    return bound(
        sphere(n=n, radius=radius * sqrt(ways), dimension=m, resolution=margin, convention=convention),
        family="few_shot",
        inputs=inputs,
        convention=convention,
        n=n,
        outputs=coefficients,
        components=1,
        output_bound=sqrt(ways * (ways - 1)),
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
    ways : int
        Classes of a task.
    drawings : int
        Drawings of a character.

    Returns
    -------
    int

    Examples
    --------
    >>> few_shot_tasks([3, 4], ways=3, drawings=2)
    40
    """
    return sum(comb(max(count, ways), ways) * drawings**ways for count in characters)


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

    Returns
    -------
    Complexity

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
    _check(inputs)
    convention = _named(convention)
    m, flags = _at_least_one(dimension + nuisance_dimension)
    components = classes * nuisance_classes
    space = sphere(
        n=n * nuisance_n,
        radius=hypot(radius, nuisance_radius),
        dimension=m,
        resolution=margin,
        components=components,
        convention=convention,
    )
    return bound(
        space,
        family="union",
        inputs=inputs,
        convention=convention,
        n=n * nuisance_n,
        outputs=0 if classes == 1 else classes,
        components=components,
        output_bound=1,
        target_error=target_error,
        chance_error=1 - 1 / classes,
        flags=flags,
    )


@dataclass(frozen=True, slots=True)
class Family:
    """A task family and how its plots are laid out.

    Parameters
    ----------
    name : str
        How reports and catalogs call it.
    function : callable
        Bits from keyword numbers.
    axes : tuple of str
        The inputs that a card varies, one plot each.
    sampled_margin : str or None
        The input that is a minimum over a sample and so carries its noise.
    sampled_dimension : str or None
        The intrinsic dimension in which that sample lies.
    """

    name: str
    function: Callable[..., Complexity]
    axes: tuple[str, ...]
    sampled_margin: str | None = None
    sampled_dimension: str | None = None


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family(
            "classification",
            classification,
            ("n", "dimension", "margin", "target_error", "classes"),
            "margin",
            "dimension",
        ),
        Family(
            "regression",
            regression,
            ("n", "dimension", "resolution", "target_error", "outputs"),
            "resolution",
            "dimension",
        ),
        Family("control", control, ("n", "dimension", "resolution", "target_error", "actions")),
        Family(
            "partially_observed_control",
            partially_observed_control,
            ("n", "observations", "resolution", "target_error", "actions"),
        ),
        Family("few_shot", few_shot, ("n", "dimension", "margin", "target_error", "ways")),
        Family("union", union, ("n", "dimension", "margin", "target_error", "classes"), "margin", "dimension"),
    )
}


def evaluate(family: str, inputs: dict[str, float], convention: Convention | str = RELEASED) -> Complexity:
    """Bits of a family by name, as a catalog declares it.

    Parameters
    ----------
    family : str
        A key of `FAMILIES`.
    inputs : dict of str to float
        The family's numbers by name.
    convention : Convention or str
        How the terms are counted.

    Returns
    -------
    Complexity

    Raises
    ------
    InputError
        If the family or an input is not known, an input is missing, or a number is outside its domain.

    Examples
    --------
    >>> task = {"n": 1e6, "dimension": 6, "actions": 2, "resolution": 1e-3, "target_error": 1e-3}
    >>> round(evaluate("control", task).log10_bits, 1)
    25.5
    """
    if family not in FAMILIES:
        raise InputError(f"family '{family}' is not known; {choices(family, FAMILIES)}")
    function = FAMILIES[family].function
    keywords = function.__kwdefaults__ or {}
    known = [name for name in function.__annotations__ if name not in ("convention", "return")]
    for name in inputs:
        if name not in known:
            raise InputError(f"family '{family}' has no input '{name}'; {choices(name, known)}")
    missing = [name for name in known if name not in inputs and name not in keywords]
    if missing:
        raise InputError(f"family '{family}' lacks {', '.join(missing)}")
    return function(**inputs, convention=convention)


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
    _check(inputs)
    convention = _named(convention)
    m, flags = _at_least_one(dimension)
    return bound(
        torus(n=n, dimension=m, resolution=resolution, band_factor=convention.band_factor),
        family=family,
        inputs=inputs,
        convention=convention,
        n=n,
        outputs=actions,
        components=1,
        output_bound=1,
        target_error=target_error,
        flags=flags,
    )


def _check(inputs: dict[str, float]) -> None:
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


def _named(convention: Convention | str) -> Convention:
    return convention_named(convention) if isinstance(convention, str) else convention


def _at_least_one(dimension: float) -> tuple[float, tuple[Flag, ...]]:
    if dimension >= 1:
        return dimension, ()
    return 1.0, (
        Flag("dimension_clamped", f"The dimension {dimension:g} is below 1, where the formula ends: 1 is used."),
    )
