"""Tables become vectors: standardised numbers, 0/1 marks of categories, and what is missing marked."""

from __future__ import annotations

import warnings
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import DataError, UsageError
from ibc_report.data import column_types
from ibc_report.data.encoders import Encoded, Options, tabular
from ibc_report.data.sources import Column
from tests.support.tables import column, every

NAN = float("nan")

INF = float("inf")


def encoded(*columns: Column, **given: str) -> Encoded:
    """Encode all rows of some columns."""
    return tabular.encode(columns, every(columns[0]), Options("tabular", given))


def standardised(values: list[float]) -> list[float]:
    """What a textbook does."""
    mean, deviation = float(np.mean(values)), float(np.std(values))
    return [(value - mean) / deviation for value in values]


@pytest.mark.parametrize("storage", [pa.float64(), pa.float32(), pa.int64(), pa.uint8(), pa.decimal128(5, 1)], ids=str)
def test_numbers_are_standardised(storage: pa.DataType) -> None:
    """A numeric column of any storage has mean 0 and standard deviation 1."""
    found = encoded(column("a", [1, 2, 4, 9], storage=storage))
    assert found.vectors[:, 0] == pytest.approx(standardised([1, 2, 4, 9]), rel=1e-12)
    assert found.settings["standardise"] == "yes"


def test_numbers_keep_their_units_where_asked_for() -> None:
    """standardise=no leaves the numbers as they are, and the metric says so."""
    found = encoded(column("a", [1.0, 2.0, 4.0]), standardise="no")
    assert found.vectors[:, 0].tolist() == [1, 2, 4]
    assert "in their own units" in found.metric


def test_categories_are_one_hot_in_the_order_of_their_names() -> None:
    """A string column has a 0/1 column for each value."""
    found = encoded(column("colour", ["red", "blue", "red", "green"]))
    assert found.vectors.tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_class_labels_and_booleans_are_features_too() -> None:
    """A class label is a category, and a boolean a number."""
    found = encoded(column("kind", [1, 0, 1, 0], names=("a", "b")), column("yes", [True, True, False, False]))
    assert found.vectors[:, :2].tolist() == [[0, 1], [1, 0], [0, 1], [1, 0]]
    assert found.vectors[:, 2].tolist() == [1, 1, -1, -1]


def test_a_missing_number_is_the_mean_and_is_marked() -> None:
    """Null and NaN become the mean of the others, with a mark beside it, and cost no row."""
    found = encoded(column("a", [1.0, None, 3.0, NAN, 8.0]))
    present = standardised([1.0, 3.0, 8.0])
    assert found.vectors[:, 0] == pytest.approx([present[0], 0, present[1], 0, present[2]])
    assert found.vectors[:, 1].tolist() == [0, 1, 0, 1, 0]
    assert found.dropped == ()
    assert f"2 missing values: {tabular.MISSING_RULE}." in found.notes


def test_a_missing_number_keeps_the_mean_of_unscaled_ones() -> None:
    """Without standardising, what is missing becomes the mean in the column's own units."""
    assert encoded(column("a", [1.0, None, 3.0]), standardise="no").vectors.tolist() == [[1, 0], [2, 1], [3, 0]]


def test_a_missing_category_is_a_category() -> None:
    """A null among strings has a 0/1 column of its own, the last."""
    found = encoded(column("colour", ["red", None, "blue"]))
    assert found.vectors.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert f"1 missing values: {tabular.MISSING_RULE}." in found.notes


def test_an_infinite_number_costs_its_row() -> None:
    """A row with ∞ or −∞ is dropped and counted, and does not disturb the scale of the others."""
    found = encoded(column("a", [1.0, INF, 2.0, 4.0, -INF]), column("b", ["x", "y", "x", "z", "y"]))
    assert found.rows.tolist() == [0, 2, 3]
    assert found.vectors[:, 0] == pytest.approx(standardised([1, 2, 4]))
    assert found.vectors.shape == (3, 3)
    assert [(lost.reason, lost.examples) for lost in found.dropped] == [("rows with an infinite number", (1, 4))]


def test_infinite_numbers_alone_are_refused() -> None:
    """Where no row is finite, the columns at fault are named."""
    with pytest.raises(DataError, match="every row has an infinite number in a"):
        encoded(column("a", [INF, -INF]))


CONSTANT = [
    pytest.param(column("c", [3.0, 3.0, 3.0]), id="number"),
    pytest.param(column("c", [0.1 + 0.2, 0.3, 0.3]), id="up-to-rounding"),
    pytest.param(column("c", ["x", "x", "x"]), id="category"),
    pytest.param(column("c", [None, None, None], storage=pa.float64()), id="null-numbers"),
    pytest.param(column("c", [None, None, None], storage=pa.string()), id="null-strings"),
    pytest.param(column("c", [True, True, True]), id="boolean"),
]


@pytest.mark.parametrize("constant", CONSTANT)
def test_a_constant_column_is_left_out_and_said(constant: Column) -> None:
    """A column that tells no rows apart is no feature, and the notes name it."""
    found = encoded(column("a", [1.0, 2.0, 3.0]), constant)
    assert found.inputs == ("a",)
    assert found.vectors.shape == (3, 1)
    assert found.notes == ("Columns left out, constant or empty: c.",)


@pytest.mark.parametrize("constant", CONSTANT)
def test_constant_columns_alone_are_refused(constant: Column) -> None:
    """Where every column is constant, all rows would be one point."""
    with pytest.raises(DataError, match=r"no column can be used as a feature \(constant or empty: c\): every row"):
        encoded(constant)


def test_a_constant_with_gaps_is_its_mark() -> None:
    """A column of one value and nulls tells those apart that have it."""
    found = encoded(column("a", [3.0, None, 3.0]))
    assert found.vectors.tolist() == [[0], [1], [0]]


DAYS = [
    pytest.param([date(2007, 11, 11), date(2007, 11, 14), date(2008, 11, 11)], None, id="dates"),
    pytest.param(["2007-11-11", "2007-11-14", "2008-11-11"], None, id="iso-strings"),
    pytest.param([" 2007-11-11", "2007-11-14", "2008-11-11 "], None, id="iso-strings-with-blanks"),
    pytest.param(["2007-11-11T00:00:00Z", "2007-11-14T00:00:00Z", "2008-11-11T00:00:00Z"], None, id="iso-zulu"),
    pytest.param(["2007/11/11", "2007/11/14", "2008/11/11"], None, id="slashes"),
    pytest.param(["11/11/2007", "11/14/2007", "11/11/2008"], None, id="month-first"),
    pytest.param(["11/11/2007", "14/11/2007", "11/11/2008"], None, id="day-first"),
    pytest.param(["Nov 11 2007", "Nov 14 2007", "Nov 11 2008"], None, id="month-in-letters"),
    pytest.param(["2007-11-11 00:00:00", "2007-11-14 00:00:00", "2008-11-11 00:00:00"], None, id="iso-with-a-time"),
    pytest.param(
        [datetime(2007, 11, 11, tzinfo=UTC), datetime(2007, 11, 14, tzinfo=UTC), datetime(2008, 11, 11, tzinfo=UTC)],
        pa.timestamp("ns", tz="UTC"),
        id="timestamps-with-a-zone",
    ),
]


@pytest.mark.parametrize(("values", "storage"), DAYS)
def test_dates_count_in_days(values: list[object], storage: pa.DataType | None) -> None:
    """A date in any form is a number of days, so that distances between dates mean something."""
    found = encoded(column("day", values, storage=storage), standardise="no")
    assert (found.vectors[:, 0] - found.vectors[0, 0]).tolist() == [0, 3, 366]


def test_strings_read_as_dates_are_said() -> None:
    """The notes name a string column that counts as dates; a missing or empty one is a missing number."""
    found = encoded(column("day", ["2007-11-11", None, "", "2007-11-13"]), standardise="no")
    assert found.vectors[:, 1].tolist() == [0, 1, 1, 0]
    assert found.notes[0] == "Columns of strings read as dates, in days: day."


def test_one_string_that_is_no_date_leaves_them_strings() -> None:
    """Only a column that is all dates is one."""
    found = encoded(column("day", ["2007-11-11", "never", "2007-11-13"]))
    assert found.vectors.shape == (3, 3)
    assert found.notes == ()


def test_the_penguins_eggs_have_dates(shared: Path) -> None:
    """The real column of 50 ISO dates becomes one feature and not fifty."""
    lines = (shared / "penguins/penguins_raw.csv").read_text(encoding="utf-8").splitlines()[1:]
    days = [next(cell for cell in line.split(",") if cell.startswith("200")) for line in lines]
    found = encoded(column("Date Egg", days))
    assert found.vectors.shape == (344, 1)


def test_strings_with_many_values_are_left_out_and_said() -> None:
    """A column that names its rows is no feature, and the notes name it."""
    found = encoded(column("a", np.arange(60.0).tolist()), column("id", [f"row {n}" for n in range(60)]))
    assert found.inputs == ("a",)
    assert found.notes == ("Columns left out, strings with too many different values to be categories: id.",)


MANY = [
    pytest.param(20, 20, False, id="few-values-in-few-rows"),
    pytest.param(21, 21, True, id="a-value-for-every-row"),
    pytest.param(21, 42, False, id="values-that-repeat"),
    pytest.param(50, 500, False, id="as-many-as-can-be"),
    pytest.param(51, 500, True, id="one-more"),
]


@pytest.mark.parametrize(("distinct", "rows", "many"), MANY)
def test_values_are_many_where_they_name_rows(distinct: int, rows: int, many: bool) -> None:
    """More than fifty values are many, and more than twenty where most rows have one of their own."""
    assert column_types.many_values(column("c", [f"v{n % distinct}" for n in range(rows)])) is many


NUMERIC = [
    pytest.param([f"{n / 4}" for n in range(30)], "number", id="numbers"),
    pytest.param([f" {n}" for n in range(30)], "number", id="numbers-with-blanks"),
    pytest.param([f"{n:05d}" for n in range(30)], "string", id="codes-with-zeros"),
    pytest.param([f"{n} kg" for n in range(30)], "string", id="units"),
    pytest.param(["1", "2", "3"] * 10, "string", id="few-are-categories"),
    pytest.param([""] * 30, "string", id="blank"),
]


@pytest.mark.parametrize(("values", "kind"), NUMERIC)
def test_strings_of_many_numbers_are_numbers(values: list[str], kind: str) -> None:
    """Strings that are all numbers count as such where they are too many for categories; codes stay codes."""
    assert column_types.typed(column("c", values)).kind == kind


MARKED = [
    pytest.param([f"{n}" for n in range(40)] + ["?"] * 4, "number", id="question-marks"),
    pytest.param(["1", "2", "3"] * 9 + ["?", "N/A", " - "], "number", id="three-marks-among-few-values"),
    pytest.param(["2012-01-01"] * 9 + ["NULL"], "date", id="a-date-missing"),
    pytest.param(["19-Sep-03"] * 9 + ["n/a"], "date", id="a-written-date-missing"),
    pytest.param(["1", "2", "3"] * 3 + ["?"] * 2, "string", id="more-than-a-tenth"),
    pytest.param([f"{n}" for n in range(40)] + ["x"], "string", id="no-mark"),
    pytest.param([f"{n}" for n in range(40)] + ["?", "-", "--", "na"], "string", id="too-many-marks"),
    pytest.param([f"{n:05d}" for n in range(40)] + ["?"], "string", id="codes"),
    pytest.param(["red", "blue"] * 9 + ["?"], "string", id="categories"),
]


@pytest.mark.parametrize(("values", "kind"), MARKED)
def test_marks_of_missing_values_do_not_make_a_column_strings(values: list[str], kind: str) -> None:
    """Few usual marks among numbers or dates are missing values; anything else leaves strings as they are."""
    found = column_types.typed(column("c", values))
    assert found.kind == kind
    if kind != "string":
        assert found.values.null_count == sum(value.strip() in ("?", "N/A", "-", "NULL", "n/a") for value in values)


def test_marks_of_missing_values_are_said() -> None:
    """The numbers beside a mark are standardised, the mark has its 0/1 column, and the notes name it."""
    found = encoded(column("hp", [str(n) for n in range(20)] + ["?"]), column("a", [n * n for n in range(21)]))
    assert found.vectors[:20, 0] == pytest.approx(standardised([float(n) for n in range(20)]))
    assert found.vectors[:, 1].tolist() == [0.0] * 20 + [1.0]
    assert found.notes == (
        "Columns of strings read as numbers, with '?' for a missing one: hp.",
        f"1 missing values: {tabular.MISSING_RULE}.",
    )


def test_a_column_of_almost_only_numbers_says_what_is_none() -> None:
    """Where most strings of a column that is left out are numbers, the notes count the others and show one."""
    found = encoded(column("hp", [str(n) for n in range(60)] + ["12 hp"] * 2), column("a", list(range(0, 124, 2))))
    assert "hp (2 of 62 values are no numbers, such as '12 hp')" in found.notes[0]


@pytest.mark.parametrize("day", ["19-Sep-03", "19-Sep-2003", "19 September 2003", "19/Sep/2003", "19-sep-2003"])
def test_days_with_a_month_s_name_are_dates(day: str) -> None:
    """A day, a month's name and a year of two or four digits are one day, whatever stands between them."""
    found = encoded(column("day", [day, day.replace("19", "29", 1)]), standardise="no")
    assert found.vectors[:, 0].tolist() == [12314.0, 12324.0]


def test_other_kinds_are_left_out_and_said() -> None:
    """A column that is no table's is named in the notes."""
    found = encoded(column("a", [1.0, 2.0]), column("blob", [{"x": 1}, {"x": 2}]))
    assert found.notes == ("Columns left out, of other values: blob.",)


def test_a_wrong_setting_is_refused() -> None:
    """A misspelt setting is refused with the right one."""
    with pytest.raises(UsageError, match="no setting 'standardize'; did you mean 'standardise'"):
        encoded(column("a", [1.0, 2.0]), standardize="no")


def test_a_wrong_value_is_refused() -> None:
    """A setting that is neither yes nor no is refused rather than taken for one of them."""
    with pytest.raises(UsageError, match="tabular:standardise has to be yes or no, not 'maybe'"):
        encoded(column("a", [1.0, 2.0]), standardise="maybe")


def test_only_the_asked_rows_count() -> None:
    """Rows that are not encoded have no part in the mean, and the rows keep their numbers."""
    given_column = column("a", [1.0, 100.0, 2.0, 4.0])
    found = tabular.encode((given_column,), np.array([0, 2, 3]), Options("tabular", {}))
    assert found.vectors[:, 0] == pytest.approx(standardised([1, 2, 4]))
    assert found.rows.tolist() == [0, 2, 3]


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.floats(-1e6, 1e6), st.sampled_from([NAN, INF])),
            st.one_of(st.none(), st.sampled_from("abc")),
        ),
        min_size=2,
        max_size=20,
    )
)
def test_vectors_are_finite_and_rows_add_up(rows: list[tuple[float | None, str | None]]) -> None:
    """Whatever a table holds, each row is a finite vector or counted, and nothing else happens."""
    number = column("a", [row[0] for row in rows], storage=pa.float64())
    category = column("b", [row[1] for row in rows], storage=pa.string())
    try:
        found = encoded(number, category)
    except DataError:
        return
    assert np.isfinite(found.vectors).all()
    assert len(found.rows) + sum(lost.count for lost in found.dropped) == len(rows)
    assert [row for row in range(len(rows)) if rows[row][0] != INF] == found.rows.tolist()


def test_other_dates_have_gaps_and_are_said() -> None:
    """Dates with slashes count in days, in few rows and in many, and a missing one is marked."""
    found = encoded(column("day", ["2012/01/01", None, "", "2012/03/01"]), standardise="no")
    assert found.vectors[3, 0] - found.vectors[0, 0] == 60
    assert found.vectors[:, 1].tolist() == [0, 1, 1, 0]
    assert found.notes[0] == "Columns of strings read as dates, in days: day."
    many = [f"{day:02d}/{month:02d}/2012" for month in range(1, 13) for day in range(1, 29)]
    assert column_types.typed(column("day", many)).kind == "date"


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(["2012/01/01", "2012/13/45"], id="no-such-month"),
        pytest.param(["2012/01/01", "Jan 1 2000"], id="two-forms"),
        pytest.param(["1.10.2", "1.9.0"], id="versions"),
        pytest.param(["Gala 1 2000", "Fuji 2 2000"], id="no-months"),
    ],
)
def test_strings_that_only_look_like_dates_stay_strings(values: list[str]) -> None:
    """Where not every string is a date in one form, they are categories."""
    assert column_types.typed(column("day", values)).kind == "string"


def test_an_exported_row_index_is_left_out_and_said() -> None:
    """A column that counts the rows, from whatever number on, is no feature beside others, and the notes name it."""
    found = encoded(column("Unnamed: 0", [7, 8, 9, 10]), column("a", [1.0, 5.0, 2.0, 3.0]))
    assert found.inputs == ("a",)
    assert found.notes == ("Columns left out, that only count the rows: Unnamed: 0.",)


def test_a_row_index_counts_rows_that_are_not_here_too() -> None:
    """An index stays one where rows were dropped before, or where the rows are a sample of the source."""
    index, other = column("i", [0, 1, 2, 3]), column("a", [1.0, 5.0, 2.0, 3.0])
    gap = tabular.encode((index, other), np.array([0, 1, 3]), Options("tabular", {}))
    assert gap.inputs == ("a",)
    sample = column("i", [3, 8, 9, 41])
    assert encoded(sample, other).inputs == ("i", "a")
    numbered = np.array([2, 7, 8, 40])
    found = tabular.encode((sample, other), np.arange(4), Options("tabular", {}), numbered=numbered)
    assert found.inputs == ("a",)


def test_a_ramp_alone_is_a_feature() -> None:
    """Where nothing else is left, a column that counts is what was given, as a time is."""
    found = encoded(column("time", [1.0, 2.0, 3.0]), column("c", ["x", "x", "x"]))
    assert found.inputs == ("time",)
    assert found.notes == ("Columns left out, constant or empty: c.",)


@pytest.mark.parametrize("given", [{}, {"standardise": "no"}], ids=["standardised", "own-units"])
def test_numbers_near_the_largest_double_are_taken_without_a_warning(given: dict[str, str]) -> None:
    """±1e308 overflow nowhere: no warning, finite vectors, and the order and ratios of the numbers."""
    values = [1e308, -1e308, 0.5e308, -1e308]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = encoded(column("a", values), column("b", [1.0, 5.0, 2.0, 3.0]), **given)
    expected = values if given else standardised([1.0, -1.0, 0.5, -1.0])
    assert found.vectors[:, 0] == pytest.approx(expected, rel=1e-12)
