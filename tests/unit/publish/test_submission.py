"""What makes a submission, and what does not belong together."""

from __future__ import annotations

from typing import Any

import pytest

from ibc_report.common.errors import UsageError
from tests.support.submissions import DATASET, MODEL, SHA, local, made, results


def test_a_submission_is_pinned() -> None:
    """The dataset and its commit are those of the report; the model is found by its name."""
    found = made()
    assert (found.repository, found.dataset, found.revision, found.task) == (MODEL, DATASET, SHA, "default")
    assert found.entry.name == "good"
    assert made(repository=f"https://huggingface.co/{MODEL}").repository == MODEL
    assert made(repository="owner/other", name="fair").entry.name == "fair"


def test_the_accuracy_is_in_per_cent_or_a_share() -> None:
    """The value is in per cent by default, and a share where that is asked for."""
    accuracy = made().entry.accuracy
    assert made().value == pytest.approx(100 * accuracy, abs=1e-4)
    assert made(share=True).value == pytest.approx(accuracy, abs=1e-6)


@pytest.mark.parametrize("name", ["rows.csv", "owner/rows"])
def test_a_copy_is_not_pinned(name: str) -> None:
    """A report of a local copy, whatever its folder is called, names the dataset where that is told, and no commit."""
    assert (made(**local(name)).dataset, made(**local(name)).revision) == (None, None)
    named = made(**local(name), dataset=DATASET)
    assert (named.dataset, named.revision) == (DATASET, None)
    # results may be of the dataset itself then
    named = made(report=local(name)["report"], dataset=DATASET)
    assert (named.dataset, named.revision) == (DATASET, None)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"repository": "good"}, "'good' is no model of the Hub; name it OWNER/MODEL"),
        ({"repository": "../../x"}, "is no model of the Hub"),
        ({"repository": "owner/else"}, "say which is owner/else with --name: good, fair"),
        ({"name": "god"}, "the results have no model 'god'; did you mean 'good'?"),
        ({"dataset": "iris"}, "'iris' is no dataset of the Hub; name it OWNER/NAME"),
        ({"results": results().model_copy(update={"name": "wine"})}, "of 'iris' and the results are of 'wine'"),
        (
            {
                "results": results().model_copy(
                    update={"test": results().test.model_copy(update={"revision": "b" * 40})}
                )
            },
            "make the results with this report",
        ),
    ],
)
def test_what_does_not_belong_together_is_told(changes: dict[str, Any], message: str) -> None:
    """Names that are none, other tasks and other states of the dataset are refused in one line."""
    with pytest.raises(UsageError) as caught:
        made(**changes)
    assert message in str(caught.value)
