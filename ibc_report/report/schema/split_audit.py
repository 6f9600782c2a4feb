"""What a score on the test split can tell, as a card prints it."""

from __future__ import annotations

from pydantic import Field

from ibc_report.common.schema import Record

__all__ = [
    "AccuracyRecord",
    "BaselineRecord",
    "EvaluationRecord",
    "LeakRecord",
    "LeakageRecord",
    "LearningCurveRecord",
    "LostRecord",
    "MemoryRecord",
    "PowerLawRecord",
    "PrecisionRecord",
    "ShortcutRecord",
    "SizeRecord",
    "WidthRecord",
]


class LostRecord(Record):
    """Test rows that were left out for one reason."""

    said: str = Field(description="How many and why, as it is printed.")
    count: int = Field(description="How many.")
    rows: tuple[int, ...] = Field(description="The first few of their numbers.")


class AccuracyRecord(Record):
    """What the test split resolves about a model of one accuracy."""

    accuracy: float = Field(description="Of the model, or of the better of two.")
    accuracy_text: str = Field(description="As it is printed.")
    wilson: tuple[float, float] = Field(description="Ends of Wilson's interval.")
    clopper_pearson: tuple[float, float] = Field(description="Ends of the exact interval.")
    wald: tuple[float, float] = Field(description="Ends of the normal approximation, for comparison only.")
    halfwidth: float = Field(description="Half the width of Wilson's interval.")
    halfwidth_text: str = Field(description="The same in points, as it is printed.")
    clopper_pearson_text: str = Field(description="Half the width of the exact interval, as it is printed.")
    wald_text: str = Field(description="Half the width of the normal approximation, as it is printed.")
    unpaired: float | None = Field(description="Smallest difference of models tested on different rows; null for none.")
    unpaired_text: str = Field(description="The same, as it is printed.")
    unpaired_more: int | None = Field(description="Labels to add for half of it; null for none.")
    unpaired_more_text: str = Field(description="The same, as it is printed.")
    disagreement: float = Field(description="Share of rows on which exactly one of two models is taken to be right.")
    paired: float | None = Field(description="Smallest difference of models tested on the same rows; null for none.")
    paired_text: str = Field(description="The same, as it is printed.")
    paired_more: int | None = Field(description="Labels to add for half of it; null for none.")
    paired_more_text: str = Field(description="The same, as it is printed.")
    paired_corrected: float | None = Field(
        None, description="Smallest difference on the same rows, corrected for all pairs of ten models; null for none."
    )


class WidthRecord(Record):
    """Half the width of Wilson's interval against the number of test rows."""

    n: tuple[int, ...] = Field(description="Test rows.")
    halfwidths: dict[str, tuple[float, ...]] = Field(description="By accuracy.")
    alternative: str = Field(description="The plot in words.")


class PrecisionRecord(Record):
    """What the test split can resolve."""

    n: int = Field(description="Test rows.")
    level: float = Field(description="Share of samples that the intervals cover.")
    power: float = Field(description="Probability with which the smallest differences are found.")
    text: str = Field(description="What the table says, in a sentence or two.")
    rows: tuple[AccuracyRecord, ...] = Field(description="By accuracy.")
    widths: WidthRecord


class BaselineRecord(Record):
    """What a simple predictor reaches."""

    key: str = Field(description="majority, stratified, nearest, neighbors, linear or metadata.")
    name: str = Field(description="In words.")
    n: int = Field(description="Test rows that it was scored on.")
    accuracy: float = Field(description="Share of correct answers.")
    lower: float = Field(description="Lower end of its 95 % Wilson interval.")
    upper: float = Field(description="Upper end.")
    accuracy_text: str = Field(description="With the interval, as it is printed.")
    skill: float | None = Field(description="Gain over the majority class, 1 for perfect; null where it has no gap.")
    skill_lower: float | None = Field(description="At the lower end of the accuracy.")
    skill_upper: float | None = Field(description="At the upper end of the accuracy.")
    skill_text: str = Field(description="With the interval, as it is printed.")
    note: str = Field(description="How it was made.")


class PowerLawRecord(Record):
    """Error a·n^(−b) + c."""

    a: float = Field(description="Factor.")
    exponent: float = Field(description="b.")
    exponent_error: float = Field(description="Standard error of b, from the residuals.")
    floor: float = Field(description="c; 0 where the law has none.")
    text: str = Field(description="As it is printed.")


class SizeRecord(Record):
    """A point of a learning curve."""

    n: int = Field(description="Training rows.")
    errors: tuple[float, ...] = Field(description="Share of wrong answers under each seed.")
    mean: float = Field(description="Their mean.")
    text: str = Field(description="As it is printed.")


class LearningCurveRecord(Record):
    """Error against the number of training rows."""

    key: str = Field(description="nearest or linear.")
    name: str = Field(description="In words.")
    points: tuple[SizeRecord, ...] = Field(description="Ascending.")
    n: int = Field(description="Test rows that the errors were measured on.")
    law: PowerLawRecord | None = Field(description="Fitted to the means; null where too few sizes have an error.")
    predicted: tuple[float, float] = Field(description="Range of the exponent that 1/m to 4/m predicts.")
    text: str = Field(description="What was measured and what was predicted, in a sentence.")


class LeakRecord(Record):
    """A test row and what it repeats."""

    kind: str = Field(description="equal inputs, equal vectors, near or n-grams.")
    test_row: int = Field(description="Row number in the test split.")
    train_row: int = Field(description="Row number in the training split.")
    test_label: str = Field(description="Its class or target.")
    train_label: str = Field(description="Its class or target.")
    agree: bool = Field(description="Whether these are the same.")
    distance: float | None = Field(description="Between their vectors; null where it was not computed.")
    share: float | None = Field(description="Of the test row's n-grams that the training split holds; null for none.")
    text: str = Field(description="The distance or the share, as it is printed.")
    excerpt: str | None = Field(description="How the test row begins; null where it is no text.")


class LeakageRecord(Record):
    """Test rows that the training split holds already, or nearly."""

    asked: int = Field(description="Test rows that were compared by distance.")
    equal_inputs: int = Field(description="Rows whose inputs are those of a training row.")
    equal_vectors: int = Field(description="Further rows whose vectors are.")
    near: int = Field(description="Further rows much nearer to a training row than its like are to each other.")
    radius: float | None = Field(
        None, description="What was near in earlier reports: half of the margin; null since it is `near_ratio`."
    )
    near_ratio: float | None = Field(
        None,
        description="What is near: closer than this share of the distance to the tenth nearest training row; null in "
        "earlier reports.",
    )
    overlapping: int | None = Field(description="Texts flagged by n-grams; null where the inputs are no texts.")
    ngram: int | None = Field(description="Words of an n-gram.")
    threshold: float | None = Field(description="Share of n-grams from which a text is flagged.")
    leaked: int = Field(
        description="Rows of these kinds, those apart that chance explains; in earlier reports with them."
    )
    disagreeing: int = Field(description="Of these, rows with another label than what they repeat.")
    own_share: float = Field(
        description="Share of training rows, of those that equal none, that are as near to another one."
    )
    excess: bool = Field(
        description="Whether more test rows are near a training row than training rows are to each other."
    )
    flagged: bool = Field(description="Whether rows are repeated exactly, by n-grams, or nearly in excess.")
    verdict: str = Field(description="What follows, in a sentence.")
    rows: tuple[tuple[str, str], ...] = Field(description="The table: what, and how many, as they are printed.")
    pairs: tuple[LeakRecord, ...] = Field(description="The closest.")
    accuracy: float | None = Field(description="Of 1-NN on the rows asked; null for a regression.")
    accuracy_without_exact: float | None = Field(description="Without exact repetitions; null where none is left.")
    accuracy_without: float | None = Field(description="Without leaked rows as well; null where none is left.")


class ShortcutRecord(Record):
    """What one property tells of the class."""

    kind: str = Field(description="What it is.")
    name: str = Field(description="In words; of a column, its name.")
    n: int = Field(description="Test rows that it was scored on.")
    accuracy: float = Field(description="Of a probe that sees nothing else.")
    gain: float = Field(description="Over the most common class of the test rows.")
    lower: float = Field(description="Lower end of the 95 % interval of the gain.")
    upper: float = Field(description="Upper end.")
    p: float = Field(description="Exact one-sided McNemar test.")
    corrected: float = Field(description="After Holm's correction for all that was tried.")
    flagged: bool = Field(description="Whether it tells the class beyond chance.")
    accuracy_text: str = Field(description="The accuracy with its interval, as it is printed.")
    gain_text: str = Field(description="The gain with its interval in points, as it is printed.")
    p_text: str = Field(description="The corrected p, as it is printed.")


class GroupRecord(Record):
    """What the training rows of its own group tell of a test row."""

    name: str = Field(description="Column that names the groups.")
    groups: int = Field(description="Groups that both splits have.")
    n: int = Field(description="Test rows that have rows of their class in their own group and in others.")
    own: float = Field(description="Share of them whose nearest training row is of their own group.")
    chance: float = Field(description="What that would be were groups of no matter.")
    accuracy_without_own: float = Field(description="Of the nearest training row outside the own group.")
    accuracy_without_other: float = Field(description="Of the nearest one outside another group of about the size.")
    loss: float = Field(description="The second less the first.")
    lower: float = Field(description="Lower end of the 95 % interval of the loss.")
    upper: float = Field(description="Upper end.")
    p: float = Field(description="Exact one-sided McNemar test.")
    corrected: float = Field(description="After Holm's correction for all columns.")
    flagged: bool = Field(description="Whether a score on this split is one on known groups.")


class MemoryRecord(Record):
    """Bits of the labels."""

    train: float = Field(description="n·log2 k of the training split.")
    train_entropy: float = Field(description="n·H(Y) of the training split.")
    test: float = Field(description="n·log2 k of the test split.")
    test_entropy: float = Field(description="n·H(Y) of the test split.")
    log10_free: float | None = Field(
        description="log10 of the bits of a function on the inputs that the training rows do not hold; null where "
        "inputs are not finite in number, or none is left."
    )
    text: str = Field(description="In a sentence or two.")


class EvaluationRecord(Record):
    """What a score on the test split can tell."""

    split: str = Field(description="Name of the test split, or of its file.")
    n: int = Field(description="Test rows that were used; 0 where the split cannot be used.")
    n_train: int = Field(description="Training rows.")
    unusable: str | None = Field(description="Why the split cannot be used; null where it can.")
    summary: str = Field(description="What matters most, in a few sentences: warnings first.")
    warnings: tuple[str, ...] = Field((), description="What makes a score doubtful, a sentence each, the worst first.")
    notes: tuple[str, ...] = Field((), description="How the rows were taken, a sentence each.")
    dropped: tuple[LostRecord, ...] = Field((), description="Rows that were left out, by reason.")
    unseen: int = Field(0, description="Test rows of classes that the training split lacks.")
    halfwidths: dict[str, float] = Field({}, description="Half of the 95 % Wilson interval, by accuracy.")
    precision: PrecisionRecord | None = Field(None, description="Null for a regression.")
    baselines: tuple[BaselineRecord, ...] = Field((), description="The majority class first.")
    curves: tuple[LearningCurveRecord, ...] = Field((), description="Learning curves.")
    curves_text: str = Field("", description="What they show, or why there are none.")
    curves_alternative: str = Field("", description="Their plot in words.")
    leakage: LeakageRecord | None = Field(None, description="Null where the split cannot be used.")
    shortcuts: tuple[ShortcutRecord, ...] = Field((), description="What was tried, the largest gain first.")
    shortcuts_text: str = Field("", description="What was found, in a sentence.")
    groups: tuple[GroupRecord, ...] = Field((), description="Columns whose groups both splits share.")
    memory: MemoryRecord | None = Field(None, description="Null for a regression.")
