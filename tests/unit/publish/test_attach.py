"""A bundle goes into a model's repository, with the real client, against a Hub on loopback."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub import HfApi

from ibc_report.cli.app import main
from ibc_report.common.errors import DataError, IbcReportError, UsageError
from ibc_report.common.hub import HubError
from ibc_report.publish import bundle
from ibc_report.publish.attach import attach, plan
from ibc_report.publish.manifest import MANIFEST
from ibc_report.publish.repository import Pushed
from ibc_report.publish.submission import Submission
from ibc_report.publish.verify import verify
from tests.support.hub import HubServer
from tests.support.submissions import DATASET, MODEL, SHA, hub_report, made, results

TOKEN = "hf_TESTtokenTESTtokenTESTtoken"

STRANGER = "hf_STRANGERtokenSTRANGERtoken"

YAML = ".eval_results/iris.yaml"

FOLDER = ".ibc-report/iris"

WORDS = ("attach", "report.json", "--results", "results.json", "--model", MODEL, "--push")

README = b"---\nlicense: mit\n---\n# Good\n"


@cache
def described(text: str) -> tuple[Submission, dict[str, bytes]]:
    """A submission that can be told from others, and its bundle."""
    submission = made(report=hub_report().model_copy(update={"title": "Iris", "description": text}))
    return submission, bundle.files(submission)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubServer]:
    """A Hub that has the model, its owner and a stranger."""
    with HubServer(tmp_path / "hub") as hub:
        hub.add_user("owner", TOKEN)
        hub.add_user("stranger", STRANGER)
        hub.create_model(MODEL, {"README.md": README, "weights.bin": b"\0" * 10})
        yield hub


@dataclass
class Person:
    """Somebody with a token, or without one."""

    monkeypatch: pytest.MonkeyPatch
    hub: HubServer
    cache: Path

    def __call__(self, token: str | None) -> None:
        """Let the client be theirs, with an empty cache."""
        client = HfApi(endpoint=self.hub.url, token=token if token is not None else False)
        self.monkeypatch.setattr("ibc_report.common.hub.api", lambda: client)
        self.monkeypatch.setattr(huggingface_hub, "get_token", lambda: token)
        self.monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(self.cache))
        self.monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)


@pytest.fixture
def person(hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """The owner, until somebody else is told to push."""
    monkeypatch.setattr("ibc_report.common.hub.FIRST_WAIT", 0.01)
    somebody = Person(monkeypatch, hub, tmp_path / "cache")
    somebody(TOKEN)
    return somebody


def push(text: str = "First.", *, direct: bool = False) -> Pushed:
    """Push a bundle."""
    return attach(*described(text), direct=direct)


def commits(hub: HubServer) -> int:
    """How often something was committed."""
    return sum(request.method == "POST" and "/commit/" in request.path for request in hub.requests)


def save(folder: Path) -> None:
    """Save the report and the results for the command."""
    submission, _ = described("First.")
    (folder / "report.json").write_text(submission.report.to_json(), encoding="utf-8")
    (folder / "results.json").write_text(results().to_json(), encoding="utf-8")


def test_a_pull_request_brings_the_bundle(hub: HubServer, tmp_path: Path) -> None:
    """A stranger's push opens one pull request; merged, the Hub reads the result, and the bundle is whole."""
    desk = tmp_path / "desk"
    desk.mkdir()
    save(desk)
    done = subprocess.run(
        [sys.executable, "-m", "ibc_report", *WORDS],
        cwd=desk,
        env=hub.environment(tmp_path / "home", STRANGER),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert STRANGER not in done.stdout + done.stderr
    (request,) = hub.pull_requests(MODEL, kind="model")
    assert f"Pushed: {hub.page(MODEL, kind='model')}/discussions/{request.number}" in done.stdout
    assert request.title == "Add results on Iris with its difficulty card"
    assert request.description.startswith("**Accuracy 96.7 %**")
    assert YAML not in hub.files(MODEL, kind="model")
    hub.merge(MODEL, request.number, kind="model")

    info = HfApi(endpoint=hub.url, token=TOKEN).model_info(MODEL, expand=["evalResults"])
    (entry,) = info.eval_results or []
    assert (entry.dataset_id, entry.dataset_revision, entry.value) == (DATASET, SHA, 96.6667)
    assert (entry.source_url or "").endswith(f"/{MODEL}/blob/main/{FOLDER}/card.md")
    assert hub.read(MODEL, "README.md", kind="model") == README
    copy = tmp_path / "copy"
    for path in hub.files(MODEL, kind="model"):
        if path.startswith(f"{FOLDER}/"):
            target = copy / path.removeprefix(f"{FOLDER}/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(hub.read(MODEL, path, kind="model"))
    assert verify(copy) == verify(desk / "bundle") == ()


def test_a_dry_run_changes_nothing(
    hub: HubServer, person: Person, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A dry run names every file and sends no commit; the bundle is written here all the same."""
    save(workspace)
    for words, where in (((), "a new pull request"), (("--direct",), "main")):
        with pytest.raises(SystemExit) as caught:
            main([*WORDS, "--dry-run", "--quiet", *words])
        out, err = capsys.readouterr()
        assert (caught.value.code, err) == (0, "")
        assert out.startswith(f"{MODEL}: {where}\n")
        assert f"would write {YAML} (" in out
        assert f"would write {FOLDER}/{MANIFEST} (" in out
    assert commits(hub) == 0
    assert verify(workspace / "bundle") == ()


@pytest.mark.long
def test_a_second_push_goes_on_with_the_first(hub: HubServer, person: Person) -> None:
    """The same again changes nothing; another report updates the open pull request, and a merged one opens the next."""
    first = push()
    assert (first.address or "").endswith("/discussions/1")
    assert (push().address, commits(hub)) == (None, 1)
    assert (push("Second.").address or "").endswith("/discussions/1")
    (request,) = hub.pull_requests(MODEL, kind="model")
    assert b"Second." in hub.read(MODEL, f"{FOLDER}/card.md", revision=request.ref, kind="model")
    hub.merge(MODEL, 1, kind="model")
    hub.commit(MODEL, {f"{FOLDER}/old.json": b"{}"}, kind="model")
    assert plan(*described("Third.")).changes[f"{FOLDER}/old.json"] is None
    assert (push("Third.").address or "").endswith("/discussions/2")
    files = hub.files(MODEL, revision="refs/pr/2", kind="model")
    assert f"{FOLDER}/old.json" not in files
    assert "weights.bin" in files


def test_strangers_do_not_change_each_others_requests(hub: HubServer, person: Person) -> None:
    """An open pull request of somebody else is left alone."""
    push()
    person(STRANGER)
    assert (push().address or "").endswith("/discussions/2")
    assert {request.author for request in hub.pull_requests(MODEL, kind="model")} == {"owner", "stranger"}


def test_direct_commits_on_main(hub: HubServer, person: Person) -> None:
    """A direct push is on the owner's main at once."""
    done = push(direct=True)
    assert (done.address or "").endswith(f"/commit/{hub.head(MODEL, kind='model')}")
    assert YAML in hub.files(MODEL, kind="model")
    assert hub.pull_requests(MODEL, kind="model") == []


@pytest.mark.parametrize("direct", [True, False])
@pytest.mark.parametrize("landed", [True, False])
def test_a_failure_is_read_back(hub: HubServer, person: Person, landed: bool, direct: bool) -> None:
    """A failure of the Hub, with or without effect, ends in one whole push and one pull request at most."""
    hub.fault("status", "POST */commit/*", status=502, landed=landed)
    done = push(direct=direct)
    revision = "main" if direct else "refs/pr/1"
    assert done.sha == hub.head(MODEL, revision=revision, kind="model")
    assert {YAML, f"{FOLDER}/{MANIFEST}"} <= set(hub.files(MODEL, revision=revision, kind="model"))
    assert len(hub.pull_requests(MODEL, kind="model")) == (0 if direct else 1)


def test_a_commit_between_is_kept(hub: HubServer, person: Person) -> None:
    """Where somebody else's commit comes first, the push reads again, and theirs stays."""

    def between() -> None:
        hub.commit(MODEL, {"notes.txt": b"theirs"}, kind="model")

    hub.fault("before", "POST */commit/*", action=between)
    push(direct=True)
    assert {"notes.txt", YAML} <= set(hub.files(MODEL, kind="model"))


def test_a_hub_that_stays_down_is_told(hub: HubServer, person: Person) -> None:
    """After a bounded number of tries one line says that the Hub fails, or that others were faster."""
    hub.fault("status", "POST */commit/*", status=503, times=9)
    with pytest.raises(HubError, match=r"the Hub fails \(503\)"):
        push()
    hub.clear_faults()
    hub.fault("status", "POST */commit/*", status=412, times=9)
    with pytest.raises(HubError, match="was changed by somebody else 3 times meanwhile"):
        push()
    assert hub.pull_requests(MODEL, kind="model") == []


@pytest.mark.parametrize(
    ("prepare", "kind", "message"),
    [
        ("anonymous", HubError, f"you are not logged in; log in with 'hf auth login' to write to {MODEL}"),
        ("missing", UsageError, "owner/none does not exist on the Hub, or is private"),
        ("foreign", DataError, f"has a {YAML} that is no bundle's"),
        ("ignored", DataError, f"the .gitignore of {MODEL} ignores {FOLDER}/"),
        ("stranger", HubError, "your token may not do this"),
    ],
)
def test_what_cannot_be_pushed_is_one_line(
    hub: HubServer, person: Person, prepare: str, kind: type[IbcReportError], message: str
) -> None:
    """A push that cannot be ends in one line that names the remedy, and changes nothing."""
    submission, files = described("First.")
    if prepare == "anonymous":
        person(None)
    if prepare == "missing":
        submission = replace(submission, repository="owner/none")
    if prepare == "foreign":
        hub.commit(MODEL, {YAML: b"- value: theirs\n"}, kind="model")
    if prepare == "ignored":
        hub.commit(MODEL, {".gitignore": b".ibc-report\n"}, kind="model")
    if prepare == "stranger":
        person(STRANGER)
    head = hub.head(MODEL, kind="model")
    with pytest.raises(kind) as caught:
        attach(submission, files, direct=True)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert hub.head(MODEL, kind="model") == head
