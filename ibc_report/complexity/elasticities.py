"""How fast the bits move with each input: closed forms of ∂ln I / ∂ln x for every family and convention.

The bits are a product, I = dimΘ_q · ℓ, of counts and lengths that are known in closed form, so their derivatives are
too. Source: the bound of Boopathy et al., ICML 2023 (see `ibc_report.complexity.spaces`), differentiated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import expm1, hypot, isfinite, log, log1p, pi, sqrt

from scipy.special import digamma

from ibc_report.complexity.bound import Complexity
from ibc_report.complexity.conventions import Convention, convention_named
from ibc_report.complexity.families import evaluate
from ibc_report.complexity.spaces import highest_degree, log_sphere_surface

__all__ = ["Elasticities", "elasticities"]

LN10 = log(10)

NEVER_MOVE_THE_DEGREE = frozenset(
    ("n", "nuisance_n", "classes", "nuisance_classes", "outputs", "output_bound", "target_error")
)
"""Inputs in which the bits are smooth even where the degree is rounded down."""

ASYMPTOTIC = 32.0
"""From here on the series of the digamma function is exact to the last digits of a double."""

BERNOULLI = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132)
"""B₂ⱼ / (2j), the coefficients of that series."""


@dataclass(frozen=True, slots=True)
class Elasticities:
    """How fast the bits move with each input, the others fixed.

    Parameters
    ----------
    by_input : mapping of str to float
        ∂ln I / ∂ln x for each input x of the family: per cent of bits for one per cent of x. Counts such as the
        classes are taken as real numbers.
    slopes : mapping of str to float
        ∂log10 I / ∂x: decades of bits for one unit of x.
    real_degree : bool
        Whether the convention rounds the degree down, so that the bits jump in margin, radius and dimension. Their
        derivatives are then those of the same convention with a real degree.
    """

    by_input: Mapping[str, float]
    slopes: Mapping[str, float]
    real_degree: bool


def elasticities(task: Complexity) -> Elasticities | None:
    """Differentiate the bits by each input.

    Parameters
    ----------
    task : Complexity
        The present point, under a registered convention.

    Returns
    -------
    Elasticities or None
        None at 0 bits, which have no logarithm. A dimension below 1 is taken as 1 by the formula, so that the bits do
        not move with it.

    Raises
    ------
    InputError
        If the task's convention is not a registered one.

    Examples
    --------
    MNIST: one per cent of the margin is worth 13.7 per cent of the bits, one per cent of the data next to nothing.

    >>> from ibc_report.complexity import classification
    >>> mnist = classification(n=60000, radius=17.179045827183984, dimension=14, classes=10,
    ...                        margin=2.3987084824335305, target_error=0.001)
    >>> found = elasticities(mnist)
    >>> round(found.by_input["margin"], 4), round(found.by_input["n"], 5), round(found.slopes["dimension"], 4)
    (-13.7317, -0.00516, 0.5071)
    """
    if not isfinite(task.log10_bits):
        return None
    convention = convention_named(task.convention)
    smooth = task
    if convention.integer_degree:
        smooth = evaluate(task.family, dict(task.inputs), replace(convention, integer_degree=False))
    by_input = {}
    for name, move in _moves(smooth, convention).items():
        point = task if name in NEVER_MOVE_THE_DEGREE else smooth
        by_input[name] = _combined(point, convention, move)
    return Elasticities(
        by_input=by_input,
        slopes={name: value / (task.inputs[name] * LN10) for name, value in by_input.items()},
        real_degree=convention.integer_degree and task.space.kind == "sphere",
    )


@dataclass(frozen=True, slots=True)
class _Move:
    """Derivatives of the logarithms of what the bound is made of, by the logarithm of one input."""

    eigenfunctions: float = 0.0
    reach: float = 0.0
    """Of the Lipschitz constant times the transport distance, as far as the space makes them."""
    n: float = 0.0
    outputs: float = 0.0
    components: float = 0.0
    bound: float = 0.0
    error: float = 0.0


@dataclass(frozen=True, slots=True)
class _Slopes:
    """Derivatives of a space's ln E and ln(L_f·W), by ln M and by m."""

    count_by_band: float
    count_by_dimension: float
    reach_by_band: float
    reach_by_dimension: float
    dimension: float
    shared: bool

    def move(self, *, band: float = 0.0, dimension: float = 0.0) -> _Move:
        """Move the band limit by a share, the dimension by so much."""
        return _Move(
            eigenfunctions=band * self.count_by_band + dimension * self.count_by_dimension,
            reach=band * self.reach_by_band + dimension * self.reach_by_dimension,
        )

    def points(self) -> _Move:
        """Move the number of points by a share."""
        return _Move(n=1.0, reach=-1 / self.dimension)

    def spheres(self, outputs: float) -> _Move:
        """Move the number of components by a share, and the outputs along."""
        return _Move(components=1.0, outputs=outputs, reach=1 / self.dimension if self.shared else 0.0)


def _combined(task: Complexity, convention: Convention, move: _Move) -> float:
    """∂ln I: that of the free parameters dimΘ − nD, and that of ℓ."""
    total = 10 ** (task.log10_parameters - task.log10_free_parameters)
    fixed = total * 10**task.log10_fixed_fraction
    # the outputs multiply dimΘ and nD alike
    free = total * (move.eigenfunctions + move.components) + move.outputs - fixed * move.n
    ratio = move.bound + move.outputs / 2 - move.error
    if convention.transport != "none":
        ratio += (move.components + move.outputs) / 2 + move.reach
    return free + ratio / (task.bits_per_parameter * log(2))


def _moves(task: Complexity, convention: Convention) -> dict[str, _Move]:
    """What each input of a family moves. The radius itself cancels between L_f and W: it acts by the band limit."""
    x = task.inputs
    m = task.space.dimension
    if task.space.kind == "torus":
        slopes = _torus(m, task.space.band_limit, x["n"])
        size = m if x.get("dimension", 1.0) >= 1 else 0.0
        by_size = slopes.move(dimension=size)
        sized = {"dimension": by_size} if "dimension" in x else {"observations": by_size, "observation_size": by_size}
        action = _Move(outputs=1.0)
        return {
            "n": slopes.points(),
            **sized,
            "actions": action,
            "resolution": slopes.move(band=-1),
            "target_error": _Move(error=1.0),
        }
    if task.family == "few_shot":
        return _few_shot(task, convention)
    second = task.family == "union"
    points = x["n"] * (x["nuisance_n"] if second else 1.0)
    classes = x.get("classes", 1.0) * (x["nuisance_classes"] if second else 1.0)
    slopes = _sphere(m, task.space.band_limit, points, classes, convention)
    summed = x["dimension"] + (x["nuisance_dimension"] if second else 0.0) >= 1
    part = (x["radius"] / hypot(x["radius"], x["nuisance_radius"])) ** 2 if second else 1.0
    dropped = 0 if second else convention.dropped_classes
    found = {
        "n": slopes.points(),
        "radius": slopes.move(band=part),
        "dimension": slopes.move(dimension=x["dimension"] if summed else 0.0),
    }
    if task.family == "regression":
        found["resolution"] = slopes.move(band=-1)
        found["target_error"] = _Move(error=1.0)
        found["outputs"] = _Move(outputs=1.0)
        found["output_bound"] = _Move(bound=1.0)
        return found
    found["classes"] = slopes.spheres(x["classes"] / (x["classes"] - dropped))
    found["margin"] = slopes.move(band=-1)
    found["target_error"] = _Move(error=1.0)
    if second:
        found["nuisance_n"] = slopes.points()
        found["nuisance_radius"] = slopes.move(band=1 - part)
        found["nuisance_dimension"] = slopes.move(dimension=x["nuisance_dimension"] if summed else 0.0)
        found["nuisance_classes"] = slopes.spheres(0.0)
    return found


def _few_shot(task: Complexity, convention: Convention) -> dict[str, _Move]:
    """A sphere of tasks, whose outputs are the coefficients of functions on a sphere of inputs."""
    x = task.inputs
    ways = x["ways"]
    outer = _sphere(task.space.dimension, task.space.band_limit, x["n"], 1.0, convention)
    inner = _sphere(max(x["input_dimension"], 1.0), task.space.band_limit / sqrt(ways), x["n"], 1.0, convention)
    by_band = replace(outer.move(band=1), outputs=inner.count_by_band)
    inner_size = x["input_dimension"] if x["input_dimension"] >= 1 else 0.0
    # ways·(ways − 1) outputs, bounded by its root, on a radius that grows with √ways
    pairs = 1 + ways / (ways - 1)
    return {
        "n": outer.points(),
        "radius": by_band,
        "dimension": outer.move(dimension=x["dimension"] if x["dimension"] >= 1 else 0.0),
        "input_dimension": _Move(outputs=inner_size * inner.count_by_dimension),
        "ways": replace(outer.move(band=0.5), outputs=pairs, bound=pairs / 2),
        "margin": replace(outer.move(band=-1), outputs=-inner.count_by_band),
        "target_error": _Move(error=1.0),
    }


def _sphere(m: float, band_limit: float, n: float, components: float, convention: Convention) -> _Slopes:
    degree = highest_degree(band_limit, m)
    root = hypot(m - 1, 2 * band_limit)
    by_dimension = -degree / root
    rise = _digamma_rise(degree + 1, m - 1)
    shared = convention.transport == "classes"
    log_volume = (log(components) if shared else 0.0) + log_sphere_surface(m) - log(n)
    return _Slopes(
        count_by_band=(rise + 2 / (m + 2 * degree)) * 2 * band_limit * (band_limit / root),
        count_by_dimension=_digamma_rise(m + 1, degree - 1)
        + by_dimension * rise
        + (1 + 2 * by_dimension) / (m + 2 * degree),
        reach_by_band=2 * (degree + m - 1) / (2 * degree + m - 1),
        reach_by_dimension=(
            1 / (2 * m) + (log(pi) - float(digamma((m + 1) / 2))) / (2 * m) - log_volume / m**2 - 1 / root
        ),
        dimension=m,
        shared=shared,
    )


def _torus(m: float, band_limit: float, n: float) -> _Slopes:
    return _Slopes(
        count_by_band=m,
        count_by_dimension=log(band_limit) + (log(pi) - float(digamma(m / 2 + 1))) / 2,
        reach_by_band=1.0,
        reach_by_dimension=1 / (2 * m) + log(n) / m**2,
        dimension=m,
        shared=False,
    )


def _digamma_rise(base: float, step: float) -> float:
    """ψ(base + step) − ψ(base), without the cancellation of two near logarithms where the base is large."""
    if base < ASYMPTOTIC or base + step < ASYMPTOTIC:
        return float(digamma(base + step) - digamma(base))
    stretch = log1p(step / base)
    series = sum(
        coefficient * base ** (-2 * power) * expm1(-2 * power * stretch)
        for power, coefficient in enumerate(BERNOULLI, start=1)
    )
    return stretch - expm1(-stretch) / (2 * base) - series
