"""Files on disk become columns: every form, every part, and what is wrong with them in one line."""

from __future__ import annotations

import csv
import io
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from ibc_report.common.errors import DataError, UsageError
from ibc_report.data import sources
from ibc_report.data.sources import Rows
from ibc_report.data.sources.files import content_hash, load
from tests.support.tables import encoded_image

RECORDS = [{"a": 1.5, "label": "x"}, {"a": 2.5, "label": "y"}, {"a": 3.5, "label": "x"}]

CSV = "a,label\n1.5,x\n2.5,y\n3.5,x\n"


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have `datasets` cache in a folder of this test."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", folder)
    monkeypatch.setattr(datasets.config, "DOWNLOADED_DATASETS_PATH", folder / "downloads")
    monkeypatch.setattr(datasets.config, "EXTRACTED_DATASETS_PATH", folder / "extracted")
    return folder


def write(path: Path, content: str | bytes) -> Path:
    """Write a file and its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def parquet(path: Path, table: pa.Table) -> Path:
    """Write a parquet file and its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)
    return path


def picture(level: int) -> bytes:
    """A small grey PNG."""
    return encoded_image(Image.new("L", (4, 3), level))


def values(rows: Rows) -> dict[str, list[object]]:
    """All values by column."""
    return {column.name: column.values.to_pylist() for column in rows.columns}


FORMS: dict[str, Callable[[Path], Path]] = {
    "parquet": lambda folder: parquet(folder / "set.parquet", pa.Table.from_pylist(RECORDS)),
    "csv": lambda folder: write(folder / "set.csv", CSV),
    "csv-with-mark": lambda folder: write(folder / "set.csv", b"\xef\xbb\xbf" + CSV.encode()),
    "csv-with-carriage-returns": lambda folder: write(folder / "set.csv", CSV.replace("\n", "\r\n")),
    "ending-in-capitals": lambda folder: write(folder / "SET.CSV", CSV),
    "tsv": lambda folder: write(folder / "set.tsv", CSV.replace(",", "\t")),
    "jsonl": lambda folder: write(folder / "set.jsonl", "".join(json.dumps(record) + "\n" for record in RECORDS)),
    "ndjson": lambda folder: write(folder / "set.ndjson", "".join(json.dumps(record) + "\n" for record in RECORDS)),
    "json": lambda folder: write(folder / "set.json", json.dumps(RECORDS)),
    "folder-of-csv": lambda folder: write(folder / "in/train.csv", CSV).parent,
    "folder-of-parquet": lambda folder: parquet(
        folder / "in/data/train-00000-of-00001.parquet", pa.Table.from_pylist(RECORDS)
    ).parents[1],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_columns(form: str, tmp_path: Path) -> None:
    """The same records are the same columns, whichever form they come in."""
    rows = load(FORMS[form](tmp_path))
    assert values(rows) == {"a": [1.5, 2.5, 3.5], "label": ["x", "y", "x"]}
    assert [column.kind for column in rows.columns] == ["number", "string"]
    assert (rows.count, rows.origin.split, rows.dropped) == (3, "train", ())


def test_column_names_are_kept_as_they_are(tmp_path: Path) -> None:
    """Names in any script reach the card, and a repeated one gets a number of its own."""
    rows = load(write(tmp_path / "set.csv", "größe,重さ,a,a\n1,2,3,4\n"))
    assert [column.name for column in rows.columns] == ["größe", "重さ", "a", "a.1"]


@pytest.mark.parametrize("zipped", [False, True], ids=["folder", "zip"])
def test_an_image_folder_has_its_folders_as_classes(zipped: bool, tmp_path: Path) -> None:
    """Each folder is a class, whether the images lie in a folder or in a zip of one."""
    for number, name in enumerate(["cat", "cat", "dog"]):
        write(tmp_path / f"set/{name}/{number}.png", picture(number))
    path = tmp_path / "set"
    if zipped:
        path = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path, "set"))
    rows = load(path)
    assert rows.column("image").kind == "image"
    label = rows.column("label")
    assert (label.class_names, label.values.to_pylist()) == (("cat", "dog"), [0, 0, 1])
    paths = [value["path"] for value in rows.column("image").values.to_pylist()]
    assert [Path(path).read_bytes() for path in paths] == [picture(0), picture(1), picture(2)]


def test_two_folders_of_one_name_are_two_classes(tmp_path: Path) -> None:
    """A nested folder's class is its whole path where the last part alone stands for several."""
    for number, name in enumerate(["Greek/01", "Greek/02", "Hebrew/01"]):
        write(tmp_path / f"{name}/{number}.png", picture(number))
    label = load(tmp_path).column("label")
    assert label.class_names == ("Greek/01", "Greek/02", "Hebrew/01")
    assert label.values.to_pylist() == [0, 1, 2]


@pytest.mark.long
def test_omniglot_in_its_zip_has_all_its_characters(shared: Path) -> None:
    """The alphabets number their characters alike, and 136 classes of 20 drawings come of them all the same."""
    rows = load(shared / "omniglot-small/images_background_small1.zip")
    label = rows.column("label")
    assert np.bincount(label.values.to_numpy()).tolist() == [20] * 136
    assert (label.class_names or ())[0] == "Balinese/character01"


def test_a_changed_zip_is_read_anew(tmp_path: Path) -> None:
    """Another content under the same name is not answered from what was unpacked before."""
    for name in ("cat", "dog"):
        write(tmp_path / f"set/{name}/0.png", picture(0))
    packed = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "set"))
    assert load(packed).count == 2
    write(tmp_path / "set/dog/1.png", picture(1))
    shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "set")
    assert load(packed).count == 3


def test_bytes_of_images_are_an_image_column(tmp_path: Path) -> None:
    """A binary column whose bytes begin an image file is an image; any other binary is not."""
    table = pa.table({"picture": [None, picture(1)], "blob": [b"ab", b"cd"]})
    rows = load(parquet(tmp_path / "set.parquet", table))
    assert [column.kind for column in rows.columns] == ["image", "other"]


def test_label_names_come_from_the_parquet_s_metadata(tmp_path: Path) -> None:
    """A ClassLabel that `datasets` wrote has its names again."""
    features = datasets.Features({"a": datasets.Value("float64"), "label": datasets.ClassLabel(names=["no", "yes"])})
    written = datasets.Dataset.from_dict({"a": [1.0, 2.0], "label": [1, 0]}, features=features)
    path = tmp_path / "set.parquet"
    written.to_parquet(path)
    label = load(path).column("label")
    assert (label.kind, label.class_names, label.values.to_pylist()) == ("class", ("no", "yes"), [1, 0])


def test_label_names_come_from_the_readme(tmp_path: Path) -> None:
    """A Hub dataset's front matter names the classes of its files."""
    write(
        tmp_path / "README.md",
        "---\ndataset_info:\n  features:\n  - name: a\n    dtype: float64\n  - name: label\n    dtype:\n"
        "      class_label:\n        names:\n          '0': cat\n          '1': dog\n---\n",
    )
    write(tmp_path / "train.csv", "a,label\n1,1\n2,0\n")
    label = load(tmp_path).column("label")
    assert (label.class_names, label.values.to_pylist()) == (("cat", "dog"), [1, 0])


def test_ids_out_of_range_and_null_pass_the_reader(tmp_path: Path) -> None:
    """A −1, a null and an id beyond the names do not stop the file: the target counts them."""
    features = datasets.Features({"label": datasets.ClassLabel(names=["no", "yes"])})
    table = pa.table({"label": pa.array([0, -1, None, 7])})
    metadata = {"huggingface": json.dumps({"info": {"features": features.to_dict()}})}
    rows = load(parquet(tmp_path / "set.parquet", table.replace_schema_metadata(metadata)))
    assert rows.column("label").values.to_pylist() == [0, -1, None, 7]


def test_arrays_keep_their_shape(tmp_path: Path) -> None:
    """A declared two-dimensional array is a vector column that knows its shape."""
    features = datasets.Features({"a": datasets.Array2D((2, 3), "float32")})
    written = datasets.Dataset.from_dict({"a": np.arange(12.0).reshape(2, 2, 3)}, features=features)
    path = tmp_path / "set.parquet"
    written.to_parquet(path)
    column = load(path).column("a")
    assert (column.kind, column.shape) == ("vector", (2, 3))
    assert column.values.to_pylist() == [[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 10, 11]]]


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """A Hub dataset's layout with two configurations, of two splits each."""
    files = {config: [{"split": s, "path": f"{config}/{s}.csv"} for s in ("dev", "test")] for config in ("big", "wee")}
    entries = [{"config_name": config, "data_files": found} for config, found in files.items()]
    write(tmp_path / "README.md", f"---\nconfigs: {json.dumps(entries)}\n---\n")
    for config in files:
        for split in ("dev", "test"):
            write(tmp_path / f"{config}/{split}.csv", f"a,label\n1,{config}\n2,{split}\n")
    return tmp_path


def test_the_named_part_is_read(parts: Path) -> None:
    """--config and --split read one part, and the origin says which."""
    rows = load(parts, config="wee", split="test")
    assert rows.column("label").values.to_pylist() == ["wee", "test"]
    assert (rows.origin.config, rows.origin.split) == ("wee", "test")


PARTS = [
    pytest.param(None, None, "several configurations; choose one with --config: big, wee", id="no-config"),
    pytest.param("bg", None, "no configuration 'bg'; did you mean 'big'? Known: big, wee", id="unknown-config"),
    pytest.param("big", None, "several splits; choose one with --split: dev, test", id="no-split"),
    pytest.param("big", "tset", "no split 'tset'; did you mean 'test'? Known: dev, test", id="unknown-split"),
]


@pytest.mark.parametrize(("config", "split", "message"), PARTS)
def test_a_part_that_is_not_plain_lists_those_there_are(
    config: str | None, split: str | None, message: str, parts: Path
) -> None:
    """A part that is missing or has to be chosen is refused, with the names to choose from."""
    with pytest.raises(UsageError) as caught:
        load(parts, config=config, split=split)
    assert str(caught.value) == f"{parts} has {message}"


SPLITS = [
    pytest.param(["train", "test"], "train", id="train-among-others"),
    pytest.param(["test"], "test", id="the-only-one"),
]


@pytest.mark.parametrize(("present", "chosen"), SPLITS)
def test_train_or_the_only_split_is_read(present: list[str], chosen: str, tmp_path: Path) -> None:
    """Without --split the train split is read where there is one, or the only one."""
    for split in present:
        write(tmp_path / f"{split}.csv", CSV)
    assert load(tmp_path).origin.split == chosen


def test_a_long_line_costs_its_row(tmp_path: Path) -> None:
    """A CSV record with too many fields is dropped and counted, and a short one is filled up."""
    rows = load(write(tmp_path / "set.csv", "a,label\n1,x\n2,y,z\n3\n4,y\n"))
    assert values(rows) == {"a": [1, 3, 4], "label": ["x", None, "y"]}
    (lost,) = rows.dropped
    assert (lost.reason, lost.count, lost.examples) == ("lines with more fields than the header", 1, (1,))
    assert rows.numbers is not None
    assert rows.numbers.tolist() == [0, 2, 3]


def test_a_long_first_line_does_not_shift_the_columns(tmp_path: Path) -> None:
    """Where the first record is too long, it alone is dropped, and each column keeps its values."""
    rows = load(write(tmp_path / "set.csv", "a,label\n1,x,more\n2,y\n3,x\n"))
    assert values(rows) == {"a": [2, 3], "label": ["y", "x"]}
    assert [(lost.count, lost.examples) for lost in rows.dropped] == [(1, (0,))]


def test_a_separator_at_each_line_s_end_is_no_field(tmp_path: Path) -> None:
    """Lines that end in a comma, as some programs write them, cost nothing and shift nothing."""
    rows = load(write(tmp_path / "set.csv", "a,label\n1,x,\n2,y,\n"))
    assert values(rows) == {"a": [1, 2], "label": ["x", "y"]}
    assert rows.dropped == ()


def test_a_long_line_of_a_folder_costs_its_row(tmp_path: Path) -> None:
    """In a folder too a record with too many fields costs itself alone, whichever file it is in."""
    write(tmp_path / "train-1.csv", "a,label\n1,x,more\n2,y\n")
    write(tmp_path / "train-2.csv", "a,label\n3,x\n4,y,more\n5,x\n")
    rows = load(tmp_path)
    assert values(rows) == {"a": [2, 3, 5], "label": ["y", "x", "x"]}
    assert [(lost.count, lost.examples) for lost in rows.dropped] == [(2, (0, 3))]
    assert rows.numbers is not None
    assert rows.numbers.tolist() == [1, 2, 4]


def test_a_column_that_the_readme_calls_text_is_text(tmp_path: Path) -> None:
    """Digits are strings where the front matter says so."""
    declared = "---\ndataset_info:\n  features:\n  - name: zip\n    dtype: string\n  - name: a\n    dtype: int64\n---\n"
    write(tmp_path / "README.md", declared)
    write(tmp_path / "train.csv", "zip,a\n90210,1\n10115,2\n")
    assert values(load(tmp_path)) == {"zip": ["90210", "10115"], "a": [1, 2]}


UNLIKE = [
    pytest.param("a,b,label\n1,2,x\n", "c,b,label\n1,2,x\n", "beside 1.csv, 2.csv has 'c' and lacks 'a'; ", id="names"),
    pytest.param("a,label\n1,x\n", "a,label\nfew,x\n", "differ in 'a': 1.csv has numbers, 2.csv 'few'; ", id="kinds"),
    pytest.param("a,label\nfew,x\n", "a,label\n1,x\n", "differ in 'a': 2.csv has numbers, 1.csv 'few'; ", id="first"),
]


@pytest.mark.parametrize(("first", "second", "message"), UNLIKE)
def test_a_folder_of_unlike_tables_says_how_they_differ(first: str, second: str, message: str, tmp_path: Path) -> None:
    """CSVs that make no one table are refused by one line with two files and what differs in them."""
    write(tmp_path / "1.csv", first)
    write(tmp_path / "2.csv", second)
    with pytest.raises(DataError) as caught:
        load(tmp_path)
    said = str(caught.value)
    assert message in said
    assert said.endswith("give one of the files, or a folder of files with the same columns")
    assert "\n" not in said


def test_a_folder_of_unlike_parquet_files_is_refused_plainly(tmp_path: Path) -> None:
    """Other files with other columns are refused in words of ours too."""
    parquet(tmp_path / "1.parquet", pa.table({"a": [1]}))
    parquet(tmp_path / "2.parquet", pa.table({"b": ["x"]}))
    with pytest.raises(DataError, match="have not the same columns; give one of the files"):
        load(tmp_path)


def test_a_column_of_words_is_no_table_separated_by_spaces(tmp_path: Path) -> None:
    """Texts of as many words as their column's name are texts."""
    rows = load(write(tmp_path / "set.csv", "short text\nvery good\nso bad\n"))
    assert values(rows) == {"short text": ["very good", "so bad"]}


def test_a_long_line_of_a_tsv_costs_its_row(tmp_path: Path) -> None:
    """Tabs are what counts in a TSV."""
    rows = load(write(tmp_path / "set.tsv", "a\tlabel\n1,5\tx\n2\ty\tz\n"))
    assert values(rows) == {"a": ["1,5"], "label": ["x"]}
    assert [lost.count for lost in rows.dropped] == [1]


def test_a_bad_line_of_json_costs_its_row(tmp_path: Path) -> None:
    """A line that is no JSON object is dropped and counted, blank lines are no rows, and the others keep numbers."""
    lines = ['{"a": 1}', '{"a": 2', "", "[3]", '{"a": 4, "label": "x"}']
    rows = load(write(tmp_path / "set.jsonl", "\n".join(lines)))
    assert values(rows) == {"a": [1, 4], "label": [None, "x"]}
    (lost,) = rows.dropped
    assert (lost.reason, lost.count, lost.examples) == ("lines that do not hold a JSON object", 2, (1, 2))
    assert rows.numbers is not None
    assert rows.numbers.tolist() == [0, 3]


WRONG = [
    pytest.param("set.csv", b"", DataError, "is empty; give a file that has rows", id="empty"),
    pytest.param("set.parquet", b"", DataError, "is empty; give a file that has rows", id="empty-parquet"),
    pytest.param("set.csv", b"a,label\n", DataError, "it has no rows; give a file that has some", id="header-only"),
    pytest.param("set.xlsx", b"PK", UsageError, "ends in '.xlsx', which no reader takes; ", id="unknown-ending"),
    pytest.param("set.cvs", b"a", UsageError, "did you mean '.csv'? Known: ", id="misspelt-ending"),
    pytest.param("set", b"a", UsageError, "has no ending that says its form; Known: .csv", id="no-ending"),
    pytest.param("set.parquet", b"PAR2", DataError, "cannot be read as parquet: ", id="no-parquet"),
    pytest.param("set.json", b"{", DataError, "cannot be read as json: ", id="no-json"),
    pytest.param("set.jsonl", b"nothing\n", DataError, "has no line that is a JSON object; ", id="no-json-lines"),
    pytest.param("set.zip", b"a", DataError, "is not a zip, though its name says so; ", id="no-zip"),
    pytest.param("set.csv", "a,label\nö,x\n".encode("latin-1"), DataError, "it is not UTF-8 (byte 0xf6", id="latin-1"),
    pytest.param("set.csv", b"a;label\n1;x\n", DataError, "it seems to be separated by ';'; ", id="semicolons"),
    pytest.param("set.csv", b"a\tlabel\n1\tx\n", DataError, "it seems to be separated by '\\t'; ", id="tabs"),
    pytest.param("set.csv", b"a b c\n1 2 x\n3  4 y\n", DataError, "it seems to be separated by spaces; ", id="spaces"),
    pytest.param("set.tsv", b"a,label\n1,x\n", DataError, "it seems to be separated by ','; ", id="commas-in-a-tsv"),
    pytest.param(
        "set.csv",
        b"a;b;label\n1,5;2;x\n1,5;2,5;y\n",
        DataError,
        "all of its 2 lines have more fields than the header (2 to 3 against 1); it seems to be separated by ';': ",
        id="semicolons-around-commas",
    ),
    pytest.param(
        "set.csv",
        b"2,3,setosa\n1,2,3,0\n4,5,6,0\n",
        DataError,
        "(4 against 3); the first line, '2', '3', 'setosa', seems to be no header: put the names of all columns there",
        id="no-header",
    ),
    pytest.param(
        "set.csv",
        b"a,label\nfirst,1,x\n",
        DataError,
        "its one line has more fields than the header (3 against 2); the first column seems to have no name",
        id="row-names",
    ),
    pytest.param("set.csv", b"a,label\n1,x,2,3\n", DataError, "quote the fields that hold a separator", id="unquoted"),
]


@pytest.mark.parametrize(("name", "content", "error", "message"), WRONG)
def test_a_file_that_cannot_be_read_says_why(
    name: str, content: bytes, error: type[Exception], message: str, tmp_path: Path
) -> None:
    """A file that is no table is refused by one line with its path and what is wrong."""
    path = write(tmp_path / name, content)
    with pytest.raises(error) as caught:
        load(path)
    said = str(caught.value)
    assert said.startswith(f"{path} ")
    assert message in said
    assert "\n" not in said


def test_a_parquet_without_rows_is_refused(tmp_path: Path) -> None:
    """A schema alone is no dataset."""
    path = parquet(tmp_path / "set.parquet", pa.table({"a": pa.array([], pa.int64())}))
    with pytest.raises(DataError, match="no rows"):
        load(path)


def test_a_folder_without_data_is_refused(tmp_path: Path) -> None:
    """A folder of nothing that is data is one clear line."""
    write(tmp_path / "notes.log", "nothing here")
    with pytest.raises(DataError) as caught:
        load(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path} cannot be read: ")
    assert "\n" not in str(caught.value)


def test_a_missing_path_says_what_could_be_given(tmp_path: Path) -> None:
    """A path that does not exist is refused, when it is read and when it is only pinned."""
    path = tmp_path / "nothing.csv"
    for ask in (lambda: load(path), lambda: sources.revision(str(path), base=Path())):
        with pytest.raises(UsageError) as caught:
            ask()
        assert str(caught.value).startswith(f"{path} does not exist; give a file, a folder, builtin:NAME")


def test_the_origin_names_the_source_as_the_user_does(tmp_path: Path) -> None:
    """A relative path stays relative on the card, wherever the catalog lies."""
    write(tmp_path / "set.csv", CSV)
    rows = sources.load("set.csv", base=tmp_path)
    assert rows.origin.source == "set.csv"
    assert rows.origin.revision == sources.revision("set.csv", base=tmp_path)


def test_the_hash_follows_content_and_names(tmp_path: Path) -> None:
    """A folder's hash changes with a byte or a name, and not with its place, a time or a hidden file."""
    first = write(tmp_path / "one/train.csv", CSV).parent
    same = write(tmp_path / "two/train.csv", CSV).parent
    write(same / ".cache/notes", "hidden")
    renamed = write(tmp_path / "three/test.csv", CSV).parent
    changed = write(tmp_path / "four/train.csv", CSV.replace("1.5", "1.6")).parent
    assert content_hash(first) == content_hash(same)
    assert len({content_hash(folder) for folder in (first, renamed, changed)}) == 3
    assert content_hash(first / "train.csv") == content_hash(same / "train.csv")
    assert content_hash(first).startswith("sha256:")


def test_a_folder_s_files_do_not_run_into_each_other(tmp_path: Path) -> None:
    """Moving bytes from one file to the next changes the hash."""
    write(tmp_path / "one/a", "ab")
    write(tmp_path / "one/b", "c")
    write(tmp_path / "two/a", "a")
    write(tmp_path / "two/b", "bc")
    assert content_hash(tmp_path / "one") != content_hash(tmp_path / "two")


def test_the_bars_of_datasets_stay_as_they_were(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Reading draws no bar, and the user's own setting is the same afterwards."""
    before = datasets.are_progress_bars_disabled()
    load(write(tmp_path / "set.csv", CSV))
    assert datasets.are_progress_bars_disabled() == before
    assert capfd.readouterr() == ("", "")


CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).map(lambda text: f"v{text}v")


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=st.lists(st.tuples(CELLS, CELLS, st.booleans()), min_size=1, max_size=6))
def test_every_record_is_read_or_counted(records: list[tuple[str, str, bool]], tmp_path: Path) -> None:
    """Whatever the cells hold, a record of the right width is a row as it was, and a longer one is counted."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(["a", "label"])
    for first, second, is_long in records:
        writer.writerow([first, second, *(["more"] if is_long else [])])
    path = write(tmp_path / f"{abs(hash(stream.getvalue()))}.csv", stream.getvalue())
    good = [[first, second] for first, second, is_long in records if not is_long]
    if not good:
        with pytest.raises(DataError):
            load(path)
        return
    rows = load(path)
    assert [[a, b] for a, b in zip(*values(rows).values(), strict=True)] == good
    assert sum(lost.count for lost in rows.dropped) == len(records) - len(good)


@pytest.mark.parametrize("source", ["owner/nothing.csv", "owner/NOTHING.PARQUET", "here/nothing"])
def test_what_looks_like_a_path_is_never_asked_of_the_hub(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name with a data ending, or in a folder that exists, is a path that does not exist."""
    import ibc_report.common.hub
    import ibc_report.data.sources.hub

    def asked(*_: object, **__: object) -> None:
        raise AssertionError("the Hub was asked")

    monkeypatch.setattr(ibc_report.data.sources.hub, "load", asked)
    monkeypatch.setattr(ibc_report.common.hub, "pinned", asked)
    (tmp_path / "here").mkdir()
    for ask in (sources.load, sources.revision):
        with pytest.raises(UsageError, match="does not exist; give a file, a folder, builtin:NAME or OWNER/NAME"):
            ask(source, base=tmp_path)
        with pytest.raises(AssertionError, match="the Hub was asked"):
            ask("owner/nothing", base=tmp_path)


def test_rows_after_a_bad_line_have_the_sources_numbers(tmp_path: Path) -> None:
    """What is taken has the source's row numbers, and its values are those of its rows."""
    lines = [json.dumps({"a": n}) for n in range(30)]
    lines[4] = "bad"
    rows = load(write(tmp_path / "set.jsonl", "\n".join(lines))).taken(np.arange(1, 29, 4))
    assert rows.numbers is not None
    assert len(rows.numbers) == 7
    assert values(rows)["a"] == rows.numbers.tolist()
    assert 4 not in rows.numbers
    assert rows.read == 30


@pytest.mark.parametrize("zipped", [False, True])
def test_files_that_no_reader_takes_are_counted(zipped: bool, tmp_path: Path) -> None:
    """Pictures and tables of other forms beside those that are read are said, with what to convert them to."""
    folder = tmp_path / "set"
    for kind in ("cat", "dog"):
        for shade in range(3):
            write(folder / kind / f"{shade}.png", picture(shade))
    write(folder / "cat" / "a.HEIC", "x")
    write(folder / "dog" / "b.heic", "x")
    write(folder / "dog" / "notes.xlsx", "x")
    write(folder / "LICENSE", "free")
    path = Path(shutil.make_archive(str(folder), "zip", folder)) if zipped else folder
    rows = load(path)
    assert rows.count == 6
    assert rows.notes == (
        "Files that no reader takes, left out: 2 .heic (convert to PNG or JPEG), 1 .xlsx (convert to CSV or parquet).",
    )


def test_a_readme_that_is_no_yaml_is_named_and_no_table_is_blamed(tmp_path: Path) -> None:
    """Front matter that cannot be read is the fault of the README, not of files that a reader takes."""
    write(tmp_path / "train.csv", CSV)
    write(tmp_path / "README.md", '---\nlicense: "mit\n---\n')
    with pytest.raises(DataError) as caught:
        load(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / 'README.md'}: its front matter is no YAML (")
    assert "no reader takes" not in str(caught.value)


def test_a_readme_without_front_matter_says_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A README that declares nothing is no reason for a line on standard error."""
    write(tmp_path / "train.csv", CSV)
    write(tmp_path / "README.md", "# A set\n")
    assert load(tmp_path).origin.license is None
    assert capfd.readouterr().err == ""


def test_what_another_configuration_takes_is_not_left_out(tmp_path: Path) -> None:
    """Of a folder of several configurations only what none of them takes is said."""
    for name in ("en", "fr"):
        write(tmp_path / name / "train.csv", CSV)
    write(tmp_path / "en" / "more.ods", "x")
    listed = "".join(f"- config_name: {name}\n  data_files: {name}/*.csv\n" for name in ("en", "fr"))
    write(tmp_path / "README.md", f"---\nconfigs:\n{listed}---\n")
    assert load(tmp_path, config="fr").notes == (
        "Files that no reader takes, left out: 1 .ods (convert to CSV or parquet).",
    )


def test_a_folder_of_unread_files_names_them(tmp_path: Path) -> None:
    """Where nothing can be read the error counts what is there."""
    write(tmp_path / "a.avif", "x")
    with pytest.raises(DataError, match=r"it has files that no reader takes: 1 \.avif \(convert to PNG or JPEG\)"):
        load(tmp_path)
    with pytest.raises(UsageError, match="convert it to CSV or parquet"):
        load(write(tmp_path / "set.xlsx", "x"))


def test_a_zip_with_the_separators_of_windows_is_read(tmp_path: Path) -> None:
    """Folders within names that are written with backslashes are folders."""
    path = tmp_path / "set.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for kind in ("cat", "dog"):
            for shade in range(3):
                archive.writestr(zipfile.ZipInfo(f"set\\{kind}\\{shade}.png"), picture(shade))
    rows = load(path)
    assert rows.column("label").class_names == ("cat", "dog")
    assert rows.count == 6


@pytest.mark.parametrize(
    ("front_matter", "said"),
    [("license: mit", "mit"), ("license: [mit, cc0-1.0]", "mit, cc0-1.0"), ("tags: [a]", None)],
)
def test_the_license_of_a_folder_is_that_of_its_readme(front_matter: str, said: str | None, tmp_path: Path) -> None:
    """A local copy of a dataset has the license that its card states."""
    write(tmp_path / "train.csv", CSV)
    write(tmp_path / "README.md", f"---\n{front_matter}\n---\n# A set\n")
    assert load(tmp_path).origin.license == said
