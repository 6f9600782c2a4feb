"""A submission made once for the tests: the report of iris, and the results of two models on it."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_iris

import ibc_report
from ibc_report import Report
from ibc_report.pipeline.score import score_predictions
from ibc_report.publish.submission import Submission, submission
from ibc_report.report.schema.results import Results
from ibc_report.report.schema.split_audit import EvaluationRecord

SHA = "5503434ddd753f426f4b38109466949a1217c2bb"

DATASET = "owner/iris"

MODEL = "owner/good"


@cache
def hub_report() -> Report:
    """The report of iris, as if it lay on the Hub."""
    measured = ibc_report.measure("builtin:iris")
    assert measured.data is not None
    data = measured.data.model_copy(update={"source": DATASET, "revision": SHA, "homepage": f"https://x.org/{DATASET}"})
    return measured.model_copy(update={"data": data})


@cache
def results() -> Results:
    """The results of a good and a fair model on all of iris."""
    labels = [int(label) for label in load_iris().target]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "two.csv"
        lines = ["row,model,prediction"]
        for seed, (name, share) in enumerate((("good", 0.97), ("fair", 0.8))):
            rng = np.random.default_rng(seed)
            lines += [f"{i},{name},{y if rng.random() < share else (y + 1) % 3}" for i, y in enumerate(labels)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        found = score_predictions(ibc_report.measure("builtin:iris"), [path])
    return found.model_copy(
        update={"test": found.test.model_copy(update={"name": DATASET, "revision": SHA, "split": "train"})}
    )


def made(**changes: Any) -> Submission:
    """A submission of the good model."""
    return submission(
        changes.pop("report", hub_report()),
        changes.pop("results", results()),
        changes.pop("repository", MODEL),
        **changes,
    )


def of_data(of: Report, **changes: Any) -> Report:
    """The report with other data."""
    assert of.data is not None
    return of.model_copy(update={"data": of.data.model_copy(update=changes)})


def of_test(of: Results, **changes: Any) -> Results:
    """The results on another test set."""
    return of.model_copy(update={"test": of.test.model_copy(update=changes)})


def local(name: str, revision: str = f"sha256:{'a' * 64}") -> dict[str, Any]:
    """A report of a file, and results on it."""
    return {
        "report": of_data(hub_report(), source=name, revision=revision),
        "results": of_test(results(), name=name, revision=revision, split=None if name.endswith(".csv") else "train"),
    }


def with_test(n: int, split: str = "test") -> Report:
    """The report with a test split of so many examples."""
    test = EvaluationRecord(split=split, n=n, n_train=150, unusable=None, summary="")
    return hub_report().model_copy(update={"test": test})
