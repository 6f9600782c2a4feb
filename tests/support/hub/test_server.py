"""The test hub, by the real clients: what holds here is what the rest of the tests stand on."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from tests.support.hub import HubServer, Outcome, Settings, run_client

OWNER = "t-owner"

READER = "t-reader"

# the server is a means of tests; those of pulls and pushes go through it in the short run
pytestmark = pytest.mark.long

README = b"---\nlicense: mit\nlanguage: no\ntags:\n- tabular\n---\n# Rows\n"

MNIST = Path(os.environ.get("IBC_REPORT_DATA", Path(__file__).resolve().parents[4] / "shared/data")) / "mnist/mnist"

HEADER = b'{"key": "header", "value": {"summary": "s", "description": ""}}\n'


class Client:
    """Runs client code against one hub, each time in a process of its own with an empty cache."""

    def __init__(self, hub: HubServer, home: Path) -> None:
        self.hub = hub
        self._home = home
        self._runs = 0

    def __call__(self, source: str, *, token: str | None = None, **extra: str) -> Outcome:
        self._runs += 1
        prelude = "from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi\napi = HfApi()\n"
        lines = source.splitlines()
        indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        body = "\n".join(line[indent:] for line in lines)
        return run_client(self.hub, self._home / f"home-{self._runs}", prelude + body, token=token, extra=extra)

    def answer(self, source: str, *, token: str | None = None, **extra: str) -> Any:
        """What the code leaves in `answer`, where it must not fail."""
        outcome = self(source, token=token, **extra)
        assert outcome.error is None, outcome.message
        return outcome.answer


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubServer]:
    settings = Settings(tree_page=3, expanded_tree_page=2, discussion_page=2)
    with HubServer(tmp_path / "hub", settings) as server:
        server.add_user("owner", OWNER)
        server.add_user("reader", READER)
        yield server


@pytest.fixture
def client(hub: HubServer, tmp_path: Path) -> Client:
    return Client(hub, tmp_path)


def parquet(rows: int, *, row_group_size: int = 1000) -> bytes:
    """A small table of numbers and labels."""
    table = pa.table({"x": list(range(rows)), "label": [f"l{row % 3}" for row in range(rows)]})
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=row_group_size)
    return sink.getvalue()


def png() -> bytes:
    sink = io.BytesIO()
    Image.new("RGB", (4, 4), (9, 9, 9)).save(sink, "PNG")
    return sink.getvalue()


def statuses(hub: HubServer, method: str, part: str) -> list[int | None]:
    """The statuses sent to the requests of a method whose path holds `part`."""
    return [entry.status for entry in hub.requests if entry.method == method and part in entry.path]


def fetch(url: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """A plain GET, without the client's own handling of errors."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(urllib.request.Request(url, headers=headers), timeout=10) as response:
            return response.status, dict(response.headers), response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read()


def send(hub: HubServer, method: str, path: str, body: bytes) -> tuple[int, Any]:
    """A request by the owner with a body of our own making; the answer is read as JSON."""
    headers = {"Authorization": f"Bearer {OWNER}"}
    request = urllib.request.Request(hub.url + path, data=body, headers=headers, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=10) as response:
            return response.status, json.loads(response.read() or b"null")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def test_dataset_info_describes_the_repository(hub: HubServer, client: Client) -> None:
    """dataset_info gives sha, files, access, and the card read as YAML 1.2, with the tags made from it."""
    sha = hub.create_dataset("owner/rows", {"README.md": README, "data/train.parquet": parquet(5)})
    answer = client.answer("""
        info = api.dataset_info("owner/rows", files_metadata=True)
        lfs = {sibling.rfilename: sibling.lfs is not None for sibling in info.siblings}
        answer = {"sha": info.sha, "lfs": lfs, "tags": info.tags, "card": info.card_data.to_dict(),
                  "access": [info.private, info.gated], "modified": info.last_modified.year}
        answer["expanded"] = api.dataset_info("owner/rows", expand=["sha", "downloads"]).downloads
    """)
    assert answer["sha"] == sha
    assert answer["lfs"] == {".gitattributes": False, "README.md": False, "data/train.parquet": True}
    assert answer["tags"] == ["language:no", "license:mit", "tabular"]
    assert answer["card"]["language"] == "no"
    assert answer["access"] == [False, False]
    assert answer["modified"] == 2026
    assert answer["expanded"] == 0


@pytest.mark.parametrize(
    "readme",
    [
        pytest.param(b"---\na: [\n---\n", id="unparsable"),
        pytest.param(b"---\n- a\n---\n", id="list"),
        pytest.param(b"# no front matter\n", id="absent"),
        pytest.param(b"\xff\xfe---\n", id="not utf-8"),
        pytest.param(b"---\ndate: 2020-01-01\nx: .nan\n1: a\n---\n", id="not json"),
    ],
)
def test_dataset_info_bears_any_card(hub: HubServer, readme: bytes) -> None:
    """A card that cannot be read leaves the description without metadata instead of an error."""
    hub.create_dataset("owner/rows", {"README.md": readme})
    status, _, body = fetch(f"{hub.url}/api/datasets/owner/rows")
    assert status == 200
    assert json.loads(body)["id"] == "owner/rows"


def test_a_paper_link_becomes_a_tag(hub: HubServer) -> None:
    """A link to an arXiv or paper page in a card adds the tag of that paper."""
    hub.create_dataset("owner/rows", {"README.md": b"see https://arxiv.org/abs/2305.01034v2\n"})
    assert json.loads(fetch(f"{hub.url}/api/datasets/owner/rows")[2])["tags"] == ["arxiv:2305.01034"]


def test_the_tree_comes_in_pages(hub: HubServer, client: Client) -> None:
    """list_repo_tree follows the Link header over all pages, plain, recursive and expanded."""
    hub.create_dataset("owner/rows", {f"data/part {i}/x.csv": b"a\n%d\n" % i for i in range(4)})
    answer = client.answer("""
        def listing(**options):
            return [item.path for item in api.list_repo_tree("owner/rows", repo_type="dataset", **options)]
        answer = {"top": listing(), "inside": listing(path_in_repo="data/part 1")}
        answer["all"] = listing(recursive=True)
        items = api.list_repo_tree("owner/rows", repo_type="dataset", recursive=True, expand=True)
        answer["commits"] = sorted({item.last_commit.title for item in items})
    """)
    assert answer["top"] == [".gitattributes", "data"]
    assert answer["inside"] == ["data/part 1/x.csv"]
    assert len(answer["all"]) == 10
    assert answer["commits"] == ["initial commit"]
    assert len([entry for entry in hub.requests if "cursor=" in entry.query]) == 3 + 4


def test_paths_info_leaves_out_what_is_missing(hub: HubServer, client: Client) -> None:
    """get_paths_info answers for files and folders that exist, with sizes and LFS details."""
    hub.create_dataset("owner/rows", {"data/a.parquet": b"12345", "b.txt": b"1"})
    answer = client.answer("""
        paths = ["data/a.parquet", "data", "nothing", "b.txt"]
        found = api.get_paths_info("owner/rows", paths, repo_type="dataset")
        answer = [[item.path, getattr(item, "size", None), bool(getattr(item, "lfs", None))]
                  for item in found]
    """)
    assert answer == [["data/a.parquet", 5, True], ["data", None, False], ["b.txt", 1, False]]


def test_refs_commits_branches_and_tags(hub: HubServer, client: Client) -> None:
    """Branches and tags are made, listed and resolved, and the history is the newest first."""
    first = hub.create_dataset("owner/rows", {"a.txt": b"1"})
    second = hub.commit("owner/rows", {"a.txt": b"2"}, message="second")
    answer = client.answer(
        f"""
        api.create_branch("owner/rows", branch="dev", revision="{first}", repo_type="dataset")
        api.create_tag("owner/rows", tag="v1", revision="main", repo_type="dataset")
        refs = api.list_repo_refs("owner/rows", repo_type="dataset", include_pull_requests=True)
        answer = {{"refs": [[ref.name, ref.target_commit] for ref in refs.branches + refs.tags]}}
        answer["shas"] = [api.dataset_info("owner/rows", revision=name).sha for name in ("dev", "v1", "main")]
        history = api.list_repo_commits("owner/rows", repo_type="dataset")
        answer["titles"] = [commit.title for commit in history]
        """,
        token=OWNER,
    )
    assert answer["refs"] == [["dev", first], ["main", second], ["v1", second]]
    assert answer["shas"] == [first, second, second]
    assert answer["titles"] == ["second", "initial commit"]


def test_the_same_steps_give_the_same_hashes(tmp_path: Path) -> None:
    """Revisions are named by their content alone, and file ids are those of git."""
    heads = []
    for name in ("one", "two"):
        with HubServer(tmp_path / name) as hub:
            hub.create_dataset("owner/rows", {"hello.txt": b"hello\n"})
            heads.append(hub.commit("owner/rows", {"hello.txt": b"bye\n"}))
            items = json.loads(fetch(f"{hub.url}/api/datasets/owner/rows/tree/main")[2])
    assert heads[0] == heads[1]
    # What `git hash-object` prints for "bye\n".
    assert items[1]["oid"] == "b023018cabc396e7692c70bbf5784a93d3f738ab"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
def test_ids_are_those_of_git(hub: HubServer, tmp_path: Path) -> None:
    """Files and folders have the ids that git gives them, in git's own order of names."""
    files = {"top/a/x": b"1", "top/a.b": b"2", "top/a0": b"3", "top/é/y": b"4", ".gitattributes": b""}
    hub.create_dataset("owner/rows", files)
    url = f"{hub.url}/api/datasets/owner/rows/tree/main?recursive=true"
    ours: dict[str, str] = {}
    while url:
        _, headers, body = fetch(url)
        ours |= {item["path"]: item["oid"] for item in json.loads(body)}
        url = headers.get("link", "").partition(">")[0].removeprefix("<")
    for path, content in files.items():
        (tmp_path / "git" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "git" / path).write_bytes(content)

    def git(*arguments: str) -> str:
        command = ["git", "-c", "core.quotepath=off", "-C", str(tmp_path / "git"), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    git("init", "--quiet")
    git("add", ".")
    listing = git("ls-tree", "-r", "-t", git("write-tree").strip()).splitlines()
    theirs = {line.split("\t")[1]: line.split()[2] for line in listing}
    assert ours == theirs


def test_download_of_main_and_of_a_sha(hub: HubServer, client: Client) -> None:
    """hf_hub_download gives the file of main, of a sha and of a pull request, plain or through LFS."""
    first = hub.create_dataset("owner/rows", {"a b.txt": b"1", "x.parquet": b"large"})
    hub.commit("owner/rows", {"a b.txt": b"2"})
    answer = client.answer(f"""
        def read(name, revision=None):
            path = api.hf_hub_download("owner/rows", name, repo_type="dataset", revision=revision)
            return open(path).read()
        answer = [read("a b.txt"), read("a b.txt", "{first}"), read("x.parquet")]
    """)
    assert answer == ["2", "1", "large"]


def test_the_token_does_not_reach_the_storage(hub: HubServer, client: Client) -> None:
    """An LFS file lies at another origin, where the client sends no token and a signature is needed."""
    hub.create_dataset("owner/rows", {"x.parquet": b"large"}, private=True)
    client.answer('api.hf_hub_download("owner/rows", "x.parquet", repo_type="dataset")', token=OWNER)
    storage = [entry for entry in hub.requests if entry.path.startswith("/lfs/objects/")]
    assert [(entry.method, entry.status, entry.authorized) for entry in storage] == [("GET", 200, False)]
    assert fetch(hub.url + storage[0].path)[0] == 403


def test_lfs_files_can_be_sent_directly(tmp_path: Path) -> None:
    """With lfs_redirect off the file itself is the answer, with its linked hash and size."""
    with HubServer(tmp_path / "hub", Settings(lfs_redirect=False)) as hub:
        hub.create_dataset("owner/rows", {"x.parquet": b"large"})
        client = Client(hub, tmp_path)
        assert (
            client.answer("""
            answer = open(api.hf_hub_download("owner/rows", "x.parquet", repo_type="dataset")).read()
        """)
            == "large"
        )
        headers = fetch(f"{hub.url}/datasets/owner/rows/resolve/main/x.parquet")[1]
    assert headers["x-linked-size"] == "5"
    assert len(headers["x-linked-etag"].strip('"')) == 64


@pytest.mark.parametrize(
    ("asked", "status", "got"),
    [
        ("bytes=2-4", 206, b"234"),
        ("bytes=7-", 206, b"789"),
        ("bytes=-2", 206, b"89"),
        ("bytes=8-99", 206, b"89"),
        ("bytes=10-", 416, b""),
    ],
)
def test_ranges(hub: HubServer, asked: str, status: int, got: bytes) -> None:
    """A Range in any form is answered with 206 and that part, or with 416 beyond the end."""
    hub.create_dataset("owner/rows", {"x.txt": b"0123456789"})
    answer = fetch(f"{hub.url}/datasets/owner/rows/resolve/main/x.txt", Range=asked)
    assert (answer[0], answer[2]) == (status, got)
    assert answer[1]["content-range"].endswith("/10")


def test_a_missing_file_names_the_revision_it_is_missing_from(hub: HubServer) -> None:
    """The 404 of a file carries the sha, under which the client caches that there is none."""
    sha = hub.create_dataset("owner/rows", {})
    status, headers, _ = fetch(f"{hub.url}/datasets/owner/rows/resolve/main/none.txt")
    assert (status, headers["x-error-code"], headers["x-repo-commit"]) == (404, "EntryNotFound", sha)


def test_a_model_is_served_at_its_own_addresses(hub: HubServer, client: Client) -> None:
    """A model of the same name is another repository; its results are read from its files."""
    results = b"- dataset: {id: owner/rows, task_id: default}\n  value: 0.5\n  date: 2026-01-02\n"
    hub.create_dataset("owner/rows", {"README.md": b"data"})
    hub.create_model("owner/rows", {"README.md": b"model", ".eval_results/r.yaml": results})
    hub.commit("owner/rows", {".eval_results/broken.yaml": b"- value: 1"}, kind="model")
    answer = client.answer("""
        info = api.model_info("owner/rows", expand=["evalResults", "sha"])
        answer = [open(api.hf_hub_download("owner/rows", "README.md")).read()]
        answer += [[entry.dataset_id, entry.value] for entry in info.eval_results]
        answer.append(open(api.hf_hub_download("owner/rows", "README.md", repo_type="dataset")).read())
    """)
    assert answer == ["model", ["owner/rows", 0.5], "data"]


def test_load_dataset_whole_pinned_and_streaming(hub: HubServer, client: Client) -> None:
    """load_dataset reads a parquet repository from main and from a sha, and streams it by ranges."""
    first = hub.create_dataset("owner/rows", {"README.md": README, "data/train.parquet": parquet(20_000)})
    hub.commit("owner/rows", {"data/train.parquet": parquet(7)})
    answer = client.answer(f"""
        from datasets import load_dataset
        whole = load_dataset("owner/rows", split="train")
        pinned = load_dataset("owner/rows", split="train", revision="{first}")
        stream = load_dataset("owner/rows", split="train", revision="{first}", streaming=True)
        answer = [len(whole), len(pinned), [row["x"] for row in stream.take(3)]]
    """)
    assert answer == [7, 20_000, [0, 1, 2]]
    assert statuses(hub, "GET", f"/resolve/{first}/data/train.parquet")
    assert 206 in statuses(hub, "GET", "/lfs/objects/")


@pytest.mark.skipif(not MNIST.is_dir(), reason="the MNIST files are not here")
def test_mnist_is_served_as_it_is_on_the_hub(hub: HubServer, client: Client) -> None:
    """The test split of MNIST loads with its images and the names of its labels."""
    hub.create_dataset("ylecun/mnist", {"mnist/test-00000-of-00001.parquet": next(MNIST.glob("test-*.parquet"))})
    answer = client.answer("""
        from datasets import load_dataset
        rows = load_dataset("ylecun/mnist", split="test")
        answer = [len(rows), rows[0]["label"], rows[0]["image"].size, rows.features["label"].names[7]]
    """)
    assert answer == [10_000, 7, [28, 28], "7"]


def test_a_commit_on_main(hub: HubServer, client: Client) -> None:
    """create_commit writes, and deletes files and folders, in one commit on main by its author."""
    before = hub.create_dataset("owner/rows", {"a.txt": b"1", "old/x.txt": b"1", "old/y/z.txt": b"1"})
    answer = client.answer(
        f"""
        operations = [CommitOperationAdd("b/new.txt", b"new"), CommitOperationDelete("a.txt"),
                      CommitOperationDelete("old/")]
        done = api.create_commit("owner/rows", operations, commit_message="say", commit_description="more",
                                 repo_type="dataset", parent_commit="{before}")
        answer = [done.oid, done.commit_url, done.pr_url]
        """,
        token=OWNER,
    )
    newest = hub.commits("owner/rows")[0]
    assert answer == [newest.sha, f"{hub.page('owner/rows')}/commit/{newest.sha}", None]
    assert hub.files("owner/rows") == [".gitattributes", "b/new.txt"]
    assert hub.read("owner/rows", "b/new.txt") == b"new"
    assert (newest.message.title, newest.message.body, newest.message.author) == ("say", "more", "owner")
    assert newest.parents == (before,)


def test_a_parent_that_is_not_the_head_is_refused(hub: HubServer, client: Client) -> None:
    """A commit whose parent is no longer the head gets 412 and changes nothing."""
    before = hub.create_dataset("owner/rows", {"a.txt": b"1"})
    after = hub.commit("owner/rows", {"a.txt": b"2"})
    outcome = client(
        f"""
        api.create_commit("owner/rows", [CommitOperationAdd("a.txt", b"3")], commit_message="late",
                          repo_type="dataset", parent_commit="{before}")
        """,
        token=OWNER,
    )
    assert (outcome.error, outcome.status) == ("HfHubHTTPError", 412)
    assert hub.head("owner/rows") == after


def test_a_commit_that_changes_nothing(hub: HubServer, client: Client) -> None:
    """A commit of what is there already returns the head, with no pull request, plain and LFS alike."""
    head = hub.create_dataset("owner/rows", {"a.txt": b"1", "x.png": png()})
    answer = client.answer(
        f"""
        def again(create_pr):
            files = [CommitOperationAdd("a.txt", b"1"), CommitOperationAdd("x.png", {png()!r})]
            done = api.create_commit("owner/rows", files, commit_message="same", repo_type="dataset",
                                     create_pr=create_pr)
            return [done.oid, done.pr_url]
        answer = [again(False), again(True)]
        """,
        token=OWNER,
    )
    assert answer == [[head, None], [head, None]]
    assert statuses(hub, "POST", "/commit/") == []


def test_a_pull_request_from_opening_to_merge(hub: HubServer, client: Client) -> None:
    """A pull request is opened without write access, found, updated and merged, and main loads as before."""
    hub.create_dataset("owner/rows", {"README.md": README, "data/train.parquet": parquet(5)})
    opened = client.answer(
        """
        card = CommitOperationAdd("README.md", b"# one")
        done = api.create_commit("owner/rows", [card], repo_type="dataset", create_pr=True,
                                 commit_message="A card", commit_description="what and why")
        answer = [done.pr_num, done.pr_revision, done.pr_url]
        """,
        token=READER,
    )
    assert opened == [1, "refs/pr/1", f"{hub.page('owner/rows')}/discussions/1"]
    assert hub.read("owner/rows", "README.md") == README
    other = hub.commit("owner/rows", {"other.txt": b"main goes on"})

    updated = client.answer(
        """
        found = list(api.get_repo_discussions("owner/rows", repo_type="dataset", author="reader",
                     discussion_type="pull_request", discussion_status="open"))
        api.create_commit("owner/rows", [CommitOperationAdd("README.md", b"# two")], repo_type="dataset",
                          commit_message="Better", revision=found[0].git_reference)
        detail = api.get_discussion_details("owner/rows", found[0].num, repo_type="dataset")
        path = api.hf_hub_download("owner/rows", "README.md", repo_type="dataset", revision="refs/pr/1")
        answer = [[item.title for item in found], [event.type for event in detail.events], detail.status,
                  detail.events[0].content, detail.conflicting_files, open(path).read()]
        """,
        token=READER,
    )
    assert updated == [["A card"], ["comment", "commit", "commit"], "open", "what and why", [], "# two"]

    merged = hub.merge("owner/rows", 1, author="owner")
    assert hub.commits("owner/rows")[0].parents == (other, hub.head("owner/rows", revision="refs/pr/1"))
    assert hub.read("owner/rows", "README.md") == b"# two"
    assert hub.pull_requests("owner/rows")[0].merge_commit == merged
    loaded = client.answer("""
        from datasets import load_dataset
        detail = api.get_discussion_details("owner/rows", 1, repo_type="dataset")
        answer = [len(load_dataset("owner/rows", split="train")), detail.status, detail.merge_commit_oid]
        answer += [item.num for item in api.get_repo_discussions("owner/rows", repo_type="dataset",
                                                                  discussion_status="open")]
    """)
    assert loaded == [5, "merged", merged]


def test_the_parent_of_a_pull_request_is_its_base(hub: HubServer, client: Client) -> None:
    """An old parent does not refuse a pull request but sets where it starts; a clash shows as a conflict."""
    before = hub.create_dataset("owner/rows", {"a.txt": b"1", "b.txt": b"1"})
    hub.commit("owner/rows", {"a.txt": b"2"})
    answer = client.answer(
        f"""
        for number, name in enumerate(["a.txt", "b.txt"], start=1):
            api.create_commit("owner/rows", [CommitOperationAdd(name, b"3")], commit_message="late",
                              repo_type="dataset", parent_commit="{before}", create_pr=True)
        answer = [api.get_discussion_details("owner/rows", number, repo_type="dataset").conflicting_files
                  for number in (1, 2)]
        """,
        token=OWNER,
    )
    assert answer == [["a.txt"], []]
    refused = client('api.merge_pull_request("owner/rows", 1, repo_type="dataset")', token=OWNER)
    assert refused.status == 409
    client.answer('api.merge_pull_request("owner/rows", 2, repo_type="dataset")', token=OWNER)
    assert hub.read("owner/rows", "a.txt") + hub.read("owner/rows", "b.txt") == b"23"


def test_discussions_are_listed_by_page_and_filter(hub: HubServer, client: Client) -> None:
    """The listing has pages, the newest first, and filters by kind, status and author."""
    hub.create_dataset("owner/rows", {})
    for token, pull_request in ((OWNER, "False"), (READER, "True"), (READER, "False")):
        client.answer(
            f"""
            made = api.create_discussion("owner/rows", "A title", repo_type="dataset",
                                         pull_request={pull_request})
            api.comment_discussion("owner/rows", made.num, "a word", repo_type="dataset")
            """,
            token=token,
        )
    answer = client.answer(
        """
        api.rename_discussion("owner/rows", 1, "Another title", repo_type="dataset")
        api.change_discussion_status("owner/rows", 1, "closed", repo_type="dataset")
        def numbers(**filters):
            found = api.get_repo_discussions("owner/rows", repo_type="dataset", **filters)
            return [item.num for item in found]
        answer = [numbers(), numbers(discussion_status="open"), numbers(discussion_status="closed"),
                  numbers(discussion_type="pull_request"), numbers(author="reader"), numbers(author="nobody")]
        """,
        token=OWNER,
    )
    assert answer == [[3, 2, 1], [3, 2], [1], [2], [3, 2], []]


def test_an_image_goes_through_lfs(hub: HubServer, client: Client) -> None:
    """A PNG is uploaded by the LFS protocol and committed by its hash; a second time nothing is uploaded."""
    hub.create_dataset("owner/rows", {})
    source = f"""
        files = [CommitOperationAdd(".ibc-report/plot.png", {png()!r})]
        files.append(CommitOperationAdd("a.svg", b"<svg/>"))
        api.create_commit("owner/rows", files, commit_message="plots", repo_type="dataset")
        path = api.hf_hub_download("owner/rows", ".ibc-report/plot.png", repo_type="dataset")
        answer = open(path, "rb").read() == {png()!r}
    """
    assert client.answer(source, token=OWNER) is True
    assert hub.is_lfs("owner/rows", ".ibc-report/plot.png")
    assert not hub.is_lfs("owner/rows", "a.svg")
    assert statuses(hub, "PUT", "/lfs/upload/") == [200]
    hub.create_dataset("owner/again", {})
    client.answer(source.replace("owner/rows", "owner/again"), token=OWNER)
    assert statuses(hub, "PUT", "/lfs/upload/") == [200]


def test_ignored_files_are_left_out_in_silence(hub: HubServer, client: Client) -> None:
    """Files that the repository's .gitignore names are dropped from a commit that otherwise succeeds."""
    hub.create_dataset("owner/rows", {".gitignore": b".*/\n!.keep/\n*.log\n"})
    client.answer(
        """
        names = [".ibc-report/report.json", ".keep/a.txt", "x.log", "a.txt"]
        api.create_commit("owner/rows", [CommitOperationAdd(name, b"1") for name in names],
                          commit_message="files", repo_type="dataset")
        """,
        token=OWNER,
    )
    assert hub.files("owner/rows") == [".gitattributes", ".gitignore", ".keep/a.txt", "a.txt"]


def test_a_card_that_cannot_be_read_is_refused(hub: HubServer, client: Client) -> None:
    """The check of a card's YAML fails the client before the commit, and warns where there is none."""
    head = hub.create_dataset("owner/rows", {})
    source = """
        api.create_commit("owner/rows", [CommitOperationAdd("README.md", b"{}")], commit_message="card",
                          repo_type="dataset")
    """
    outcome = client(source.replace("{}", "---\\na: [\\n---\\n"), token=OWNER)
    assert outcome.error == "ValueError"
    assert "Invalid metadata in README.md" in outcome.message
    assert hub.head("owner/rows") == head
    outcome = client(source.replace("{}", "# Only text"), token=OWNER)
    assert outcome.error is None
    assert "empty or missing yaml metadata" in outcome.stderr


@pytest.mark.parametrize(
    "line",
    [
        '{"key": "file", "value": {"path": "../a", "content": "", "encoding": "base64"}}',
        '{"key": "file", "value": {"path": "a", "content": "%", "encoding": "base64"}}',
        '{"key": "file", "value": {"path": "a/b", "content": "", "encoding": "base64"}}',
        '{"key": "lfsFile", "value": {"path": "b", "algo": "sha256", "oid": "00", "size": 1}}',
        '{"key": "rename", "value": {"path": "b"}}',
        "no json",
    ],
)
def test_a_malformed_commit_is_refused(hub: HubServer, line: str) -> None:
    """A commit that cannot be applied is a 400 and leaves main where it was."""
    head = hub.create_dataset("owner/rows", {"a": b"1"})
    assert send(hub, "POST", "/api/datasets/owner/rows/commit/main", HEADER + line.encode())[0] == 400
    assert hub.head("owner/rows") == head


def test_a_commit_sent_without_a_change(hub: HubServer) -> None:
    """Lines that change nothing give the head back, and open no pull request where one was asked for."""
    head = hub.create_dataset("owner/rows", {"a.txt": b"1"})
    line = b'{"key": "file", "value": {"path": "a.txt", "content": "MQ==", "encoding": "base64"}}'
    for query in ("", "?create_pr=1"):
        status, body = send(hub, "POST", f"/api/datasets/owner/rows/commit/main{query}", HEADER + line)
        assert (status, body["commitOid"], body["pullRequestUrl"]) == (200, head, None)
    assert hub.pull_requests("owner/rows") == []


def test_an_upload_must_be_what_was_announced(hub: HubServer) -> None:
    """A content with another hash than its address is refused, and so is an address without its signature."""
    hub.create_dataset("owner/rows", {})
    batch = {"operation": "upload", "objects": [{"oid": hashlib.sha256(b"right").hexdigest(), "size": 5}]}
    path = "/datasets/owner/rows.git/info/lfs/objects/batch"
    _, body = send(hub, "POST", path, json.dumps(batch).encode())
    target = body["objects"][0]["actions"]["upload"]["href"].removeprefix(hub.url)
    assert send(hub, "PUT", target, b"wrong")[0] == 400
    assert send(hub, "PUT", target.partition("?")[0], b"right")[0] == 403
    assert send(hub, "PUT", target, b"right")[0] == 200


def test_push_to_hub_of_datasets(hub: HubServer, client: Client) -> None:
    """Dataset.push_to_hub makes a repository and fills it, and what it wrote loads again."""
    answer = client.answer(
        """
        from datasets import Dataset, load_dataset
        Dataset.from_dict({"x": [1, 2, 3]}).push_to_hub("owner/made", private=True)
        answer = [load_dataset("owner/made", split="train")["x"][:], api.dataset_info("owner/made").private]
        """,
        token=OWNER,
    )
    assert answer == [[1, 2, 3], True]
    assert "data/train-00000-of-00001.parquet" in hub.files("owner/made")


def test_a_repository_from_a_folder(hub: HubServer, client: Client, tmp_path: Path) -> None:
    """A folder is served as it lies on disk at that moment, and loads as the dataset that it is."""
    folder = tmp_path / "rows"
    for name in ("cat", "dog"):
        (folder / "train" / name).mkdir(parents=True)
        (folder / "train" / name / "1.png").write_bytes(png())
    hub.create_dataset("owner/rows", {"extra.md": b"x"}, folder=folder)
    (folder / "train" / "cat" / "1.png").write_bytes(b"changed later")
    answer = client.answer("""
        from datasets import load_dataset
        rows = load_dataset("owner/rows", split="train")
        answer = [rows.features["label"].names, rows[1]["label"], rows[0]["image"].size]
    """)
    assert answer == [["cat", "dog"], 1, [4, 4]]


def test_the_attributes_of_the_repository_decide(hub: HubServer, client: Client) -> None:
    """Which files go to LFS is read from the repository's own .gitattributes, the last line that matches."""
    rules = b"# comment\n*.csv filter=lfs\nsmall/*.csv -filter\n"
    hub.create_dataset("owner/rows", {".gitattributes": rules})
    client.answer(
        """
        names = ["a.csv", "small/a.csv", "a.png"]
        api.create_commit("owner/rows", [CommitOperationAdd(name, b"1") for name in names],
                          commit_message="files", repo_type="dataset")
        """,
        token=OWNER,
    )
    assert [hub.is_lfs("owner/rows", name) for name in ("a.csv", "small/a.csv", "a.png")] == [
        True,
        False,
        False,
    ]


def test_a_pull_request_that_is_over(hub: HubServer, client: Client) -> None:
    """A closed pull request is no longer listed as open, and a merged one takes no more commits."""
    hub.create_dataset("owner/rows", {"a.txt": b"1"})
    source = """
        for name in ("b.txt", "c.txt"):
            api.create_commit("owner/rows", [CommitOperationAdd(name, b"1")], commit_message="add",
                              repo_type="dataset", create_pr=True)
    """
    client.answer(source, token=READER)
    hub.close("owner/rows", 1)
    hub.merge("owner/rows", 2)
    assert [item.status for item in hub.pull_requests("owner/rows")] == ["closed", "merged"]
    outcome = client(
        """
        answer = list(api.get_repo_discussions("owner/rows", repo_type="dataset", discussion_status="open"))
        assert answer == []
        api.create_commit("owner/rows", [CommitOperationAdd("d.txt", b"1")], commit_message="more",
                          repo_type="dataset", revision="refs/pr/2")
        """,
        token=READER,
    )
    assert (outcome.error, outcome.status) == ("BadRequestError", 400)
    assert hub.files("owner/rows") == [".gitattributes", "a.txt", "c.txt"]


FILES = "[CommitOperationAdd('a', b'1')]"

PUSH = f"api.create_commit('owner/rows', {FILES}, commit_message='m', repo_type='dataset'{{}})"

GATE = "api.auth_check('owner/gate', repo_type='dataset')"

FILE = "api.hf_hub_download('{}', 'none', repo_type='dataset')"

# What is refused: a call, the token it is made with, the client's exception and its status.
REFUSALS: dict[str, tuple[str, str | None, str, int]] = {
    "missing": ("api.dataset_info('owner/none')", None, "RepositoryNotFoundError", 401),
    "missing, known": ("api.dataset_info('owner/none')", READER, "RepositoryNotFoundError", 404),
    "without owner": ("api.dataset_info('squad')", None, "RepositoryNotFoundError", 401),
    "private": ("api.dataset_info('owner/closed')", None, "RepositoryNotFoundError", 401),
    "private, known": ("api.dataset_info('owner/closed')", READER, "RepositoryNotFoundError", 404),
    "wrong token": ("api.dataset_info('owner/rows')", "t-wrong", "HfHubHTTPError", 401),
    "whoami, wrong token": ("api.whoami()", "t-wrong", "HfHubHTTPError", 401),
    "gated": (GATE, None, "GatedRepoError", 401),
    "gated, known": (GATE, READER, "GatedRepoError", 403),
    "gated file": (FILE.format("owner/gate"), READER, "GatedRepoError", 403),
    "revision": ("api.dataset_info('owner/rows', revision='none')", None, "RevisionNotFoundError", 404),
    "file": (FILE.format("owner/rows"), None, "RemoteEntryNotFoundError", 404),
    "folder": (
        "list(api.list_repo_tree('owner/rows', 'none', repo_type='dataset'))",
        None,
        "RemoteEntryNotFoundError",
        404,
    ),
    "push without token": (PUSH.format(""), None, "RepositoryNotFoundError", 401),
    "push without rights": (PUSH.format(""), READER, "HfHubHTTPError", 403),
    "pull request, reading token": (PUSH.format(", create_pr=True"), "t-read", "HfHubHTTPError", 403),
}


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What each refused call raised; none of them leaves anything behind, so one process makes them all."""
    root = tmp_path_factory.mktemp("refused")
    with HubServer(root / "hub") as hub:
        hub.add_user("owner", OWNER)
        hub.add_user("reader", READER)
        hub.add_user("watcher", "t-read", role="read")
        hub.create_dataset("owner/rows", {"a.txt": b"1"})
        hub.create_dataset("owner/closed", {"a.txt": b"1"}, private=True)
        hub.create_dataset("owner/gate", {"a.txt": b"1"}, gated="manual")
        source = """
            answer = {}
            for name, (call, token, *_) in REFUSALS.items():
                api = HfApi(token=token or False)
                try:
                    eval(call)
                except Exception as error:
                    answer[name] = [type(error).__name__, error.response.status_code]
        """
        answer: dict[str, list[Any]] = Client(hub, root).answer(source.replace("REFUSALS", repr(REFUSALS)))
    return answer


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_is_the_clients_own_error(refused: dict[str, list[Any]], name: str) -> None:
    """Each refusal has the status and the headers by which the client chooses its exception."""
    assert refused[name] == list(REFUSALS[name][2:])


def test_access_that_is_granted(hub: HubServer, client: Client) -> None:
    """The owner and those let in read a gated and a private repository, described as gated."""
    hub.create_dataset("owner/gate", {"a.txt": b"1"}, gated="auto")
    hub.create_dataset("owner/closed", {"a.txt": b"1"}, private=True)
    for name in ("owner/gate", "owner/closed"):
        hub.grant(name, "reader")
    source = """
        answer = [open(api.hf_hub_download(name, "a.txt", repo_type="dataset")).read()
                  for name in ("owner/gate", "owner/closed")]
        answer += [api.dataset_info("owner/gate").gated, api.whoami()["name"]]
    """
    assert client.answer(source, token=OWNER) == ["1", "1", "auto", "owner"]
    assert client.answer(source, token=READER) == ["1", "1", "auto", "reader"]


@pytest.mark.parametrize(("name", "part"), [("owner/gate", "is a gated dataset"), ("owner/none", "cannot be accessed")])
def test_load_dataset_names_what_it_may_not_see(hub: HubServer, client: Client, name: str, part: str) -> None:
    """load_dataset says of a gated and of a missing dataset which of the two it is."""
    hub.create_dataset("owner/gate", {"a.csv": b"x\n1\n"}, gated="auto")
    outcome = client(f"from datasets import load_dataset\nload_dataset('{name}')")
    assert outcome.error == "DatasetNotFoundError"
    assert part in outcome.message


def test_organizations_and_named_repositories_can_be_written_to(hub: HubServer, client: Client) -> None:
    """A user writes to the repositories of their organizations, and to those they were named for."""
    hub.add_user("member", "t-member", orgs=["org"], can_write=["owner/rows"])
    for name in ("org/data", "owner/rows"):
        hub.create_dataset(name, {})
    client.answer(
        """
        for name in ("org/data", "owner/rows"):
            api.create_commit(name, [CommitOperationAdd("a", b"1")], commit_message="m", repo_type="dataset")
        """,
        token="t-member",
    )
    assert hub.read("org/data", "a") == hub.read("owner/rows", "a") == b"1"


COMMIT = """
    def push():
        return api.create_commit("owner/rows", [CommitOperationAdd("a.txt", b"2")], commit_message="m",
                                 repo_type="dataset").oid
    def attempt():
        try:
            return push()
        except Exception as error:
            response = getattr(error, "response", None)
            return getattr(response, "status_code", type(error).__name__)
    answer = [attempt(), attempt()]
"""


def test_a_status_once_then_fine(hub: HubServer, client: Client) -> None:
    """A 412 ordered once meets the first commit and not the second."""
    hub.create_dataset("owner/rows", {"a.txt": b"1"})
    order = hub.fault("status", "POST */commit/*", status=412)
    assert client.answer(COMMIT, token=OWNER) == [412, hub.head("owner/rows")]
    assert statuses(hub, "POST", "/commit/") == [412, 200]
    assert order.served == 1


def test_a_conflict_that_others_cause(hub: HubServer, client: Client) -> None:
    """A commit made by another just before ours turns ours into a true 412."""
    before = hub.create_dataset("owner/rows", {"a.txt": b"1"})
    hub.fault("before", "POST */commit/*", action=lambda: hub.commit("owner/rows", {"b.txt": b"theirs"}))
    source = COMMIT.replace('repo_type="dataset"', f'repo_type="dataset", parent_commit="{before}"')
    assert client.answer(source, token=OWNER) == [412, 412]
    assert hub.read("owner/rows", "b.txt") == b"theirs"


def test_another_commit_in_progress(hub: HubServer, client: Client) -> None:
    """A 409 can be ordered, and passes."""
    hub.create_dataset("owner/rows", {"a.txt": b"1"})
    hub.fault("status", "POST */commit/*", status=409, message="another commit is in progress")
    assert client.answer(COMMIT, token=OWNER) == [409, hub.head("owner/rows")]


def test_a_500_that_landed(hub: HubServer, client: Client) -> None:
    """The commit is applied although the client is told 500; a second attempt finds nothing to change."""
    before = hub.create_dataset("owner/rows", {"a.txt": b"1"})
    hub.fault("status", "POST */commit/*", status=500, landed=True)
    answer = client.answer(COMMIT, token=OWNER)
    assert hub.commits("owner/rows")[0].parents == (before,)
    assert answer == [500, hub.head("owner/rows")]
    assert statuses(hub, "POST", "/commit/") == [500]


@pytest.mark.parametrize("landed", [False, True])
def test_a_connection_that_closes(hub: HubServer, client: Client, landed: bool) -> None:
    """The connection ends without a response, before the commit or after it."""
    before = hub.create_dataset("owner/rows", {"a.txt": b"1"})
    hub.fault("close", "POST */commit/*", landed=landed)
    answer = client.answer(COMMIT, token=OWNER)
    assert answer == ["RemoteProtocolError", hub.head("owner/rows")]
    assert hub.commits("owner/rows")[0].parents == (before,)
    assert statuses(hub, "POST", "/commit/") == ([None] if landed else [None, 200])


def test_too_many_requests(hub: HubServer, client: Client) -> None:
    """A 429 reaches the caller where the client does not retry, with the seconds to wait."""
    hub.create_dataset("owner/rows", {"a.txt": b"1"})
    hub.fault("status", "GET /api/datasets/*", status=429, retry_after=1)
    answer = client.answer("""
        try:
            api.dataset_info("owner/rows")
        except Exception as error:
            answer = [type(error).__name__, error.response.status_code, error.response.headers["Retry-After"]]
        answer.append(api.dataset_info("owner/rows").id)
    """)
    assert answer == ["HfHubHTTPError", 429, "1", "owner/rows"]


def test_the_client_waits_as_long_as_it_is_told(hub: HubServer, client: Client) -> None:
    """Where the client retries by itself, as for LFS, it waits at least the seconds of Retry-After."""
    hub.create_dataset("owner/rows", {})
    hub.fault("status", "POST */info/lfs/objects/batch", status=429, retry_after=1)
    answer = client.answer(
        f"""
        import time
        start = time.monotonic()
        api.create_commit("owner/rows", [CommitOperationAdd("x.png", {png()!r})], commit_message="m",
                          repo_type="dataset")
        answer = time.monotonic() - start
        """,
        token=OWNER,
    )
    assert answer > 1
    assert statuses(hub, "POST", "/batch") == [429, 200]


def test_unavailable_hides_behind_the_cache(hub: HubServer, client: Client) -> None:
    """A 503 on the HEAD makes the client hand out the stale file of its cache without a word."""
    hub.create_dataset("owner/rows", {"a.txt": b"1"})
    hub.fault("status", "HEAD *a.txt", status=503, skip=1)
    answer = client.answer(
        """
        def read():
            return open(api.hf_hub_download("owner/rows", "a.txt", repo_type="dataset")).read()
        answer = [read()]
        api.create_commit("owner/rows", [CommitOperationAdd("a.txt", b"2")], commit_message="m",
                          repo_type="dataset")
        answer += [read(), read()]
        """,
        token=OWNER,
    )
    assert answer == ["1", "1", "2"]


def test_unavailable_without_a_cache(hub: HubServer, client: Client) -> None:
    """A 503 as often as ordered, and no oftener."""
    hub.create_dataset("owner/rows", {"a.txt": b"1"})
    hub.fault("status", "GET */api/datasets/*", status=503, times=2)
    source = """
        def attempt():
            try:
                return api.dataset_info("owner/rows").id
            except Exception as error:
                return error.response.status_code
        answer = [attempt() for _ in range(3)]
    """
    assert client.answer(source) == [503, 503, "owner/rows"]


@pytest.mark.parametrize(
    ("keep", "expected"), [pytest.param(1000, [200, 200], id="small"), (10 * 2**20 + 5, [200, 206])]
)
def test_a_truncated_body_is_resumed(hub: HubServer, client: Client, keep: int, expected: list[int]) -> None:
    """After a body that stops short the client asks again, by a Range once it has a chunk of 10 MiB."""
    content = bytes(range(256)) * 4 * 1024 * 11
    hub.create_dataset("owner/rows", {"x.parquet": content})
    hub.fault("truncate", "GET /lfs/objects/*", keep=keep)
    answer = client.answer("""
        import hashlib
        path = api.hf_hub_download("owner/rows", "x.parquet", repo_type="dataset")
        answer = hashlib.sha256(open(path, "rb").read()).hexdigest()
    """)
    assert answer == hashlib.sha256(content).hexdigest()
    assert statuses(hub, "GET", "/lfs/objects/") == expected


def test_a_truncated_description_is_an_error(hub: HubServer, client: Client) -> None:
    """A body cut at its half breaks a call that does not retry."""
    hub.create_dataset("owner/rows", {"a.txt": b"1"})
    hub.fault("truncate", "GET /api/datasets/*")
    assert client('api.dataset_info("owner/rows")').error == "RemoteProtocolError"


def test_a_slow_response(hub: HubServer, client: Client) -> None:
    """A response slower than the client's patience is a timeout, and a patient client gets it."""
    hub.create_dataset("owner/rows", {"a.txt": b"1"})
    hub.fault("slow", "GET /api/datasets/*", seconds=0.5, times=2)
    answer = client.answer("""
        import time
        try:
            api.dataset_info("owner/rows", timeout=0.2)
        except Exception as error:
            answer = [type(error).__name__]
        start = time.monotonic()
        answer += [api.dataset_info("owner/rows", timeout=5).id, time.monotonic() - start > 0.4]
    """)
    assert answer == ["ReadTimeout", "owner/rows", True]


def test_faults_are_chosen_and_taken_back(hub: HubServer) -> None:
    """A fault meets its method and path alone, an unknown kind is named, and orders can be cleared."""
    hub.create_dataset("owner/rows", {"a.txt": b"1"})
    hub.fault("status", "POST *", status=500)
    hub.fault("status", "GET *other*", status=500)
    assert fetch(f"{hub.url}/api/datasets/owner/rows")[0] == 200
    hub.fault("status", status=500)
    hub.clear_faults()
    assert fetch(f"{hub.url}/api/datasets/owner/rows")[0] == 200
    with pytest.raises(ValueError, match="choose among before, close, slow, status, truncate"):
        hub.fault("flood")


def test_requests_are_logged(hub: HubServer, client: Client) -> None:
    """The log has method, decoded path, status, and whether a token was sent, but never the token."""
    hub.create_dataset("owner/rows", {"a b.txt": b"1"})
    client('api.dataset_info("owner/none")')
    client.answer('api.get_paths_info("owner/rows", ["a b.txt"], repo_type="dataset")', token=OWNER)
    logged = [(entry.method, entry.path, entry.status, entry.authorized) for entry in hub.requests]
    assert ("GET", "/api/datasets/owner/none", 401, False) in logged
    assert ("POST", "/api/datasets/owner/rows/paths-info/main", 200, True) in logged
    assert OWNER not in repr(hub.requests)
    hub.forget_requests()
    assert hub.requests == []


def test_an_unknown_address_says_that_it_is_unknown(hub: HubServer) -> None:
    """What the hub does not speak is a 404 that names it, without the codes of a missing repository."""
    status, headers, body = fetch(f"{hub.url}/api/spaces/owner/none")
    assert status == 404
    assert "x-error-code" not in headers
    assert "does not answer GET /api/spaces/owner/none" in body.decode()


def test_a_failure_of_the_hub_fails_the_test(tmp_path: Path) -> None:
    """An error inside of the hub does not hide behind a 500 but is raised where its block ends."""
    hub = HubServer(tmp_path / "hub")
    hub.fault("before", action=lambda: hub.read("owner/none", "a.txt"))
    hub.__enter__()
    assert fetch(f"{hub.url}/api/whoami-v2")[0] == 500
    with pytest.raises(ExceptionGroup, match="itself failed") as caught:
        hub.__exit__(None, None, None)
    assert isinstance(caught.value.exceptions[0], KeyError)


def test_a_body_has_a_limit(tmp_path: Path) -> None:
    """A body larger than the limit is refused with 413."""
    with HubServer(tmp_path / "hub", Settings(body_limit=100)) as hub:
        hub.add_user("owner", OWNER)
        assert send(hub, "POST", "/api/validate-yaml", b"x" * 101)[0] == 413


def test_the_server_is_on_loopback_and_stops(tmp_path: Path) -> None:
    """It listens on 127.0.0.1 only, ends within its block even while it is slow, and leaves no thread."""
    with HubServer(tmp_path / "hub") as hub:
        assert hub.url.startswith("http://127.0.0.1:")
        hub.fault("slow", seconds=30)
        waiting = threading.Thread(target=_ignore_errors, args=(hub.url,), daemon=True)
        waiting.start()
        while not hub.requests:
            time.sleep(0.01)
        start = time.monotonic()
    assert time.monotonic() - start < 5
    assert "hub" not in [thread.name for thread in threading.enumerate()]
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(hub.url, timeout=1)


def test_the_environment_of_a_client(hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client's process inherits no Hub setting, token or proxy, and its endpoint ends without a slash."""
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE", "https_proxy", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.setenv(name, "1")
    environment = hub.environment(tmp_path)
    assert environment["HF_ENDPOINT"] == hub.url
    assert not hub.url.endswith("/")
    assert environment["HF_HUB_DISABLE_XET"] == "1"
    assert environment.keys().isdisjoint({"HF_TOKEN", "HF_HUB_OFFLINE", "https_proxy", "HUGGING_FACE_HUB_TOKEN"})
    assert hub.environment(tmp_path, "t-owner")["HF_TOKEN"] == "t-owner"


def _ignore_errors(url: str) -> None:
    try:
        fetch(url)
    except OSError:
        return
