"""Verifying a bundle: what is whole passes, and each fault has a line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ibc_report.errors import DataError, UsageError
from ibc_report.publish import bundle
from ibc_report.publish.manifest import MANIFEST, Manifest
from ibc_report.publish.verifying import verify
from tests.submissions import made, report, results

YAML = ".eval_results/iris.yaml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bundle."""
    bundle.write(bundle.files(made()), tmp_path / "bundle")
    return tmp_path / "bundle"


def forged(folder: Path, name: str, change: Callable[[bytes], bytes]) -> tuple[str, ...]:
    """Faults after a file was changed and the manifest with it."""
    (folder / name).write_bytes(change((folder / name).read_bytes()))
    said = json.loads((folder / MANIFEST).read_bytes())
    paths = [entry["path"] for entry in said["files"]]
    fields = {key: said[key] for key in ("name", "model", "entry", "version")}
    again = Manifest.of({path: (folder / path).read_bytes() for path in paths}, **fields)
    (folder / MANIFEST).write_text(again.to_json(), encoding="utf-8")
    return verify(folder)


def test_a_bundle_passes(folder: Path) -> None:
    """What was just written has no fault."""
    assert verify(folder) == ()


def test_each_fault_has_a_line(folder: Path) -> None:
    """Missing, changed and added files are told one by one, the files of the manifest first."""
    (folder / "citation.bib").unlink()
    (folder / "croissant.json").write_bytes(b"{}")
    (folder / "added.txt").write_bytes(b"")
    faults = verify(folder)
    assert [fault.split(" ")[0] for fault in faults] == ["added.txt", "citation.bib", "croissant.json"]
    assert "is not in manifest.json" in faults[0]


def test_another_card_is_found_although_the_manifest_has_it(folder: Path) -> None:
    """A page with another number is no card of the report, whatever its SHA-256 says."""
    exponent = f"<sup>{report().headline.exponent}</sup>".encode()
    (fault,) = forged(folder, "card.html", lambda page: page.replace(exponent, b"<sup>3.1</sup>", 1))
    assert fault.startswith("card.html does not show the card of this report: '")
    assert "3.1" in fault


def test_another_report_is_found(folder: Path) -> None:
    """A report that was exchanged is not the one that the page was made of."""
    other = report().model_copy(update={"title": "Another title"})
    faults = forged(folder, "report.json", lambda _: other.to_json().encode())
    assert faults[0] == "card.html was not made of this report.json"
    assert "does not show the card of this report" in faults[1]


def test_a_card_of_another_version_is_held_to_its_digest(folder: Path) -> None:
    """Where another version of this package made the card, its words may differ, and its digest may not."""
    said = json.loads((folder / MANIFEST).read_bytes())
    (folder / MANIFEST).write_text(json.dumps({**said, "version": "0.0.1"}), encoding="utf-8")
    assert forged(folder, "card.html", lambda page: page.replace(b"<main>", b"<main>Other words. ")) == ()
    (fault,) = forged(folder, "card.html", lambda page: page.replace(b'data-report="', b'data-report="0'))
    assert fault == "card.html was not made of this report.json"


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("report.json", lambda _: b"{}", "report.json: is not a report"),
        ("report.json", lambda _: b"[" * 100_000, "report.json: "),
        ("report.json", lambda text: text.replace(b'"name": "iris"', b'"name": "wine"', 1), "report.json is of 'wine'"),
        ("results.json", lambda _: b"\xff", "results.json: cannot be read as results"),
        ("results.json", lambda text: text.replace(b'"good"', b'"best"'), "results.json has no model 'good'"),
        ("card.html", lambda _: b"\xff", "card.html: "),
        (YAML, lambda _: b"- 1", f"{YAML}: it cannot be read"),
        (YAML, lambda text: text.replace(b"value: 9", b"value: 8"), "is not the accuracy"),
        (
            YAML,
            lambda text: text.replace(b"revision: 5", b"revision: 6"),
            "is not the one that the report was measured",
        ),
    ],
)
def test_what_does_not_belong_together_is_found(
    folder: Path, name: str, change: Callable[[bytes], bytes], message: str
) -> None:
    """Documents that are none, or of something else, are told although the manifest has their SHA-256."""
    assert any(message in fault for fault in forged(folder, name, change))


def test_a_bundle_without_its_documents_is_none(folder: Path) -> None:
    """A manifest that lists no report, results and card is told."""
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        path.unlink()
    (folder / MANIFEST).write_text(Manifest.of({}, name="a", model="b", entry="c", version="d").to_json())
    assert verify(folder) == tuple(f"the manifest lists no {name}.{end}" for name, end in
                                   (("report", "json"), ("results", "json"), ("card", "html")))  # fmt: skip


def test_links_are_not_followed(folder: Path, tmp_path: Path) -> None:
    """Files behind links are told and not read."""
    (folder / ".eval_results").rename(tmp_path / "outside")
    (folder / ".eval_results").symlink_to(tmp_path / "outside")
    (tmp_path / "outside" / "iris.yaml").write_bytes(b"- 1")
    assert verify(folder) == (
        ".eval_results is a link; a bundle holds its files itself",
        f"{YAML} is missing",
    )


def test_what_is_no_bundle_is_told(tmp_path: Path) -> None:
    """A folder without a manifest, and what is no folder, are refused."""
    with pytest.raises(UsageError, match="is no folder"):
        verify(tmp_path / "none")
    with pytest.raises(DataError, match=r"has no manifest\.json"):
        verify(tmp_path)


def test_every_model_of_the_results_can_be_submitted(tmp_path: Path) -> None:
    """A bundle of each model, as a share too, passes."""
    for model in results().models:
        for share in (False, True):
            bundle.write(bundle.files(made(name=model.name, share=share)), tmp_path / "b")
            assert verify(tmp_path / "b") == ()
