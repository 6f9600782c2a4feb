"""The paper's benchmarks: every value that is published, to the digits that it has."""

from __future__ import annotations

from math import log10

import pytest

from ibc_report.common.errors import InputError
from ibc_report.complexity import PUBLISHED, Complexity, evaluate, few_shot_tasks, published_named, recognise
from ibc_report.complexity.benchmarks import OMNIGLOT_CHARACTERS
from tests.support.samples import image_task


def of(name: str) -> Complexity:
    """The result of a benchmark under the released convention."""
    return evaluate(PUBLISHED[name].family, dict(PUBLISHED[name].inputs))


@pytest.mark.parametrize(
    ("name", "digits", "exponent"),
    [
        ("mnist", 1.484804, 16),
        ("svhn", 1.212903, 31),
        ("cifar-10", 3.437718, 32),
        ("imagenet", 3.583253, 41),
        ("omniglot", 1.789442, 145),
        ("reacher", 2.914154, 25),
        ("hopper", 7.613011, 58),
        ("half-cheetah", 1.718399, 66),
        ("cartpole-1", 4.414675, 9),
        ("cartpole-2", 3.325661, 17),
        ("cartpole-3", 1.463901, 25),
        ("cartpole-4", 4.689099, 32),
        ("cartpole-5", 1.187252, 40),
    ],
)
def test_bits_are_the_published_ones(name: str, digits: float, exponent: int) -> None:
    """Each benchmark has the bits of the authors' script, to 6 significant digits, from its published inputs."""
    assert 10 ** (of(name).log10_bits - exponent) == pytest.approx(digits, rel=1e-6)
    assert PUBLISHED[name].log10_bits == of(name).log10_bits


def test_the_paper_has_thirteen_benchmarks() -> None:
    """The eight benchmarks of the paper and Cartpole for T = 1..5 are all there."""
    assert list(PUBLISHED) == [
        *("mnist", "svhn", "cifar-10", "imagenet", "omniglot", "reacher", "hopper", "half-cheetah"),
        *(f"cartpole-{steps}" for steps in range(1, 6)),
    ]


@pytest.mark.parametrize(
    ("name", "degree", "bits_per_parameter"),
    [
        ("mnist", 38.966, 19.9753),
        ("svhn", 205.859, 19.2658),
        ("cifar-10", 113.114, 18.6146),
        ("imagenet", 70.690, 24.9626),
    ],
)
def test_terms_of_the_image_tasks(name: str, degree: float, bits_per_parameter: float) -> None:
    """K and ℓ of the image tasks are the published ones, to the digits that the table gives."""
    assert of(name).space.degree == pytest.approx(degree, abs=5.1e-4)
    assert of(name).bits_per_parameter == pytest.approx(bits_per_parameter, abs=5.1e-5)


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("mnist", (60000, 17.179045827183984, 14, 10, 2.3987084824335305, 0.001)),
        ("svhn", (73257, 53.86932485133339, 19, 10, 1.5766998174969105, 0.01)),
        ("cifar-10", (50000, 54.9156786783691, 27, 10, 2.7506414616587023, 0.01)),
        ("imagenet", (1280901, 943.5923, 48, 1000, 65, 0.1)),
    ],
)
def test_inputs_of_the_image_tasks(name: str, inputs: tuple[float, ...]) -> None:
    """What the script was given for each image task is what the table says, to the last digit."""
    assert tuple(PUBLISHED[name].inputs.values()) == inputs
    assert list(PUBLISHED[name].inputs) == ["n", "radius", "dimension", "classes", "margin", "target_error"]


@pytest.mark.parametrize(
    ("change", "value", "bits"),
    [
        ("classes", 10, 1.9020e37),
        ("classes", 100, 2.8304e39),
        ("classes", 999, 3.5758e41),
        ("margin", 30, 1.9011e57),
        ("margin", 119, 9.9797e29),
        ("dimension", 60, 5.0209e44),
        ("dimension", 80, 1.4674e48),
        ("dimension", 99, 1.0877e50),
    ],
)
def test_sweeps_of_imagenet(change: str, value: float, bits: float) -> None:
    """ImageNet with other classes, margins and dimensions has the published bits, to the five digits given."""
    found = evaluate("classification", image_task("imagenet", **{change: value})).bits
    assert float(f"{found:.4e}") == bits


def test_omniglots_tasks_and_outputs() -> None:
    """Omniglot's n and D are the published 6.978976e40 and 7.938328e20, from its alphabets and m₀ = 22."""
    characters = "20 29 26 41 40 24 46 14 26 34 33 22 26 43 24 48 22 16 52 47 40 26 40 41 33 14 42 23 17 55"
    assert tuple(int(count) for count in characters.split()) == OMNIGLOT_CHARACTERS
    assert PUBLISHED["omniglot"].inputs["n"] == few_shot_tasks(OMNIGLOT_CHARACTERS, ways=20, drawings=20)
    assert PUBLISHED["omniglot"].inputs["n"] == pytest.approx(6.978976e40, rel=1e-6)
    assert PUBLISHED["omniglot"].inputs["dimension"] == 447
    task = of("omniglot")
    # dimΘ = 2·D·E, and the sufficient n is dimΘ / D = 2E
    log10_outputs = task.log10_parameters - task.log10_sufficient_n
    assert 10**log10_outputs == pytest.approx(7.938328e20, rel=1e-6)


@pytest.mark.parametrize(
    ("task", "nuisance", "bits"),
    [("mnist", "cifar-10", 8.3834e44), ("cifar-10", "mnist", 2.8641e42), ("mnist", "mnist", 1.7568e26)],
)
def test_unions(task: str, nuisance: str, bits: float) -> None:
    """A task with a second one as a nuisance has the published bits, to the five digits given."""
    other = PUBLISHED[nuisance].inputs
    nuisance_of = {f"nuisance_{key}": other[key] for key in ("n", "radius", "dimension", "classes")}
    found = evaluate("union", {**image_task(task), **nuisance_of})
    assert float(f"{found.bits:.4e}") == bits


@pytest.mark.parametrize(("name", "fraction"), [("mnist", 7.27e-10), ("cifar-10", 2.44e-26)])
def test_fractions_that_the_data_fix(name: str, fraction: float) -> None:
    """The share nD/dimΘ of the parameters that the data fix is the published one, to three digits."""
    assert 10 ** of(name).log10_fixed_fraction == pytest.approx(fraction, rel=1e-3)


def test_the_margin_as_a_low_quantile_moves_mnist() -> None:
    """MNIST with the 0.1 % quantile of nearest-other-class distances as δ (3.0855) loses 1.49 decades."""
    moved = evaluate("classification", image_task("mnist", margin=3.0855))
    assert moved.log10_bits - of("mnist").log10_bits == pytest.approx(-1.49, abs=0.005)


SENSITIVITIES = {
    "mnist": (-13.7317, -0.00516, -0.0722, 2.233, 0.5071),
    "svhn": (-19.0111, -0.00394, -0.0749, 2.236, 1.0442),
    "cifar-10": (-26.7836, -0.00287, -0.0775, 2.239, 0.6659),
    "imagenet": (-45.7811, -0.00120, -0.0578, 2.089, 0.3047),
}


@pytest.mark.parametrize("name", SENSITIVITIES)
@pytest.mark.parametrize(
    ("change", "place", "error"),
    [("margin", 0, 1e-4), ("n", 1, 5e-6), ("target_error", 2, 5e-5), ("classes", 3, 5e-4), ("radius", 0, 1e-4)],
)
def test_elasticities(name: str, change: str, place: int, error: float) -> None:
    """∂ln I/∂ln of each input, by central differences, is the published one; that of R is that of δ turned round."""
    step = 1e-5
    at = PUBLISHED[name].inputs[change]
    up, down = (
        evaluate("classification", image_task(name, **{change: at * (1 + sign * step)})).log10_bits for sign in (1, -1)
    )
    elasticity = (up - down) / (log10(1 + step) - log10(1 - step))
    expected = SENSITIVITIES[name][place] * (-1 if change == "radius" else 1)
    assert elasticity == pytest.approx(expected, abs=1.05 * error)


@pytest.mark.parametrize("name", SENSITIVITIES)
def test_slope_in_the_dimension(name: str) -> None:
    """∂log10 I/∂m, by central differences, is the published one."""
    m = PUBLISHED[name].inputs["dimension"]
    up, down = (evaluate("classification", image_task(name, dimension=m + step)).log10_bits for step in (1e-4, -1e-4))
    assert (up - down) / 2e-4 == pytest.approx(SENSITIVITIES[name][4], abs=1e-4)


def test_classes_need_not_be_whole() -> None:
    """A fractional number of classes is evaluated, so that derivatives in d exist."""
    between = evaluate("classification", image_task("mnist", classes=10.5)).log10_bits
    eleven = evaluate("classification", image_task("mnist", classes=11)).log10_bits
    assert of("mnist").log10_bits < between < eleven


@pytest.mark.parametrize("name", ["mnist", "svhn", "cifar-10", "imagenet"])
def test_measured_numbers_of_a_benchmark_are_recognised(name: str) -> None:
    """A dataset with the paper's n and d, and its R and δ to six digits, is recognised whatever its m."""
    inputs = {key: PUBLISHED[name].inputs[key] for key in ("n", "radius", "classes", "margin")}
    rounded = {key: float(f"{value:.8g}") for key, value in inputs.items()}
    assert recognise(**rounded) is PUBLISHED[name]


@pytest.mark.parametrize(
    "change",
    [{"n": 59999}, {"classes": 9}, {"radius": 17.1791}, {"margin": 2.39875}],
    ids=lambda change: next(iter(change)),
)
def test_other_numbers_are_not_recognised(change: dict[str, float]) -> None:
    """One row, one class, or the fifth digit of R or δ less, and it is another dataset."""
    inputs = {key: PUBLISHED["mnist"].inputs[key] for key in ("n", "radius", "classes", "margin")}
    assert recognise(**{**inputs, **change}) is None


def test_an_unknown_benchmark_names_the_nearest() -> None:
    """A misspelt benchmark is refused with the one that was probably meant."""
    with pytest.raises(InputError, match=r"^benchmark 'cifar10' is not the paper's; did you mean 'cifar-10'"):
        published_named("cifar10")


def test_one_observation_is_no_plural() -> None:
    """The titles of the Cartpole tasks count their observations."""
    titles = [PUBLISHED[f"cartpole-{steps}"].title for steps in (1, 2, 5)]
    assert titles == [f"Cartpole, {said}" for said in ("1 observation", "2 observations", "5 observations")]
