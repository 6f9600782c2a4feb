"""A submission: a model's results on a task and the task's report, found to be of the same thing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ibc_report.common.errors import UsageError, choices
from ibc_report.common.hub import name_of
from ibc_report.evaluation.scoring.results import ModelRecord, Results
from ibc_report.report.agreement import disagreement
from ibc_report.report.schema.document import ReportDocument

__all__ = ["DEFAULT_TASK", "Submission", "submission"]

DEFAULT_TASK = "default"
"""How the Hub calls the task of a dataset that has one configuration."""

_MODEL_PAGES = ("https://huggingface.co/", "huggingface.co/", "hf://models/", "hf://")

_SHA = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Submission:
    """What is attached to a model.

    Parameters
    ----------
    repository : str
        OWNER/MODEL on the Hub.
    dataset : str or None
        OWNER/NAME of the dataset on the Hub; None where it is not there.
    revision : str or None
        Commit of the dataset; None where it is not pinned by one.
    task : str
        The benchmark's name of the task.
    share : bool
        State the accuracy as a share, instead of in per cent.
    """

    report: ReportDocument
    results: Results
    repository: str
    entry: ModelRecord
    dataset: str | None
    revision: str | None
    task: str
    share: bool = False

    @property
    def value(self) -> float:
        """The accuracy as it is submitted."""
        return round(self.entry.accuracy, 6) if self.share else round(100 * self.entry.accuracy, 4)

    @property
    def unit(self) -> str:
        """What the accuracy is stated in."""
        return "share" if self.share else "per cent"


def submission(
    report: ReportDocument,
    results: Results,
    repository: str,
    *,
    name: str | None = None,
    dataset: str | None = None,
    task: str | None = None,
    share: bool = False,
) -> Submission:
    """Bring a report, results and a model together.

    Parameters
    ----------
    repository : str
        OWNER/MODEL on the Hub, or its page's address.
    name : str, optional
        How the results call the model; found where there is one only, or one is called as the repository.
    dataset : str, optional
        OWNER/NAME of the dataset on the Hub, where the report is of a copy of it.
    task : str, optional
        The benchmark's name of the task; the configuration that was measured, or "default".

    Raises
    ------
    UsageError
        If a name is none, or report and results are not of the same data, split and number of examples; of a copy,
        not of as many examples with the same classes.
    """
    stripped = repository
    for page in _MODEL_PAGES:
        stripped = stripped.removeprefix(page)
    model = name_of(stripped)
    if model is None:
        raise UsageError(f"'{repository}' is no model of the Hub; name it OWNER/MODEL")
    data = report.data
    # a folder may be called as a dataset of the Hub would be
    source = name_of(data.source) if data is not None and not data.revision.startswith("sha256:") else None
    on_hub = name_of(dataset) if dataset is not None else source
    if dataset is not None and on_hub is None:
        raise UsageError(f"'{dataset}' is no dataset of the Hub; name it OWNER/NAME, as in ylecun/mnist")
    entry = _entry(results, model, name)
    wrong = disagreement(report, results, n=entry.n, copy_of=dataset)
    if wrong is not None:
        raise UsageError(wrong)
    pinned = data is not None and source == on_hub and _SHA.fullmatch(data.revision) is not None
    return Submission(
        report=report,
        results=results,
        repository=model,
        entry=entry,
        dataset=on_hub,
        revision=data.revision if data is not None and pinned else None,
        task=task or (data.config if data is not None else None) or DEFAULT_TASK,
        share=share,
    )


def _entry(results: Results, repository: str, name: str | None) -> ModelRecord:
    by_name = {model.name: model for model in results.models}
    if name is not None:
        if name not in by_name:
            raise UsageError(f"the results have no model '{name}'; {choices(name, by_name)}")
        return by_name[name]
    if len(results.models) == 1:
        return results.models[0]
    own = {repository.lower(), repository.rpartition("/")[2].lower()}
    found = [model for model in results.models if model.name.lower() in own]
    if len(found) != 1:
        raise UsageError(
            f"the results are of {len(results.models)} models; say which is {repository} with --name: "
            f"{', '.join(by_name)}"
        )
    return found[0]
