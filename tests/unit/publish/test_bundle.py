"""The bundle: its files, and that it is written whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from ibc_report.common.errors import IbcReportError, UsageError
from ibc_report.publish import bundle
from ibc_report.publish.eval_results import entries
from ibc_report.publish.manifest import MANIFEST, load
from ibc_report.publish.verify import verify
from tests.support.submissions import MODEL, local, made

FILES = {
    ".eval_results/iris.yaml",
    "card.html",
    "card.md",
    "citation.bib",
    "croissant.json",
    "manifest.json",
    "pull-request.md",
    "report.json",
    "report.schema.json",
    "results.json",
    "results.schema.json",
}


def tree(folder: Path) -> dict[str, bytes]:
    """The files below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_bundle_has_its_files() -> None:
    """The same submission gives the same bytes, and the manifest lists every file but itself."""
    files = bundle.files(made())
    assert set(files) == FILES
    assert files == bundle.files(made())
    assert {entry["path"] for entry in json.loads(files[MANIFEST])["files"]} == FILES - {MANIFEST}


@pytest.mark.parametrize("name", ["report", "results"])
def test_the_documents_hold_to_their_schemas(name: str) -> None:
    """Report and results are what the schemas beside them say."""
    files = bundle.files(made())
    schema = json.loads(files[f"{name}.schema.json"])
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(files[f"{name}.json"]), schema)


def test_the_result_links_to_the_card() -> None:
    """The source of the submitted result is the card in the model's repository, or where it is published already."""
    (entry,) = entries(bundle.files(made())[".eval_results/iris.yaml"])
    assert entry.source_url.endswith(f"/{MODEL}/blob/main/.ibc-report/iris/card.md")
    (entry,) = entries(bundle.files(made(), card="https://x.org/card")[".eval_results/iris.yaml"])
    assert entry.source_url == "https://x.org/card"


def test_without_a_dataset_on_the_hub_nothing_is_submitted() -> None:
    """A report of a local file makes a bundle without the Hub's list of results."""
    assert set(bundle.files(made(**local("rows.csv")))) == FILES - {".eval_results/iris.yaml"}


def test_a_bundle_is_written_and_replaced(tmp_path: Path) -> None:
    """A bundle goes into a new, an empty or its own folder; nothing of a former one is left, in it or beside it."""
    files = bundle.files(made())
    folder = tmp_path / "deep" / "bundle"
    bundle.write_bundle(files, folder)
    assert tree(folder) == files
    (folder / "card.md").write_bytes(b"1")
    (folder / "citation.bib").unlink()
    bundle.write_bundle(files, folder)
    assert tree(folder) == files
    (tmp_path / "empty").mkdir()
    bundle.write_bundle(files, tmp_path / "empty")
    assert verify(tmp_path / "empty") == ()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deep", "empty"]
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["bundle"]


def test_what_is_no_bundle_is_left_alone(tmp_path: Path) -> None:
    """A folder with something else in it, and a file, are refused and stay as they were."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.txt").write_bytes(b"years")
    (tmp_path / "work" / MANIFEST).write_bytes(b"{}")
    (tmp_path / "file").write_bytes(b"1")
    before = tree(tmp_path)
    for name, message in (("work", "holds something that is no bundle"), ("file", "is a file")):
        with pytest.raises(UsageError, match=message):
            bundle.write_bundle({"a": b""}, tmp_path / name)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("name", ["user.txt", "deep/user\n.txt"])
def test_files_beside_a_former_bundle_are_left_alone(name: str, tmp_path: Path) -> None:
    """A bundle is not replaced where somebody has put files beside it; one line names the first."""
    files = bundle.files(made())
    bundle.write_bundle(files, tmp_path / "b")
    (tmp_path / "b" / name).parent.mkdir(exist_ok=True)
    (tmp_path / "b" / name).write_bytes(b"mine")
    (tmp_path / "b" / "zz").symlink_to(tmp_path)
    with pytest.raises(UsageError, match=r"user ?\.txt and 1 more\); move them, or give another folder") as caught:
        bundle.write_bundle(files, tmp_path / "b")
    assert "\n" not in str(caught.value)
    assert (tmp_path / "b" / name).read_bytes() == b"mine"


def test_a_failure_leaves_the_former_bundle(tmp_path: Path) -> None:
    """Where a file cannot be written, the former bundle is there as it was, and nothing else."""
    files = bundle.files(made())
    bundle.write_bundle(files, tmp_path / "b")
    with pytest.raises(IbcReportError, match="cannot be written"):
        bundle.write_bundle({**files, "card.md/x": b"a file where a folder would have to be"}, tmp_path / "b")
    assert tree(tmp_path / "b") == files
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_the_manifest_says_what_it_is_of(tmp_path: Path) -> None:
    """The manifest names the task, the model, and how the results call it."""
    bundle.write_bundle(bundle.files(made()), tmp_path / "b")
    said = load(tmp_path / "b")
    assert (said.name, said.model, said.entry) == ("iris", MODEL, "good")
