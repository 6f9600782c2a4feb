"""Verifying a bundle: what is whole passes, and each fault has a line."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ibc_report.common.errors import DataError, UsageError
from ibc_report.publish import bundle
from ibc_report.publish.manifest import MANIFEST, Manifest
from ibc_report.publish.verify import verify
from tests.support.submissions import hub_report, made, of_test, results

YAML = ".eval_results/iris.yaml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bundle."""
    bundle.write_bundle(bundle.files(made()), tmp_path / "bundle")
    return tmp_path / "bundle"


def forged(folder: Path, name: str, change: Callable[[bytes], bytes]) -> tuple[str, ...]:
    """Faults after a file was changed and the manifest with it."""
    (folder / name).write_bytes(change((folder / name).read_bytes()))
    said = json.loads((folder / MANIFEST).read_bytes())
    paths = [entry["path"] for entry in said["files"]]
    fields = {key: value for key, value in said.items() if key != "files"}
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
    exponent = f"<sup>{hub_report().headline.exponent}</sup>".encode()
    (fault,) = forged(folder, "card.html", lambda page: page.replace(exponent, b"<sup>3.1</sup>", 1))
    assert fault.startswith("card.html does not show the card of this report: '")
    assert "3.1" in fault


def test_another_report_is_found(folder: Path) -> None:
    """A report that was exchanged is not the one that the page was made of."""
    other = hub_report().model_copy(update={"title": "Another title"})
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
        (
            "results.json",
            lambda text: text.replace(b'"accuracy": 0.9', b'"accuracy": 0.8', 1),
            "of 150 right, not a share of 0.8",
        ),
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


def _replaced(text: bytes, old: bytes, new: bytes) -> bytes:
    return text.replace(old, new, 1)


def rewritten(folder: Path, **changes: object) -> None:
    """The manifest with other fields."""
    said = json.loads((folder / MANIFEST).read_bytes())
    (folder / MANIFEST).write_text(json.dumps({**said, **changes}), encoding="utf-8")


ACCURACY = results().models[0].text.encode()

ANY, SAME, EXACT = "0.0.1", "other packages", "the same"
"""Which versions may have written a bundle in which a forgery is still found: any, this one, or this with the same."""

FORGERIES = [
    ("card.html", b"Attached to owner/good: accuracy " + ACCURACY, b"Attached to owner/good: accuracy 99.9 %", SAME),
    ("card.html", b"</body>", b"<script>run()</script></body>", ANY),
    ("card.html", b"<main>", b'<main onclick="run()">', ANY),
    ("card.html", b"<svg ", b'<svg onload="run()" ', ANY),
    ("card.html", b"</main>", b'<a href=" java\nscript:run()"></a></main>', ANY),
    ("card.html", b"</main>", b'<img src="https://x.org/pixel"></main>', ANY),
    ("card.md", b"# ", b"# Not ", SAME),
    ("pull-request.md", b"**Accuracy " + ACCURACY, b"**Accuracy 99.9 %", ANY),
    ("pull-request.md", b"Rank 1", b"Rank 0", SAME),
    ("croissant.json", b'"name": "accuracy",', b'"name": "precision",', ANY),
    ("citation.bib", b"title", b"titel", SAME),
    ("report.schema.json", b"{", b"{ ", EXACT),
    (YAML, b"id: owner/iris", b"id: rival/iris", ANY),
    (YAML, b"task_id: default", b"task_id: other", ANY),
    (YAML, b"notes: accuracy", b"notes: better accuracy", EXACT),
    (YAML, b"/owner/good/blob", b"/rival/good/blob", EXACT),
]


@pytest.mark.parametrize(("name", "old", "new", "_written"), FORGERIES)
def test_every_file_is_made_again(folder: Path, name: str, old: bytes, new: bytes, _written: str) -> None:
    """A file with another word in it is found although the manifest has its SHA-256."""
    assert old in (folder / name).read_bytes()
    (fault,) = forged(folder, name, lambda text: text.replace(old, new, 1))
    assert fault.startswith(name)


@pytest.mark.parametrize(
    "changes",
    [{"model": "rival/good"}, {"dataset": "rival/iris"}, {"task": "other"}, {"share": True}, {"entry": "fair"},
     {"card": "https://x.org/card"}, {"hub": "https://x.org"}],
)  # fmt: skip
def test_another_manifest_is_found(folder: Path, changes: dict[str, object]) -> None:
    """A manifest that names another model, dataset or way to state the accuracy is not that of the files."""
    rewritten(folder, **changes)
    assert verify(folder) != ()


@pytest.mark.parametrize(
    ("changes", "found"), [({"version": "0.0.1"}, (ANY,)), ({"made_with": {"jinja2": "0"}}, (ANY, SAME))]
)
@pytest.mark.long
def test_other_versions_are_held_to_what_they_say(
    folder: Path, changes: dict[str, object], found: tuple[str, ...]
) -> None:
    """Of a bundle that others wrote, model, dataset and accuracy are compared, and the page runs and loads nothing."""
    rewritten(folder, **changes)
    assert verify(folder) == ()
    for name, old, new, written in FORGERIES:
        before = (folder / name).read_bytes()
        faults = forged(folder, name, functools.partial(_replaced, old=old, new=new))
        assert [fault.startswith(name) for fault in faults] == [True] * (written in found), (name, new)
        (folder / name).write_bytes(before)
    forged(folder, name, lambda text: text)
    rewritten(folder, model="rival/good")
    assert {"card.html", "pull-request.md"} <= {fault.split(" ")[0] for fault in verify(folder)}


def test_other_data_are_found(folder: Path) -> None:
    """Results on other data than the report's do not belong to it, whoever made the bundle of them."""
    other = of_test(results(), name="other/iris")
    made_of = dataclasses.replace(made(), results=other)
    bundle.write_bundle(bundle.files(made_of), folder)
    (fault,) = verify(folder)
    assert fault.startswith("the report is of the data 'owner/iris' and the results are of 'other/iris'")


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
            bundle.write_bundle(bundle.files(made(name=model.name, share=share)), tmp_path / "b")
            assert verify(tmp_path / "b") == ()
