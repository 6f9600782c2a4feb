"""Results as Markdown: tables for the text of a pull request or a card."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ibc_report.common.escaping import Markdown, escape
from ibc_report.report.schema.results import ModelRecord, PairRecord, Results
from ibc_report.report.sections import interval_text

__all__ = ["MOST_PAIRS", "printed_pairs", "results_markdown"]

MOST_PAIRS = 15
"""Pairs that are printed; of more, those of neighbours in accuracy are. The JSON has all that are listed."""


def results_markdown(results: Results) -> str:
    """Render results."""
    test = results.test
    where = f"{test.name}{f', split {test.split}' if test.split else ''}: {test.examples:,} examples"
    parts = [
        f"# Results on {escape(results.title)}",
        escape(f"{where}; {test.matched_by}. {100 * results.level:g} % intervals."),
        _models(results),
        escape(f"{test.majority_is} {results.bits_are}"),
        escape(results.resolution.text),
    ]
    if results.pairs:
        parts += ["## Between models", *_pairs(results)]
    if results.against is not None and results.between:
        other = results.against
        parts += [
            "## Between test sets",
            escape(f"{other.name}{f', split {other.split}' if other.split else ''}: {other.examples:,} examples."),
            _table(
                ("Model", "Here", "There", "Difference", "Interval", "p", "p, corrected"),
                (
                    (
                        row.model,
                        f"{100 * row.accuracy:.1f} % of {row.n:,}",
                        f"{100 * row.other_accuracy:.1f} % of {row.other_n:,}",
                        row.text,
                        row.interval.text,
                        interval_text.probability(row.p),
                        interval_text.probability(row.holm_p),
                    )
                    for row in results.between
                ),
            ),
        ]
    if results.line is not None:
        parts += ["## Accuracy on the line", escape(f"{results.line.text}.")]
        parts += ["\n".join(f"- {escape(subset.text)}" for subset in results.line.subsets)]
    if results.notes:
        parts += ["## Notes", "\n".join(f"- {escape(note)}" for note in results.notes)]
    return "\n\n".join(part for part in parts if part) + "\n"


def printed_pairs(results: Results) -> tuple[PairRecord, ...]:
    """Choose the pairs to print.

    Returns
    -------
    tuple of PairRecord
        All where there are few, else those of models next to each other in accuracy.
    """
    if len(results.pairs) <= MOST_PAIRS:
        return results.pairs
    place = {model.name: position for position, model in enumerate(results.models)}
    return tuple(pair for pair in results.pairs if abs(place[pair.first] - place[pair.second]) == 1)


def _models(results: Results) -> str:
    gap, bits = any(model.gap for model in results.models), any(model.bits for model in results.models)
    ranked = any(model.best_rank for model in results.models)
    skilled = any(model.skill is not None for model in results.models)
    heads = ["Model", "Accuracy", "Wilson", "Clopper–Pearson", "n"]
    heads += [head for head, shown in (("Rank", ranked), ("Skill", skilled), ("Train–test gap", gap)) if shown]
    heads += ["Bits at its error", "Bits over chance"] if bits else []

    def row(model: ModelRecord) -> list[str]:
        cells = [model.name, model.text, model.wilson.text, model.clopper_pearson.text, f"{model.n:,}"]
        cells += [model.rank_text] if ranked else []
        cells += [model.skill_text] if skilled else []
        cells += [f"{model.gap.text} ({model.gap.interval.text})" if model.gap else "–"] if gap else []
        if bits:
            cells += [model.bits.text, model.bits.over_chance_text] if model.bits else ["–", "–"]
        return cells

    return _table(heads, (row(model) for model in results.models))


def _pairs(results: Results) -> list[str]:
    table = _table(
        (
            "Model",
            "Compared with",
            "Difference",
            "Interval",
            "Only it, only the other",
            "Exact p",
            "p, corrected",
        ),
        (
            (
                pair.first,
                pair.second,
                pair.text,
                pair.interval.text,
                f"{pair.first_only:,}, {pair.second_only:,}",
                interval_text.probability(pair.exact_p),
                interval_text.probability(pair.holm_p),
            )
            for pair in printed_pairs(results)
        ),
    )
    said = (
        "McNemar's exact test on the examples that both answer; the interval is that of one pair, and has no 0 exactly "
        f"where p < {1 - results.level:.2g}. The correction is Holm's, for all pairs and both directions. "
        "A rank is an interval: all of them hold at once."
    )
    if len(results.pairs) > MOST_PAIRS:
        said += f" Of {len(results.pairs):,} pairs those of neighbours in accuracy are shown."
    return [table, said]


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    lines += [f"| {' | '.join(escape(cell) for cell in row)} |" for row in rows]
    return Markdown("\n".join(lines))
