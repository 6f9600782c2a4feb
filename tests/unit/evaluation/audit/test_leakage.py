"""Rows that both splits hold are found, and clean splits raise no flag."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ibc_report.evaluation.audit.leakage import NEAR_SHARE, Closeness, Leakage, NearestRows, coinciding, find_leaks
from ibc_report.geometry import facts_of_examples
from ibc_report.report.sections.split_audit import split_audit_section
from tests.support.samples import made
from tests.support.splits_made import clusters, examined, split_of, splits_of
from tests.support.tables import column, table


def test_copied_rows_are_found_by_their_inputs(rng: np.random.Generator) -> None:
    """Copies are counted, paired with what they repeat, and a copy with another label comes first."""
    vectors, codes = clusters(rng, 300)
    others, truth = clusters(rng, 60)
    others[:3], truth[:3] = vectors[[7, 8, 9]], codes[[7, 8, 9]]
    truth[1] = (truth[1] + 1) % 3
    found = examined(split_of(vectors, codes), split_of(others, truth)).leakage
    assert np.flatnonzero(found.equal_inputs).tolist() == [0, 1, 2]
    assert found.disagreeing == 1
    assert [(pair.test, pair.train, pair.agree) for pair in found.pairs[:3]] == [
        (1, 8, False),
        (0, 7, True),
        (2, 9, True),
    ]


def test_near_copies_are_an_excess(rng: np.random.Generator) -> None:
    """Copies with a little noise are nearer than half of the margin, more often than training rows are."""
    vectors, codes = clusters(rng, 300, features=8)
    others, truth = clusters(rng, 100, features=8)
    others[:20] = vectors[:20] + 1e-4
    truth[:20] = codes[:20]
    found = examined(split_of(vectors, codes), split_of(others, truth))
    assert np.flatnonzero(found.leakage.near)[:20].tolist() == list(range(20))
    assert found.leakage.excess
    assert found.leakage.radius == pytest.approx(NEAR_SHARE * found.margin)
    assert split_audit_section(found, "test").leakage.flagged  # type: ignore[union-attr]


def test_clean_splits_raise_no_flag() -> None:
    """Independent splits are flagged in at most 5 % of trials, whether classes overlap or lie far apart."""
    flags = 0
    for trial in range(40):
        rng = np.random.default_rng(trial)
        vectors, codes = clusters(rng, 240, features=2)
        if trial % 2:
            vectors = vectors + 100 * codes[:, None]
        train, test = (
            made(vectors[part], labels=codes[part].tolist()) for part in (slice(None, 160), slice(160, None))
        )
        # `made` numbers the rows of each split from 0
        test = replace(test, identities=test.identities + np.uint64(1000))
        squares = ((vectors[160:, None] - vectors[None, :160]) ** 2).sum(axis=2)
        own = ((vectors[:160, None] - vectors[None, :160]) ** 2).sum(axis=2) + 1e12 * np.eye(160)
        found = find_leaks(
            train,
            test,
            NearestRows(
                asked=np.arange(80),
                positions=squares.argmin(axis=1),
                distances=np.sqrt(squares.min(axis=1)),
                own_distances=np.sqrt(own.min(axis=1)),
            ),
            Closeness(margin=facts_of_examples(train).margin.distance, rounding=0.0),
        )
        flags += found.excess
    assert flags <= 2


def test_half_of_the_margin_forces_the_answer(rng: np.random.Generator) -> None:
    """A row nearer than half of the margin to a training row is nearer to it than to any of another class."""
    vectors, codes = clusters(rng, 200, features=2)
    margin = facts_of_examples(made(vectors, labels=codes.tolist())).margin.distance
    moved = vectors + rng.normal(size=vectors.shape) * margin / 4
    near = np.linalg.norm(moved - vectors, axis=1) < NEAR_SHARE * margin
    apart = np.linalg.norm(moved[:, None] - vectors[None], axis=2)
    apart[codes[:, None] == codes[None]] = np.inf
    assert (apart.min(axis=1) > np.linalg.norm(moved - vectors, axis=1))[near].all()


def test_texts_are_compared_by_their_words() -> None:
    """A text that differs from a training text in case and punctuation is flagged by its n-grams."""
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(words, 12)) for _ in range(60)]
    labels = [f"c{number % 2}" for number in range(60)]
    tests = [texts[5].upper() + "!", *(" ".join(rng.choice(words, 12)) for _ in range(19))]
    train = table(column("text", texts), column("label", labels))
    test = table(column("text", tests), column("label", ["c0", *labels[:19]]))
    found = examined(train, test, inputs=("text",)).leakage
    assert np.flatnonzero(found.overlapping).tolist() == [0]
    assert found.leaked[0]
    assert found.pairs[0].train == 5
    assert not found.pairs[0].agree


def test_targets_within_the_tolerance_agree() -> None:
    """A repeated row of a regression agrees where its target is close enough."""
    train = made([[0.0], [1.0], [2.0]], values=[0.0, 1.0, 2.0])
    test = made([[0.0], [1.0]], values=[0.05, 1.5])
    found = find_leaks(
        train,
        test,
        NearestRows(asked=np.arange(2), positions=np.array([0, 1]), distances=np.zeros(2), own_distances=np.ones(3)),
        Closeness(margin=1.0, rounding=0.0, tolerance=0.1),
    )
    assert found.disagreeing == 1


def bits(rng: np.random.Generator, n: int, columns: int) -> dict[str, list[int]]:
    """A table of coins, with a label that depends on three of them."""
    coins = rng.integers(0, 2, (n, columns))
    coins[:, 0] = coins[:, 1:3].any(axis=1)
    found = {f"x{place}": coins[:, place].tolist() for place in range(columns)}
    return {**found, "label": [f"c{code}" for code in (coins[:, 1:4].sum(axis=1) >= 2).astype(int)]}


def bit_tables(seed: int, columns: int, copied: int = 0) -> Leakage:
    """What is found between two draws of one distribution, of which the second copies some rows of the first."""
    rng = np.random.default_rng(seed)
    first, second = bits(rng, 600, columns), bits(rng, 300, columns)
    for name, values in second.items():
        values[:copied] = first[name][:copied]
    names = tuple(name for name in first if name != "label")
    train, test = (table(*(column(name, values) for name, values in part.items())) for part in (first, second))
    return examined(train, test, inputs=names).leakage


def test_repeats_of_a_small_domain_are_chance() -> None:
    """Rows of twelve coins repeat each other by chance, in a split and between splits, and are told from copies."""
    found = bit_tables(0, 12)
    assert found.exact.sum() > 20
    assert found.by_chance
    assert not found.excess
    planted = bit_tables(0, 12, copied=60)
    assert planted.excess
    assert not planted.by_chance
    assert coinciding_of(12) == pytest.approx(600 / 2**12, rel=0.1)


def test_repeats_of_a_large_domain_are_not_chance() -> None:
    """Of forty coins no two rows are alike by chance, so a single copy is one."""
    found = bit_tables(1, 40, copied=1)
    assert found.exact.sum() == 1
    assert not found.by_chance


def coinciding_of(columns: int) -> float:
    """Rows of so many independent coins that equal a new one, of 600."""
    rng = np.random.default_rng(5)
    drawn = {f"x{place}": rng.integers(0, 2, 600).tolist() for place in range(columns)}
    rows = table(*(column(name, values) for name, values in drawn.items()), column("label", ["a", "b"] * 300))
    return coinciding(splits_of(rows, rows, tuple(drawn)).train)
