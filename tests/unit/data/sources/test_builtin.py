"""scikit-learn's sets, as columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn

from ibc_report.common.errors import UsageError
from ibc_report.data import sources
from ibc_report.data.sources import builtin

SIZES = [
    pytest.param("breast_cancer", 569, 31, 2, id="breast_cancer"),
    pytest.param("digits", 1797, 2, 10, id="digits"),
    pytest.param("iris", 150, 5, 3, id="iris"),
    pytest.param("wine", 178, 14, 3, id="wine"),
]


@pytest.mark.parametrize(("name", "count", "columns", "classes"), SIZES)
def test_a_set_has_its_rows_columns_and_class_names(name: str, count: int, columns: int, classes: int) -> None:
    """Every set of classes has the published numbers of rows and features, and a target with names."""
    rows = builtin.load(name)
    target = rows.column(builtin.TARGET)
    assert (rows.count, len(rows.columns)) == (count, columns)
    assert target.kind == "class"
    assert len(target.class_names or ()) == classes
    assert {len(column.values) for column in rows.columns} == {count}


def test_digits_are_one_column_of_pixels_from_0_to_1() -> None:
    """Digits come as 8×8 vectors whose 17 levels of grey lie in [0, 1]."""
    image = builtin.load("digits").column("image")
    pixels = image.values.combine_chunks().flatten().to_numpy()
    assert (image.kind, image.shape) == ("vector", (8, 8))
    assert np.array_equal(np.unique(pixels), np.arange(17) / 16)


def test_diabetes_is_a_regression_on_its_own_units() -> None:
    """Diabetes has a number as its target, and ages in years rather than standardised ones."""
    rows = builtin.load("diabetes")
    assert rows.column("target").kind == "number"
    assert rows.column("age").values.to_numpy().max() == 79


def test_class_names_are_in_the_order_of_the_codes() -> None:
    """The first fifty irises are setosas."""
    target = builtin.load("iris").column("target")
    assert target.class_names == ("setosa", "versicolor", "virginica")
    assert target.values.to_pylist() == [0] * 50 + [1] * 50 + [2] * 50


def test_an_unknown_set_names_the_nearest() -> None:
    """A misspelt set is refused, with the one that was meant and all that there are."""
    with pytest.raises(UsageError) as caught:
        builtin.load("digit")
    assert str(caught.value) == (
        "there is no built-in set 'digit'; did you mean 'digits'? Known: breast_cancer, diabetes, digits, iris, wine"
    )


@pytest.mark.parametrize("part", [{"config": "a"}, {"split": "train"}], ids=["config", "split"])
def test_a_set_has_no_parts(part: dict[str, Any]) -> None:
    """Asking a built-in set for a configuration or split is refused rather than ignored."""
    with pytest.raises(UsageError, match="builtin:iris is one table"):
        sources.load("builtin:iris", base=Path(), **part)


def test_the_revision_is_the_library_that_brings_the_set() -> None:
    """What pins a built-in set is scikit-learn's version, on the rows and in the fingerprint alike."""
    assert builtin.load("iris").origin.revision == f"scikit-learn {sklearn.__version__}"
    assert sources.revision("builtin:iris", base=Path()) == f"scikit-learn {sklearn.__version__}"


def test_the_origin_names_the_set_as_the_user_does() -> None:
    """The card says builtin:wine, as one types it."""
    assert sources.load("builtin:wine", base=Path()).origin.source == "builtin:wine"


@pytest.mark.parametrize("name", builtin.NAMES)
def test_a_set_is_what_the_library_itself_gives(name: str) -> None:
    """A set has the names, numbers and classes that the library's own loader gives, to the bit."""
    from sklearn import datasets

    options = {"scaled": False} if name == "diabetes" else {}
    known = getattr(datasets, f"load_{name}")(**options)
    rows = builtin.load(name)
    *features, target = rows.columns
    if name == "digits":
        found = features[0].values.combine_chunks().flatten().to_numpy().reshape(-1, 64) * 16
    else:
        assert [column.name for column in features] == [str(one) for one in known.feature_names]
        found = np.column_stack([column.values.to_numpy() for column in features])
    assert np.array_equal(found, known.data)
    assert target.values.to_pylist() == known.target.tolist()
    if name != "diabetes":
        assert target.class_names == tuple(str(one) for one in known.target_names)
