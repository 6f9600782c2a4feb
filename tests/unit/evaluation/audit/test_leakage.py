"""Rows that both splits hold are found, and clean splits raise no flag."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ibc_report.evaluation.audit.audit import SplitAudit
from ibc_report.evaluation.audit.leakage import Closeness, Leakage, NearestRows, coinciding, find_leaks, near_ratio
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
    audited = examined(split_of(vectors, codes), split_of(others, truth))
    found, train, test = audited.leakage, audited.splits.train.numbers, audited.splits.test.numbers
    assert sorted(test[found.equal_inputs].tolist()) == [0, 1, 2]
    assert found.disagreeing == 1
    pairs = [(int(test[pair.test]), int(train[pair.train]), pair.agree) for pair in found.pairs[:3]]
    assert pairs[0] == (1, 8, False)
    assert set(pairs[1:]) == {(0, 7, True), (2, 9, True)}


def near_leak(seed: int, *, copies: int = 25, twins: int = 0, features: int = 8) -> SplitAudit:
    """Test rows that are training rows with a little noise, and mislabelled near copies among the training rows."""
    rng = np.random.default_rng(seed)
    vectors, codes = clusters(rng, 300, features=features)
    others, truth = clusters(rng, 200, features=features)
    others[:copies] = vectors[:copies] + rng.normal(0, 0.02, (copies, features))
    truth[:copies] = codes[:copies]
    wrong = vectors[:twins] + rng.normal(0, 0.01, (twins, features))
    train = split_of(np.vstack([vectors, wrong]), np.append(codes, (codes[:twins] + 1) % 3))
    return examined(train, split_of(others, truth))


@pytest.mark.parametrize("twins", [0, 1, 5])
@pytest.mark.parametrize("seed", range(3))
def test_near_copies_are_a_leak_whatever_single_rows_do(seed: int, twins: int) -> None:
    """Copies with a little noise are found, also where a mislabelled near copy leaves hardly any margin."""
    found = near_leak(seed, twins=twins)
    assert found.leakage.near[found.splits.test.numbers < 25].all()
    assert found.leakage.excess
    assert 25 <= found.leakage.leaked.sum() <= 27
    record = split_audit_section(found, "test")
    assert record.leakage is not None
    assert record.leakage.flagged
    share = f"{record.leakage.leaked} of 200 test rows"
    assert record.warnings[0].startswith(f"Leakage: {share}")
    assert dict(record.leakage.rows)["Leaked rows: those above, without what chance explains"].startswith(
        f"{record.leakage.leaked} of 200"
    )


def clean(kind: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows of one law, with two labels."""
    codes = np.arange(240) % 2
    vectors = {
        "overlapping": rng.normal(size=(240, 2)),
        "far apart": rng.normal(size=(240, 3)) + 100 * codes[:, None],
        "heavy tails": rng.standard_t(3, size=(240, 6)),
        "a curve": rng.random((240, 1)) * np.array([1.0, 2.0, 3.0]),
        "many features": rng.normal(size=(240, 40)),
    }[kind]
    return vectors, codes


@pytest.mark.parametrize("kind", ["overlapping", "far apart", "heavy tails", "a curve", "many features"])
def test_clean_splits_raise_no_flag(kind: str) -> None:
    """Independent splits are flagged in at most 5 % of trials, whatever their law."""
    flags = 0
    for trial in range(20):
        vectors, codes = clean(kind, np.random.default_rng(trial))
        train, test = (
            made(vectors[part], labels=codes[part].tolist()) for part in (slice(None, 160), slice(160, None))
        )
        # `made` numbers the rows of each split from 0
        test = replace(test, identities=test.identities + np.uint64(1000))
        apart = np.linalg.norm(vectors[:, None] - vectors[None, :160], axis=2)
        own = np.sort(apart[:160], axis=1)[:, 1:11]
        near = NearestRows(np.arange(80), apart[160:].argmin(axis=1), np.sort(apart[160:], axis=1)[:, :10], own)
        flags += find_leaks(train, test, near, Closeness(rounding=0.0)).excess
    assert flags <= 1


def test_too_few_rows_have_no_scale() -> None:
    """Where there are no neighbours to compare with, or all coincide, nothing is near."""
    assert near_ratio(np.ones((3, 1))) == 0
    assert near_ratio(np.zeros((3, 5))) == 0


def test_texts_are_compared_by_their_words() -> None:
    """A text that differs from a training text in case and punctuation is flagged by its n-grams."""
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(words, 12)) for _ in range(60)]
    labels = [f"c{number % 2}" for number in range(60)]
    tests = [texts[5].upper() + "!", *(" ".join(rng.choice(words, 12)) for _ in range(19))]
    train = table(column("text", texts), column("label", labels))
    test = table(column("text", tests), column("label", ["c0", *labels[:19]]))
    audited = examined(train, test, inputs=("text",))
    found = audited.leakage
    assert audited.splits.test.numbers[found.overlapping].tolist() == [0]
    assert (found.leaked & found.overlapping).any()
    assert audited.splits.train.numbers[found.pairs[0].train] == 5
    assert not found.pairs[0].agree


def test_targets_within_the_tolerance_agree() -> None:
    """A repeated row of a regression agrees where its target is close enough."""
    train = made([[0.0], [1.0], [2.0]], values=[0.0, 1.0, 2.0])
    test = made([[0.0], [1.0]], values=[0.05, 1.5])
    found = find_leaks(
        train,
        test,
        NearestRows(np.arange(2), np.array([0, 1]), distances=np.zeros((2, 1)), own_distances=np.ones((3, 1))),
        Closeness(rounding=0.0, tolerance=0.1),
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
    assert not found.leaked.any()
    planted = bit_tables(0, 12, copied=60)
    assert not planted.by_chance
    assert planted.leaked.sum() == planted.exact.sum()
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
