"""Names of classes are compared composed and trimmed, and those that differ by case or space only are found."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Literal

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.data import targets
from ibc_report.data.class_names import class_name
from ibc_report.data.examples import gather
from ibc_report.evaluation.scoring.grading import Grader
from ibc_report.geometry.merged_classes import alike
from tests.support.tables import column, table

NAMES = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=8)

WORDS = st.lists(st.sampled_from(["thé", "Å", "ﬁn", "ḍ̇", "각", "tea", "ice  tea", "ß", "İ"]), min_size=2, max_size=12)

SPELLINGS = st.sampled_from([lambda s: s, lambda s: f" {s}\t", lambda s: f"{s}\u00a0"])

_Form = Literal["NFC", "NFD"]

_FORMS: tuple[_Form, ...] = ("NFC", "NFD")

FORMS = st.sampled_from(_FORMS)


@given(NAMES, FORMS, SPELLINGS)
def test_every_spelling_of_a_name_is_compared_as_one(name: str, form: _Form, spelling: Callable[[str], str]) -> None:
    """Decomposed, composed and padded spellings are one name, and writing it twice changes nothing."""
    once = class_name(name)
    assert class_name(spelling(unicodedata.normalize(form, name))) == once == class_name(once)


@given(st.data(), WORDS)
def test_classes_do_not_hang_on_their_spelling(data: st.DataObject, words: list[str]) -> None:
    """Rows whose labels are spelled in any way have the codes and names of rows spelled in one way."""
    words = [*words, "one", "other"]
    spelled = [data.draw(SPELLINGS)(unicodedata.normalize(data.draw(FORMS), word)) for word in words]
    plain = targets.read(column("t", [class_name(word) for word in words]), kind="classes")
    found = targets.read(column("t", spelled), kind="classes")
    assert (found.names, found.codes.tolist()) == (plain.names, plain.codes.tolist())
    assert bool(found.notes) == (len(set(spelled)) > len(set(found.names)))


def test_declared_classes_of_one_name_are_one() -> None:
    """Names that a source declares twice, in two spellings, are one class, and it is said with their number."""
    found = targets.read(column("t", [0, 1, 2, 3], names=("the\u0301", "tea", "thé", "tea ")))
    assert (found.names, found.codes.tolist()) == (("thé", "tea"), [0, 1, 0, 1])
    assert found.notes[0].endswith("with the number of spellings: 'tea' (2), 'thé' (2).")


def test_labels_of_white_space_of_any_kind_are_empty() -> None:
    """A label of separators alone, which trimming removes, is no class."""
    found = targets.read(column("t", ["a", "\x1c", "\u2003", "b", "", None]))
    assert found.names == ("a", "b")
    assert [(lost.reason, lost.count) for lost in found.dropped] == [
        ("rows without a label", 1),
        ("rows with an empty label", 3),
    ]


@given(st.lists(NAMES, unique=True))
def test_alike_names_differ_and_no_other_is_alike(names: list[str]) -> None:
    """Groups are of two names or more, share no name, and hold names of the list."""
    groups = alike(names)
    members = [name for group in groups for name in group]
    assert all(len(group) > 1 for group in groups)
    assert len(set(members)) == len(members)
    assert set(members) <= set(names)


@given(st.sampled_from(["tea", "Straße", "ice tea", "ÉCLAIR"]))
def test_case_and_white_space_make_names_alike(name: str) -> None:
    """A name in capitals, or with wider spaces, is alike; another word is not."""
    others = [name.upper() if name.upper() != name else name.lower(), f"{name[:2]}  {name[2:]}"]
    assert alike([name, *others, "coffee"]) == ((name, *others),)


@given(st.sampled_from(["ΐ", "ǰ", "ŉ", "ẖ", "straße"]), st.sampled_from([str.upper, str.lower, str.title]))
def test_letters_that_folding_takes_apart_are_alike_too(name: str, case: Callable[[str], str]) -> None:
    """A name is alike its capitals where those are no single letters."""
    other = class_name(case(name))
    assert alike([name, "other"] + [other] * (other != name)) == (((name, other),) if other != name else ())


@given(WORDS, st.data())
def test_a_prediction_in_any_spelling_is_its_class(words: list[str], data: st.DataObject) -> None:
    """Predictions are graded by the name that they spell, whatever the labels, or the report, spell."""
    words = [*words, "1", "01"]

    def spelt() -> list[str]:
        return [data.draw(SPELLINGS)(unicodedata.normalize(data.draw(FORMS), word)) for word in words]

    rows = table(column("x", list(range(len(words)))), column("label", spelt()))
    grader = Grader.of(rows, target="label", kind="classes", elsewhere=("e\u0301lsewhere ",))
    right, unknown = grader.grade(spelt(), np.arange(len(words)), "a.csv")
    assert right.all()
    assert unknown == ()
    assert grader.grade([" \u00e9lsewhere"] * len(words), np.arange(len(words)), "a.csv")[1] == ()


def test_the_spellings_are_among_the_notes_of_the_examples() -> None:
    """What was taken together is said where the card says how rows were read."""
    rows = table(column("x", list(range(40))), column("label", ["tea", "tea ", "caf\u00e9", "cafe\u0301"] * 10))
    found = gather(rows, target="label")
    assert found.names == ("café", "tea")
    assert [note for note in found.encoded.notes if note.startswith("Names of classes that differ only")]
