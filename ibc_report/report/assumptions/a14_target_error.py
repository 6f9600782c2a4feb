"""A14: the target error lies below chance and above the noise of the labels."""

from __future__ import annotations

from ibc_report.common import wording
from ibc_report.report.assumptions.assumption import NOT_TESTABLE, Assumption, Evidence, Judgement, Worth, joined

FLAG = "target_above_chance"


def _nearest(evidence: Evidence) -> float | None:
    """Error of the nearest neighbour on these data; None where there is none."""
    return None if evidence.facts is None else evidence.facts.disagreement.get(1)


def _judge(evidence: Evidence, target: float | None) -> Judgement:
    """Not testable where neither chance nor a bound of the outputs is known."""
    task, nearest = evidence.task, _nearest(evidence)
    bounds = "chance" if task.chance_error is not None else "the bound of the outputs"
    if any(flag.code == FLAG for flag in task.flags):
        return Judgement("violated", f"target error: violated from {bounds}")
    if target is None or (task.chance_error is None and "output_bound" not in task.inputs):
        return NOT_TESTABLE
    if nearest is None:
        return Judgement("holds", f"target error: holds below {bounds}")
    text = f"target error: holds between the error of the nearest neighbour and {bounds}"
    return Judgement("holds" if target >= nearest else "doubtful", text)


def _finding(evidence: Evidence) -> str | None:
    task, nearest = evidence.task, _nearest(evidence)
    said = None
    if task.chance_error is not None:
        said = f"chance {wording.number(task.chance_error)}"
    elif "output_bound" in task.inputs:
        said = f"bound of the outputs {wording.number(task.inputs['output_bound'])}"
    return joined(
        None if said is None else f"Target error {wording.number(task.inputs['target_error'])}, {said}.",
        None if nearest is None else f"The nearest neighbour has another label for {wording.percent(nearest)}.",
    )


ASSUMPTION = Assumption(
    id="A14",
    name="target error",
    statement="The target error was chosen, below chance and above the noise of the labels.",
    consequence="Cards with other targets do not compare.",
    finding=_finding,
    value=lambda evidence: evidence.task.inputs.get("target_error"),
    judge=_judge,
    doubtful="These features may not allow the target error",
    violated="Guessing meets the target error",
    flag=FLAG,
    worth=(Worth("half_error", "with half the target error"),),
)
