"""Conventions: what each changes, in decades of MNIST, and how one is named."""

from __future__ import annotations

import pytest

from ibc_report.common.errors import InputError
from ibc_report.complexity import CONVENTIONS, RELEASED, convention_named, evaluate
from tests.support.samples import image_task


@pytest.mark.parametrize(
    ("convention", "decades"),
    [("half-band", -4.05), ("integer-degree", -0.13), ("all-classes", 0.05), ("real-basis", -0.30)],
)
def test_a_convention_moves_mnist_by_its_published_decades(convention: str, decades: float) -> None:
    """Each way of counting shifts MNIST's log10 bits as the paper's values do, to two decimals."""
    released = evaluate("classification", image_task("mnist")).log10_bits
    moved = evaluate("classification", image_task("mnist"), convention).log10_bits
    assert moved - released == pytest.approx(decades, abs=0.005)


def test_half_band_gives_the_blogs_mnist() -> None:
    """The blog's Figure 4 implies M = πR/δ, with which MNIST has 1.32e12 bits."""
    assert evaluate("classification", image_task("mnist"), "half-band").bits == pytest.approx(1.32e12, rel=5e-3)


@pytest.mark.parametrize(
    ("task", "bits"),
    [("mnist", 8.59e15), ("svhn", 5.18e30), ("cifar-10", 1.52e32), ("imagenet", 1.19e41)],
)
def test_without_lipschitz_and_transport_terms(task: str, bits: float) -> None:
    """The variant without L_f and W has the published bits, to the three digits that are given."""
    found = evaluate("classification", image_task(task), "no-transport").bits
    assert float(f"{found:.2e}") == bits


def test_the_figures_convention_leaves_the_classes_out_of_the_transport() -> None:
    """`figures` is integer K with W over all points: ℓ falls by log2(c)/m against `integer-degree`."""
    figures = evaluate("classification", image_task("mnist"), "figures")
    integer = evaluate("classification", image_task("mnist"), "integer-degree")
    assert figures.space.degree == integer.space.degree == 38
    # log2(10) / 14
    assert integer.bits_per_parameter - figures.bits_per_parameter == pytest.approx(3.321928094887362 / 14, rel=1e-9)


def test_a_degree_rounded_down_to_none_gives_no_bits() -> None:
    """With integer degrees a margin beyond 2πR/√m leaves constants only, which need 0 bits, and says so."""
    found = evaluate("classification", image_task("mnist", margin=40), "integer-degree")
    assert found.bits == 0
    assert "constants_only" in {flag.code for flag in found.flags}


def test_released_is_the_default_and_every_name_finds_its_convention() -> None:
    """A convention is looked up by the name it carries, and `released` is what a family uses unasked."""
    assert all(convention_named(name) is held and held.name == name for name, held in CONVENTIONS.items())
    assert evaluate("classification", image_task("mnist")).convention == RELEASED.name == "released"


def test_an_unknown_convention_names_the_nearest() -> None:
    """A misspelt convention is refused with the one that was probably meant, and all that there are."""
    with pytest.raises(InputError, match=r"^convention 'half-bnd' is not known; did you mean 'half-band'\? Known: "):
        convention_named("half-bnd")
