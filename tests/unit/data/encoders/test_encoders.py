"""Which encoder takes which columns, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import UsageError
from ibc_report.data import encoders
from ibc_report.data.encoders import Options
from ibc_report.data.sources import Column
from tests.support.tables import column, images, table

ROWS = 60

LABEL = column("label", ["x", "y"] * 30)

NUMBER = column("age", [float(n) for n in range(ROWS)])

COLOUR = column("colour", ["red", "blue", "green"] * 20)

TEXT = column("text", [f"sentence number {n}" for n in range(ROWS)])

NOTES = column("notes", [f"a note, the {n}th" for n in range(ROWS)])

NAME = column("name", [f"name {n}" for n in range(ROWS)])

DAY = column("day", [f"2007-{n % 12 + 1:02d}-{n // 12 + 1:02d}" for n in range(ROWS)])

IMAGE = images([b"x"] * ROWS)

OTHER_IMAGE = images([b"x"] * ROWS, name="mask")

VECTOR = column("embedding", [[float(n), 1.0] for n in range(ROWS)])

NATURAL = [
    pytest.param((NUMBER, COLOUR), "tabular", ["age", "colour"], id="table"),
    pytest.param((COLOUR,), "tabular", ["colour"], id="categories"),
    pytest.param((NUMBER, NAME), "tabular", ["age", "name"], id="name-beside-numbers"),
    pytest.param((DAY,), "tabular", ["day"], id="many-dates-as-strings"),
    pytest.param((TEXT,), "text", ["text"], id="text"),
    pytest.param((NOTES,), "text", ["notes"], id="text-of-another-name"),
    pytest.param((NUMBER, TEXT), "text", ["text"], id="id-beside-text"),
    pytest.param((DAY, TEXT), "text", ["text"], id="date-beside-text"),
    pytest.param((NAME, TEXT), "text", ["text"], id="name-beside-text"),
    pytest.param((IMAGE,), "image", ["image"], id="image"),
    pytest.param((IMAGE, NUMBER, TEXT), "image", ["image"], id="image-beside-others"),
    pytest.param((VECTOR, COLOUR), "vector", ["embedding"], id="vector-beside-others"),
]


@pytest.mark.parametrize(("columns", "encoder", "inputs"), NATURAL)
def test_the_columns_choose_their_encoder(columns: tuple[Column, ...], encoder: str, inputs: list[str]) -> None:
    """Without --encoder the columns say what they are, and the target is never among them."""
    options, taken = encoders.choose(table(*columns, LABEL), "label")
    assert (options.name, [one.name for one in taken]) == (encoder, inputs)


def test_a_short_table_of_texts_is_text() -> None:
    """Forty different sentences are text, though they are fewer than the categories of a table may be."""
    texts = column("text", [f"sentence number {n}" for n in range(40)])
    options, _ = encoders.choose(table(texts, column("label", ["x", "y"] * 20)), "label")
    assert options.name == "text"


ASKED = [
    pytest.param((), "text:components=3", "text", ["text"], id="encoder"),
    pytest.param(("age",), None, "tabular", ["age"], id="input"),
    pytest.param(("text", "notes"), None, "text", ["text", "notes"], id="two-texts"),
    pytest.param(("colour",), "text", "text", ["colour"], id="categories-as-text"),
    pytest.param((), "tabular", "tabular", ["age", "colour", "text"], id="text-as-table"),
]


@pytest.mark.parametrize(("inputs", "encoder", "name", "taken"), ASKED)
def test_the_user_chooses(inputs: tuple[str, ...], encoder: str | None, name: str, taken: list[str]) -> None:
    """--input and --encoder overrule what the columns say."""
    columns = (NUMBER, COLOUR, TEXT, NOTES) if "notes" in inputs else (NUMBER, COLOUR, TEXT)
    options, chosen = encoders.choose(table(*columns, LABEL), "label", inputs, encoder)
    assert (options.name, [one.name for one in chosen]) == (name, taken)


REFUSED = [
    pytest.param((NUMBER,), (), "tabluar", "there is no encoder 'tabluar'; did you mean 'tabular'? Known: ", id="name"),
    pytest.param(
        (NUMBER,), (), "text:size", "encoder setting 'size' is not of the form key=value", id="setting-without-value"
    ),
    pytest.param((NUMBER,), ("label",), None, "column 'label' is the target and cannot be an input too", id="target"),
    pytest.param((NUMBER,), ("aeg",), None, "here has no column 'aeg'; did you mean 'age'?", id="unknown-input"),
    pytest.param(
        (NUMBER, TEXT),
        ("age",),
        "text",
        "encoder 'text' cannot take 'age' of here; it takes columns of kind string, and there are: age (number)",
        id="input-of-another-kind",
    ),
    pytest.param(
        (NUMBER,),
        (),
        "image",
        "encoder 'image' cannot take any column of here; it takes columns of kind image",
        id="none",
    ),
    pytest.param(
        (IMAGE, OTHER_IMAGE),
        (),
        None,
        "encoder 'image' takes one column; choose it with --input: image, mask",
        id="two",
    ),
    pytest.param(
        (NOTES, NAME), (), None, "several columns of text; choose with --input (more than one are joined): ", id="texts"
    ),
    pytest.param((), (), None, "here has no column besides the target 'label'; ", id="target-alone"),
]


@pytest.mark.parametrize(("columns", "inputs", "encoder", "message"), REFUSED)
def test_a_choice_that_does_not_fit_is_refused(
    columns: tuple[Column, ...], inputs: tuple[str, ...], encoder: str | None, message: str
) -> None:
    """An encoder or input that is unknown or does not fit is refused by one line that says what would."""
    with pytest.raises(UsageError) as caught:
        encoders.choose(table(*columns, LABEL), "label", inputs, encoder)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("columns", "name"),
    [((NUMBER,), "tabular"), ((TEXT,), "text"), ((VECTOR,), "vector")],
    ids=["tabular", "text", "vector"],
)
def test_the_chosen_encoder_encodes(columns: tuple[Column, ...], name: str) -> None:
    """What was chosen is what runs, and the result says so."""
    options, taken = encoders.choose(table(*columns, LABEL), "label")
    assert encoders.encode(taken, np.arange(ROWS), options).name == name


WORDS = st.text(st.characters(exclude_characters=":,=", exclude_categories=["Cs", "Z", "Cc"]), min_size=1)


@given(WORDS, st.dictionaries(WORDS, WORDS))
def test_settings_read_back_as_they_were_written(name: str, given_settings: dict[str, str]) -> None:
    """Any names and values survive being written as one option."""
    text = f"{name}:{','.join(f'{key}={value}' for key, value in given_settings.items())}"
    assert Options.parse(text) == Options(name, given_settings)


@given(st.text())
def test_any_other_text_is_read_or_refused(text: str) -> None:
    """A text that is no option with settings is refused by this package's error and no other."""
    parts = [part.partition("=") for part in text.partition(":")[2].split(",") if part]
    if all(key and equals and value for key, equals, value in parts):
        assert Options.parse(text).name == text.partition(":")[0].strip()
    else:
        with pytest.raises(UsageError, match="is not of the form key=value"):
            Options.parse(text)


def test_an_input_given_twice_is_refused() -> None:
    """A column that is named twice as an input would count twice, and is refused by its name."""
    rows = table(column("a", [1.0, 2.0]), column("b", [3.0, 5.0]), column("y", ["u", "v"]))
    with pytest.raises(UsageError, match=r"^column 'a' is given twice as an input; give it once$"):
        encoders.choose(rows, "y", ("a", "b", "a"), None)
