"""Families of tasks of which is known which assumptions are true, and families in which one violation is planted.

A draw is an array of points in the order of a file, with labels. What is neither known to be true of a family nor
planted in it is undecided: a Gaussian is on no sphere and of no even density, and that is no fault of a verdict.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from synthetic import Recipe, coordinates_of
from synthetic import draw as draw_recipe

from ibc_report.geometry import Points

__all__ = ["ASKED", "FAMILIES", "PLANTED", "Family"]

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
Generator = np.random.Generator
Draw = Callable[[Generator], tuple[Array, Labels]]

ASKED = ("A1", "A1 pieces", "A3", "A4", "A4 gradient", "A5", "A7", "A8", "A10", "A16")
"""Verdicts that are counted; of A1 and A4 also those by one of their two numbers."""

ANYWHERE = frozenset({"A3", "A5", "A8", "A10", "A16"})
"""True of rows drawn independently from a law of one dimension without a heavy tail, labelled by where they lie."""

ROUND = frozenset({"A1 pieces", "A4 gradient"})
"""True of a body in one piece that is the same on both sides of its centre."""

EVEN = frozenset({"A4", *ROUND})

ON_SPHERES = frozenset({"A1", *EVEN})

APART = frozenset({"A7"})
"""True where classes are further apart than neighbours are."""


@dataclass(frozen=True, slots=True)
class Family:
    """Tasks of one kind.

    Parameters
    ----------
    draw : callable
        Rows in the order of a file, and their labels.
    true : frozenset of str
        Of `ASKED`, what is true of every draw.
    violated : str or None
        Of `ASKED`, what is violated in every draw.
    planted : str or None
        What violates it, in words that several families share.
    """

    name: str
    draw: Draw
    true: frozenset[str] = frozenset()
    violated: str | None = None
    planted: str | None = None

    def points(self, seed: int) -> Points:
        """Draw a task; another family draws other numbers under the same seed."""
        rng = np.random.default_rng([seed, zlib.crc32(self.name.encode())])
        vectors, labels = self.draw(rng)
        return Points(np.ascontiguousarray(vectors, dtype=np.float64), 1.0, np.arange(len(vectors)), labels)


def _body(kind: str, m: int) -> Callable[[Generator, int], Array]:
    """Rows of one body, of about unit size."""

    def directions(rng: Generator, n: int, d: int) -> Array:
        x = rng.standard_normal((n, d))
        return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True))

    def torus(rng: Generator, n: int) -> Array:
        angle = rng.uniform(0, 2 * np.pi, (n, m))
        return np.asarray(np.concatenate([np.cos(angle), np.sin(angle)], axis=1) / np.sqrt(m))

    bodies: dict[str, Callable[[Generator, int], Array]] = {
        "gaussian": lambda rng, n: rng.standard_normal((n, m)) / np.sqrt(m),
        "box": lambda rng, n: rng.uniform(-1, 1, (n, m)) * np.sqrt(3 / m),
        "sphere": lambda rng, n: directions(rng, n, m + 1),
        "torus": torus,
        "ball": lambda rng, n: directions(rng, n, m) * rng.random((n, 1)) ** (1 / m),
        "t with 3 degrees": lambda rng, n: rng.standard_t(3, (n, m)) / np.sqrt(3 * m),
        "lognormal": lambda rng, n: rng.lognormal(0, 1, (n, m)) / np.sqrt(m),
        "power-law axes": lambda rng, n: rng.standard_normal((n, m)) / np.arange(1.0, m + 1),
        "strip": lambda rng, n: rng.uniform(-1, 1, (n, m)) * np.geomspace(1, 0.02, m),
    }
    return bodies[kind]


def _apart(make: Callable[[Generator, int], Array], n: int, first: float = 0.5, features: int = 0) -> Draw:
    """Two classes on copies of a body, a unit apart in a direction of its own; a share of the rows is the first."""

    def draw(rng: Generator) -> tuple[Array, Labels]:
        labels = (rng.permutation(n) >= round(first * n)).astype(np.int64)
        x = np.column_stack([make(rng, n), labels - 0.5])
        if features:
            x = x @ np.linalg.qr(rng.standard_normal((features, x.shape[1])))[0].T
        return x, labels

    return draw


def _touching(make: Callable[[Generator, int], Array], n: int, of: Callable[[Array], NDArray[np.bool_]]) -> Draw:
    """One body, labelled by where a row lies."""

    def draw(rng: Generator) -> tuple[Array, Labels]:
        x = make(rng, n)
        return x, of(x).astype(np.int64)

    return draw


def _shells(m: int, n: int) -> Draw:
    """Two spheres about one centre."""

    def draw(rng: Generator) -> tuple[Array, Labels]:
        labels = rng.integers(0, 2, n)
        return _body("sphere", m)(rng, n) * (1 + 0.5 * labels[:, None]), labels

    return draw


def _moons(n: int) -> Draw:
    """Two half circles that interlock, with a little noise."""

    def draw(rng: Generator) -> tuple[Array, Labels]:
        labels, angle = rng.integers(0, 2, n), rng.uniform(0, np.pi, n)
        x = np.column_stack([np.cos(angle), np.sin(angle)])
        x[labels == 1] = np.array([1.0, 0.5]) - x[labels == 1]
        return x + 0.05 * rng.standard_normal(x.shape), labels

    return draw


def _recipe(family: str, m: int, n: int, noise: float = 0.0, violation: str | None = None) -> Draw:
    """A task of the calibration."""
    recipe = Recipe(family, m, n, max(coordinates_of(family, m), 30), noise=noise, violation=violation)

    def draw(rng: Generator) -> tuple[Array, Labels]:
        points = draw_recipe(recipe, int(rng.integers(2**31)))
        assert points.labels is not None
        return points.raw, points.labels

    return draw


def _changed(base: Draw, change: Callable[[Generator, Array, Labels], None]) -> Draw:
    """A task with something planted in its rows."""

    def draw(rng: Generator) -> tuple[Array, Labels]:
        x, labels = base(rng)
        change(rng, x, labels)
        return x, labels

    return draw


def _far(count: Callable[[int], int]) -> Callable[[Generator, Array, Labels], None]:
    """Some rows at ten times the mean norm."""

    def change(rng: Generator, x: Array, labels: Labels) -> None:
        norms = np.linalg.norm(x, axis=1, keepdims=True)
        rows = rng.permutation(len(x))[: count(len(x))]
        x[rows] *= 10 * norms.mean() / norms[rows]

    return change


def _wide(rng: Generator, x: Array, labels: Labels) -> None:
    x[:, rng.integers(x.shape[1] - 1)] *= 100


def _random_labels(rng: Generator, x: Array, labels: Labels) -> None:
    labels[:] = rng.permutation(labels)


def _flips(rng: Generator, x: Array, labels: Labels) -> None:
    labels[rng.permutation(len(x))[: max(1, round(0.01 * len(x)))]] ^= 1


def _drift(rng: Generator, x: Array, labels: Labels) -> None:
    """One coordinate rises by a standard deviation over the file."""
    at = rng.integers(x.shape[1] - 1)
    x[:, at] += np.linspace(0, 1, len(x)) * x[:, at].std()


def _process(m: int, n: int) -> Draw:
    """Rows that follow one another by an autoregression of 0.5, the classes apart."""

    def draw(rng: Generator) -> tuple[Array, Labels]:
        x = rng.standard_normal((n, m))
        for at in range(1, n):
            x[at] = 0.5 * x[at - 1] + np.sqrt(0.75) * x[at]
        labels = rng.integers(0, 2, n)
        return np.column_stack([x / np.sqrt(m), labels - 0.5]), labels

    return draw


def _blobs(m: int, n: int) -> Draw:
    """Each of two classes in three normal clusters, each ten standard deviations from the next."""

    def draw(rng: Generator) -> tuple[Array, Labels]:
        labels, which = rng.integers(0, 2, n), rng.integers(0, 3, n)
        centres = np.eye(6, max(m, 6)) * 10 / np.sqrt(2) * np.sqrt(m)
        x = np.zeros((n, max(m, 6)))
        x[:, :m] = rng.standard_normal((n, m))
        return x + centres[3 * labels + which], labels

    return draw


def _leaning(kind: str, m: int) -> Callable[[Generator, int], Array]:
    """A body whose density falls by e⁶ from one side to the other."""
    make = _body(kind, m)

    def drawn(rng: Generator, n: int) -> Array:
        kept = np.empty((0, make(rng, 1).shape[1]))
        while len(kept) < n:
            x = make(rng, 8 * n)
            along = x[:, 0] / np.abs(x[:, 0]).max()
            kept = np.concatenate([kept, x[rng.random(len(x)) < np.exp(3 * (along - 1))]])
        return kept[:n]

    return drawn


def _clean() -> list[Family]:
    found = []
    for n, m in ((200, 2), (200, 5), (500, 2), (500, 5), (1000, 10)):
        for kind, true in (
            ("gaussian", ROUND),
            ("box", EVEN if m <= 5 else ROUND),
            ("ball", EVEN),
            ("sphere", ON_SPHERES),
            ("torus", ON_SPHERES),
        ):
            # rows of fewer neighbours than the unit between the classes is wide are apart
            apart = APART if m <= 2 else frozenset()
            found.append(Family(f"{kind}, m = {m}, n = {n}", _apart(_body(kind, m), n), ANYWHERE | true | apart))
    for n in (200, 1000):
        touching: tuple[tuple[str, str, Callable[[Array], NDArray[np.bool_]]], ...] = (
            ("half space", "ball", lambda x: x[:, 0] > 0),
            ("ball in a Gaussian", "gaussian", lambda x: np.linalg.norm(x, axis=1) < 1),
            ("XOR", "box", lambda x: x[:, 0] * x[:, 1] > 0),
        )
        for name, kind, of in touching:
            for m in (2, 5):
                draw = _touching(_body(kind, m), n, of)
                # each class of XOR is two corners that meet in one place
                pieces = frozenset() if name == "XOR" else frozenset({"A1 pieces"})
                found.append(Family(f"{name}, m = {m}, n = {n}", draw, ANYWHERE | pieces))
        found.append(Family(f"shells, m = 3, n = {n}", _shells(3, n), ANYWHERE | {"A1 pieces", "A4 gradient"}))
        found.append(Family(f"moons, n = {n}", _moons(n), ANYWHERE - {"A5"} | {"A1 pieces"}))
    # the largest norm of a heavy tail, and its density, are what they are
    for kind, true in (
        ("t with 3 degrees", ROUND),
        ("lognormal", frozenset({"A1 pieces"})),
        ("power-law axes", ROUND | {"A3"}),
        ("strip", ROUND | {"A3"}),
    ):
        draw = _apart(_body(kind, 5), 500, features=20)
        found.append(Family(f"{kind}, m = 5, n = 500", draw, frozenset({"A8", "A10", "A16"}) | true))
    for noise in (0.02, 0.05):
        draw = _recipe("sphere", 3, 500, noise)
        found.append(Family(f"sphere with noise of {noise:.0%}, m = 3, n = 500", draw, ANYWHERE | ROUND))
    for family in ("swiss roll", "ellipsoid"):
        true = ANYWHERE | (ROUND if family == "ellipsoid" else {"A1 pieces"})
        found.append(Family(f"{family}, m = 3, n = 500", _recipe(family, 3, 500), true))
    for kind, own in (("gaussian", ROUND), ("box", EVEN), ("sphere", ON_SPHERES)):
        draw = _apart(_body(kind, 3), 1800, first=1 / 600)
        found.append(Family(f"{kind}, m = 3, classes of 3 and 1,797 rows", draw, ANYWHERE | own | APART))
    return found


def _with_a_violation() -> list[Family]:
    found = []
    rows: tuple[tuple[str, Callable[[int], int]], ...] = (
        ("2 rows far out", lambda n: 2),
        ("4 rows far out", lambda n: 4),
        ("1 % of rows far out", lambda n: n // 100),
    )
    changes: list[tuple[str, str, Callable[[Generator, Array, Labels], None]]] = [
        *((name, "A3", _far(count)) for name, count in rows),
        ("one feature × 100", "A16", _wide),
        ("drift of 1 standard deviation", "A10", _drift),
        ("random labels", "A8", _random_labels),
        ("1 % of labels flipped", "A8", _flips),
    ]
    for planted, id, change in changes:
        for kind, m, n in (("gaussian", 2, 500), ("gaussian", 5, 500), ("sphere", 5, 2000), ("box", 2, 2000)):
            draw = _changed(_apart(_body(kind, m), n), change)
            found.append(Family(f"{planted}: {kind}, m = {m}, n = {n}", draw, frozenset(), id, planted))
    for m, n in ((2, 200), (2, 500), (5, 500), (10, 1000)):
        planted = "three blobs a class"
        found.append(Family(f"{planted}, m = {m}, n = {n}", _blobs(m, n), frozenset(), "A1", planted))
        planted = "autoregression of 0.5"
        found.append(Family(f"{planted}, m = {m}, n = {n}", _process(m, n), frozenset(), "A10", planted))
    for kind, m, n in (("gaussian", 6, 500), ("sphere", 6, 500), ("torus", 10, 1000), ("sphere", 20, 2000)):
        planted = "half of the rows of half the dimension"
        draw = _recipe(kind, m, n, violation="two dimensions")
        found.append(Family(f"{planted}: {kind}, m = {m}, n = {n}", draw, frozenset(), "A5", planted))
    for kind in ("box", "torus", "sphere"):
        for m in (1, 2, 3, 5):
            draw, planted = _apart(_leaning(kind, m), 500), "density gradient of e⁶"
            found.append(Family(f"{planted}: {kind}, m = {m}, n = 500", draw, frozenset(), "A4", planted))
    return found


FAMILIES: tuple[Family, ...] = (*_clean(), *_with_a_violation())
"""All families: first those without a planted violation."""

PLANTED: tuple[tuple[str, str], ...] = tuple(
    dict.fromkeys((one.planted, one.violated) for one in FAMILIES if one.planted and one.violated)
)
"""Planted violations and the assumptions that they violate, each once."""
