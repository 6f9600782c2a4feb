"""The paper's own benchmarks: the numbers that its script was given, and the bits that it gave.

Source: Boopathy et al., ICML 2023, and the authors' released script; each value was recomputed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from ibc_report.common.errors import InputError, choices
from ibc_report.complexity.families import evaluate
from ibc_report.complexity.meta_learning import few_shot_tasks

__all__ = ["PUBLISHED", "Published", "published_named", "recognise"]

OMNIGLOT_CHARACTERS = (
    *(20, 29, 26, 41, 40, 24, 46, 14, 26, 34, 33, 22, 26, 43, 24),
    *(48, 22, 16, 52, 47, 40, 26, 40, 41, 33, 14, 42, 23, 17, 55),
)
"""Characters of each of Omniglot's 30 background alphabets."""


@dataclass(frozen=True, slots=True)
class Published:
    """A benchmark of the paper: its short name, its name in running text, and its task family's numbers.

    Parameters
    ----------
    inputs : mapping of str to float
        What the script was given.
    """

    name: str
    title: str
    family: str
    inputs: Mapping[str, float]

    @property
    def log10_bits(self) -> float:
        """Decimal logarithm of the bits under the released convention."""
        return _bits(self.name)


def _mujoco(name: str, title: str, dimension: int, actions: int) -> Published:
    numbers = {"n": 1e6, "dimension": dimension, "actions": actions, "resolution": 1e-3, "target_error": 1e-3}
    return Published(name, title, "control", numbers)


IMAGE_INPUTS = ("n", "radius", "dimension", "classes", "margin", "target_error")


def _images(name: str, title: str, *numbers: float) -> Published:
    return Published(name, title, "classification", dict(zip(IMAGE_INPUTS, numbers, strict=True)))


PUBLISHED: dict[str, Published] = {
    benchmark.name: benchmark
    for benchmark in (
        _images("mnist", "MNIST", 60000, 17.179045827183984, 14, 10, 2.3987084824335305, 0.001),
        _images("svhn", "SVHN", 73257, 53.86932485133339, 19, 10, 1.5766998174969105, 0.01),
        _images("cifar-10", "CIFAR-10", 50000, 54.9156786783691, 27, 10, 2.7506414616587023, 0.01),
        _images("imagenet", "ImageNet", 1280901, 943.5923, 48, 1000, 65, 0.1),
        Published(
            "omniglot",
            "Omniglot (20-way 1-shot)",
            "few_shot",
            {
                "n": few_shot_tasks(OMNIGLOT_CHARACTERS, ways=20, drawings=20),
                "radius": 49.4064773081425,
                "dimension": 29 + 19 * 22,
                "input_dimension": 22,
                "ways": 20,
                "margin": 5.477225575051661,
                "target_error": 0.01,
            },
        ),
        _mujoco("reacher", "Reacher", 6, 2),
        _mujoco("hopper", "Hopper", 15, 4),
        _mujoco("half-cheetah", "Half-Cheetah", 17, 6),
        *(
            Published(
                f"cartpole-{steps}",
                f"Cartpole, {steps} observation{'s' if steps > 1 else ''}",
                "partially_observed_control",
                {
                    "n": 1e4,
                    "observations": steps,
                    "observation_size": 2,
                    "actions": 1,
                    "resolution": 1e-3,
                    "target_error": 1e-3,
                },
            )
            for steps in range(1, 6)
        ),
    )
}


@cache
def _bits(name: str) -> float:
    benchmark = PUBLISHED[name]
    return evaluate(benchmark.family, dict(benchmark.inputs)).log10_bits


def published_named(name: str) -> Published:
    """Look a benchmark of the paper up by its name.

    Raises
    ------
    InputError
        If the paper has no such benchmark.

    Examples
    --------
    >>> published_named("mnist").inputs["dimension"]
    14
    """
    try:
        return PUBLISHED[name]
    except KeyError:
        raise InputError(f"benchmark '{name}' is not the paper's; {choices(name, PUBLISHED)}") from None


def recognise(*, n: float, radius: float, classes: float, margin: float) -> Published | None:
    """Tell whether measured numbers are those of a benchmark of the paper.

    Parameters
    ----------
    n, radius, classes, margin : float
        As measured. Radius and margin have to agree to six digits.

    Examples
    --------
    >>> recognise(n=60000, radius=17.1790458, classes=10, margin=2.3987085).name
    'mnist'
    >>> recognise(n=60000, radius=17.2, classes=10, margin=2.3987085) is None
    True
    """
    for benchmark in PUBLISHED.values():
        known = benchmark.inputs
        if (
            benchmark.family == "classification"
            and (known["n"], known["classes"]) == (n, classes)
            and abs(radius / known["radius"] - 1) < 1e-6
            and abs(margin / known["margin"] - 1) < 1e-6
        ):
            return benchmark
    return None
