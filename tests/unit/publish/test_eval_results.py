"""The file of results that the Hub reads."""

from __future__ import annotations

import pytest
import yaml
from huggingface_hub import EvalResultEntry, parse_eval_result_entries

from ibc_report.common.errors import DataError
from ibc_report.publish.eval_results import entries, path, text
from tests.support.submissions import DATASET, SHA, hub_report, made

CARD = "https://example.org/card"


def test_the_hubs_client_reads_it_back() -> None:
    """The file holds one entry: the pinned dataset, the accuracy, the card as its source, the interval in the notes."""
    submission = made(task="main")
    listed = parse_eval_result_entries(yaml.safe_load(text(submission, CARD)))
    assert listed == entries(text(submission, CARD).encode())
    (entry,) = listed
    assert isinstance(entry, EvalResultEntry)
    assert (entry.dataset_id, entry.dataset_revision, entry.task_id) == (DATASET, SHA, "main")
    assert (entry.value, entry.source_url) == (submission.value, CARD)
    assert submission.entry.wilson.text in (entry.notes or "")
    assert f"10^{hub_report().headline.exponent} [" in (entry.notes or "")
    assert path(submission) == ".eval_results/iris.yaml"


def test_the_notes_are_one_line() -> None:
    """Names of others break no YAML: the notes are read back as one line."""
    results = made().results
    test = results.test.model_copy(update={"split": "a: b\n- c\0 #'\""})
    (entry,) = entries(text(made(results=results.model_copy(update={"test": test})), CARD).encode())
    assert "a: b - c\ufffd #'\"" in (entry.notes or "")


@pytest.mark.parametrize("content", [b"", b"{}", b"- 1", b"- dataset: {id: a}", b"[", b"\xff\xfe\x00", b"- value: 1"])
def test_what_is_no_list_of_results_is_told(content: bytes) -> None:
    """Other YAML, and what is none, is refused."""
    with pytest.raises(DataError):
        entries(content)
