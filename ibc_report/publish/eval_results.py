"""The entry of a submission in a model's .eval_results, in the form of the Hub's own client."""

from __future__ import annotations

from typing import Any

import yaml

from ibc_report.common.errors import DataError
from ibc_report.common.escaping import one_line
from ibc_report.publish.submission import Submission
from ibc_report.rendering.badge import message

__all__ = ["FOLDER", "entries", "path", "text"]

FOLDER = ".eval_results"
"""Where the Hub looks for a model's results."""


def path(submission: Submission) -> str:
    """Say where the file lies in a model's repository."""
    return f"{FOLDER}/{submission.report.name}.yaml"


def text(submission: Submission, card: str) -> str:
    """Write the file.

    Parameters
    ----------
    submission : Submission
        Of a dataset on the Hub.
    card : str
        Address of the card.

    Returns
    -------
    str
        YAML: a list of one entry, with the dataset's commit, the card as its source, and the interval in its notes.
    """
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    assert submission.dataset is not None
    entry = EvalResultEntry(
        dataset_id=submission.dataset,
        task_id=submission.task,
        value=submission.value,
        dataset_revision=submission.revision,
        source_url=card,
        source_name="Difficulty card and results",
        notes=_notes(submission),
    )
    # the order of the keys is the client's
    return yaml.safe_dump(eval_result_entries_to_yaml([entry]), sort_keys=False, allow_unicode=True, width=110)


def entries(content: bytes) -> list[Any]:
    """Read such a file with the Hub's client.

    Raises
    ------
    DataError
        If it is none.
    """
    from huggingface_hub import parse_eval_result_entries

    try:
        listed = yaml.safe_load(content)
        if not isinstance(listed, list) or not listed:
            raise DataError("it is no list of results")
        return list(parse_eval_result_entries(listed))
    except (yaml.YAMLError, UnicodeDecodeError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise DataError(f"it cannot be read: {one_line(str(error))}") from error


def _notes(submission: Submission) -> str:
    entry, test = submission.entry, submission.results.test
    level = f"{100 * submission.results.level:g} %"
    said = [
        f"accuracy in {submission.unit}, {level} Wilson interval {entry.wilson.text}, n = {entry.n:,}",
        *([f"split {test.split}"] if test.split else []),
        *([f"rank {entry.rank_text} of {len(submission.results.models)}"] if entry.best_rank is not None else []),
        f"difficulty of the task {message(submission.report)}",
    ]
    return one_line("; ".join(said))
