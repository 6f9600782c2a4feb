"""Pull and push against a Hub on loopback, with the real clients, each run in a process and a cache of its own."""

from __future__ import annotations

import io
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from ibc_report.publish.section import BEGIN, END, section_of, sections
from tests.support import forked
from tests.support.hub import HubServer
from tests.support.once import Once

TOKEN = "hf_TESTtokenTESTtokenTESTtoken"

NAME = "owner/rows"

LONG = pytest.mark.long

MAIN = "import runpy; runpy.run_module('ibc_report', run_name='__main__', alter_sys=True)"

README = (
    b"---\nlicense: mit\nlanguage: no   # Norwegian\ntags: [tabular]\nconfigs:\n- config_name: default\n"
    b"  data_files:\n  - split: train\n    path: data/train.parquet\n---\r\n# Rows\r\n\r\nText without an end"
)


def rows(count: int, seed: int = 0) -> bytes:
    """A parquet file of points in three classes."""
    generator = np.random.default_rng(seed)
    labels = np.arange(count) % 3
    points = generator.normal(size=(count, 4)) + 3 * labels[:, None]
    table = pa.table({**{f"x{i}": points[:, i] for i in range(4)}, "label": labels})
    stream = io.BytesIO()
    pq.write_table(table, stream)
    return stream.getvalue()


@dataclass
class Desk:
    """A person's working folder, and the Hub."""

    hub: HubServer
    folder: Path
    runs: int = 0

    def __call__(
        self, *words: str, token: str | None = TOKEN, fresh: bool = True, **extra: str
    ) -> subprocess.CompletedProcess[str]:
        """Run ibc-report in a process of its own, by default with an empty cache."""
        self.runs += fresh
        environment = {**self.hub.environment(self.folder / f"home-{self.runs}", token), **extra}
        done = forked.run(MAIN, *words, cwd=self.folder, env=environment)
        assert TOKEN not in done.stdout + done.stderr
        return done

    def report(self, name: str = "rows") -> dict[str, object]:
        """The saved report."""
        content: dict[str, object] = json.loads((self.folder / "reports" / f"{name}.json").read_text())
        return content


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A working folder beside a Hub that has one dataset."""
    with HubServer(tmp_path / "hub") as hub:
        hub.add_user("owner", TOKEN)
        hub.create_dataset(NAME, {"README.md": README, "data/train.parquet": rows(120)})
        (tmp_path / "desk").mkdir()
        yield Desk(hub, tmp_path / "desk")


@pytest.fixture
def carded(desk: Desk, once: Once) -> Desk:
    """The same, with the dataset measured: every Hub here has the same commit, and only its address differs."""

    def measure(folder: Path) -> None:
        done = desk("card", NAME, "--quiet")
        assert done.returncode == 0, done.stderr
        for path in (desk.folder / "reports").iterdir():
            text = path.read_text(encoding="utf-8").replace(desk.hub.url, "http://hub.invalid")
            (folder / path.name).write_text(text, encoding="utf-8")

    (desk.folder / "reports").mkdir(exist_ok=True)
    for path in once.made("carded", measure).iterdir():
        text = path.read_text(encoding="utf-8").replace("http://hub.invalid", desk.hub.url)
        (desk.folder / "reports" / path.name).write_text(text, encoding="utf-8")
    return desk


def commits(hub: HubServer) -> list[str]:
    """Requests that committed something."""
    return [request.path for request in hub.requests if request.method == "POST" and "/commit/" in request.path]


def outside(readme: bytes) -> bytes:
    """What stands before the section."""
    return readme[: readme.index(BEGIN.encode())]


@pytest.mark.long
def test_a_card_is_pinned_to_a_commit(desk: Desk) -> None:
    """A dataset is named OWNER/NAME, and the report holds the commit, the license and where to find it."""
    done = desk("card", NAME)
    assert done.returncode == 0, done.stderr
    data = desk.report()["data"]
    assert isinstance(data, dict)
    assert (data["revision"], data["license"], data["source"]) == (desk.hub.head(NAME), "mit", NAME)
    assert data["homepage"].endswith(f"/datasets/{NAME}")


@pytest.mark.long
def test_a_revision_is_read_as_it_was(desk: Desk) -> None:
    """A former commit is measured although main has moved on."""
    first = desk.hub.head(NAME)
    desk.hub.commit(NAME, {"data/train.parquet": rows(90, seed=1)})
    assert desk("card", NAME, "--revision", first, "--quiet").returncode == 0
    data = desk.report()["data"]
    assert isinstance(data, dict)
    assert (data["revision"], data["rows_used"]) == (first, 120)


@pytest.mark.long
def test_a_stream_gives_the_same_sample_each_time(desk: Desk) -> None:
    """A streamed sample goes by row numbers: the same rows again, and as many as a stored one has."""
    for name in ("first", "second"):
        done = desk("card", NAME, "--max-rows", "50", "--name", name, "--quiet", "--streaming")
        assert done.returncode == 0, done.stderr
    first, second = desk.report("first"), desk.report("second")
    assert first["inputs"] == second["inputs"]
    assert first["pair"] == second["pair"]
    data = first["data"]
    assert isinstance(data, dict)
    assert (data["rows_read"], data["rows_used"]) == (120, 50)


@pytest.mark.parametrize(
    ("prepare", "words", "status", "message"),
    [
        pytest.param("", ("owner/row",), 2, "does not exist on the Hub, or is private", id="missing"),
        pytest.param(
            "private", (NAME,), 2, "does not exist on the Hub, or is private", id="private", marks=pytest.mark.long
        ),
        pytest.param("gated", (NAME,), 1, "is gated; ask for access at", id="gated"),
        pytest.param("", (NAME, "--revision", "v9"), 2, "has no revision 'v9'", id="revision", marks=LONG),
        pytest.param(
            "", (NAME, "--config", "defautl"), 2, "did you mean 'default'?", id="config", marks=pytest.mark.long
        ),
        pytest.param("", (NAME, "--split", "tran"), 2, "did you mean 'train'?", id="split", marks=LONG),
        pytest.param("", (NAME, "--target", "lable"), 2, "did you mean 'label'?", id="target"),
        pytest.param("script", (NAME,), 1, "loaded by a script, which is not run", id="script", marks=LONG),
        pytest.param("limit", (NAME,), 1, "limits how often you may ask", id="429", marks=LONG),
        pytest.param("down", (NAME,), 1, "the Hub fails (503", id="503"),
    ],
)
@pytest.mark.long
def test_what_cannot_be_pulled_is_one_line(
    desk: Desk, prepare: str, words: tuple[str, ...], status: int, message: str
) -> None:
    """A dataset that cannot be had ends in one line that names the remedy, and no traceback."""
    if prepare in ("private", "gated"):
        desk.hub.set_access(NAME, private=prepare == "private", gated="manual" if prepare == "gated" else None)
        desk.hub.add_user("reader", "hf_reader")
    if prepare == "script":
        desk.hub.create_dataset("owner/scripted", {"scripted.py": b"import datasets\n"})
        words = ("owner/scripted",)
    if prepare == "limit":
        desk.hub.fault("status", "GET /api/datasets/*", status=429, retry_after=1, times=50)
    if prepare == "down":
        desk.hub.fault("status", "GET /api/datasets/*", status=503, times=50)
    done = desk("card", *words, token="hf_reader" if prepare in ("private", "gated") else TOKEN)
    assert done.returncode == status, done.stderr
    lines = done.stderr.strip().splitlines()
    assert message in lines[-1]
    assert len(lines) == 1


def test_a_wrong_token_is_named(desk: Desk) -> None:
    """A token that the Hub does not accept is said to be that, and is not printed."""
    desk.hub.fault(
        "status",
        "GET /api/datasets/*",
        status=401,
        message="Invalid credentials in Authorization header",
        times=9,
    )
    done = desk("card", NAME)
    assert done.returncode == 1
    assert "does not accept your token" in done.stderr


@pytest.mark.long
def test_a_limit_that_passes_is_waited_for(desk: Desk) -> None:
    """One 429 and one 500 cost time, not the card."""
    desk.hub.fault("status", "GET /api/datasets/*", status=429, retry_after=1, times=1)
    desk.hub.fault("status", "GET /api/datasets/*", status=500, times=1)
    assert desk("card", NAME, "--quiet").returncode == 0


def test_without_a_network_one_line_says_so(desk: Desk) -> None:
    """Offline, and with an endpoint that nobody serves, one line names the setting."""
    offline = desk("card", NAME, HF_HUB_OFFLINE="1")
    assert (offline.returncode, "HF_HUB_OFFLINE is set" in offline.stderr) == (1, True)
    nobody = desk("card", NAME, HF_ENDPOINT="http://127.0.0.1:9")
    assert (nobody.returncode, "cannot be reached" in nobody.stderr) == (1, True), nobody.stderr


def test_inspect_says_what_there_is_to_choose(desk: Desk) -> None:
    """Configurations, splits, columns, candidate targets, rows, license and gating are listed."""
    done = desk("inspect", NAME)
    assert done.returncode == 0, done.stderr
    for word in ("default", "train", "label", "x0", "120", "mit", "not gated"):
        assert word in done.stdout


@pytest.mark.long
def test_a_dry_run_changes_nothing(carded: Desk) -> None:
    """A dry run prints the diff of the card and the files that would be added, and commits nothing."""
    done = carded("push", NAME, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert f"+{BEGIN}" in done.stdout
    assert ".ibc-report/ruler-light.png" in done.stdout
    assert not commits(carded.hub)
    assert carded.hub.read(NAME, "README.md") == README


def test_a_push_opens_one_pull_request_and_keeps_to_it(carded: Desk) -> None:
    """The first push opens a pull request, the same push again changes nothing, another report updates it."""
    first = carded("push", NAME)
    assert first.returncode == 0, first.stderr
    readme = carded.hub.read(NAME, "README.md", revision="refs/pr/1")
    assert outside(readme).startswith(README)
    assert carded.hub.read(NAME, "README.md") == README
    committed = len(commits(carded.hub))
    again = carded("push", NAME)
    assert (again.returncode, len(commits(carded.hub))) == (0, committed)
    assert "nothing to change" in again.stdout
    assert carded("card", NAME, "--target-error", "0.05", "--quiet").returncode == 0
    update = carded("push", NAME)
    assert update.returncode == 0, update.stderr
    assert len(carded.hub.pull_requests(NAME)) == 1
    changed = carded.hub.read(NAME, "README.md", revision="refs/pr/1")
    assert outside(changed) == outside(readme)
    assert section_of(changed) != section_of(readme)


def test_a_direct_push_and_its_removal(carded: Desk) -> None:
    """A direct push commits on main, and its removal gives the first bytes and the first files back."""
    before = carded.hub.files(NAME)
    assert carded("push", NAME, "--direct").returncode == 0
    pushed = carded.hub.read(NAME, "README.md")
    assert pushed.startswith(README)
    assert b"\r\n" in pushed[len(README) :] or b"\n" in pushed[len(README) :]
    assert carded("push", NAME, "--remove", "--direct").returncode == 0
    assert carded.hub.read(NAME, "README.md") == README
    assert carded.hub.files(NAME) == before


@pytest.mark.long
def test_the_section_links_to_files_that_are_there(carded: Desk) -> None:
    """Every address of the section names a commit that holds the file, and no page of a paper."""
    assert carded("push", NAME, "--direct").returncode == 0
    text = section_of(carded.hub.read(NAME, "README.md")) or ""
    assert "arxiv" not in text.lower()
    address = rf"{re.escape(carded.hub.url)}/datasets/{NAME}/(?:resolve|blob)/([0-9a-f]{{40}})/([^\s)\"]+)"
    found = re.findall(address, text)
    assert {path for _, path in found} == {
        ".ibc-report/ruler-light.png",
        ".ibc-report/ruler-dark.png",
    }
    for sha, path in found:
        assert carded.hub.read(NAME, path, revision=sha)


@pytest.mark.long
def test_a_commit_that_came_first_is_kept(carded: Desk) -> None:
    """Where somebody edits the card in between, the push reads again and both edits stay."""
    theirs = README.replace(b"# Rows", b"# Rows of theirs")
    carded.hub.fault(
        "before", "POST */commit/*", action=lambda: carded.hub.commit(NAME, {"README.md": theirs}), times=1, skip=1
    )
    done = carded("push", NAME, "--direct")
    assert done.returncode == 0, done.stderr
    assert carded.hub.read(NAME, "README.md").startswith(theirs)


@pytest.mark.parametrize("direct", [pytest.param(True, id="direct"), pytest.param(False, id="pull request")])
@pytest.mark.parametrize("skip", [0, 1])
@pytest.mark.long
def test_a_failure_that_landed_is_not_repeated(carded: Desk, direct: bool, skip: int) -> None:
    """A commit that is there although the Hub answered 500 is read back and not made again."""
    carded.hub.fault("status", "POST */commit/*", status=500, landed=True, times=1, skip=skip)
    done = carded("push", NAME, *(["--direct"] if direct else []))
    assert done.returncode == 0, done.stderr
    assert len(commits(carded.hub)) == 2
    assert len(carded.hub.pull_requests(NAME)) == (0 if direct else 1)
    revision = "main" if direct else "refs/pr/1"
    assert carded.hub.read(NAME, "README.md", revision=revision).count(BEGIN.encode()) == 1


@pytest.mark.long
def test_a_failure_without_effect_is_tried_again(carded: Desk) -> None:
    """A 500 that did not land is tried again."""
    carded.hub.fault("status", "POST */commit/*", status=500, landed=False, times=1)
    assert carded("push", NAME, "--direct").returncode == 0
    assert carded.hub.read(NAME, "README.md").count(END.encode()) == 1


def test_no_right_to_write_is_one_line(carded: Desk) -> None:
    """A token that may not write is told so."""
    carded.hub.add_user("reader", "hf_reader", role="read")
    done = carded("push", NAME, "--direct", token="hf_reader")
    assert done.returncode == 1
    assert "write access" in done.stderr


@pytest.mark.long
def test_an_ignored_folder_is_refused(carded: Desk) -> None:
    """A repository whose .gitignore would drop the files is refused before a commit."""
    carded.hub.commit(NAME, {".gitignore": b".*\n!.gitignore\n"})
    done = carded("push", NAME)
    assert (done.returncode, "ignores .ibc-report/" in done.stderr) == (1, True)
    assert not commits(carded.hub)


@pytest.mark.long
def test_a_dataset_that_changed_needs_a_word(carded: Desk) -> None:
    """Data that changed since they were measured are named in the diff, and stop the push unless told otherwise."""
    carded.hub.commit(NAME, {"data/train.parquet": rows(90, seed=1)})
    assert "stale: data/train.parquet" in carded("push", NAME, "--dry-run").stdout
    refused = carded("push", NAME)
    assert (refused.returncode, "--stale-ok" in refused.stderr) == (2, True)
    pushed = carded("push", NAME, "--stale-ok")
    assert pushed.returncode == 0, pushed.stderr
    assert len(carded.hub.pull_requests(NAME)) == 1


@pytest.mark.long
def test_a_changed_card_is_not_stale(carded: Desk) -> None:
    """An edit of the card alone leaves the report good."""
    carded.hub.commit(NAME, {"README.md": README + b" now"})
    assert carded("push", NAME, "--direct").returncode == 0


@pytest.mark.long
def test_a_tag_and_a_citation_are_opt_in(carded: Desk) -> None:
    """--tag adds one tag to the front matter, --cite the paper's page."""
    done = carded("push", NAME, "--direct", "--cite", "--tag", "difficulty-card")
    assert done.returncode == 0, done.stderr
    readme = carded.hub.read(NAME, "README.md")
    assert b"tags: [tabular, difficulty-card]\n" in readme
    assert b"arxiv.org/abs/2305.01034" in readme


@pytest.mark.long
def test_a_dataset_that_loads_otherwise_is_reported(carded: Desk) -> None:
    """Where the dataset does not load as before, exit status 1 comes with the command that undoes the push."""
    carded.hub.fault(
        "before",
        "POST */commit/*",
        action=lambda: carded.hub.commit(NAME, {"data/train.parquet": rows(60, seed=5)}),
        times=1,
    )
    done = carded("push", NAME, "--direct", "--stale-ok")
    assert done.returncode == 1
    assert "ibc-report push owner/rows --remove" in done.stderr


def test_a_push_without_a_report_says_how_to_get_one(desk: Desk) -> None:
    """A dataset that was not measured is not pushed."""
    done = desk("push", NAME)
    assert (done.returncode, "ibc-report card owner/rows" in done.stderr) == (2, True)


@pytest.mark.long
def test_a_repository_without_a_card_gets_one(desk: Desk) -> None:
    """A dataset without README gets a minimal one with the section, and loses it with the section again."""
    desk.hub.create_dataset("owner/bare", {"train.parquet": rows(60)})
    before = desk.hub.files("owner/bare")
    for epsilon in ("0.01", "0.02"):
        assert desk("card", "owner/bare", "--target-error", epsilon, "--quiet").returncode == 0
        assert desk("push", "owner/bare", "--direct").returncode == 0
        assert desk.hub.read("owner/bare", "README.md").startswith(f"{BEGIN}\n# bare\n".encode())
    assert desk("push", "owner/bare", "--remove", "--direct").returncode == 0
    assert desk.hub.files("owner/bare") == before


@pytest.mark.long
def test_the_token_is_written_nowhere(desk: Desk) -> None:
    """No file that a card or a push leaves holds the token, in the working folder, the cache or the repository."""
    assert desk("card", NAME, "--quiet").returncode == 0
    assert desk("push", NAME, "--direct").returncode == 0
    for path in desk.folder.rglob("*"):
        if path.is_file():
            assert TOKEN.encode() not in path.read_bytes(), path
    for name in desk.hub.files(NAME):
        assert TOKEN.encode() not in desk.hub.read(NAME, name)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("revision:", "revision: {main}", id="empty"),
        pytest.param("revision: v1  # the tag", "revision: {v1}  # the tag", id="a tag", marks=LONG),
        pytest.param(f"revision: {'a' * 40}", "revision: {main}", id="a former lock", marks=LONG),
    ],
)
def test_lock_replaces_a_revision(desk: Desk, before: str, after: str) -> None:
    """A revision that stands there is resolved: a branch or tag to its commit, a commit to that of main now."""
    desk.hub.tag(NAME, "v1")
    v1 = desk.hub.head(NAME)
    desk.hub.commit(NAME, {"data/train.parquet": rows(90, seed=1)})
    text = "tasks:\n- name: rows\n  {}\n  source: owner/rows\n"
    (desk.folder / "catalog.yml").write_text(text.format(before))
    done = desk("lock", "catalog.yml")
    assert done.returncode == 0, done.stderr
    expected = text.format(after.format(main=desk.hub.head(NAME), v1=v1))
    assert (desk.folder / "catalog.yml").read_text() == expected


@pytest.mark.parametrize(
    "task",
    [
        pytest.param("- {name: rows, source: owner/rows}", id="flow"),
        pytest.param(
            "- name: rows\n  source: owner/rows\n  revision: >-\n    main", id="folded", marks=pytest.mark.long
        ),
        pytest.param("- name: rows\n  source: owner/rows\n  revision: &v main", id="anchor", marks=LONG),
        pytest.param('- name: rows\n  source: owner/rows\n  revision: "v\\x31"', id="escaped", marks=LONG),
    ],
)
def test_lock_refuses_what_is_not_plain(desk: Desk, task: str) -> None:
    """A catalog that one line cannot lock is left as it is, and the error names the line."""
    text = f"tasks:\n{task}\n"
    (desk.folder / "catalog.yml").write_text(text)
    done = desk("lock", "catalog.yml")
    assert (done.returncode, "by hand" in done.stderr) == (1, True), done.stderr
    assert (desk.folder / "catalog.yml").read_text() == text


@pytest.mark.long
def test_lock_writes_the_commit_into_the_catalog(desk: Desk) -> None:
    """A catalog's Hub datasets get the commit that is main now, one line each, and everything else stays."""
    text = (
        "# mine\ntasks:\n  - name: rows   # first\n    source: owner/rows\n    target: label\n"
        "  - name: digits\n    source: builtin:digits\n"
    )
    (desk.folder / "catalog.yml").write_text(text)
    assert desk("lock", "catalog.yml").returncode == 0
    locked = (desk.folder / "catalog.yml").read_text()
    line = f"    revision: {desk.hub.head(NAME)}\n"
    assert locked == text.replace("source: owner/rows\n", f"source: owner/rows\n{line}")
    desk.hub.commit(NAME, {"data/train.parquet": rows(90, seed=1)})
    assert desk("lock", "catalog.yml").returncode == 0
    assert desk.hub.head(NAME) in (desk.folder / "catalog.yml").read_text()
    assert (desk.folder / "catalog.yml").read_text().count("revision:") == 1


def pictures(count: int = 24) -> dict[str, bytes]:
    """An image folder of two classes."""
    generator = np.random.default_rng(3)
    files = {}
    for number in range(count):
        label = ("dark", "light")[number % 2]
        pixels = generator.integers(0, 90, size=(6, 6), dtype=np.uint8) + np.uint8(120 * (number % 2))
        stream = io.BytesIO()
        Image.fromarray(pixels).save(stream, format="PNG")
        files[f"train/{label}/{number:02d}.png"] = stream.getvalue()
    return files


@pytest.mark.long
def test_an_image_folder_is_streamed_pushed_and_loads_as_before(desk: Desk) -> None:
    """An image folder gives a sample of the same size streamed, and a push leaves it as it was."""
    desk.hub.create_dataset("owner/pictures", {"README.md": b"---\nlicense: mit\n---\n", **pictures()})
    for name, words in (("pictures", ()), ("streamed", ("--streaming",))):
        done = desk("card", "owner/pictures", "--max-rows", "20", "--name", name, "--quiet", *words)
        assert (done.returncode, done.stderr) == (0, "")
    stored, streamed = desk.report("pictures")["inputs"], desk.report("streamed")["inputs"]
    assert isinstance(stored, dict)
    assert isinstance(streamed, dict)
    assert stored["n"] == streamed["n"] == 20
    pushed = desk("push", "owner/pictures", "--direct")
    assert (pushed.returncode, pushed.stderr) == (0, "")


@pytest.mark.long
def test_labels_out_of_range_and_stale_counts_cost_nothing_else(desk: Desk) -> None:
    """An id without a name costs its row, stored and streamed, and a wrong number of rows costs nothing."""
    table = pq.read_table(io.BytesIO(rows(60))).to_pydict()
    table["label"][5] = 7
    stream = io.BytesIO()
    pq.write_table(pa.table(table), stream)
    card = (
        "---\ndataset_info:\n  features:\n"
        + "".join(f"  - name: x{i}\n    dtype: float64\n" for i in range(4))
        + "  - name: label\n    dtype:\n      class_label:\n        names:\n          '0': a\n          '1': b\n"
        "          '2': c\n  splits:\n  - name: train\n    num_examples: 999\n---\n"
    )
    desk.hub.create_dataset("owner/odd", {"README.md": card.encode(), "train.parquet": stream.getvalue()})
    for words in ((), ("--streaming", "--max-rows", "100")):
        done = desk("card", "owner/odd", "--quiet", *words)
        assert (done.returncode, done.stderr) == (0, "")
        data = desk.report("odd")["data"]
        assert isinstance(data, dict)
        assert (data["rows_used"], data["dropped"][0]["count"], data["dropped"][0]["rows"]) == (59, 1, [5])
    assert desk("inspect", "owner/odd").returncode == 0


@pytest.mark.long
def test_a_pull_request_is_taken_back_by_the_command_that_is_printed(carded: Desk) -> None:
    """--remove takes the section out of the pull request that is open, and says so where there is none."""
    assert carded("push", NAME).returncode == 0
    assert "would delete .ibc-report/ruler-dark.png" in carded("push", NAME, "--remove", "--dry-run").stdout
    assert carded("push", NAME, "--remove").returncode == 0
    assert carded.hub.read(NAME, "README.md", revision="refs/pr/1") == README
    again = carded("push", NAME, "--remove")
    assert (again.returncode, "has no section of ibc-report" in again.stderr) == (2, True)


@pytest.mark.long
def test_an_open_pull_request_follows_the_card(carded: Desk) -> None:
    """Where the card on main has moved on, the update of a pull request is made on it."""
    assert carded("push", NAME).returncode == 0
    moved = README.replace(b"# Rows", b"# Rows, now better")
    carded.hub.commit(NAME, {"README.md": moved})
    assert carded("push", NAME).returncode == 0
    assert carded.hub.read(NAME, "README.md", revision="refs/pr/1").startswith(moved)


@pytest.mark.long
def test_declared_data_that_changed_are_stale(carded: Desk) -> None:
    """A card that names other data files makes the report stale."""
    carded.hub.commit(NAME, {"README.md": README.replace(b"split: train", b"split: validation")})
    done = carded("push", NAME)
    assert (done.returncode, "the data that README.md declares" in done.stderr) == (2, True)


@pytest.mark.long
def test_a_card_copied_from_elsewhere_is_pushed(carded: Desk) -> None:
    """A section whose links name another dataset, or a commit that is gone, is replaced."""
    section = f"{BEGIN}\n{carded.hub.url}/datasets/{NAME}/resolve/{'7' * 40}/.ibc-report/ruler-light.png\n{END}\n"
    carded.hub.commit(NAME, {"README.md": README + b"\r\n\r\n" + section.encode()})
    done = carded("push", NAME, "--direct")
    assert done.returncode == 0, done.stderr
    assert b"7" * 40 not in carded.hub.read(NAME, "README.md")


@pytest.mark.long
def test_an_ignored_card_is_refused(carded: Desk) -> None:
    """A repository that ignores README.md is refused before a commit, for the Hub would drop it."""
    carded.hub.commit(NAME, {".gitignore": b"README.md\n"})
    done = carded("push", NAME, "--direct")
    assert (done.returncode, "ignores README.md" in done.stderr) == (1, True)
    assert not commits(carded.hub)


@pytest.mark.long
def test_a_cached_dataset_is_measured_offline(desk: Desk) -> None:
    """What was read once is read again without a network, by its commit and without."""
    assert desk("card", NAME, "--quiet").returncode == 0
    first = desk.report()
    for words in ((), ("--revision", desk.hub.head(NAME))):
        done = desk("card", NAME, "--quiet", *words, fresh=False, HF_HUB_OFFLINE="1")
        assert done.returncode == 0, done.stderr
        assert desk.report()["inputs"] == first["inputs"]


@pytest.mark.parametrize("words", [(), ("--streaming",)], ids=["stored", "streamed"])
@pytest.mark.long
def test_data_that_the_hub_does_not_give_are_one_line(desk: Desk, words: tuple[str, ...]) -> None:
    """A data file that fails again and again ends in one line, after a bounded number of requests."""
    desk.hub.fault("status", "GET */resolve/*.parquet", status=503, times=1000)
    done = desk("card", NAME, "--quiet", *words)
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert len([request for request in desk.hub.requests if request.path.endswith(".parquet")]) < 60


@pytest.mark.long
def test_what_the_environment_gets_wrong_is_named(desk: Desk) -> None:
    """A slash at the end of the endpoint, and datasets kept offline, are said to be that."""
    slash = desk("card", NAME, HF_ENDPOINT=desk.hub.url + "/")
    assert (slash.returncode, "HF_ENDPOINT ends in a slash" in slash.stderr) == (2, True)
    offline = desk("card", NAME, HF_DATASETS_OFFLINE="1")
    assert (offline.returncode, "HF_DATASETS_OFFLINE is set" in offline.stderr) == (1, True)


@pytest.mark.long
def test_a_dry_run_needs_no_token(carded: Desk) -> None:
    """Without a token a dry run shows the change, and a push says to log in."""
    dry = carded("push", NAME, "--dry-run", token=None)
    assert (dry.returncode, f"+{BEGIN}" in dry.stdout) == (0, True)
    done = carded("push", NAME, token=None)
    assert (done.returncode, "hf auth login" in done.stderr) == (1, True)


@pytest.mark.long
def test_hostile_titles_stay_text_in_the_section(carded: Desk) -> None:
    """A title with quotes, tags and formulas neither leaves its attribute nor becomes markup or a formula."""
    title = 'T" onerror="alert(1) <b> $$x$$ \\\\(y\\\\) arxiv.org/abs/1234.56789'
    assert carded("card", NAME, "--title", title, "--quiet").returncode == 0
    assert carded("push", NAME, "--direct").returncode == 0
    section = section_of(carded.hub.read(NAME, "README.md")) or ""
    assert 'onerror="' not in section
    assert "<b>" not in section
    assert "$$" not in section
    assert "\\\\(" not in section
    assert "arxiv.org" not in section


@pytest.mark.data
@pytest.mark.long
def test_mnist_from_card_to_removal(tmp_path: Path, shared: Path) -> None:
    """MNIST as a Hub dataset is carded, pushed by pull request, updated, merged, loaded again, and left as it was."""
    with HubServer(tmp_path / "hub") as hub:
        hub.add_user("ylecun", TOKEN)
        readme = b"---\nlicense: mit\n---\n# MNIST\n"
        hub.create_dataset(
            "ylecun/mnist",
            {
                "README.md": readme,
                "mnist/train-00000-of-00001.parquet": shared / "mnist/mnist/train-00000-of-00001.parquet",
                "mnist/test-00000-of-00001.parquet": shared / "mnist/mnist/test-00000-of-00001.parquet",
            },
        )
        (tmp_path / "desk").mkdir()
        desk = Desk(hub, tmp_path / "desk")
        for epsilon in ("0.001", "0.01"):
            carded = desk("card", "ylecun/mnist", "--split", "test", "--target-error", epsilon, "--quiet")
            assert carded.returncode == 0, carded.stderr
            pushed = desk("push", "ylecun/mnist")
            assert pushed.returncode == 0, pushed.stderr
        assert len(hub.pull_requests("ylecun/mnist")) == 1
        hub.merge("ylecun/mnist", 1)
        assert hub.read("ylecun/mnist", "README.md").startswith(readme)
        assert desk("card", "ylecun/mnist", "--split", "test", "--name", "again", "--quiet").returncode == 0
        assert desk("push", "ylecun/mnist", "--remove", "--direct").returncode == 0
        assert hub.read("ylecun/mnist", "README.md") == readme


def table(count: int) -> bytes:
    """A CSV file with a column of strings and two of numbers."""
    generator = np.random.default_rng(3)
    lines = ["colour,x,y,kind"]
    for row in range(count):
        x, y = generator.normal(size=2) + 3 * (row % 2)
        lines.append(f"{'red' if generator.random() < 0.5 else 'blue'},{x:.5f},{y:.5f},{'ab'[row % 2]}")
    return ("\n".join(lines) + "\n").encode()


@pytest.mark.parametrize("fresh", [pytest.param(False, id="warm"), pytest.param(True, id="cold", marks=LONG)])
def test_a_csv_loads_as_before_with_and_without_a_cache(desk: Desk, fresh: bool) -> None:
    """A dataset of CSV files whose card was measured is pushed without an alarm, whatever lies in the cache."""
    desk.hub.create_dataset("owner/table", {"README.md": b"---\nlicense: mit\n---\n# Table\n", "rows.csv": table(80)})
    assert desk("card", "owner/table", "--target", "kind", "--quiet").returncode == 0
    done = desk("push", "owner/table", "--direct", fresh=fresh)
    assert done.returncode == 0, done.stderr
    assert "could not be checked" not in done.stderr


TWO = "owner/two"


@pytest.fixture
def two(desk: Desk) -> Desk:
    """A dataset of two configurations, both measured."""
    card = b"---\nconfigs:\n" + b"".join(
        f"- config_name: {name}\n  data_files:\n  - split: train\n    path: {name}/train.parquet\n".encode()
        for name in ("en", "de")
    )
    files = {"README.md": card + b"---\n# Two\n", "en/train.parquet": rows(90), "de/train.parquet": rows(90, seed=5)}
    desk.hub.create_dataset(TWO, files)
    for config in ("en", "de"):
        done = desk("card", TWO, "--config", config, "--quiet")
        assert done.returncode == 0, done.stderr
        assert desk.report(f"two-{config}")["name"] == f"two-{config}"
    return desk


def test_each_configuration_has_its_section(two: Desk) -> None:
    """Pushing and removing one configuration leaves every byte and file of the other."""
    missing = two("push", TWO)
    assert (missing.returncode, "two-de.json, two-en.json" in missing.stderr) == (2, True), missing.stderr
    before = two.hub.read(TWO, "README.md")
    assert two("push", TWO, "--config", "en", "--direct").returncode == 0
    one = two.hub.read(TWO, "README.md")
    assert two("push", TWO, "--config", "de", "--direct").returncode == 0
    both = two.hub.read(TWO, "README.md")
    assert both.startswith(one)
    assert set(sections(both)) == {"en", "de"}
    assert {name.rpartition("/")[0] for name in two.hub.files(TWO) if name.startswith(".ibc")} == {
        ".ibc-report/de",
        ".ibc-report/en",
    }
    unsaid = two("push", TWO, "--remove", "--direct")
    assert (unsaid.returncode, "choose one with --config: en, de" in unsaid.stderr) == (2, True)
    assert two("push", TWO, "--config", "en", "--remove", "--direct").returncode == 0
    left = two.hub.read(TWO, "README.md")
    assert sections(left) == {"de": sections(both)["de"]}
    assert [name for name in two.hub.files(TWO) if name.startswith(".ibc-report/en/")] == []
    assert len([name for name in two.hub.files(TWO) if name.startswith(".ibc-report/de/")]) == 2
    assert two("push", TWO, "--remove", "--direct").returncode == 0
    assert two.hub.read(TWO, "README.md") == before


@pytest.mark.long
def test_each_configuration_has_its_pull_request(two: Desk) -> None:
    """Two open pull requests do not share a branch, and one is updated without the other."""
    for config in ("en", "de", "en"):
        assert two("push", TWO, "--config", config).returncode == 0
    assert [request.title[-4:] for request in two.hub.pull_requests(TWO)] == ["(en)", "(de)"]
    assert set(sections(two.hub.read(TWO, "README.md", revision="refs/pr/1"))) == {"en"}
    assert set(sections(two.hub.read(TWO, "README.md", revision="refs/pr/2"))) == {"de"}


@pytest.mark.long
def test_a_section_of_an_earlier_version_is_found(two: Desk) -> None:
    """A section without a name is replaced by the push of its configuration, and by no other."""
    former = f"\n\n{BEGIN}\nold\n\n```sh\nibc-report card {TWO} --config en\n```\n{END}".encode()
    text = two.hub.read(TWO, "README.md")
    two.hub.commit(TWO, {"README.md": text + former})
    assert two("push", TWO, "--config", "de", "--direct").returncode == 0
    assert two.hub.read(TWO, "README.md").startswith(text + former)
    assert two("push", TWO, "--config", "en", "--direct").returncode == 0
    assert set(sections(two.hub.read(TWO, "README.md"))) == {"en", "de"}


def test_a_pull_request_says_what_a_reviewer_asks(carded: Desk) -> None:
    """It has the headline, what the section is, the files with their bytes, the command, and how to undo it."""
    pushed = carded("push", NAME)
    assert "Pushed by pull request, to be merged: " in pushed.stdout
    (request,) = carded.hub.pull_requests(NAME)
    report = carded.report()
    top = report["headline"]
    assert isinstance(top, dict)
    ends = f"between 10^{top['lower_exponent']} and 10^{top['upper_exponent']}"
    assert f"**10^{top['exponent']} bits, {ends}**" in request.description
    readme = carded.hub.read(NAME, "README.md", revision="refs/pr/1")
    size = f"{len(readme) - len(README):+,} bytes"
    for said in (f"`README.md`: {size}", "arxiv.org", f"ibc-report card {NAME}", f"ibc-report push {NAME} --remove"):
        assert said in request.description
    pictures = [name for name in carded.hub.files(NAME, revision="refs/pr/1") if name.startswith(".ibc-report/")]
    assert pictures == [".ibc-report/ruler-dark.png", ".ibc-report/ruler-light.png"]
    sizes = [len(carded.hub.read(NAME, name, revision="refs/pr/1")) for name in pictures]
    assert sum(sizes) < 60_000
    for name, length in zip(pictures, sizes, strict=True):
        assert f"`{name}`: {length:+,} bytes" in request.description
    carded.hub.merge(NAME, 1)
    assert "Removed by pull request, to be merged: " in carded("push", NAME, "--remove").stdout


@pytest.mark.long
def test_without_a_card_front_matter_stands_outside(desk: Desk) -> None:
    """A card that a push makes has its tag where the Hub reads it, and goes with the section as a whole."""
    desk.hub.create_dataset("owner/bare", {"train.parquet": rows(60)})
    before = desk.hub.files("owner/bare")
    assert desk("card", "owner/bare", "--quiet").returncode == 0
    for _ in range(2):
        assert desk("push", "owner/bare", "--direct", "--tag", "difficulty-card").returncode == 0
        text = desk.hub.read("owner/bare", "README.md")
        assert text.startswith(f"---\ntags: [difficulty-card]\n---\n\n\n{BEGIN}\n# bare\n".encode())
    assert desk("push", "owner/bare", "--remove", "--direct").returncode == 0
    assert desk.hub.files("owner/bare") == before


def test_the_hub_s_own_reason_is_passed_on(carded: Desk) -> None:
    """A commit that the Hub refuses is told with the Hub's words."""
    carded.hub.fault("status", "POST */commit/*", status=400, message="Your card is invalid: license", times=9)
    done = carded("push", NAME, "--direct")
    assert done.returncode == 1
    assert "the Hub refuses owner/rows (400): Your card is invalid: license" in done.stderr


def test_a_limit_on_a_commit_is_waited_for(carded: Desk) -> None:
    """A 429 with Retry-After costs a push time, and makes no commit twice."""
    order = carded.hub.fault("status", "POST */commit/*", status=429, retry_after=1, times=2)
    done = carded("push", NAME, "--direct")
    assert done.returncode == 0, done.stderr
    assert order.served == 2
    assert len(carded.hub.commits(NAME)) == 3


def test_a_token_that_is_not_ascii_is_named(carded: Desk) -> None:
    """A token that no request can carry is the token's fault, and is not printed."""
    done = carded("push", NAME, token="hf_tökenTökenTöken")
    assert (done.returncode, "your token has characters that no token has" in done.stderr) == (1, True), done.stderr
    assert "hf_t" not in done.stderr


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.long
def test_a_copy_as_parquet_is_suggested_where_there_is_one(desk: Desk, there: bool) -> None:
    """Of a dataset that a script loads, the Hub's own copy is named where the Hub has one."""
    desk.hub.create_dataset("owner/scripted", {"scripted.py": b"import datasets\n"})
    if there:
        desk.hub.convert("owner/scripted")
    done = desk("card", "owner/scripted")
    assert "loaded by a script, which is not run" in done.stderr
    assert ("refs/convert/parquet" in done.stderr) == there
