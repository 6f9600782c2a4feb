"""Hashes of texts are those of pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common import siphash
from ibc_report.common.siphash import text_hashes

TEXTS = st.lists(st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=40)), max_size=30)


@given(TEXTS)
def test_hashes_are_those_of_pandas(texts: list[str | None]) -> None:
    """Whatever the texts, missing ones among them, each has the hash that pandas gives it."""
    expected = pd.util.hash_array(np.array([*texts, "end"], dtype=object))[:-1]
    assert text_hashes(texts).tolist() == expected.tolist()


def test_many_texts_have_the_same_hashes_as_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts that are handed to pandas for their length come back with the same values."""
    texts = [f"text {number}" for number in range(50)] + [None]
    few = text_hashes(texts)
    monkeypatch.setattr(siphash, "SHORT", 10)
    assert text_hashes(texts).tolist() == few.tolist()
