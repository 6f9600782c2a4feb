"""The document of results: what judging writes into it, its file, and its Markdown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from math import log2, log10
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from ibc_report.common.errors import DataError, InputError, UsageError
from ibc_report.complexity import Complexity, evaluate
from ibc_report.evaluation.scoring.answers import Score
from ibc_report.evaluation.scoring.matching import MatchedBy
from ibc_report.evaluation.scoring.predictions import Predictions, RowCounts, of_scores
from ibc_report.evaluation.scoring.score import LISTED, MajorityClass, ScoredSet, score
from ibc_report.evaluation.scoring.two_test_sets import AcrossSets
from ibc_report.evaluation.statistics.comparisons import mcnemar, paired_interval
from ibc_report.evaluation.statistics.proportions import clopper_pearson, wilson
from ibc_report.rendering.results import printed_pairs, results_markdown
from ibc_report.report.schema.results import RESULTS_VERSION, Results, load_results
from ibc_report.report.sections.results import across_text, majority_text, matched_text, results_document
from tests.support.samples import image_task

MNIST = evaluate("classification", image_task("mnist"))

MAJORITY = MajorityClass(0.1135, "1", "training")


def answered(accuracies: dict[str, float], n: int = 1000, *, seed: int = 0) -> Predictions:
    """Models that err on examples by their difficulty, and by chance."""
    rng = np.random.default_rng(seed)
    difficulty = rng.random(n)
    right = np.array([0.8 * difficulty + 0.2 * rng.random(n) < accuracy for accuracy in accuracies.values()])
    return Predictions(
        models=tuple(accuracies),
        correct=right.sum(axis=1).astype(float),
        n=np.full(len(right), float(n)),
        right=right,
        answered=np.ones_like(right),
        examples=tuple(map(str, range(n))),
        counts=tuple(RowCounts(given=n) for _ in accuracies),
        matched_by=(MatchedBy("order"),),
    )


def scored(predictions: Predictions, name: str = "here", majority: MajorityClass | None = MAJORITY) -> ScoredSet:
    """A test set with these answers on it."""
    return ScoredSet(name, "sha256:0", "test", predictions, majority)


def judged(
    test: Predictions, *, complexity: Complexity | None = MNIST, notes: Sequence[str] = (), **more: object
) -> Results:
    """Results of these answers."""
    found = score(scored(test), complexity=complexity, **more)  # type: ignore[arg-type]
    return results_document(found, name="made", title="Made", notes=notes)


THREE = {"good": 0.9, "fair": 0.88, "bad": 0.5}


def kinds() -> dict[str, Results]:
    """Results of each kind."""
    many = {f"m{i:02}": 0.3 + 0.015 * i for i in range(LISTED + 5)}
    return {
        "three": judged(answered(THREE)),
        "one": judged(answered({"only": 0.7})),
        "perfect": judged(answered({"best": 2.0, "worst": -1.0}, 50)),
        "scores": judged(of_scores([Score("m", 0.782, 1319)]), complexity=None, notes=("A note.",)),
        "gap": judged(answered(THREE), train=answered({"good": 0.99, "bad": 0.6}, 3000, seed=1)),
        "against": judged(answered(THREE), against=scored(answered(THREE, 500, seed=2), "there")),
        "many": judged(answered(many, 100), against=scored(answered(many, 400, seed=2), "there")),
        "markup": judged(answered({"*a* | <b>": 0.9, "[red]x\n": 0.2}, 40)),
    }


@pytest.fixture(scope="module")
def results() -> dict[str, Results]:
    """Results of each kind, made once."""
    return kinds()


NAMES = ("three", "one", "perfect", "scores", "gap", "against", "many", "markup")


@pytest.mark.parametrize("name", NAMES)
def test_results_survive_their_file(results: dict[str, Results], name: str, tmp_path: Path) -> None:
    """What is loaded equals what was saved, saves to the same bytes, and fits its schema."""
    path = tmp_path / "results.json"
    path.write_text(results[name].to_json(), encoding="utf-8")
    loaded = load_results(path)
    assert loaded == results[name]
    assert loaded.to_json() == results[name].to_json()
    schema = Results.model_json_schema(mode="serialization")
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(json.loads(results[name].to_json()))


@pytest.mark.parametrize("name", NAMES)
def test_markdown_has_each_model_and_whole_tables(results: dict[str, Results], name: str) -> None:
    """Every model has a row, all rows of a table have its columns, and no markup of a name is left."""
    text = results_markdown(results[name])
    lines = text.splitlines()
    width = 0
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith("|"):
            width = width if before.startswith("|") else line.count("|")
            assert line.count("|") == width
    assert sum(line.startswith("| ") for line in lines) >= len(results[name].models) + 1
    assert "<b>" not in text
    assert "*a*" not in text.replace("\\*a\\*", "")


def test_the_same_answers_give_the_same_bytes(results: dict[str, Results]) -> None:
    """Nothing hangs on chance or time."""
    again = kinds()
    assert {name: found.to_json() for name, found in again.items()} == {
        name: found.to_json() for name, found in results.items()
    }


def test_models_have_their_numbers(results: dict[str, Results]) -> None:
    """Accuracy, both intervals, skill and ranks of each model are the formulas' values, the best model first."""
    found = results["three"]
    assert [model.name for model in found.models] == ["good", "fair", "bad"]
    for model in found.models:
        assert model.skill is not None
        around, exact = wilson(model.correct, model.n), clopper_pearson(model.correct, model.n)
        assert (model.wilson.lower, model.wilson.upper) == (around.lower, around.upper)
        assert (model.clopper_pearson.lower, model.clopper_pearson.upper) == (exact.lower, exact.upper)
        assert model.skill == pytest.approx((model.accuracy - 0.1135) / (1 - 0.1135))
        assert model.skill_interval is not None
        assert model.skill_interval.lower < model.skill < model.skill_interval.upper
    assert [model.rank_text for model in found.models] == ["1–2", "1–2", "3"]


def test_bits_of_an_error_are_the_tasks(results: dict[str, Results]) -> None:
    """A model's bits are the task's at its error, and over chance dimΘ_q·log2 of chance over it."""
    for model in results["three"].models:
        assert model.bits is not None
        error = 1 - model.accuracy
        at = evaluate("classification", image_task("mnist", target_error=error))
        assert model.bits.log10_bits == pytest.approx(at.log10_bits)
        assert model.bits.log10_bits_over_chance == pytest.approx(at.log10_free_parameters + log10(log2(0.9 / error)))
    best, worst = results["perfect"].models
    assert best.bits is not None
    assert (best.bits.log10_bits, best.bits.upper) == (None, None)
    assert best.bits.text.startswith("at least 10^")
    assert worst.bits is not None
    assert worst.bits.log10_bits_over_chance is None
    assert worst.bits.over_chance_text == "0"
    assert (worst.bits.log10_bits, worst.bits.text) == (None, "–")


def test_pairs_have_their_tests(results: dict[str, Results]) -> None:
    """Each pair has McNemar's tests and the paired interval of its counts, the better model first."""
    found = results["three"].pairs
    assert [(pair.first, pair.second) for pair in found] == [("good", "fair"), ("good", "bad"), ("fair", "bad")]
    for pair in found:
        test = mcnemar(pair.first_only, pair.second_only)
        around = paired_interval(pair.both, pair.first_only, pair.second_only, pair.neither)
        assert (pair.mcnemar, pair.mcnemar_p, pair.exact_p, pair.mid_p) == (
            test.statistic,
            test.p,
            test.exact_p,
            test.mid_p,
        )
        assert (pair.interval.lower, pair.interval.upper) == (around.lower, around.upper)
        assert pair.first_only >= pair.second_only
        assert pair.holm_p >= pair.exact_p
        assert pair.distinguishable == (pair.holm_p <= 0.05)
        assert pair.both + pair.first_only + pair.second_only + pair.neither == pair.n


def test_ranks_agree_with_the_pairs(results: dict[str, Results]) -> None:
    """A rank interval counts the pairs that are distinguishable, and nothing else."""
    found = results["three"]
    for model in found.models:
        worse = sum(pair.distinguishable for pair in found.pairs if pair.second == model.name)
        better = sum(pair.distinguishable for pair in found.pairs if pair.first == model.name)
        assert (model.best_rank, model.worst_rank) == (1 + worse, 3 - better)


def test_the_gap_is_between_different_examples(results: dict[str, Results]) -> None:
    """A model with answers on both splits has its gap; one without has none, and that is said."""
    found = {model.name: model for model in results["gap"].models}
    gap = found["good"].gap
    assert gap is not None
    assert gap.gap == pytest.approx(gap.train_accuracy - found["good"].accuracy)
    assert gap.interval.lower < gap.gap < gap.interval.upper
    assert found["fair"].gap is None
    assert "Not on both the test set and the training examples: fair." in results["gap"].notes


def test_gsm8k_against_gsm1k_as_published() -> None:
    """The published accuracies give z 5.638 and [0.0636, 0.1324], without any single answer; p is printed, not z."""
    other = scored(of_scores([Score("m", 0.684, 1250)]), "GSM1k", None)
    found = judged(of_scores([Score("m", 0.782, 1319)]), complexity=None, against=other)
    between = found.between[0]
    assert (round(between.standard_error, 5), round(between.z or 0, 3)) == (0.01738, 5.638)
    assert round(between.pooled_z or 0, 3) == 5.621
    assert (round(between.interval.lower, 4), round(between.interval.upper, 4)) == (0.0636, 0.1324)
    assert found.models[0].best_rank is None
    assert found.pairs == ()
    assert between.exact
    assert "5.638" not in results_markdown(found)
    assert f"| {between.p:.2g} |" in results_markdown(found)


def test_thirty_models_on_two_sets_have_a_line(results: dict[str, Results]) -> None:
    """With 30 models the line is there with its held-out halves and its examples; with three it is not."""
    line = results["many"].line
    assert line is not None
    assert line.correlation.models == LISTED + 5
    assert line.correlation.r > 0.9
    assert [subset.size for subset in line.subsets] == [20, 40, 80, 160]
    assert len(line.examples) == 160
    assert results["against"].line is None
    assert len(results["against"].between) == 3


def test_pairs_of_many_models_are_cut(results: dict[str, Results]) -> None:
    """Of many models the pairs of the 30 best are in the file, and neighbours are printed; the note says so."""
    found = results["many"]
    assert len(found.pairs) == LISTED * (LISTED - 1) // 2
    assert len(printed_pairs(found)) == LISTED - 1
    assert any(note.startswith("Pairs of the 30 best of 35 models are listed") for note in found.notes)


def test_resolution_is_that_of_the_measured_disagreement(results: dict[str, Results]) -> None:
    """With several models their disagreement is measured, with one it is assumed, and the text says which."""
    assert results["three"].resolution.measured
    mean = "(the mean of the disagreements of models next to each other in accuracy here)"
    assert mean in results["three"].resolution.text
    assert not results["one"].resolution.measured
    assert "an assumption" in results["one"].resolution.text
    assert "corrected for all 3 pairs of 3 models it is" in results["three"].resolution.text
    assert "corrected for all 45 pairs of 10 models it is" in results["one"].resolution.text


@pytest.mark.parametrize(("share", "said"), [(0.0721, "7.3 points between"), (0.07, "7.0 points between")])
def test_a_smallest_difference_is_rounded_up(share: float, said: str) -> None:
    """What is printed as the smallest difference is never smaller than it; a whole number of tenths stays."""
    found = score(scored(answered(THREE)))
    resolution = replace(found.resolution, paired=share, unpaired=share, paired_corrected=share)
    text = results_document(replace(found, resolution=resolution), name="made", title="Made").resolution.text
    assert said in text
    assert text.count(said.removesuffix(" between")) == 3


def test_a_column_has_one_number_of_decimals() -> None:
    """Models that answer 12,000 and 9,000 of the examples are printed with as many decimals."""
    found = judged(of_scores([Score("all", 0.5, 12_000), Score("part", 0.25, 9_000)]), complexity=None)
    assert [model.text for model in found.models] == ["50.0 %", "25.0 %"]
    assert judged(of_scores([Score("all", 0.5, 12_000)]), complexity=None).models[0].text == "50.00 %"


def test_a_level_is_a_share() -> None:
    """A level of 95 is refused."""
    with pytest.raises(InputError, match="level 95 is not between 0 and 1"):
        judged(answered(THREE), level=95)


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        ("{}", DataError, "holds no results; make some with ibc-report results"),
        ("[", DataError, "cannot be read as results"),
        (json.dumps({"schema_version": 1, "name": "a"}), DataError, "holds no results"),
        (json.dumps({"kind": "results", "schema_version": RESULTS_VERSION + 1}), UsageError, "upgrade ibc-report"),
        (json.dumps({"kind": "results", "schema_version": 1, "nmae": "a"}), DataError, "holds no results: "),
    ],
)
def test_what_holds_no_results(content: str, error: type[Exception], said: str, tmp_path: Path) -> None:
    """Another file, a newer one and a broken one are each told in a line."""
    path = tmp_path / "other.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(error, match=said):
        load_results(path)
    with pytest.raises(UsageError, match="does not exist"):
        load_results(tmp_path / "nothing.json")


@pytest.mark.parametrize(
    ("majority", "said"),
    [
        (None, ""),
        (MajorityClass(), "There are no classes, so there is no majority to compare with."),
        (
            MajorityClass(None, "cat", "training", "train"),
            "Labels of the test examples were not read, so how often 'cat' is right is unknown.",
        ),
        (MajorityClass(0.4, "cat", "training"), "Skill is over always answering 'cat', the most frequent class."),
        (
            MajorityClass(0.4, "cat", "test"),
            "Skill is over always answering 'cat', the most frequent class of the test examples themselves.",
        ),
        (
            MajorityClass(0.4, None, "report", "train"),
            "Skill is over always answering the most frequent class of split 'train', as its report has it.",
        ),
        (
            MajorityClass(0.4, "cat", "training", "train", tied=3),
            "Skill is over always answering 'cat', one of 3 most frequent classes of split 'train'.",
        ),
        (
            MajorityClass(0.4, None, "report", "train", tied=2),
            "Skill is over always answering one of 2 most frequent classes of split 'train', as its report has it.",
        ),
    ],
)
def test_what_skill_is_over_is_said(majority: MajorityClass | None, said: str) -> None:
    """The majority class is named with where it was counted, or why there is none."""
    assert majority_text(majority) == said


def test_how_rows_were_matched_is_said() -> None:
    """All ways are named; published accuracies have none."""
    assert matched_text(of_scores([Score("m", 0.7, 10)])) == "accuracies as published"
    ways = (MatchedBy("column", "id"), MatchedBy("numbers", "row"))
    found = replace(answered(THREE, 10), matched_by=ways)
    assert matched_text(found) == "rows matched by column 'id' and row numbers in column 'row'"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (AcrossSets(29), "No line of accuracies: it takes 30 models on both sets, not 29."),
        (AcrossSets(30, refusal="all accuracies are equal"), "No line: all accuracies are equal."),
    ],
)
def test_a_line_that_is_missing_has_its_reason(found: AcrossSets, said: str) -> None:
    """Too few models, and accuracies that have no line, are told apart."""
    assert across_text(found) == said


def test_a_line_without_single_answers_says_that_no_subset_is_selected() -> None:
    """Of published accuracies the line is fitted, and no example of the other set can be selected."""
    many = of_scores([Score(f"m{i}", 0.5 + i / 100, 10_000) for i in range(30)])
    found = judged(many, complexity=None, against=scored(many, "there"))
    assert found.line is not None
    assert (found.line.subsets, found.line.examples, found.line.everything) == ((), (), None)
    assert "Single answers on the other set are not known, so no subset is selected." in found.notes


def test_an_infinite_z_is_no_number() -> None:
    """One of one against none of one has no z in the document."""
    one, none = of_scores([Score("a", 1.0, 1)]), of_scores([Score("a", 0.0, 1)])
    found = judged(one, complexity=None, against=scored(none, "there"))
    assert found.between[0].z is None
