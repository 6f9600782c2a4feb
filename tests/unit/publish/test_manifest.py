"""The manifest: which paths it takes, and what it finds changed."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_report.common.errors import DataError
from ibc_report.publish.manifest import MANIFEST, Manifest, differences, is_plain, load, safe
from tests.support.samples import few_properties, properties

SAID = {"name": "iris", "model": "owner/good", "entry": "good", "version": "1"}

names = st.from_regex(r"[a-z]{1,3}(/[a-z]{1,3}){0,2}\.[a-z]{1,2}", fullmatch=True)


def folders(files: dict[str, bytes]) -> bool:
    """Whether no file would have to be a folder as well."""
    return not any(str(parent) in files for path in files for parent in PurePosixPath(path).parents)


bundles = st.dictionaries(names, st.binary(max_size=20), min_size=1, max_size=5).filter(folders)


def lay(folder: Path, files: dict[str, bytes], manifest: Manifest) -> None:
    """Write files and their manifest."""
    for name, content in {**files, MANIFEST: manifest.to_json().encode()}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@properties
@given(st.text(alphabet="ab./\\:\0 C", max_size=8))
def test_a_safe_path_stays_inside(path: str) -> None:
    """A path that is safe leads below the folder on every system."""
    if safe(path):
        for kind in (PurePosixPath, PureWindowsPath):
            joined = kind("base") / path
            assert joined.parts[0] == "base"
            assert ".." not in joined.parts
            assert not joined.is_absolute()
            assert len(joined.parts) == 1 + len(path.split("/"))


@few_properties
@given(bundles)
def test_what_was_listed_is_found_whole(files: dict[str, bytes]) -> None:
    """A manifest is read back as it was, and files that nobody touched have no fault."""
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        manifest = Manifest.of(files, **SAID)
        lay(Path(place), files, manifest)
        assert load(Path(place)) == manifest
        assert differences(Path(place), manifest) == ()


@few_properties
@given(bundles, st.data())
def test_every_change_is_found(files: dict[str, bytes], data: st.DataObject) -> None:
    """A file that is taken away, changed in a byte, cut, or added is the one fault that is told."""
    import tempfile

    name = data.draw(st.sampled_from(sorted(files)))
    change = data.draw(st.sampled_from(["missing", "changed", "longer", "added"]))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        lay(folder, files, Manifest.of(files, **SAID))
        path = folder / name
        if change == "missing":
            path.unlink()
        elif change == "changed" and files[name]:
            at = data.draw(st.integers(0, len(files[name]) - 1))
            path.write_bytes(bytes(byte ^ (i == at) for i, byte in enumerate(files[name])))
        elif change == "added":
            name = "zzzz.added"
            (folder / name).write_bytes(b"")
        else:
            path.write_bytes(files[name] + b"!")
        (fault,) = differences(folder, load(folder))
        assert fault.startswith(f"{name} is ")


@pytest.mark.parametrize(
    "path", ["../x", "/etc/passwd", "a/../../x", "C:\\x", "c:x", "a\\b", "a//b", "", ".", "a/\0", "manifest.json"]
)
def test_a_hostile_path_is_refused(path: str, tmp_path: Path) -> None:
    """A path that could lead out of the bundle is told, and never opened."""
    said = json.loads(Manifest.of({"a": b""}, **SAID).to_json())
    said["files"][0]["path"] = path
    (tmp_path / MANIFEST).write_text(json.dumps(said), encoding="utf-8")
    with pytest.raises(DataError, match="does not stay inside of the bundle"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"files": "all"}, "is no manifest: 'files'"),
        ({"more": 1}, "unknown key 'more'"),
        ({"kind": "report"}, "'kind'"),
        ({"schema_version": 2}, "'schema_version'"),
        ({"files": [{"path": "a", "size": 0, "sha256": "x"}]}, "'sha256'"),
        ({"files": [{"path": "a", "size": 0, "sha256": "0" * 64}] * 2}, "'a' is listed twice"),
    ],
)
def test_what_is_no_manifest_is_told(change: dict[str, object], message: str, tmp_path: Path) -> None:
    """Another form is refused in one line that says what is wrong."""
    said = {**json.loads(Manifest.of({}, **SAID).to_json()), **change}
    (tmp_path / MANIFEST).write_text(json.dumps(said), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        load(tmp_path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [None, b"{", b"\xff", b"[" * 100_000, b"[]", b"7"])
def test_a_broken_manifest_is_told(content: bytes | None, tmp_path: Path) -> None:
    """A manifest that is not there, no JSON, or nested without end is one error."""
    if content is not None:
        (tmp_path / MANIFEST).write_bytes(content)
    with pytest.raises(DataError):
        load(tmp_path)


def test_links_are_told_and_not_followed(tmp_path: Path) -> None:
    """A link in place of a file, of a folder or of the manifest is a fault, wherever it leads."""
    files = {"a.txt": b"1", "sub/b.txt": b"2"}
    bundle, outside = tmp_path / "bundle", tmp_path / "outside"
    bundle.mkdir()
    lay(bundle, files, Manifest.of(files, **SAID))
    outside.mkdir()
    (outside / "b.txt").write_bytes(b"2")
    (bundle / "a.txt").unlink()
    (bundle / "a.txt").symlink_to(outside / "b.txt")
    (bundle / "sub" / "b.txt").unlink()
    (bundle / "sub").rmdir()
    (bundle / "sub").symlink_to(outside)
    assert differences(bundle, load(bundle)) == (
        "a.txt is a link; a bundle holds its files itself",
        "sub is a link; a bundle holds its files itself",
        "sub/b.txt is missing",
    )
    assert not is_plain(bundle, "a.txt")
    assert not is_plain(bundle, "sub/b.txt")
    (bundle / MANIFEST).rename(outside / MANIFEST)
    (bundle / MANIFEST).symlink_to(outside / MANIFEST)
    with pytest.raises(DataError, match="is a link"):
        load(bundle)
